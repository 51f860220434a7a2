import Foundation
import ShareTestKit
import Spreadsheet
import Testing

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
