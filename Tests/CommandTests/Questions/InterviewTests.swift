import JSON
import ShareControl
import Testing

@testable import shared

/// The questions of an entry, without terminal and daemon: a household with a village, a fever that
/// is asked for the sick alone, and members.
@Suite struct InterviewTests {
    private func sitting(
        values: JSONObject = [:], at: String? = nil, record: String? = nil,
        base: JSONObject = [:], before: JSONObject = [:], width: Int = 80
    ) -> Sitting {
        Sitting(
            Interview(values: values, at: at, record: record, before: before, width: width),
            base: base)
    }

    @Test func `what the form has no question for any more is not taken away by an edit`() throws {
        let base: JSONObject = ["id": "KOR-1", "sick": "yes", "fever": "38"]
        var sitting = Sitting(Interview(record: "r", width: 80), base: base)
        sitting.type("3")
        sitting.isLater = true
        sitting.base.members.removeAll { $0.key != "id" }
        sitting.type("39", "3", "tired", "")
        #expect(sitting.saved == ["remarks": "tired"], "\(sitting.shown)")
    }

    @Test func `entries of one name are told apart by the ends of their ids`() {
        let ids = ["a", "b", "c"].map { "01a219a6-6d94-7f19-91ec-0cedd4c1d16\($0)" }
        let choices = zip(ids, ["Ada", "Ada", "Ben"]).map { EntryChoice(name: $0, label: $1) }
        let lines = InterviewScreen.choices(choices, all: choices, 3, 80).map(\.text)
        let text = lines.joined(separator: " ")
        #expect(text.contains("1 Ada (d4c1d16a)") && text.contains("2 Ada (d4c1d16b)"), "\(text)")
        #expect(text.contains("3 Ben") && !text.contains("Ben ("), "\(text)")
        let field = EntryField(path: "of", name: "of", type: "select_one", label: "Of")
        guard case .several(let both) = Typed.choices("ada", of: field, among: choices) else {
            Issue.record("one of two is taken")
            return
        }
        #expect(both.map(\.name) == Array(ids.prefix(2)))
    }

    @Test func `a form that is changed meanwhile goes on where it was, and says what became of it`()
    {
        var sitting = Sitting(Interview(width: 80))
        sitting.type("KOR-1")
        sitting.isLater = true
        sitting.shown = []
        sitting.type("1")
        #expect(sitting.hasShown("The form is version 2 now, and was 1."), "\(sitting.shown)")
        #expect(sitting.hasShown("sick is not asked any more; the answer is left out: yes"))
        #expect(sitting.hasShown("How many nets?") && !sitting.hasShown("Household number"))
        sitting.type("3")
        #expect(sitting.interview.values["id"] == "KOR-1")
        // What is gone is not gone back to.
        sitting.type("<")
        sitting.shown = []
        sitting.type("<")
        #expect(sitting.hasShown("Household number"), "\(sitting.shown)")
    }

    @Test func `each question is asked once, and what is not relevant is skipped`() {
        var sitting = sitting()
        sitting.type("KOR-1", "n", "", "fine", "")
        #expect(sitting.saved == ["id": "KOR-1", "sick": "no", "remarks": "fine"])
        #expect(!sitting.shown.contains { $0.contains("Fever") })
    }

    @Test func `a wrong answer is refused at once with the form's own message`() {
        var sitting = sitting()
        sitting.type("", "KOR-1", "yes", "380")
        #expect(sitting.shown.contains("  Every one has a number."))
        #expect(sitting.shown.last == "  Nobody is that hot.")
        #expect(sitting.interview.place == "fever")
        #expect(sitting.interview.values["fever"] == nil)
        sitting.type("41")
        #expect(sitting.shown.contains("  That is very high."))
        #expect(sitting.shown.contains("    Measure again."))
        sitting.type("", "", "")
        #expect(sitting.saved?["fever"] == "41")
    }

    @Test func `an answer that another one hides comes back with its question`() {
        for record in [nil, "1"] {
            var sitting = sitting(
                record: record,
                base: record == nil ? [:] : ["id": "KOR-1", "sick": "yes", "fever": "39"])
            if record == nil { sitting.type("KOR-1", "y", "39", "", "") }
            sitting.type("2", "n")
            #expect(
                sitting.shown.last == "Fever: not asked now; not saved: 39", "\(sitting.shown)")
            #expect(sitting.interview.kept["fever"] == "39")
            var without = sitting
            without.type("")
            if record == nil {
                #expect(without.saved == ["id": "KOR-1", "sick": "no"])
            } else {
                #expect(without.saved == ["sick": "no", "fever": .null])
            }
            sitting.type("2", "y")
            #expect(sitting.interview.values["fever"] == "39")
            #expect(sitting.shown.last?.contains("not saved") == false)
            sitting.type("")
            if record == nil {
                #expect(sitting.saved?["fever"] == "39" && sitting.saved?["sick"] == "yes")
            } else if case .unchanged = sitting.step {
            } else {
                Issue.record("\(sitting.step)")
            }
        }
    }

    /// Somebody has seen 38, and another device has written 40 since.
    private func meanwhile() -> Sitting {
        var sitting = sitting(
            record: "1", base: ["id": "KOR-1", "sick": "yes", "fever": "38", "remarks": "old"])
        sitting.type("3", "39", "")
        #expect(sitting.saved == ["fever": "39"] && sitting.interview.seen?["fever"] == "38")
        sitting.base["fever"] = "40"
        sitting.base["remarks"] = "new"
        sitting.refuse(
            EntryProblem(path: "fever", kind: .changed, message: "38 -> 40 by coord, 15:20"))
        #expect(
            sitting.shown.contains(
                "Fever was changed meanwhile: 38 -> 40 by coord, 15:20. Yours: 39."),
            "\(sitting.shown)")
        #expect(sitting.prompt == "y saves yours, t keeps theirs, < goes back > ")
        return sitting
    }

    @Test func `what another device has changed meanwhile is written over by who wants that`() {
        var mine = meanwhile()
        mine.type("what", "y")
        #expect(mine.saved == ["fever": "39"] && mine.interview.seen?["fever"] == "40")
        #expect(mine.interview.values["remarks"] == "new", "what nobody touched is as it is now")

        var theirs = meanwhile()
        theirs.type("t", "")
        if case .unchanged = theirs.step {} else { Issue.record("\(theirs.step)") }

        var back = meanwhile()
        back.type("<")
        #expect(back.prompt?.contains("Enter saves") == true)
        back.type("")
        #expect(back.saved == ["fever": "39"])
        #expect(back.interview.seen?["fever"] == "38", "and so it is asked once more")
    }

    @Test func `a draft of a change knows what its author has seen`() {
        let base: JSONObject = ["id": "KOR-1", "sick": "yes", "fever": "40", "remarks": "new"]
        var interview = Interview(
            values: ["id": "KOR-1", "sick": "yes", "fever": "39", "remarks": "old"],
            seen: ["id": "KOR-1", "sick": "yes", "fever": "38", "remarks": "old"], record: "1",
            width: 80)
        interview.lines = []
        var sitting = Sitting(interview, base: base)
        sitting.type("")
        #expect(sitting.saved == ["fever": "39"] && sitting.interview.seen?["fever"] == "38")
    }

    @Test func `rows of an entry that is edited are added and taken away`() {
        let base: JSONObject = ["id": "KOR-1", "member": .array([["name": "Ada"]])]
        var sitting = sitting(record: "1", base: base)
        sitting.type("<", "<")
        #expect(sitting.prompt == "Member: 1 so far, one more? [y/N] > ")
        sitting.type("y", "Ben")
        #expect(sitting.prompt == "Member: 2 so far, one more? [y/N] > ")
        sitting.type("n", "")
        #expect(sitting.saved?["member"] == .array([["name": "Ada"], ["name": "Ben"]]))
        sitting = self.sitting(record: "1", base: base)
        sitting.type("<", "<", "-", "", "")
        #expect(sitting.saved?["member"]?.array?.isEmpty != false)
        #expect(sitting.saved?.members.map(\.key) == ["member"])
    }

    @Test func `a key that is no letter is no answer, and a form writes no such to the screen`() {
        var sitting = sitting()
        sitting.type("Amadou\u{1b}[D\u{1b}[Dx")
        #expect(sitting.interview.place == "id" && sitting.interview.values["id"] == nil)
        #expect(sitting.shown.contains { $0.contains("arrows do not move in an answer") })
        sitting.interview.lines.append(.init(text: "\u{1b}[5mno\nmore", kind: .refusal))
        let lines = sitting.interview.takeLines().map(\.text)
        #expect(lines == ["\\u{1b}[5mno", "more"])
    }

    @Test func `repetitions are asked for until there is no more`() {
        var sitting = sitting()
        sitting.type("KOR-1", "", "y", "Ada", "y", "Ben", "n", "", "")
        #expect(
            sitting.saved?["member"] == .array([["name": "Ada"], ["name": "Ben"]]))
        sitting = self.sitting()
        sitting.type("KOR-1", "", "y", "Ada", "y", "Ben", "y", "Cem")
        // Three are the most.
        #expect(sitting.interview.place == "remarks")
    }

    @Test func `the last repetition is taken away again`() {
        var sitting = sitting()
        sitting.type("KOR-1", "", "y", "Ada", "y", "Bne", "-")
        #expect(sitting.prompt == "Member: 1 so far, one more? [y/N] > ")
        sitting.type("", "", "")
        #expect(sitting.saved?["member"] == .array([["name": "Ada"]]))
    }

    @Test func `a draft that goes on goes back to what it answers`() {
        var sitting = sitting(values: ["id": "KOR-1", "sick": "yes"], at: "fever")
        sitting.type("<")
        #expect(sitting.interview.place == "sick")
        sitting.type("<")
        #expect(sitting.interview.place == "id")
    }

    @Test func `a language that the form does not have is told`() {
        let sitting = Sitting(Interview(language: "fra", width: 80))
        #expect(sitting.shown.contains { $0.hasPrefix("The form has no texts in fra") })
    }

    @Test func `what comes to a terminal by whatever way moves no cursor`() {
        let bytes = Array("\u{1B}[1mbold\u{1B}[0m\n\u{1B}]0;title\u{7}\u{9B}2J é\tx\r\n".utf8)
        #expect(
            String(decoding: Terminal.harmless(bytes), as: UTF8.self)
                == "\u{1B}[1mbold\u{1B}[0m\n\\u{1b}]0;title\\u{7}\\u{9b}2J é\tx\\u{d}\n")
    }

    @Test func `one goes back, and answers stay`() {
        var sitting = sitting()
        sitting.type("KOR-1", "yes", "<")
        #expect(sitting.interview.place == "sick")
        #expect(sitting.prompt == "[yes] > ")
        sitting.type("<")
        #expect(sitting.prompt == "[KOR-1] > ")
        sitting.type("KOR-2", "", "38", "n", "", "")
        #expect(sitting.saved == ["sick": "yes", "id": "KOR-2", "fever": "38"])
    }

    @Test func `an answer is emptied, repeated from the entry before, or taken as it stands`() {
        var sitting = sitting(before: ["remarks": "as always", "id": "KOR-0"])
        sitting.type("\"", "", "", "\"", "<", "-", "")
        #expect(sitting.saved == ["id": "KOR-0", "remarks": .null])
        sitting = self.sitting()
        sitting.type("\\<", "", "", "\\-", "")
        #expect(sitting.saved == ["id": "<", "remarks": "-"])
    }

    @Test func `a draft that goes on asks what is open alone`() {
        let values: JSONObject = ["id": "KOR-1", "sick": "yes", "remarks": "fine"]
        // The question at which it was left is not there any more.
        var sitting = sitting(values: values, at: "gps")
        #expect(sitting.interview.place == "fever")
        sitting.type("38", "n")
        #expect(sitting.prompt == "Enter saves, a number changes > ")
        sitting.type("")
        #expect(sitting.saved?["fever"] == "38" && sitting.saved?["remarks"] == "fine")
        // Somebody had gone back to one of the first.
        sitting = self.sitting(values: values, at: "id")
        sitting.type("KOR-2")
        #expect(sitting.interview.place == "fever")
    }

    @Test func `the summary changes an answer by its number, and asks what that calls for`() {
        var sitting = sitting()
        sitting.type("KOR-1", "n", "", "")
        #expect(sitting.prompt == "Enter saves, a number changes > ")
        sitting.type("1", "KOR-2")
        #expect(sitting.prompt == "Enter saves, a number changes > ")
        sitting.type("")
        #expect(sitting.saved == ["sick": "no", "id": "KOR-2"])
    }

    @Test func `an edit begins with the summary and saves what is another value now`() {
        let values: JSONObject = ["id": "KOR-1", "sick": "yes", "fever": "38"]
        var sitting = sitting(record: "r", base: values)
        #expect(sitting.prompt == "A number changes, Enter saves > ")
        sitting.type("3", "39", "")
        #expect(sitting.saved == ["fever": "39"])
        sitting = self.sitting(record: "r", base: values)
        sitting.type("")
        guard case .unchanged = sitting.step else {
            Issue.record("not unchanged")
            return
        }
    }

    @Test func `a draft goes on at the question where it was left`() {
        let sitting = sitting(values: ["id": "KOR-1", "sick": "yes"], at: "fever")
        #expect(sitting.interview.place == "fever")
    }

    @Test(arguments: [40, 60, 80]) func `nothing is wider than the terminal`(width: Int) {
        var sitting = sitting(width: width)
        sitting.type("?", "KOR-1", "y", "?", "x", "41", "y", "Ada", "n", "?", "")
        for line in sitting.shown {
            #expect(line.count <= width, "\(line)")
        }
    }

    @Test func `values are set and found inside repetitions`() {
        let path = EntryPath("a[2]/b[1]/c")
        let values = path.setting("x", in: [:])
        #expect(values == ["a": .array([.object([:]), ["b": .array([["c": "x"]])]])])
        #expect(path.value(in: values) == "x")
        #expect(EntryPath("a[3]/c").value(in: values) == nil)
        #expect(path.setting(nil, in: values) != values)
    }

    @Test func `a draft goes on without a question that is gone, and says what its answer was`() {
        var sitting = sitting(values: ["id": "KOR-1", "gps": "1 2"], at: "gps")
        let said = "gps is not asked any more; the answer is left out: 1 2"
        #expect(sitting.shown.contains(said), "\(sitting.shown)")
        sitting.type("n", "", "", "")
        #expect(sitting.saved == ["id": "KOR-1", "sick": "no"], "\(sitting.shown)")
    }

    @Test func `an entry with the same key is told of as soon as the key is answered, once`() {
        var sitting = sitting()
        sitting.type("KOR-9")
        let said = { (line: String) in line.contains("household KOR-9 is there already") }
        #expect(sitting.shown.filter(said).count == 1)
        #expect(sitting.interview.place == "sick")
        sitting.type("n", "", "", "")
        #expect(sitting.shown.filter(said).count == 1)
        #expect(sitting.saved?["id"] == "KOR-9")
    }

    @Test func `what was wrong before an edit may stay, and what is made wrong may not`() {
        // The daemon gives what the entry has; here it has no number, and one is required.
        var sitting = sitting(record: "r")
        #expect(
            sitting.shown.contains {
                $0.contains("Household number: Every one has a number. It may stay so.")
            }, "\(sitting.shown)")
        sitting.type("2", "n", "")
        #expect(sitting.saved == ["sick": "no"], "\(sitting.shown)")
        sitting = self.sitting(record: "r")
        sitting.type("1", "", "")
        #expect(sitting.saved == nil, "\(sitting.shown)")
        if case .unchanged = sitting.step {} else { Issue.record("\(sitting.step)") }
        sitting = self.sitting(record: "r")
        sitting.type("1", "KOR-1", "1", "-")
        #expect(sitting.prompt == "A number changes, Enter saves > ")
    }

    @Test func `a draft of an edit keeps what it changes`() {
        var sitting = sitting(
            values: ["id": "KOR-1", "sick": "yes", "remarks": .null], record: "r",
            base: ["id": "KOR-1", "sick": "no", "remarks": "old"])
        #expect(sitting.interview.about == "KOR-1, yes")
        sitting.type("")
        #expect(sitting.saved == ["sick": "yes", "remarks": .null], "\(sitting.shown)")
    }
}
