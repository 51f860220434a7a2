import JSON
import ShareControl
import Testing

@testable import shared

/// Choices that depend on other answers.
@Suite struct DependentChoicesTests {
    /// Villages are of a region; where `isKnown` is false, their choices are not known beforehand.
    private static func state(of request: EntryStateRequest, isKnown: Bool) -> EntryStateAnswer {
        var values = request.values
        let regions = ["n", "s"].map { EntryChoice(name: $0, label: $0.uppercased()) }
        let village = values["village"]?.string
        if let village, village.prefix(1) != values["region"]?.string ?? "" {
            values.members.removeAll { $0.key == "village" }
        }
        let villages = EntryChoice(name: "\(values["region"]?.string ?? "")1", label: "One")
        let fields = [
            EntryField(
                path: "region", name: "region", type: "select_one", label: "Region",
                value: values["region"] ?? .null, choices: regions, choicesTotal: 2),
            EntryField(
                path: "village", name: "village", type: "select_one", label: "Village",
                value: values["village"] ?? .null, display: values["village"].map { _ in "One" },
                choices: isKnown ? [villages] : nil, choicesTotal: isKnown ? 1 : nil),
        ]
        return EntryStateAnswer(
            form: "visit", version: "1", title: "Visit", language: "", languages: [],
            instanceName: nil, values: values, fields: fields,
            progress: EntryProgress(answered: 0, relevant: 0), problems: [], warnings: [])
    }

    private func shown(_ lines: [String], isKnown: Bool) -> (Interview, [String]) {
        var interview = Interview(width: 80)
        var step = interview.begin()
        var shown: [String] = []
        func settle() {
            while case .request(let request) = step {
                step = interview.take(Self.state(of: request, isKnown: isKnown))
            }
            shown += interview.takeLines().map(\.text)
        }
        settle()
        for line in lines {
            step = interview.answer(line)
            settle()
        }
        return (interview, shown)
    }

    @Test func `an answer that goes is told, and never taken without a word`() {
        let (interview, lines) = shown(["1", "1", "1", "2"], isKnown: true)
        #expect(interview.values["region"] == "s" && interview.values["village"] == nil)
        #expect(lines.contains("Village: One is no choice any more, and is taken out."))
        let (asked, told) = shown(["n", "s1"], isKnown: false)
        #expect(told.last == "This cannot be chosen with the other answers.")
        #expect(asked.place == "village" && asked.values["village"] == nil)
    }

    @Test func `a question begins with the answer of the entry before where the form says so`() {
        func answer(to request: EntryStateRequest) -> EntryStateAnswer {
            var field = EntryField(
                path: "team", name: "team", type: "text", label: "Team",
                value: request.values["team"] ?? .null)
            field.lastSaved = request.values["team"] == nil ? "team" : nil
            return EntryStateAnswer(
                form: "visit", version: "1", title: "Visit", language: "", languages: [],
                instanceName: nil, values: request.values, fields: [field],
                progress: EntryProgress(answered: 0, relevant: 0), problems: [], warnings: [])
        }
        for (typed, kept) in [("", "Ana"), ("Bo", "Bo"), ("-", nil)] as [(String, String?)] {
            var interview = Interview(before: ["team": "Ana"], width: 80)
            guard case .request(let first) = interview.begin(),
                case .ask(let prompt) = interview.take(answer(to: first)),
                case .request(let next) = interview.answer(typed)
            else {
                Issue.record("it is not asked")
                continue
            }
            #expect(prompt == "[Ana] > ")
            _ = interview.take(answer(to: next))
            #expect(interview.values["team"]?.string == kept)
        }
    }
}
