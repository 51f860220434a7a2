import ShareCore
import ShareTestKit
import Testing

@testable import ShareFormats

struct ImportTests {
    private func viruses() throws -> ValueParser {
        ValueParser(
            try Form(json: Fixture.bytes("examples/common-viruses/forms/common-viruses.json")))
    }

    private func imported(
        _ bytes: [UInt8], _ parser: ValueParser, raw: Bool = false, step: Int = .max
    ) -> (entries: [ImportedEntry], state: EntryImport) {
        var state = EntryImport(parser, isRaw: raw)
        var entries: [ImportedEntry] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            state.read(Array(rest.prefix(step))) { entries.append($0) }
            rest = rest.dropFirst(step)
        }
        state.finish { entries.append($0) }
        return (entries, state)
    }

    private func exported(
        _ entries: [[FieldValue]], _ form: Form, _ options: CSVWriter.Options = .init()
    ) -> [UInt8] {
        var writer = CSVWriter(options)
        writer.row(form.stored.map(\.name))
        for values in entries {
            for (value, field) in zip(values, form.stored) {
                writer.value(value, isPercent: field.isPercent)
            }
            writer.endRow()
        }
        return writer.take()
    }

    @Test func `the ten entries come in typed and go out as they were`() throws {
        let file = try Fixture.bytes("examples/common-viruses/data/common-viruses.csv")
        let parser = try viruses()
        for step in [Int.max, 1] {
            let (entries, state) = imported(file, parser, step: step)
            #expect(state.problems.isEmpty && state.rowCount == 10 && entries.count == 10)
            #expect(
                entries[0].values == [
                    .integer(412), .text("Chickenpox"), .integer(852), .text("Isabella"),
                    .text("Hernandez"), .integer(70),
                ])
            #expect(state.positions == [0, 1, 2, 3, 4, 5])
            #expect(exported(entries.map(\.values), parser.form) == file)
        }
    }

    @Test func `344 penguins come in typed and go out as they were`() throws {
        let types = [
            "text", "integer", "text", "text", "text", "text", "text", "text", "date", "decimal",
            "decimal", "integer", "integer", "text", "decimal", "decimal", "text",
        ]
        let file = try Fixture.bytes("Tests/Vectors/penguins-raw.csv")
        var reader = CSVReader()
        var table: [[String]] = []
        try reader.read(file) { table.append($0.cells) }
        try reader.finish { table.append($0.cells) }
        #expect(table.count == 345)
        let fields = zip(table[0], types).map { "{\"name\":\"\($0)\",\"type\":\"\($1)\"}" }
        let parser = ValueParser(
            try Form(
                json: "{\"form_id\":\"penguins\",\"fields\":[\(fields.joined(separator: ","))]}"
                    .octets))

        // As it stands the file says NA in columns of numbers, and hears so.
        let refused = imported(file, parser).entries
        #expect(refused.problems.first?.line == 2)
        #expect(refused.problems.first?.column == "Delta 15 N (o/oo)")
        #expect(refused.problems.first?.hint == "Where nothing is known leave it empty.")
        let gaps = table.map { zip($0, types).count { $0 == "NA" && $1 != "text" } }.reduce(0, +)
        #expect(refused.problems.count == gaps)

        var options = CSVWriter.Options()
        options.isRaw = true
        var writer = CSVWriter(options)
        for row in table {
            writer.row(zip(row, types).map { $0 == "NA" && $1 != "text" ? "" : $0 })
        }
        let known = writer.take()
        let (entries, state) = imported(known, parser)
        #expect(state.problems == [] && entries.count == 344)
        #expect(entries[0].values[9] == .decimal(39.1) && entries[3].values[9] == .absent)
        let again = exported(entries.map(\.values), parser.form)
        #expect(imported(again, parser).entries.map(\.values) == entries.map(\.values))
        // Cell by cell the same, but for five numbers with more digits than a double needs.
        let cells = { (bytes: [UInt8]) throws(CSVError) -> [String] in
            var reader = CSVReader()
            var cells: [String] = []
            try reader.read(bytes) { cells += $0.cells }
            return cells
        }
        let changed = try zip(cells(known), cells(again)).filter { $0 != $1 }
        #expect(changed.count == 5)
        #expect(changed.allSatisfy { Double($0.0) == Double($0.1) })
    }

    @Test func `a bad row is named by its line and the others do not hide it`() throws {
        var text = "Virus_Number,Virus_Name,Patient_ID,Recovery_Status\n"
        for row in 2...8_000 {
            text += row == 7_301 ? "412,Chickenpox,x,70%\n" : "412,Chickenpox,1,70%\n"
        }
        let (entries, state) = imported(text.octets, try viruses(), step: 4_096)
        #expect(entries.count == 7_999 && state.problemCount == 0)
        #expect(
            entries.problems.map(\.description) == [
                "line 7301, column Patient_ID: field Patient_ID (Patient's number) "
                    + "wants a whole number, not \"x\""
            ])
    }

    @Test(arguments: [
        ("", "line 1: the file is empty"),
        (
            "Virus_Nmber,Patient_ID\n1,2\n",
            "line 1, column Virus_Nmber: the form common-viruses has no field \"Virus_Nmber\""
        ),
        ("Virus_Number,,Patient_ID\n", "line 1, column 2: the column has no header"),
        (
            "Virus_Number,Virus_Name,Patient_ID,,\n1,x,2,,\n1,x,3,,y\n",
            "line 3, column 5: the column has no header"
        ),
        ("Virus_Number,virus_number\n", "line 1, column virus_number: two columns of this field"),
        ("_id,_id,Virus_Number\n", "line 1, column _id: two columns of this field"),
        ("_id\nx\n", "line 1: no column is a field of the form"),
        (
            "Virus_Number,Virus_Name\n1,x\n",
            "line 1, column Patient_ID: there is no column for the required field Patient_ID"
        ),
        ("Virus_Number,Virus_Name,Patient_ID\n1,x\n", "line 2: 2 cells; the header has 3"),
        ("Virus_Number,Virus_Name,Patient_ID\n1,x,2,\n", "line 2: 4 cells; the header has 3"),
        ("_id,Virus_Number\nx,1\n", "line 2, column _id: \"x\" is not the id of an entry"),
        (
            "Virus_Number,Virus_Name,Patient_ID\n1,\"x,2\n",
            "line 2, column Virus_Name: a quote is opened and never closed"
        ),
    ])
    func `a file that does not fit is refused in words`(text: String, message: String) throws {
        let (entries, state) = imported(text.octets, try viruses())
        #expect(entries.isEmpty || text.contains(",,"))
        #expect(state.problems.first?.description == message)
        #expect(state.problems.first?.hint.isEmpty == false)
    }

    @Test func `of a file of wrong choices the first are told which ones may be meant`() throws {
        let names = (0..<1_000).map { #""village\#($0)""# }.joined(separator: ",")
        let form = """
            {"form_id":"f","fields":[{"name":"v","type":"select_one","list":"l"}],
             "lists":{"l":[\(names)]}}
            """
        let rows = (0..<1_000).map { "vilage\($0 % 900)\n" }.joined()
        let parser = ValueParser(try Form(json: form.octets))
        let entries = imported("v\n\(rows)".octets, parser).entries
        #expect(entries.count == 1_000 && entries.allSatisfy { $0.doubts.count == 1 })
        let hints = entries.map { $0.doubts[0].problem.hint }
        #expect(hints[7] == "Did you mean village7?")
        #expect(Set(hints.dropFirst(CSVLimits.hints)) == ["Look at what can be chosen."])
    }

    @Test func `a row with an id updates and lacks nothing but what it clears`() throws {
        let id = "0199b2f4-7a3c-7001-8000-0123456789ab"
        let text = "_id,_author,_created,Recovery_Status,Virus_Name\n\(id),dev:abc,2026,55%,x\n"
        let (entries, state) = imported(text.octets, try viruses())
        #expect(state.problems == [])
        #expect(entries.first?.id == RecordID(text: id))
        #expect(entries.first?.author == "dev:abc")
        #expect(state.positions == [5, 1])
        let cleared = imported("_id,Virus_Name\n\(id),\n".octets, try viruses()).state
        #expect(cleared.problems.isEmpty)
        let doubt = imported("_id,Virus_Name\n\(id),\n".octets, try viruses()).entries.first?.doubts
        #expect(doubt?.map(\.problem.reason) == ["field Virus_Name is required"])
        let added = imported("_id,Virus_Name\n,x\n".octets, try viruses()).entries
        #expect(added.first?.doubts.count == 2)
    }

    @Test func `problems beyond the first hundred are counted`() throws {
        let text = "Virus_Number,Virus_Name,Patient_ID\n" + String(repeating: "x,y,1\n", count: 250)
        let (entries, state) = imported(text.octets, try viruses())
        // So many are handed on for the form to look at as well, and no more.
        #expect(entries.count == 100 && entries.problems.count == 100)
        #expect(entries.problems.last?.line == 101)
        #expect(state.problems.count == 100 && state.problemCount == 150)
        #expect(state.badRowCount == 150)
    }

    @Test func `any values go out and come back the same`() throws {
        var seed = SeededRandom(seed: TestSeed.printed())
        let form = try Form(
            json: """
                {"form_id":"f","fields":[{"name":"-t","type":"text"},{"name":"i","type":"integer"},
                {"name":"p","type":"integer","x":{"unit":"%"}},{"name":"d","type":"decimal"},
                {"name":"@u","type":"text"}]}
                """.octets)
        let parser = ValueParser(form)
        for round in 0..<200 {
            let entries = (0..<Int.random(in: 1...5, using: &seed)).map { _ -> [FieldValue] in
                let texts = [seed.text(5), seed.text(5)].map {
                    $0.isEmpty ? FieldValue.absent : .text($0)
                }
                return [
                    texts[0], .integer(Int64(bitPattern: seed.next())), .integer(-70),
                    .decimal(Double(Int64(bitPattern: seed.next()))), texts[1],
                ]
            }
            var options = CSVWriter.Options()
            options.isRaw = Bool.random(using: &seed)
            options.endsLinesWithCRLF = Bool.random(using: &seed)
            options.separator = CSVDialect.separators.randomElement(using: &seed) ?? 0x2c
            let bytes = exported(entries, form, options)
            let (read, state) = imported(bytes, parser, raw: options.isRaw, step: 1 + round % 50)
            #expect(state.problems == [])
            #expect(read.map { $0.values.map(octets) } == entries.map { $0.map(octets) })
        }
    }

    private func octets(_ value: FieldValue) -> [UInt8] {
        if case .text(let text) = value { return text.octets }
        return "\(value)".octets
    }
}
