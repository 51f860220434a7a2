import Expressions
import ShareCore
import ShareFormats
import Testing

@testable import ShareForms

struct RepeatTests {
    private let survey = """
        {"name":"site","type":"text"},
        {"name":"sighting","type":"repeat","label":"Sighting","x":{"max":3},"fields":[
          {"name":"species","type":"text","required":true},
          {"name":"tally","type":"integer","constraint":". >= 0"},
          {"name":"number","type":"integer","calculation":"position(..)"},
          {"name":"label","type":"calculate","calculation":"concat(${site}, ' ', ${species})"},
          {"name":"many","type":"group","relevant":"${tally} > 10","fields":[
            {"name":"how","type":"text","default":"counted"}]}]},
        {"name":"total","type":"integer","calculation":"sum(${tally})"},
        {"name":"rows","type":"integer","calculation":"count(${sighting})"}
        """

    private func row(_ species: FieldValue?, _ tally: FieldValue?) -> Answers {
        Answers(fields: [species, tally])
    }

    @Test func `repetitions have answers of their own and are summed up`() throws {
        let form = try questionnaire(survey)
        #expect(form.findings.isEmpty)
        let state = fill(
            form,
            answers: Answers(
                fields: ["x"], repeats: [[row("ant", 4), row(nil, 11), row("bee", -1)]]))
        #expect(state["total"] == 14 && state["rows"] == 3)
        #expect(state["sighting[3]/number"] == 3 && state["sighting[1]/label"] == "x ant")
        #expect(state["sighting[1]/how"] == .absent && state["sighting[2]/how"] == "counted")
        #expect(
            state.problems == [
                "sighting[2]/species: field sighting[2]/species is required",
                "sighting[3]/tally: field sighting[3]/tally: -1 is not allowed",
            ])
        state.set("sighting[2]/tally", 1)
        state.set("sighting[3]/tally", 2)
        #expect(state["total"] == 7 && state["sighting[2]/how"] == .absent)
        state.set("site", "y")
        #expect(state["sighting[3]/label"] == "y bee")
        let answers = state.answers
        #expect(answers.repeats[0].count == 3)
        #expect(answers.repeats[0][2].fields[..<3] == ["bee", 2, 3])
        #expect(answers.fields == ["y", 7, 3])
    }

    @Test func `any number of repeats are counted`() throws {
        let repeats = (1...40).map {
            """
            ,{"name":"r\($0)","type":"repeat","repeat_count":"${n}","fields":[
              {"name":"a\($0)","type":"integer","default":"1"}]}
            """
        }
        let form = try questionnaire(
            #"{"name":"n","type":"integer"},{"name":"all","type":"integer","calculation":"count(${r40})"}"#
                + repeats.joined())
        let state = fill(form)
        for count in [2, 0, 3] {
            state.set("n", .integer(Int64(count)))
            #expect(state.answers.repeats.map(\.count) == [Int](repeating: count, count: 40))
            #expect(state["all"] == .integer(Int64(count)))
        }
    }

    @Test func `too few and too many repetitions are told`() throws {
        let form = try questionnaire(survey)
        let four = Answers(
            repeats: [[Answers]](
                repeating: [row("a", 1), row("a", 1), row("a", 1), row("a", 1)], count: 1))
        #expect(
            fill(form, answers: four).problems == ["sighting: Sighting: at most 3, there are 4"])
        let least = try questionnaire(
            """
            {"name":"a","type":"text"},
            {"name":"r","type":"repeat","x":{"min":2},"fields":[{"name":"n","type":"text"}]}
            """)
        #expect(fill(least)["r[2]/n"] == .absent)
        #expect(fill(least, kind: .stored).problems == ["r: r: at least 2, there are 0"])
    }

    @Test func `a count is computed, also of what lies within`() throws {
        let form = try questionnaire(
            """
            {"name":"n","type":"integer"},
            {"name":"house","type":"repeat","repeat_count":"${n}","fields":[
              {"name":"rooms","type":"integer","default":"2"},
              {"name":"room","type":"repeat","repeat_count":"${rooms}","fields":[
                {"name":"name","type":"calculate",
                 "calculation":"concat(position(../..), '.', position(..))"}]}]},
            {"name":"all","type":"integer","calculation":"count(${room})"}
            """)
        let state = fill(form, ["n": 2])
        #expect(state["house[2]/room[2]/name"] == "2.2" && state["all"] == 4)
        state.set("house[1]/rooms", 3)
        #expect(state["house[1]/room[3]/name"] == "1.3" && state["all"] == 5)
        state.set("n", 1)
        #expect(state["house[1]/rooms"] == 3 && state["house[2]/rooms"] == nil)
        #expect(state["all"] == 3)
        state.set("n", 1_000_000)
        #expect(state.answers.repeats[0].count <= 1_000)
    }

    @Test func `one more here and one less there hides what was hidden`() throws {
        let form = try questionnaire(
            """
            {"name":"has","type":"text"},
            {"name":"hid","type":"text","required":true,"relevant":"${has} = 'yes'"},
            {"name":"house","type":"repeat","fields":[
              {"name":"rooms","type":"integer"},
              {"name":"room","type":"repeat","repeat_count":"${rooms}","fields":[
                {"name":"wall","type":"text"}]}]}
            """)
        func house(_ rooms: FieldValue, _ given: Int) -> Answers {
            Answers(fields: [rooms], repeats: [[Answers](repeating: Answers(), count: given)])
        }
        for (first, second) in [(1, 1), (1, 2), (2, 1), (0, 3)] {
            let state = fill(
                form,
                answers: Answers(
                    fields: ["no", "x"], repeats: [[house(2, first), house(1, second)]]))
            #expect(state.problems.isEmpty)
            #expect(state["hid"] == .absent && state.answers.fields == ["no", .absent])
            #expect(state.answers.repeats[0].map { $0.repeats[0].count } == [2, 1])
        }
    }

    @Test func `a row that is not asked has its place all the same`() throws {
        let form = try questionnaire(
            """
            {"name":"who","type":"text"},
            {"name":"kid","type":"repeat","relevant":"selected(${who}, string(position(.)))","fields":[
              {"name":"name","type":"text"},
              {"name":"same","type":"text","relevant":"position(..) > 1"}]}
            """)
        #expect(form.findings.isEmpty)
        let rows = ["Al", "Bo", "Cy"].map { Answers(fields: [$0, "x"]) }
        let state = fill(form, answers: Answers(fields: ["2 3"], repeats: [rows]))
        for _ in 0..<3 {
            #expect(state.answers.repeats == [Array(rows.dropFirst())])
            // Whatever is computed once more.
            state.finish()
        }
        state.set("who", "1 3")
        #expect(state.answers.repeats[0].map { $0.fields[0] } == ["Al", "Cy"])
        #expect(state["kid[1]/same"] == .absent && state["kid[3]/same"] == "x")
        state.set("who", "2")
        #expect(state.answers.repeats == [[rows[1]]])
    }

    @Test func `a name in several repeats is the near one`() throws {
        let form = try questionnaire(
            """
            {"name":"name","type":"text"},
            {"name":"a","type":"repeat","fields":[
              {"name":"name","type":"text"},
              {"name":"here","type":"calculate","calculation":"${name}"}]},
            {"name":"top","type":"calculate","calculation":"${name}"}
            """)
        let state = fill(
            form,
            answers: Answers(
                fields: ["t"], repeats: [[Answers(fields: ["1"]), Answers(fields: ["2"])]]))
        #expect(state["a[2]/here"] == "2" && state["top"] == "t")
    }
}
