import JSON
import ShareControl
import Testing

@testable import shared

/// The daemon and the person of these tests.
extension InterviewTests {
    /// What the daemon makes of these answers, for the form of this suite.
    static func state(of values: JSONObject) -> EntryStateAnswer {
        let isSick = values["sick"] == .string("yes")
        var values = values
        if !isSick { values.members.removeAll { $0.key == "fever" } }
        var dropped = JSONObject()
        if let gps = values["gps"] {
            dropped["gps"] = gps
            values.members.removeAll { $0.key == "gps" }
        }
        var problems: [EntryProblem] = []
        func value(_ name: String) -> JSONValue { values[name] ?? .null }
        if value("id") == .null {
            problems.append(
                EntryProblem(path: "id", kind: .required, message: "Every one has a number."))
        }
        if case .string(let text) = value("fever"), Double(text) ?? 0 > 43 {
            problems.append(
                EntryProblem(path: "fever", kind: .constraint, message: "Nobody is that hot."))
        }
        let yesNo = [EntryChoice(name: "yes", label: "Yes"), EntryChoice(name: "no", label: "No")]
        let members = values["member"]?.array ?? []
        var fields = [
            EntryField(
                path: "id", name: "id", type: "text", label: "Household number", isRequired: true,
                value: value("id"), message: problems.first { $0.path == "id" }?.message),
            EntryField(
                path: "sick", name: "sick", type: "select_one", label: "Is anybody sick?",
                value: value("sick"), choices: yesNo, choicesTotal: 2),
            EntryField(
                path: "fever", name: "fever", type: "decimal", label: "Fever",
                hint: "under the arm",
                unit: "Cel", isRelevant: isSick, value: value("fever"),
                warning: value("fever") == .string("41") ? "That is very high." : nil,
                tip: "Measure again."),
            EntryField(
                path: "member", name: "member", type: "repeat", label: "Member",
                repeat: EntryRepeat(count: members.count, max: 3, canAdd: members.count < 3)),
        ]
        for index in members.indices {
            fields.append(
                EntryField(
                    path: "member[\(index + 1)]/name", name: "name", type: "text",
                    label: "Name", group: ["Member"], value: members[index].object?["name"] ?? .null
                ))
        }
        fields.append(
            EntryField(
                path: "remarks", name: "remarks", type: "text", label: "Remarks",
                value: value("remarks")))
        var answer = EntryStateAnswer(
            form: "household", version: "1", title: "Household", language: "", languages: [],
            instanceName: nil, values: values, fields: fields,
            progress: EntryProgress(answered: 0, relevant: 0), problems: problems, warnings: [],
            dropped: dropped.members.isEmpty ? nil : dropped)
        if value("id") == "KOR-9" { answer.duplicate = "household KOR-9 is there already" }
        return answer
    }

    /// The same for the next version of the form, which asks how many nets there are, and not who is
    /// sick.
    static func later(_ values: JSONObject) -> EntryStateAnswer {
        var values = values
        let gone = values.members.filter { ["sick", "fever"].contains($0.key) }
        values.members.removeAll { ["sick", "fever"].contains($0.key) }
        var answer = state(of: values)
        answer.version = "2"
        answer.fields.removeAll { ["sick", "fever"].contains($0.path) }
        answer.fields.insert(
            EntryField(
                path: "nets", name: "nets", type: "integer", label: "How many nets?",
                value: values["nets"] ?? .null), at: 1)
        if !gone.isEmpty { answer.dropped = JSONObject(gone) }
        return answer
    }

    /// Somebody who answers: what was shown, and what came out.
    struct Sitting {
        /// Whether the form has been changed meanwhile.
        var isLater = false
        var interview: Interview
        /// What the entry that is edited has.
        var base: JSONObject
        var step: Interview.Step
        var shown: [String] = []

        init(_ interview: Interview, base: JSONObject = [:]) {
            self.interview = interview
            self.base = base
            step = self.interview.begin()
            settle()
        }

        mutating func type(_ lines: String...) {
            for line in lines {
                step = interview.answer(line)
                settle()
            }
        }

        /// The save was refused, as these answers were changed meanwhile.
        mutating func refuse(_ changed: EntryProblem...) {
            step = interview.changed(changed)
            settle()
        }

        private mutating func settle() {
            while case .request(let request) = step {
                var values = request.values
                for member in base.members where values[member.key] == nil {
                    values.members.append(member)
                }
                step = interview.take(
                    isLater ? InterviewTests.later(values) : InterviewTests.state(of: values))
            }
            shown += interview.takeLines().map {
                String(repeating: " ", count: $0.indent) + $0.text
            }
        }

        func hasShown(_ text: String) -> Bool { shown.contains { $0.contains(text) } }

        var prompt: String? { if case .ask(let prompt) = step { prompt } else { nil } }
        var saved: JSONObject? { if case .save(let values) = step { values } else { nil } }
    }
}
