import Expressions
import ShareCore
import ShareFormats
import Testing

@testable import ShareForms

/// Small forms that would take much memory or time.
struct BoundsTests {
    private let many = String(repeating: "${x}", count: 4_000)

    @Test func `a text takes in so much of long answers and no more`() throws {
        let form = try questionnaire(
            """
            {"name":"x","type":"text"},
            {"name":"y","type":"integer","constraint":". > 5","constraint_message":"\(many)"},
            {"name":"z","type":"text","constraint":"false()"}
            """)
        let long = String(repeating: "é", count: 10_000)
        let state = fill(form, ["x": .text(long), "y": 1, "z": .text(long)])
        let faults = state.faults(isSaving: true)
        #expect(faults.map(\.path) == ["y", "z"])
        #expect(faults[0].message.hasPrefix("ééé") && faults[0].message.hasSuffix("..."))
        #expect(faults[0].message.utf8.count < 5 * 4_000)
        #expect(faults[1].message.utf8.count < 5_000)
        #expect(faults[1].message.hasSuffix("é... is not allowed"))
        let node = try #require(state.node(at: "x"))
        #expect(state.display(at: node) == long)
    }

    @Test func `all texts of an entry take in so much, and are then as the form has them`() throws {
        let form = try questionnaire(
            """
            {"name":"x","type":"text"},
            {"name":"r","type":"repeat","fields":[
              {"name":"y","type":"integer","constraint":". > 5","constraint_message":"\(many)"}]}
            """)
        let rows = [Answers](repeating: Answers(fields: [1]), count: 500)
        let long = String(repeating: "x", count: 5_000)
        let state = fill(form, answers: Answers(fields: [.text(long)], repeats: [rows]))
        let faults = state.faults(isSaving: true)
        #expect(faults.count == 500)
        #expect(faults.first?.message.hasPrefix("xxx") == true)
        #expect(faults.last?.message == many)
    }

    @Test func `of a list with a column for each choice the first columns are looked up`() throws {
        let choices = (0..<200).map { #"{"name":"n\#($0)","c\#($0)":"v\#($0)"}"# }
        let form = try questionnaire(
            """
            {"name":"a","type":"select_one","list":"l","choice_filter":"c3 = 'v3'"},
            {"name":"b","type":"select_one","list":"l"}
            """, lists: #"{"l":[\#(choices.joined(separator: ","))]}"#)
        #expect(form.tables[Array("l".utf8)]?.columns.count == 64)
        #expect(
            form.findings.map(\.sentence) == [
                "l: lists: more than 64 columns: the others are not looked up"
            ])
        let state = fill(form)
        let node = try #require(state.node(at: "a"))
        #expect(state.choices(at: node, limit: 9)?.offers.map(\.name) == ["n3"])
        #expect(fill(form, ["b": "n199"]).problems.isEmpty)
    }

    @Test func `an answer of very many choices is refused, and none of them looked up`() throws {
        let form = try questionnaire(
            #"{"name":"a","type":"select_multiple","list":"l"}"#,
            lists: #"{"l":[{"name":"a","label":"Ant"},"b"]}"#)
        let node = try #require(fill(form).node(at: "a"))
        let fits = fill(form, kind: .stored, ["a": "a b a"])
        #expect(fits.problems.isEmpty && fits.display(at: node) == "Ant, b, Ant")
        let many = String(repeating: "a ", count: 1_001) + "b"
        let state = fill(form, kind: .stored, clearing: .never, ["a": .text(many)])
        #expect(state.problems == ["a: field a: more than 1000 choices in one answer"])
        #expect(state.budget.steps > 398_000 && !state.isChosen(node))
        let shown = state.display(at: node)
        #expect(shown.hasPrefix("Ant, Ant, ") && shown.hasSuffix(", a b"))
        // Within the number all are looked up; where too much is computed they are not known.
        let most = FieldValue.text(String(repeating: "a ", count: 999) + "c")
        #expect(
            fill(form, kind: .stored, ["a": most]).problems == ["a: field a has no choice \"c\""])
        #expect(fill(form, kind: .stored, steps: 100, ["a": most]).problems.isEmpty)
    }

    @Test func `a large form that people would make takes few of the steps`() throws {
        let fields = (0..<300).map { index in
            let rule =
                index % 2 == 1
                ? #""calculation":"round(${f\#(index - 1)} * 1.5 + ${f0}, 2)""#
                : #""constraint":". >= 0 and . < 1000","required":"${f0} > 0 or ${f2} = 1""#
            return #"{"name":"f\#(index)","type":"decimal",\#(rule)}"#
        }
        let answers = Answers(fields: (0..<300).map { $0 % 2 == 0 ? 7 : nil })
        let form = try questionnaire(fields.joined(separator: ","))
        let state = fill(form, answers: answers)
        #expect(state.problems.isEmpty && state.cautions().isEmpty)
        #expect(state.budget.steps > 380_000)
    }

    @Test func `a name in a long answer, and each node of a repeat, takes steps`() throws {
        let form = try questionnaire(
            """
            {"name":"a","type":"select_multiple","list":"l"},
            {"name":"r","type":"repeat","fields":[{"name":"b","type":"text"}]}
            """, lists: #"{"l":["a","b"]}"#)
        let many = String(repeating: "a ", count: 900)
        let rows = [Answers](repeating: Answers(fields: ["x"]), count: 1_000)
        let state = fill(
            form, answers: Answers(fields: [.text(many)], repeats: [rows]), kind: .stored)
        #expect(state.problems.isEmpty && state.budget.steps < 390_000)
        let poor = fill(
            form, answers: Answers(fields: [.text(many + "c")]), kind: .stored, steps: 500)
        #expect(poor.problems.isEmpty && poor.cautions().count == 1)
    }

    @Test func `rows that a form counts are no more than an entry has nodes for`() throws {
        let many = (0..<500).map {
            #"{"name":"d\#($0)","type":"text","default":"concat(uuid(), now())"}"#
        }
        let wide = fill(
            try questionnaire(
                #"""
                {"name":"t","type":"text"},
                {"name":"r","type":"repeat","repeat_count":"1000","fields":[\#(many.joined(separator: ","))]}
                """#))
        #expect(wide.leavesOut && wide.answers.repeats[0].count == 39)
        #expect(wide.nodes.count <= EntryTree.limit)
        // The fields of rows that are given count as well.
        let given = try questionnaire(
            #"""
            {"name":"t","type":"text"},
            {"name":"r","type":"repeat","fields":[\#(many.joined(separator: ","))]}
            """#)
        let rows = [Answers](repeating: Answers(), count: 1_000)
        let kept = fill(given, answers: Answers(repeats: [rows]), kind: .stored)
        #expect(kept.leavesOut && kept.nodes.count <= EntryTree.givenLimit)

        let nested = fill(
            try questionnaire(
                """
                {"name":"t","type":"text"},
                {"name":"r","type":"repeat","repeat_count":"1000","fields":[
                  {"name":"q","type":"repeat","repeat_count":"1000","fields":[
                    {"name":"b","type":"text"}]}]}
                """))
        #expect(nested.leavesOut && nested.nodes.count <= EntryTree.limit)

        let several = (0..<60).map {
            """
            ,{"name":"r\($0)","type":"repeat","repeat_count":"${t}","fields":[
              {"name":"a\($0)","type":"text","default":"1"}]}
            """
        }
        let form = try questionnaire(#"{"name":"t","type":"integer"}"# + several.joined())
        let state = fill(form, answers: Answers(fields: [1000]))
        #expect(state.leavesOut && state.nodes.count <= EntryTree.limit)
        let few = fill(form, answers: Answers(fields: [100]))
        #expect(!few.leavesOut && few.answers.repeats.allSatisfy { $0.count == 100 })
    }

    @Test func `each node is found at its path, whatever names have in them`() throws {
        let form = try questionnaire(
            """
            {"name":"a","type":"text"},{"name":"a[1]/x","type":"text"},
            {"name":"g","type":"group","fields":[
              {"name":"r","type":"repeat","fields":[
                {"name":"size [mm]","type":"integer"},
                {"name":"h","type":"group","fields":[
                  {"name":"q","type":"repeat","fields":[{"name":"a/b","type":"text"}]}]}]}]}
            """)
        let inner = [Answers](repeating: Answers(fields: ["x"]), count: 3)
        let rows = [Answers](repeating: Answers(fields: [1], repeats: [inner]), count: 2)
        let state = fill(form, answers: Answers(fields: ["x", "y"], repeats: [rows]))
        for node in state.nodes {
            let path = state.path(of: node)
            guard !path.isEmpty, state.tree.item(of: node).isRepeat || !path.hasSuffix("]") else {
                continue
            }
            #expect(state.node(at: path) == node, "\(path)")
        }
        #expect(state["r[2]/q[3]/a/b"] == "x")
        for path in ["r[3]", "r[0]/size [mm]", "r[1]x", "r[1]/", "r", "r[2]/q[4]/a/b"] {
            #expect(state.node(at: path) == nil, "\(path)")
        }
        let place = try #require(state.node(at: "r[2]/q[3]/a/b"))
        #expect(state.question(of: place) == "r/q/a/b")
    }

    @Test func `hints are told for so many faults and no more`() throws {
        let form = try questionnaire(
            """
            {"name":"a","type":"text"},
            {"name":"r","type":"repeat","fields":[
              {"name":"b","type":"integer","constraint":". > 5"},
              {"name":"c","type":"integer","constraint":". > 5LONG"}]}
            """.replacing("LONG", with: String(repeating: " or false()", count: 30)))
        let rows = [Answers](repeating: Answers(fields: [1, 1]), count: 200)
        let faults = fill(form, answers: Answers(repeats: [rows])).faults(isSaving: false)
        #expect(faults.count == 400)
        #expect(faults[0].hint == "The form wants: the answer is more than 5.")
        #expect(faults[1].hint == nil, "a long one helps nobody")
        #expect(faults.count { $0.hint != nil } == 50 && faults[399].hint == nil)
    }

    @Test func `names of lists that only look alike are two lists`() throws {
        let form = try questionnaire(
            """
            {"name":"a","type":"select_one","list":"caf\u{e9}"},
            {"name":"b","type":"select_one_from_file","list":"cafe\u{301}.csv"}
            """, lists: "{\"caf\u{e9}\":[\"x\"]}")
        let other = ChoiceTable(
            ChoiceList(name: "cafe\u{301}", choices: [Choice(name: "y")]), defaultLanguage: nil)
        let state = fill(
            form,
            setting: .noon { $0.utf8.elementsEqual("cafe\u{301}".utf8) ? other : nil })
        for (path, name) in [("a", "x"), ("b", "y")] {
            let node = try #require(state.node(at: path))
            #expect(state.choices(at: node, limit: 9)?.offers.map(\.name) == [name])
        }
    }

    @Test func `what is computed of more rows than are looked at stays`() throws {
        let form = try questionnaire(
            """
            {"name":"note","type":"text"},
            {"name":"r","type":"repeat","fields":[
              {"name":"x","type":"integer"},{"name":"a","type":"text"},
              {"name":"b","type":"text"},{"name":"c","type":"text"},
              {"name":"d","type":"text"},{"name":"e","type":"text"}]},
            {"name":"total","type":"integer","calculation":"sum(${x})"},
            {"name":"twice","type":"integer","calculation":"${total} * 2"}
            """)
        let rows = [Answers](repeating: Answers(fields: [1]), count: 10_000)
        let before = Answers(fields: ["n", 10_000, 20_000], repeats: [rows])
        var after = before
        after.repeats[0][2].fields[0] = 5
        let state = FillState(
            form, after, kind: .stored, since: before, clearing: .never, setting: .noon())
        #expect(state.leavesOut && state.stored == ["n", 10_000, 20_000])
        #expect(
            state.cautions().map { "\($0.path): \($0.message)" } == [
                "total: not checked here: the entry has more rows than can be computed at once",
                "twice: not checked here: the entry has more rows than can be computed at once",
            ])
    }
}
