import Foundation
import ShareFormats
import ShareTestKit
import Testing

@testable import Spreadsheet

/// Workbooks of tables, read back by our own reader.
@Suite struct TableWorkbookTests {
    @Test func `numbers, days and texts come back as they were written`() throws {
        let folder = try ScratchFolder()
        let book = TableWorkbook(in: folder.path)
        try book.begin(sheet: "entries", columns: ["a", "b", "c", "d"])
        try book.append([.text("=1+1"), .number("-0.5"), .date(46_186), .dateTime(46_186.25)])
        try book.append([.empty, .number("999999999999999"), .time(0.5), .text("_x0041_\n")])
        try book.begin(sheet: "rows/of: it", columns: ["x"])
        for row in 0..<5_000 { try book.append([.number("\(row)")]) }
        try book.write(to: folder.path + "/t.xlsx")
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder.path + "/t.xlsx")))
        let read = try Workbook(xlsx: bytes)
        #expect(read.sheets.map(\.name) == ["entries", "rows_of_ it"])
        let rows = read.sheets[0].rows
        #expect((1...4).map { rows[0][$0] } == ["a", "b", "c", "d"])
        #expect(
            (1...4).map { rows[1][$0] } == ["=1+1", "-0.5", "2026-06-13", "2026-06-13T06:00:00"])
        #expect(
            (1...4).map { rows[2][$0] } == ["", "999999999999999", "12:00:00", "_x0041_\n"])
        #expect(read.sheets[1].rows.count == 5_001 && read.sheets[1].rows[5_000][1] == "4999")
        #expect(String(decoding: read.sheets[0].csv, as: UTF8.self).hasPrefix("a,b,c,d\n=1+1,"))
    }

    @Test func `rows of a sheet keep their numbers, and cells beside its columns`() throws {
        let cell = { (place: String, text: String) in
            "<c r=\"\(place)\" t=\"inlineStr\"><is><t>\(text)</t></is></c>"
        }
        let rows =
            "<row r=\"1\">\(cell("A1", "id"))\(cell("B1", "note"))</row>"
            + "<row r=\"2\">\(cell("A2", "a"))\(cell("B2", "1&#10;2&#10;3"))</row>"
            + "<row r=\"4\">\(cell("A4", "b"))</row>"
            + "<row r=\"5\">\(cell("A5", "c"))\(cell("D5", "stray"))</row>"
        let sheet = try #require(
            try Workbook(xlsx: RawWorkbook.zip(RawWorkbook.parts(rows: rows))).sheets.first)
        #expect(
            String(decoding: sheet.csv, as: UTF8.self)
                == "id,note,,\na,\"1\n2\n3\",,\n\nb,,,\nc,,,stray\n")
        #expect(sheet.shifts.map { "\($0.row) \($0.line)" } == ["3 5"])
        // Without line breaks the lines are the rows.
        let json =
            #"{"form_id":"f","fields":[{"name":"id","type":"text"},"#
            + #"{"name":"note","type":"text"}]}"#
        var reader = EntryImport(ValueParser(try Form(json: Array(json.utf8))))
        var plain = sheet
        plain.rows[1].set(column: 2, "1")
        reader.read(plain.csv) { _ in }
        reader.finish { _ in }
        #expect(
            reader.problems.map(\.description) == ["line 5, column 4: the column has no header"])
    }

    @Test func `names of an archive that differ in case alone are refused`() throws {
        func archive(_ names: [String]) throws -> [UInt8] {
            let folder = try ScratchFolder()
            let zip = try ZipFile(folder.path + "/x.zip")
            for name in names { try zip.add(name, Array(name.utf8)) }
            try zip.finish()
            return [UInt8](try Data(contentsOf: URL(filePath: folder.path + "/x.zip")))
        }
        #expect(throws: SpreadsheetError.sameName("a.csv", "A.csv")) {
            try ZipArchive.unpack(try archive(["a.csv", "A.csv"])) { _, _ in }
        }
        var found: [String] = []
        try ZipArchive.unpack(try archive(["a.csv", "b/a.csv"])) { name, bytes in
            found.append(name + String(decoding: bytes, as: UTF8.self))
        }
        #expect(found == ["a.csva.csv", "b/a.csvb/a.csv"])
        struct Full: Error {}
        #expect(throws: Full.self) {
            try ZipArchive.unpack(try archive(["a"])) { _, _ in throw Full() }
        }
    }

    @Test func `a sheet has no more rows than a spreadsheet has`() throws {
        let folder = try ScratchFolder()
        let book = TableWorkbook(in: folder.path, mostRows: 10)
        try book.begin(sheet: "many", columns: ["x"])
        for _ in 1..<10 { try book.append([.empty]) }
        #expect(throws: SpreadsheetError.self) { try book.append([.empty]) }
    }

    @Test func `an archive's parts stay within their folder`() throws {
        let folder = try ScratchFolder()
        for name in ["../out.csv", "a//b.csv", "/etc/x", "a/../../b"] {
            let path = folder.path + "/\(UInt32.random(in: 0...UInt32.max)).zip"
            let zip = try ZipFile(path)
            try zip.add(name, Array("x".utf8))
            try zip.finish()
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
            #expect(throws: SpreadsheetError.self) { try ZipArchive.unpack(bytes) { _, _ in } }
        }
    }
}
