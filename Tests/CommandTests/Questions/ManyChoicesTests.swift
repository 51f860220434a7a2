import JSON
import ShareControl
import Testing

@testable import shared

/// Choices of which the daemon lists only the first.
@Suite struct ManyChoicesTests {
    private static let houses = (1...300).map { EntryChoice(name: "id\($0)", label: "Awa \($0)") }

    private static func state(
        of request: EntryStateRequest, _ type: String, _ all: [EntryChoice]
    ) -> EntryStateAnswer {
        let typed = request.search?["house"]?.string
        let found =
            typed.map { word in
                all.filter { $0.label.contains(word) || $0.name.contains(word) }
            } ?? all
        let field = EntryField(
            path: "house", name: "house", type: type, label: "House",
            value: request.values["house"] ?? .null, choices: Array(found.prefix(50)),
            choicesTotal: found.count, choicesMore: typed == nil)
        return EntryStateAnswer(
            form: "call", version: "1", title: "Call", language: "", languages: [],
            instanceName: nil, values: request.values, fields: [field],
            progress: EntryProgress(answered: 0, relevant: 0), problems: [], warnings: [])
    }

    private func answers(
        _ lines: [String], _ type: String, among all: [EntryChoice] = houses
    ) -> (JSONValue?, [String]) {
        var interview = Interview(width: 80)
        var step = interview.begin()
        var shown: [String] = []
        func settle() {
            while case .request(let request) = step {
                step = interview.take(Self.state(of: request, type, all))
            }
            shown += interview.takeLines().map(\.text)
        }
        settle()
        for line in lines {
            step = interview.answer(line)
            settle()
        }
        return (interview.values["house"], shown)
    }

    @Test func `what fits one of those that are listed is looked for among all`() {
        // "Awa 1" is listed, and so is not all that has it in it.
        let (none, shown) = answers(["wa 12"], "select_one")
        #expect(none == nil)
        #expect(shown.contains { $0.hasPrefix("At least 300 choices (Awa 1, ") }, "\(shown)")
        #expect(
            shown.contains { $0.contains("Awa 12") } && shown.contains { $0.contains("Awa 129") })
        #expect(answers(["Awa 299"], "select_one").0 == "id299")
        #expect(answers(["wa 12", "3"], "select_one").0 == "id121")
        // A label that is typed whole is that one.
        #expect(answers(["Awa 12"], "select_one").0 == "id12")
        // Other letters than those of what was found are looked for anew.
        #expect(answers(["wa 12", "Awa 250"], "select_one").0 == "id250")
        #expect(answers(["Bo"], "select_one").1.contains("No choice has that in it."))
    }

    @Test func `several are added one after the other`() {
        let picked = answers(["Awa 299", "<", "wa 12", "1 3"], "select_multiple_from_file").0
        #expect(picked?.array?.compactMap(\.string) == ["id299", "id12", "id121"])
        #expect(answers(["Awa 1, Awa 2"], "select_multiple").0 == "Awa 1, Awa 2")
    }

    @Test func `what is seen of one that was found counts before names, which are not`() {
        let more = [("A", "B"), ("B", "A"), ("K", "Zeta"), ("z1", "Koro K1"), ("M", "Mopti")]
        let all = Self.houses + more.map { EntryChoice(name: $0, label: $1) }
        for type in ["select_one", "select_multiple"] {
            func value(_ name: String) -> JSONValue {
                type == "select_one" ? .string(name) : .array([.string(name)])
            }
            #expect(answers(["B"], type, among: all).0 == value("A"))
            // Also where it has been found before.
            #expect(answers(["K", "B"], type, among: all).0 == value("A"))
            let (none, shown) = answers(["K"], type, among: all)
            #expect(none == nil && shown.contains { $0.contains("Zeta") }, "\(shown)")
            #expect(shown.contains { $0.contains("Koro K1") }, "\(shown)")
            #expect(answers(["M"], type, among: all).0 == value("M"))
            #expect(answers(["z1"], type, among: all).0 == value("z1"))
        }
    }
}
