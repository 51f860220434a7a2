import JSON
import ShareCore
import Testing

@testable import ShareFormats

/// Files whose dates, numbers and headers are not as forms have them.
@Suite struct CSVHabitsTests {
    private static let form = """
        {"form_id": "visit", "fields": [
          {"name": "id", "type": "text", "label": {"en": "Household number", "fr": "Ménage"}},
          {"name": "seen", "type": "date"}, {"name": "at", "type": "dateTime"},
          {"name": "fever", "type": "decimal"}, {"name": "members", "type": "integer"}]}
        """

    private func read(
        _ csv: String, _ habits: CSVHabits, keepsGood: Bool = false
    ) throws -> (entries: [ImportedEntry], reader: EntryImport) {
        let parser = ValueParser(try Form(json: Array(Self.form.utf8)))
        var reader = EntryImport(parser, habits: habits, keepsGood: keepsGood)
        var entries: [ImportedEntry] = []
        reader.read(Array(csv.utf8)) { entries.append($0) }
        reader.finish { entries.append($0) }
        return (entries, reader)
    }

    @Test(arguments: [
        ("dmy", "22/11/2026", "2026-11-22"), ("dmy", "22.11.26", "2026-11-22"),
        ("dmy", "1-2-1999", "1999-02-01"), ("dmy", "1.2.99", "1999-02-01"),
        ("mdy", "11/22/2026", "2026-11-22"), ("ymd", "2026/11/22", "2026-11-22"),
        ("dmy", "2026-11-22", "2026-11-22"), ("dmy", "46348", "2026-11-22"),
        ("dmy", "29.2.2024", "2024-02-29"),
    ])
    func `dates are read in the order that the file has`(
        order: String, cell: String, date: String
    ) throws {
        var habits = CSVHabits()
        habits.dates = CSVHabits.DateOrder(rawValue: order)
        let (entries, reader) = try read("seen\n\(cell)\n", habits)
        #expect(reader.problems.isEmpty, "\(reader.problems)")
        #expect(entries.first?.values[1] == .text(date))
    }

    @Test(arguments: ["31/2/2026", "22/11", "22/11/2026/1", "x", "1/1/20266", "//", "22//26"])
    func `what is no date stays wrong`(cell: String) throws {
        var habits = CSVHabits()
        habits.dates = .dmy
        #expect(try read("seen\n\(cell)\n", habits).entries.problems.count == 1)
    }

    @Test func `a time behind the date stays`() throws {
        var habits = CSVHabits()
        habits.dates = .dmy
        #expect(
            try read("at\n22/11/2026 15:20\n", habits).entries[0].values[2]
                == .text("2026-11-22T15:20"))
    }

    @Test(arguments: [
        ("38,2", 38.2), ("1.250,5", 1250.5), ("-0,5", -0.5), ("12", 12), ("1 000,25", 1000.25),
        ("1\u{A0}000", 1000),
    ])
    func `a decimal comma is read where the file is said to have it`(
        cell: String, number: Double
    ) throws {
        var habits = CSVHabits()
        habits.hasDecimalComma = true
        let (entries, reader) = try read("fever;members\n\(cell);1.200\n", habits)
        #expect(reader.problems.isEmpty, "\(reader.problems)")
        #expect(entries.first?.values[3] == .decimal(number))
        #expect(entries.first?.values[4] == .integer(1200))
    }

    @Test func `a refused cell says what would read it`() throws {
        let problems = try read(
            "seen;fever\n22/11/2026;38,5\n1/2/2026;1\n", CSVHabits()
        ).entries.problems
        #expect(
            problems.map(\.hint) == [
                "Read the file's dates so: --dates dmy.",
                "Where the file has decimal commas: --decimal ,",
                "Where the file has the day first: --dates dmy; the month: --dates mdy.",
            ])
    }

    @Test func `a day that another order would read says so`() throws {
        var habits = CSVHabits()
        habits.dates = .mdy
        let problems = try read("seen\n22/11/2026\n11/22/2026\n", habits).entries.problems
        #expect(
            problems.map(\.hint) == [
                "Is --dates mdy the file's order? This one is a day with --dates dmy."
            ])
    }

    @Test(arguments: [
        ("fever\n38.5\n\"38,5\"\n", false), ("fever\n3.250\n\"3,75\"\n", false),
        ("fever\n\"1,234\"\n", false), ("fever\n\"1,234\"\n\"12,500\"\n", false),
        ("fever\n\"1,234\"\n\"38,5\"\n", true), ("fever\n38\n\"38,5\"\n", true),
        ("fever\n\"1.234,567\"\n", true), ("fever;members\n38,5;1.200\n", true),
        ("fever;members\n38.5;1.200\n", false), ("members\n1.234\n2.345\n", false),
        // What is no number in either way says nothing of the others.
        ("fever\nNA\n\"38,5\"\n", true), ("fever\n\"38,5\"\nx\n\"3,5 kg\"\n", true),
        ("fever\n\"38,5\"\n\"1,234.5\"\n", false), ("fever\n\"38,5\"\n\"1,234,567\"\n", false),
        ("fever;members\n38,5;3.5\n", false),
    ])
    func `a decimal comma is guessed where every number can be nothing else`(
        csv: String, isComma: Bool
    ) throws {
        let guess = try read(csv, CSVHabits()).reader.guess
        #expect((guess.hasDecimalComma == true) == isComma, "\(csv)")
    }

    @Test(arguments: [
        ("10 20", nil), ("1 2,5", nil), ("1\u{A0}2,5", nil), ("12 34 567", nil), ("1 234.567", nil),
        ("1,5,5", nil), ("1,2 3", nil), ("1\u{202F}234,5", 1234.5), ("1'234,5", 1234.5),
        ("12\u{A0}345\u{A0}678", 12_345_678), (" 38,5 ", 38.5), ("+3,5", 3.5), ("1,5e1", 15),
        ("38,5 \u{B0}C", nil), ("38,5 \u{C2}", nil), ("1.5", 1.5),
    ])
    func `thousands are apart in threes, or two numbers would become one`(
        cell: String, number: Double?
    ) throws {
        var habits = CSVHabits()
        habits.hasDecimalComma = true
        let entry = try #require(try read("fever\n\"\(cell)\"\n", habits).entries.first)
        #expect(entry.doubts.isEmpty == (number != nil), "\(entry.doubts)")
        if let number { #expect(entry.values[3] == .decimal(number)) }
        if number == nil {
            #expect(entry.doubts[0].problem.reason.contains("\"\(cell)\""), "\(entry.doubts)")
        }
    }

    @Test(arguments: [
        (",16.37,,", "gps-Latitude"), ("48.2,,,", "gps-Longitude"), ("48.2,,190,", "gps-Longitude"),
        ("x,16.37,,", "gps-Latitude"),
    ])
    func `a place has both of its degrees`(cells: String, column: String) throws {
        func read(_ cells: String) throws -> (entries: [ImportedEntry], reader: EntryImport) {
            let form = #"{"form_id":"f","fields":[{"name":"gps","type":"geopoint"}]}"#
            var reader = EntryImport(ValueParser(try Form(json: Array(form.utf8))))
            var entries: [ImportedEntry] = []
            let head = "gps-Latitude,gps-Longitude,gps-Altitude,gps-Accuracy\n"
            reader.read(Array((head + cells + "\n").utf8)) { entries.append($0) }
            reader.finish { entries.append($0) }
            return (entries, reader)
        }
        let wrong = try read(cells)
        #expect(wrong.entries.isEmpty)
        #expect(wrong.reader.problems.map(\.column) == [column], "\(wrong.reader.problems)")
        #expect(try read("48.2,16.37,,5").entries.map { $0.values[0] } == [.text("48.2 16.37 0 5")])
    }

    @Test func `a unit stands behind a decimal comma as behind a point`() throws {
        let form = """
            {"form_id": "f", "fields": [
             {"name": "t", "type": "decimal", "x": {"unit": "\u{B0}C"}}]}
            """
        var habits = CSVHabits()
        habits.hasDecimalComma = true
        var reader = EntryImport(ValueParser(try Form(json: Array(form.utf8))), habits: habits)
        var entries: [ImportedEntry] = []
        let cells = "t\n\"38,5 \u{B0}C\"\n\"38,5\u{A0}\u{B0}C\"\n\"1 038,5\u{B0}C\"\n"
        reader.read(Array(cells.utf8)) { entries.append($0) }
        reader.finish { entries.append($0) }
        #expect(entries.map { $0.values[0] } == [.decimal(38.5), .decimal(38.5), .decimal(1038.5)])
    }

    @Test func `a header may have labels, in any language, or be said to mean a field`() throws {
        var habits = CSVHabits()
        habits.fields = ["temp": "fever"]
        let (entries, reader) = try read("household NUMBER,temp\nKOR-1,38\n", habits)
        #expect(reader.problems.isEmpty, "\(reader.problems)")
        #expect(entries.first?.values[0] == .text("KOR-1"))
        #expect(entries.first?.values[3] == .decimal(38))
        #expect(try read("Ménage\nx\n", CSVHabits()).entries.count == 1)
    }

    @Test func `rows with problems are put aside as they were`() throws {
        let (entries, reader) = try read(
            "id,members\na,1\n\"'=b, c\"\nd,2\n", CSVHabits(), keepsGood: true)
        #expect(entries.map { $0.values[0] } == [.text("a"), .text("d")])
        #expect(reader.badRowCount == 1 && reader.rowCount == 3)
        #expect(
            String(decoding: reader.header + reader.badRows.flatMap(\.raw), as: UTF8.self)
                == "id,members\n\"'=b, c\"\n")
    }

    @Test func `what is wrong is told as it stands in the file`() throws {
        var habits = CSVHabits()
        habits.hasDecimalComma = true
        habits.dates = .dmy
        let reader = try read("fever,seen\n\"38,x\",31.11.2026\n", habits)
        let reasons = reader.entries.flatMap { $0.doubts.map(\.problem.reason) }
        #expect(
            reasons == [
                "field fever wants a number, not \"38,x\"",
                "field seen wants a date, not \"31.11.2026\"",
            ])
    }

    @Test func `a line of separators alone is none`() throws {
        let reader = try read("id;seen;fever\n1;;38\n;;\n ; ;\n2;;39\n", CSVHabits())
        #expect(reader.entries.count == 2 && reader.reader.problems.isEmpty)
        #expect(reader.reader.rowCount == 2)
    }

    @Test func `a header that is near to nothing is told the fields without a column`() throws {
        func hint(_ header: String) throws -> String? {
            try read(header + "\n1,2,3,4\n", CSVHabits()).reader.problems.first?.hint
        }
        #expect(
            try hint("id,seen,at,xyzzy")
                == "Without a column so far: fever, members. To leave the column out: --map xyzzy="
        )
        #expect(try hint("id,seen,at,fever,xyzzy")?.hasPrefix("Without a column so far: m") == true)
        #expect(
            try hint("id,seen,at,fever,members,xyzzy")?.hasPrefix(
                "Every field of the form has its column.") == true)
    }

    @Test func `a header is near to a label too`() throws {
        let reader = try read("Houshold number,fevr\n1,2\n", CSVHabits()).reader
        #expect(
            reader.problems.map(\.hint) == [
                "Did you mean id (Household number)? To read it so: --map 'Houshold number=id';"
                    + " to leave the column out: --map 'Houshold number='",
                "Did you mean fever? To read it so: --map fevr=fever;"
                    + " to leave the column out: --map fevr=",
            ])
    }

    @Test func `a header is no field that another one is, and may have its words in another order`()
        throws
    {
        let header = "Household number,Household numbr,number of days\n1,2,3\n"
        let hints = try read(header, CSVHabits()).reader.problems.map(\.hint)
        #expect(hints.count == 2)
        // The household's number is there already.
        #expect(hints.allSatisfy { !$0.contains("Did you mean Household number") }, "\(hints)")
        let other = try read("number household,fever\n1,2\n", CSVHabits()).reader.problems
        #expect(other.first?.hint.hasPrefix("Did you mean id (Household number)?") == true)
    }

    @Test(
        arguments: [
            ("11/10/2026,10/12/2026", ["dmy", "mdy"], "11/10/2026"),
            ("11/11/2026,10/12/2026", ["dmy", "mdy"], "10/12/2026"),
            ("11/11/2026", ["dmy", "mdy"], nil), ("46348", ["dmy", "mdy"], nil),
            ("11/10/2026,2026-01-02,25/12/2026", ["dmy"], nil),
            ("12/25/2026,1/2/2026", ["mdy"], nil),
            ("25/12/2026,12/25/2026", [], nil), ("2026-01-02", nil, nil),
            // What is no day in any order says nothing of the others.
            ("x,11/10/2026", ["dmy", "mdy"], "11/10/2026"), ("x,31/11/2026", nil, nil),
            ("25/12/2026,31/11/2026,NA", ["dmy"], nil),
            ("31/11/2026,12/25/2026", ["mdy"], nil),
        ] as [(String, [String]?, String?)])
    func `the order of days is guessed from all of them`(
        days: String, orders: [String]?, open: String?
    ) throws {
        let rows = days.split(separator: ",").map { "\($0)\n" }.joined()
        let guess = try read("seen\n" + rows, CSVHabits()).reader.guess
        #expect(guess.dates?.map(\.rawValue) == orders)
        #expect(guess.openDay?.cell == open)
    }
}

extension [ImportedEntry] {
    /// What stands in their cells and may be wrong.
    var problems: [ImportProblem] { flatMap(\.doubts).map(\.problem) }
}
