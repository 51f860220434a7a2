import JSON
import ShareControl
import Testing

@testable import shared

/// What people type at a question, and what is made of it.
@Suite struct TypedTests {
    private let villages = [
        EntryChoice(name: "koro", label: "Koro"), EntryChoice(name: "dongo", label: "Dongo"),
        EntryChoice(name: "saint_louis", label: "Saint-Louis"),
        EntryChoice(name: "sevare", label: "Sévaré sud"),
    ]

    private func field(_ type: String, unit: String? = nil) -> EntryField {
        EntryField(path: "x", name: "x", type: type, label: "X", unit: unit)
    }

    @Test(arguments: [
        ("1", ["koro"]), ("koro", ["koro"]), ("KORO", ["koro"]), ("Saint-Louis", ["saint_louis"]),
        ("d", ["dongo"]), ("ko", ["koro"]), ("seva", ["sevare"]), ("SÉV", ["sevare"]),
        ("sud", ["sevare"]), ("lou", ["saint_louis"]),
    ])
    func `a choice is picked by its number, its name, or letters of its label`(
        typed: String, names: [String]
    ) {
        #expect(
            Typed.choices(typed, of: field("select_one"), among: villages) == .chosen(names))
    }

    @Test func `letters of several choices list these, and of none say so`() {
        #expect(
            Typed.choices("s", of: field("select_one"), among: villages)
                == .several(Array(villages[2...])))
        #expect(Typed.choices("xx", of: field("select_one"), among: villages) == .none("xx"))
        #expect(Typed.choices("5", of: field("select_one"), among: villages) == .none("5"))
    }

    @Test(arguments: ["1 3", "1,3", "koro saint_louis", "Koro, Saint-Louis", "ko, lou", "1 3 1"])
    func `several choices are picked at once`(typed: String) {
        #expect(
            Typed.choices(typed, of: field("select_multiple"), among: villages)
                == .chosen(["koro", "saint_louis"]))
    }

    @Test func `where choices are named by numbers, these are what picks them`() {
        let yesNo = [EntryChoice(name: "1", label: "Yes"), EntryChoice(name: "0", label: "No")]
        #expect(Typed.marks(yesNo) == ["1", "0"])
        #expect(Typed.choices("0", of: field("select_one"), among: yesNo) == .chosen(["0"]))
        #expect(Typed.choices("n", of: field("select_one"), among: yesNo) == .chosen(["0"]))
        #expect(Typed.choices("2", of: field("select_one"), among: yesNo) == .none("2"))
    }

    @Test(arguments: [
        ("2026-11-23", "2026-11-22"), ("2026-03-01", "2026-02-28"), ("2028-03-01", "2028-02-29"),
        ("2026-01-01", "2025-12-31"), ("2026-07-10", "2026-07-09"),
    ])
    func `yesterday is a day of the calendar`(today: String, yesterday: String) {
        for typed in ["y", "Yesterday"] {
            #expect(Typed.value(typed, of: field("date"), today: today) == yesterday)
        }
        let moment = Typed.value("y 14:30", of: field("dateTime"), today: today)
        #expect(moment == "\(yesterday) 14:30")
    }

    private func choices(_ all: KeyValuePairs<String, String>) -> [EntryChoice] {
        all.map { EntryChoice(name: $0.key, label: $0.value) }
    }

    @Test
    func `a number that another choice is called picks that one, and letters stand before all`() {
        let counts = choices(["0": "0", "1": "1", "2": "2", "3_plus": "3+"])
        #expect(Typed.marks(counts) == ["a", "b", "c", "d"])
        for (typed, name) in [
            ("2", "2"), ("0", "0"), ("d", "3_plus"), ("A", "0"), ("3+", "3_plus"),
        ] {
            #expect(
                Typed.choices(typed, of: field("select_one"), among: counts) == .chosen([name]))
        }
        #expect(
            Typed.choices("a c", of: field("select_multiple"), among: counts)
                == .chosen(["0", "2"]))
        let many = choices(["none": "None", "one": "1", "two": "2", "more": "3 or more"])
        #expect(Typed.marks(many) == ["a", "b", "c", "d"])
        #expect(Typed.choices("1", of: field("select_one"), among: many) == .chosen(["one"]))
        #expect(Typed.marked("1", of: field("select_one"), among: many) == nil)
        #expect(Typed.marked("b", of: field("select_one"), among: many) == ["one"])
        // Called by its own number is no trouble.
        #expect(Typed.marks(choices(["x": "1", "y": "2"])) == ["1", "2"])
        #expect(Typed.marks(choices(["1": "2", "2": "1"])) == ["a", "b"])
    }

    @Test func `where a letter is what another choice is called, choices are picked by typing`() {
        let grades = choices(["none": "None", "1": "1", "b": "B", "a": "A"])
        #expect(Typed.marks(grades) == ["", "", "", ""])
        for (typed, name) in [("1", "1"), ("a", "a"), ("B", "b"), ("no", "none")] {
            #expect(
                Typed.choices(typed, of: field("select_one"), among: grades) == .chosen([name]))
        }
        #expect(Typed.choices("4", of: field("select_one"), among: grades) == .none("4"))
        for width in [60, 80] {
            var asked = field("select_one")
            asked.choices = grades
            let lines = InterviewScreen.question(asked, 1, of: 1, under: [], width)
            #expect(lines.last?.text == "None   1      B      A", "\(lines)")
            let help = InterviewScreen.help(asked, width).map(\.text)
            #expect(help.first == "The name of a choice, or some letters of it.", "\(help)")
            asked.choices = choices(["0": "0", "1": "1", "2": "2", "3_plus": "3+"])
            let lettered = InterviewScreen.question(asked, 1, of: 1, under: [], width)
            #expect(lettered.last?.text == "a 0    b 1    c 2    d 3+", "\(lettered)")
            let told = InterviewScreen.help(asked, width).map(\.text)
            #expect(told.first == "The letter before a choice, or its name.", "\(told)")
        }
    }

    @Test func `what is seen of a choice counts before names, which are not`() {
        let one = field("select_one")
        func means(_ typed: String, _ all: [EntryChoice]) -> Typed.Choices {
            Typed.choices(typed, of: one, among: all)
        }
        let counts = choices(["1": "0", "2": "1", "3": "2", "4": "3 or more"])
        #expect(Typed.marks(counts) == ["a", "b", "c", "d"])
        #expect(means("1", counts) == .chosen(["2"]) && means("0", counts) == .chosen(["1"]))
        #expect(means("4", counts) == .chosen(["4"]))
        let swapped = choices(["a": "B", "b": "A", "c": "C"])
        #expect(means("A", swapped) == .chosen(["b"]) && means("a", swapped) == .chosen(["b"]))
        let alike = choices(["p": "Same", "q": "same", "r": "Sàme", "same": "Other"])
        #expect(means("Same", alike) == .chosen(["p"]) && means("same", alike) == .chosen(["q"]))
        #expect(means("Sàme", alike) == .chosen(["r"]))
        #expect(means("SAME", alike) == .several(Array(alike[..<3])))
        let greek = choices(["b": "Alpha", "c": "Beta", "a": "Gamma"])
        #expect(means("a", greek) == .several([greek[0], greek[2]]))
        #expect(means("c", greek) == .chosen(["c"]) && means("g", greek) == .chosen(["a"]))
        let twins = choices(["same": "Same", "x": "Same", "d": "Done"])
        #expect(means("same", twins) == .several(Array(twins[..<2])))
        #expect(means("x", twins) == .chosen(["x"]) && means("1", twins) == .chosen(["same"]))
    }

    @Test func `several choices are meant by what is seen of them`() {
        let many = field("select_multiple")
        func means(_ typed: String, _ all: [EntryChoice]) -> Typed.Choices {
            Typed.choices(typed, of: many, among: all)
        }
        let counts = choices(["1": "0", "2": "1", "3": "2", "4": "3 or more"])
        for typed in ["1, 2", "1 2", "b c"] {
            #expect(means(typed, counts) == .chosen(["2", "3"]), "\(typed)")
        }
        let swapped = choices(["a": "B", "b": "A", "c": "C"])
        for typed in ["A, B", "a b", "A B"] {
            #expect(means(typed, swapped) == .chosen(["b", "a"]), "\(typed)")
        }
        // A label may have commas and spaces in it.
        let long = choices(["a": "Yes, always", "b": "Yes", "always": "No", "c": "Yes No"])
        #expect(means("yes, always", long) == .chosen(["a"]))
        #expect(means("Yes, No", long) == .chosen(["b", "always"]))
        #expect(means("Yes No", long) == .chosen(["c"]))
        #expect(means("No, Yes, always", long) == .chosen(["always", "a"]))
        #expect(means("always", long) == .several([long[0], long[2]]))
    }

    @Test func `a choice that was found is not picked by its name where another is called so`() {
        let found = choices(["x": "A", "A": "B", "k1": "Koro"])
        let (one, many) = (field("select_one"), field("select_multiple"))
        #expect(Typed.marked("A", of: one, among: found) == nil)
        #expect(Typed.marked("A k1", of: many, among: found) == nil)
        #expect(Typed.marked("k1 3 2", of: many, among: found) == ["k1", "k1", "A"])
    }

    @Test(arguments: [
        ("t", "2026-11-22"), ("Today", "2026-11-22"), ("y", "2026-11-21"), ("5", "2026-11-05"),
        ("22", "2026-11-22"), ("32", "32"), ("2026-01-02", "2026-01-02"), ("soon", "soon"),
        ("23/11/2026", "2026-11-23"), ("11/23/2026", "2026-11-23"), ("5.11.2026", "2026-11-05"),
        ("5/5", "2026-05-05"), ("3.12.", "2026-12-03"), ("2026/1/2", "2026-01-02"),
        ("23/11/24", "2024-11-23"), ("23-11-2026", "2026-11-23"), ("5/11/2026", "5/11/2026"),
        ("31/31/2026", "31/31/2026"), ("1/2/3/4", "1/2/3/4"), ("-3", "-3"),
        ("99999999/1/1", "99999999/1/1"), ("1.2.65", "1965-02-01"), ("1.2.29", "2029-02-01"),
        ("26-10-01", "26-10-01"), ("0026-10-01", "0026-10-01"), ("1/10/0026", "1/10/0026"),
        ("29.02.2023", "29.02.2023"), ("29.02.2024", "2024-02-29"), ("31/4/2026", "31/4/2026"),
        ("29.2.1900", "29.2.1900"), ("2026/2/30", "2026/2/30"),
    ])
    func `a date may be typed in short`(typed: String, value: String) {
        #expect(Typed.value(typed, of: field("date"), today: "2026-11-22") == value)
    }

    @Test func `a day in two orders is told as both`() {
        #expect(Typed.days("5/11/2026") == ["2026-05-11", "2026-11-05"])
        #expect(Typed.days("26-10-01") == ["2001-10-26", "2026-10-01"])
        #expect(
            Typed.value("23/11/2026 14:30", of: field("dateTime"), today: "2026-11-22")
                == "2026-11-23 14:30")
    }
}

/// `FIELD=VALUE` in repetitions.
@Suite struct AssignmentPathTests {
    @Test func `a field of a repetition lies in the list of its repeat`() throws {
        let typed: JSONObject = [
            "id": "K", "person[1]/name": "Ami", "person[2]/name": "Bob", "Length [mm]": "4",
        ]
        #expect(Assignments.hasPaths(typed) && !Assignments.hasPaths(["Length [mm]": "4"]))
        let nested = try Assignments.nested(typed)
        #expect(nested["person"] == .array([["name": "Ami"], ["name": "Bob"]]))
        #expect(nested["id"] == "K" && nested["Length [mm]"] == "4")
        let present: JSONObject = [
            "person": .array([["_id": "1", "name": "Ami"], ["_id": "2", "name": "Bo"]])
        ]
        let changed = try Assignments.nested(["person[2]/name": "Bob"], in: present)
        #expect(
            changed["person"]
                == .object(["change": .array([["name": "Bob", "_id": "2"]])]))
        let more = try Assignments.nested(
            ["person[4]/name": "Dan", "person[3]/name": "Cem", "person[1]/name": .null],
            in: present)
        #expect(
            more["person"]
                == .object([
                    "change": .array([
                        ["name": .null, "_id": "1"], ["name": "Cem"], ["name": "Dan"],
                    ])
                ]))
    }

    @Test func `a row that goes is not changed as well`() throws {
        let present: JSONObject = ["person": .array([["_id": "1"]])]
        for values in [
            ["person[1]": .null, "person[1]/name": "new"],
            ["person[1]/name": "new", "person[1]": .null],
        ] as [JSONObject] {
            let problem = #expect(throws: Problem.self) {
                _ = try Assignments.nested(values, in: present)
            }
            #expect(problem?.detail == "person[1] is taken away and changed at once")
        }
        let problem = #expect(throws: Problem.self) {
            _ = try Assignments.nested(["person[1]": "new"], in: present)
        }
        #expect(problem?.detail == "person[1] is a row, and has no value of its own")
    }

    @Test func `a row that is numbered from 0 is none`() throws {
        let problem = #expect(throws: Problem.self) {
            _ = try Assignments.nested(["person[0]/name": "Ada"])
        }
        #expect(problem?.detail == "person[0]/name names no row")
        #expect(problem?.hint?.contains("person[1]/FIELD=VALUE") == true)
    }

    @Test(arguments: [["person[1500]/name"], ["person[4]/name"], ["person[3]/name", "person"]])
    func `a row behind one that there is not, or given twice, is refused`(_ paths: [String]) {
        var values = JSONObject()
        for path in paths { values[path] = "lost" }
        let present: JSONObject = ["person": .array([["_id": "1"], ["_id": "2"]])]
        #expect(throws: Problem.self) { _ = try Assignments.nested(values, in: present) }
        #expect(throws: Problem.self) { _ = try Assignments.nested(values) }
    }
}
