import ShareTestKit
import Testing

@testable import ShareFormats

struct CSVReaderTests {
    /// The rows of a file that arrives in pieces of `step` bytes.
    private func rows(
        _ bytes: [UInt8], step: Int = .max, separator: UInt8? = nil
    ) throws(CSVError) -> [(line: Int, cells: [String])] {
        var reader = CSVReader(separator: separator)
        var rows: [(line: Int, cells: [String])] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            try reader.read(Array(rest.prefix(step))) { rows.append(($0.line, $0.cells)) }
            rest = rest.dropFirst(step)
        }
        try reader.finish { rows.append(($0.line, $0.cells)) }
        return rows
    }

    @Test(arguments: [
        ("a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
        ("a,b\r\n1,2", [["a", "b"], ["1", "2"]]),
        ("a,b\r1,2\r", [["a", "b"], ["1", "2"]]),
        ("\u{feff}a;b\n1,5;2\n", [["a", "b"], ["1,5", "2"]]),
        ("a\tb\n1;2\t3", [["a", "b"], ["1;2", "3"]]),
        ("sep=;\r\na,x;b\n1;2", [["a,x", "b"], ["1", "2"]]),
        ("\"a;b;c\",d\n1,2\n", [["a;b;c", "d"], ["1", "2"]]),
        ("a,b\n\n\r\n1,2\n\n", [["a", "b"], ["1", "2"]]),
        ("a\n\"\"\nx\n", [["a"], [""], ["x"]]),
        ("a,b\n,\n", [["a", "b"], ["", ""]]),
        ("a,b\n\"x \"\"y\"\"\",\"1\r\n2\n3\r4\"\n", [["a", "b"], ["x \"y\"", "1\r\n2\n3\r4"]]),
        ("a,b\n5\" pipe,x\"y\n", [["a", "b"], ["5\" pipe", "x\"y"]]),
        ("a,b\n1\n1,2,3\n", [["a", "b"], ["1"], ["1", "2", "3"]]),
        ("", []), ("\n\n", []), ("\u{feff}", []), ("a", [["a"]]),
    ])
    func `what programs write is read, whole and byte by byte`(
        text: String, expected: [[String]]
    ) throws {
        for step in [Int.max, 1, 2, 3, 7] {
            #expect(try rows(text.octets, step: step).map(\.cells) == expected, "\(step)")
        }
    }

    @Test func `rows know the line where they start`() throws {
        let text = "a,b\r\n\r\n1,\"x\r\ny\rz\n\"\r2,2\n3,3"
        for step in [Int.max, 1] {
            #expect(try rows(text.octets, step: step).map(\.line) == [1, 3, 7, 8])
        }
        #expect(try rows("sep=,\na\nb".octets).map(\.line) == [2, 3])
    }

    @Test(arguments: [
        ("a,b\n1,\"x\n", "line 2, column 2: a quote is opened and never closed"),
        ("a,b\n\"x\"y,1\n", "line 2, column 1: text after a closing quote"),
        ("a,b\n1,2\n3,\u{0}", nil),
    ])
    func `a file that breaks off is refused with its place`(text: String, message: String?) {
        for step in [Int.max, 1] {
            let result = Result { try rows(text.octets, step: step) }
            switch result {
            case .success: #expect(message == nil)
            case .failure(let error): #expect(String(describing: error) == message)
            }
        }
    }

    @Test func `other encodings are refused with their place`() {
        #expect(throws: CSVError.notUTF8(line: 2, column: 2)) {
            try rows("a,b\n1,Gr".octets + [0xfc, 0x6e] + "\n".octets)
        }
        // Together the two cells would be one good character.
        #expect(throws: CSVError.notUTF8(line: 2, column: 1)) {
            try rows("a,b\n".octets + [0xc3, 0x2c, 0xa9])
        }
        #expect(throws: CSVError.utf16) { try rows([0xff, 0xfe, 0x61, 0x00]) }
        // What to do stands in the hint alone.
        for error in [CSVError.utf16, .notUTF8(line: 2, column: 1)] {
            #expect(!error.reason.contains("save") && error.hint.contains("CSV UTF-8"))
        }
    }

    @Test func `sizes have bounds`() throws {
        let megabyte = String(repeating: "x", count: 1 << 20).octets
        #expect(try rows("a\n".octets + megabyte).last?.cells[0].utf8.count == 1 << 20)
        #expect(throws: CSVError.cellTooLong(line: 2, column: 1, limit: 1 << 20)) {
            try rows("a\n".octets + megabyte + [0x78], step: 65_536)
        }
        #expect(throws: CSVError.cellTooLong(line: 2, column: 1, limit: 1 << 20)) {
            try rows("a\n\"".octets + megabyte + megabyte, step: 65_536)
        }
        let cells = Array(
            [megabyte, megabyte, megabyte, megabyte, [0x78]].joined(separator: [0x2c]))
        #expect(throws: CSVError.rowTooLong(line: 2, limit: 4 << 20)) {
            try rows("a,b\n".octets + cells, step: 65_536)
        }
        let commas = [UInt8](repeating: 0x2c, count: 2_000)
        #expect(try rows(Array(commas.dropFirst())).first?.cells.count == 2_000)
        #expect(throws: CSVError.tooManyColumns(line: 1, limit: 2_000)) { try rows(commas) }
        #expect(throws: CSVError.rowTooLong(line: 1, limit: 4 << 20)) {
            try rows([0x22] + megabyte + megabyte + megabyte + megabyte, step: 65_536)
        }
    }

    @Test func `a piece may be longer than a row may, the first as well`() throws {
        let line = (String(repeating: "x", count: 1_023) + "\n").octets
        let file = "name\n".octets + Array([[UInt8]](repeating: line, count: 5 << 10).joined())
        let read = try rows(file)
        #expect(read.count == 5_121 && read.last?.line == 5_121)
        #expect(read.allSatisfy { $0.cells.count == 1 })
        let quoted = [0x22] + Array(file.dropFirst(5))
        #expect(throws: CSVError.rowTooLong(line: 1, limit: 4 << 20)) { try rows(quoted) }
    }

    @Test func `any table written reads back the same`() throws {
        var seed = SeededRandom(seed: TestSeed.printed())
        for round in 0..<300 {
            let columns = Int.random(in: 1...5, using: &seed)
            let table = (0...Int.random(in: 0...6, using: &seed)).map { _ in
                (0..<columns).map { _ in seed.text(6) }
            }
            var options = CSVWriter.Options()
            options.separator = CSVDialect.separators.randomElement(using: &seed) ?? 0x2c
            options.endsLinesWithCRLF = Bool.random(using: &seed)
            options.hasByteOrderMark = Bool.random(using: &seed)
            options.isRaw = true
            var writer = CSVWriter(options)
            for row in table { writer.row(row) }
            let bytes = writer.take()
            for step in [Int.max, 1, Int.random(in: 2...9, using: &seed)] {
                let read = try rows(bytes, step: step).map { $0.cells.map(\.octets) }
                #expect(read == table.map { $0.map(\.octets) }, "round \(round), step \(step)")
            }
        }
    }
}
