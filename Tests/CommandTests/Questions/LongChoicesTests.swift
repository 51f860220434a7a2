import JSON
import ShareControl
import Testing

@testable import shared

/// Choices that are told apart at the ends of their labels alone.
@Suite struct LongChoicesTests {
    private static let labels = ["first", "2nd", "3rd"].map {
        "Amoxicillin dispersible tablets 250 mg, one in the morning and one at night, given by the"
            + " mother at home (\($0) attempt)"
    }

    private func field(_ value: Int?) -> EntryField {
        let choices = Self.labels.enumerated().map { EntryChoice(name: "c\($0)", label: $1) }
        return EntryField(
            path: "drug", name: "drug", type: "select_one",
            label: "Which drug did the child get, and who gave it to the child at home?",
            value: value.map { .string("c\($0)") } ?? .null, display: value.map { Self.labels[$0] },
            choices: choices, choicesTotal: 3)
    }

    @Test(arguments: [40, 60, 80]) func `labels are wrapped whole behind their numbers`(
        width: Int
    ) {
        let lines = InterviewScreen.question(field(nil), 1, of: 1, under: [], width)
        let shown = lines.map { String(repeating: " ", count: $0.indent) + $0.text }
        #expect(shown.allSatisfy { $0.count <= width }, "\(shown)")
        for (index, label) in Self.labels.enumerated() {
            let start = shown.firstIndex { $0.hasPrefix("  \(index + 1) Amox") } ?? 0
            let rest = shown[(start + 1)...].prefix { $0.hasPrefix("    ") }
            let whole = ([shown[start].dropFirst(4)] + rest.map { $0.dropFirst(4) })
                .joined(separator: " ")
            #expect(whole == label, "\(shown)")
        }
    }

    @Test func `a word that is wider than the room is broken`() {
        let choices = ["ab", "abcdefghijklmnopqrstuvwxyz"].map { EntryChoice(name: $0, label: $0) }
        let lines = InterviewScreen.choices(choices, all: choices, 2, 20).map(\.text)
        #expect(lines == ["1 ab", "2 abcdefghijklmnop", "  qrstuvwxyz"])
    }

    private func summary(_ fields: [EntryField], _ width: Int) -> [String] {
        var state = InterviewTests.state(of: [:])
        state.fields = fields
        return InterviewScreen.summary(state, fields.map(\.path), wrongBefore: [], width)
            .dropFirst(2).map(\.text)
    }

    @Test(arguments: [40, 60, 80]) func `a prompt is cut inside, and the summary has them whole`(
        width: Int
    ) {
        for (value, label) in Self.labels.enumerated() {
            let prompt = InterviewScreen.prompt(field(value), width)
            #expect(prompt.hasSuffix("\(label.suffix(12))] > "), "\(prompt)")
            #expect(prompt.hasPrefix("[Amox") && prompt.contains("..."), "\(prompt)")
            let lines = summary([field(value)], width)
            let margin = lines[0].count - lines[0].drop { $0 != "A" }.count
            let whole = lines.map { String($0.dropFirst(margin)) }.joined(separator: " ")
            #expect(whole.hasSuffix(label), "\(lines)")
            #expect(lines.allSatisfy { $0.count <= width }, "\(lines)")
        }
        #expect(Terminal.cutInside("abcdefghij", 9) == "abc...hij")
        #expect(Terminal.cutInside("abc", 3) == "abc")
    }

    @Test func `labels of the summary that would be alike are whole`() {
        func field(_ name: String, _ label: String) -> EntryField {
            EntryField(
                path: name, name: name, type: "text", label: label, value: .string("A\(name)"))
        }
        let lines = summary(
            [
                field("a", "How many girls under five years slept here last night"),
                field("b", "How many boys under five years slept here last night"),
                field("c", "What else was there to be seen in this house"),
            ], 40)
        #expect(
            lines == [
                "1  How many girls    Aa", "   under five years", "   slept here last", "   night",
                "2  How many boys     Ab", "   under five years", "   slept here last", "   night",
                "3  What el... house  Ac",
            ], "\(lines)")
    }
}
