import Expressions
import ShareCore
import ShareFormats
import Testing

@testable import ShareForms

/// When something is computed anew: of the clock, by a trigger, as a default.
struct TimingTests {
    private func state(
        _ form: Questionnaire, _ fields: [FieldValue?], kind: FillState.Kind = .new,
        since: [FieldValue?]? = nil, asked: String? = nil
    ) -> FillState {
        FillState(
            form, Answers(fields: fields), kind: kind, since: since.map { Answers(fields: $0) },
            asked: asked, clearing: .always, setting: .noon())
    }

    private static let age = """
        {"name":"born","type":"date"},
        {"name":"age","type":"integer","calculation":"int((today() - ${born}) div 365.25)"},
        {"name":"months","type":"calculate","calculation":"${age} * 12"},
        {"name":"note","type":"text"},
        {"name":"begun","type":"dateTime","calculation":"now()"}
        """

    @Test func `an age follows the date of birth, and the clock alone changes nothing`() throws {
        let form = try questionnaire(Self.age)
        let first = state(form, ["2020-01-01"], since: [])
        #expect(first["age"] == 6 && first["months"] == "72")
        // The answers so far come back with what was computed of them.
        var answers = first.answers.fields
        answers[0] = "1990-01-01"
        let next = state(form, answers, since: [])
        #expect(next["age"] == 36 && next["months"] == "432")
        #expect(state(form, ["2016-01-01", 99])["age"] == 10, "it is no answer of anybody's")
        let node = try #require(first.node(at: "age"))
        #expect(first.isReadOnly(node))
        // An entry of two years ago, looked at, changed elsewhere, and changed in what it names.
        let old: [FieldValue?] = ["2020-01-01", 4, "48", .absent, "2024-06-01T08:00:00Z"]
        #expect(state(form, old, kind: .stored).stored == old.compactMap(\.self))
        var other = old
        other[3] = "x"
        #expect(state(form, other, kind: .stored, since: old)["age"] == 4)
        var younger = old
        younger[0] = "2021-01-01"
        let edited = state(form, younger, kind: .stored, since: old)
        #expect(edited["age"] == 5 && edited["months"] == "60")
        #expect(edited["begun"] == "2024-06-01T08:00:00Z")
        #expect(state(form, old, kind: .imported)["age"] == 4)
        #expect(state(form, ["2020-01-01"], kind: .imported)["age"] == 6)
    }

    @Test func `what becomes relevant is computed, and rows of a repeat each by itself`() throws {
        let form = try questionnaire(
            """
            {"name":"preg","type":"text"},
            {"name":"lmp","type":"date","relevant":"${preg} = 'y'"},
            {"name":"weeks","type":"integer","calculation":"int((today() - ${lmp}) div 7)"},
            {"name":"child","type":"repeat","fields":[
              {"name":"born","type":"date"},
              {"name":"age","type":"integer","calculation":"int((today() - ${born}) div 365.25)"}]}
            """)
        let rows = [
            Answers(fields: ["2020-01-01", 4]), Answers(fields: ["2022-01-01", 2]),
        ]
        let old = Answers(fields: ["n", .absent, .absent], repeats: [rows])
        var new = old
        new.fields[0] = "y"
        new.fields[1] = "2026-10-26"
        new.repeats[0][1].fields[0] = "2023-01-01"
        let state = FillState(
            form, new, kind: .stored, since: old, clearing: .never, setting: .noon())
        #expect(state["weeks"] == 4)
        #expect(state["child[1]/age"] == 4 && state["child[2]/age"] == 3)
    }

    @Test func `a trigger has it computed when its answer changes, and not before`() throws {
        let form = try questionnaire(
            """
            {"name":"w","type":"decimal"},{"name":"other","type":"text"},
            {"name":"copy","type":"calculate","calculation":"concat('w', ${w}, ${other})",
             "trigger":"${w}"},
            {"name":"at","type":"dateTime","calculation":"now()","trigger":"${w}"}
            """)
        #expect(form.findings.isEmpty)
        #expect(state(form, [], since: [])["copy"] == .absent)
        let noon: FieldValue = "2026-11-23T12:00:00.000Z"
        let first = state(form, [80.0], since: [], asked: "w")
        #expect(first["copy"] == "w80" && first["at"] == noon)
        let earlier: FieldValue = "2026-11-23T11:00:00.000Z"
        let given: [FieldValue?] = [80.0, "x", "w80", earlier]
        let next = state(form, given, since: [], asked: "other")
        #expect(next["copy"] == "w80" && next["at"] == earlier)
        let again = state(form, [100.0, "x", "w80", earlier], since: [], asked: "w")
        #expect(again["copy"] == "w100x" && again["at"] == noon)
        // Without questions: what was not given is computed, what was stays.
        #expect(state(form, [80.0])["copy"] == "w80")
        #expect(state(form, given)["at"] == earlier)
        let edited = state(form, [90.0, "x", "w80", earlier], kind: .stored, since: given)
        #expect(edited["copy"] == "w90x" && edited["at"] == noon)
        let same = state(form, [80.0, "y", "w80", earlier], kind: .stored, since: given)
        #expect(same["copy"] == "w80" && same["at"] == earlier)
    }

    @Test func `a default waits for the question that it names`() throws {
        let form = try questionnaire(
            """
            {"name":"a","type":"text"},
            {"name":"b","type":"text","default":"concat('x', ${a})"}
            """)
        let begun = state(form, [], since: [])
        #expect(begun["b"] == .absent && begun.answers.fields[1] == nil)
        #expect(state(form, ["k"], since: [])["b"] == "xk")
        #expect(state(form, ["k"])["b"] == "xk")
        #expect(state(form, [nil])["b"] == "x")
    }

    @Test func `a default waits for the questions of what the form works out`() throws {
        let form = try questionnaire(
            """
            {"name":"a","type":"integer"},
            {"name":"cat","type":"calculate","calculation":"if(${a} > 3, 'high', 'low')"},
            {"name":"b","type":"text","default":"concat('do ', ${cat})"}
            """)
        let begun = state(form, [], since: [])
        #expect(begun["cat"] == "low" && begun["b"] == .absent)
        #expect(state(form, [5], since: [])["b"] == "do high")
        #expect(state(form, [5])["b"] == "do high")
    }

    @Test func `a default that cannot be worked out is none`() throws {
        let form = try questionnaire(
            """
            {"name":"a","type":"text","default":"${last-saved#z}"},
            {"name":"b","type":"text","default":"cht:foo(1)"},
            {"name":"c","type":"text","default":"uuid("},
            {"name":"d","type":"date","default":"tomorrow()"},
            {"name":"e","type":"date","default":"21.11.2026"},
            {"name":"f","type":"text","default":"north (old)"},
            {"name":"g","type":"time","default":"14:30"}
            """)
        #expect(form.findings.map(\.subject) == ["a", "b", "c", "d", "e"])
        let state = state(form, [])
        for name in ["a", "b", "c", "d", "e"] { #expect(state[name] == .absent) }
        #expect(state["f"] == "north (old)" && state["g"] == "14:30")
        #expect(state.problems.isEmpty)
    }

    @Test func `a default may be the answer of the entry before`() throws {
        let form = try questionnaire(
            #"{"name":"team","type":"text","default":"${last-saved#team}"}"#)
        #expect(form.findings.isEmpty)
        let begun = state(form, [], since: [])
        let node = try #require(begun.node(at: "team"))
        #expect(begun["team"] == .absent && begun.lastSaved(at: node) == "team")
        #expect(state(form, ["x"]).lastSaved(at: node) == nil)
        #expect(state(form, [.absent]).lastSaved(at: node) == nil)
        #expect(state(form, [.absent], kind: .stored).lastSaved(at: node) == nil)
    }

    @Test func `each default may be an answer of the entry before, until somebody says something`()
        throws
    {
        let form = try questionnaire(
            """
            {"name":"n","type":"integer","default":"${last-saved#n} + 1"},
            {"name":"a","type":"text","default":"${last-saved#a}"},
            {"name":"b","type":"text","default":"${last-saved#b}"}
            """)
        // As a dialog has it: what is made of the first answers comes with the next one.
        let answered = state(form, [3, "x", nil], since: [])
        #expect(answered.answers.fields == [3, "x", nil])
        let node = try #require(answered.node(at: "b"))
        #expect(answered.lastSaved(at: node) == "b")
        #expect(state(form, [3, "x", .absent], since: []).answers.fields == [3, "x", .absent])
    }
}
