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
}
