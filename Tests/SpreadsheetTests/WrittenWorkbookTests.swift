import ShareTestKit
import Testing

@testable import Spreadsheet

/// Workbooks that are written are read as they were, and broken ones never end the process.
@Suite struct WrittenWorkbookTests {
    private static let pieces = [
        "=1+1", "+1", "-1", "@x", " ", "\n", "\r", "\t", "\u{B}", "\u{1}", "\u{FFFE}", "_x0041_",
        "_x005F_", "&<>\"'", "]]>", "ü", "東京", "🦋", "|", "\\", "a", "0", "1e5", "${x} > 3",
    ]

    private func text(_ random: inout SeededRandom) -> String {
        (0..<Int.random(in: 1...6, using: &random))
            .compactMap { _ in Self.pieces.randomElement(using: &random) }.joined()
    }

    private func workbook(_ random: inout SeededRandom) -> Workbook {
        Workbook(
            (0..<3).map { index in
                var number = 0
                let rows = (0..<Int.random(in: 0...8, using: &random)).map { _ in
                    number += Int.random(in: 1...3, using: &random)
                    var row = Row(number: number)
                    for _ in 0..<5 {
                        let column = Int.random(in: 1...40, using: &random)
                        row.set(column: column, text(&random))
                    }
                    return row
                }
                return Sheet(name: "sheet \(index)", rows: rows)
            })
    }

    @Test func `any texts come back from .xlsx as they were`() throws {
        var random = SeededRandom(seed: TestSeed.printed())
        for _ in 0..<60 {
            let workbook = workbook(&random)
            let bytes = try workbook.xlsx()
            #expect(try Workbook(file: bytes, name: "x.xlsx") == workbook)
            #expect(try workbook.xlsx() == bytes)
        }
    }

    @Test func `any texts come back from Markdown but for spaces at their ends`() throws {
        var random = SeededRandom(seed: TestSeed.printed())
        for _ in 0..<60 {
            var workbook = workbook(&random)
            for index in workbook.sheets.indices {
                let rows = workbook.sheets[index].rows.map { row in
                    (1...40).map { column in
                        row[column].unicodeScalars.filter { $0 != "\r" }
                            .reduce(into: "") { $0.unicodeScalars.append($1) }.trimmed
                    }
                }
                workbook.sheets[index].rows = rows.map { Row(number: 1, cells: $0) }
                    .filter { !$0.cells.isEmpty }
            }
            let read = try Workbook(markdown: Array(workbook.markdown.utf8))
            #expect(
                read.sheets.map { $0.rows.map(\.cells) }
                    == workbook.sheets.map { $0.rows.map(\.cells) })
        }
    }

    @Test func `no cell is a formula, and names of sheets are legal`() throws {
        let sheets = ["a/b", "A_B", "", String(repeating: "x", count: 40)].map {
            Sheet(name: $0, table: [["=1+1"]])
        }
        let book = try Workbook(xlsx: Workbook(sheets).xlsx())
        #expect(
            book.sheets.map(\.name) == [
                "a_b", "sheet2", "sheet3", String(repeating: "x", count: 31),
            ])
        #expect(book.sheets.allSatisfy { $0.rows[0][1] == "=1+1" && $0.unsolved.isEmpty })
    }

    @Test func `damaged files are read or refused, in bounds`() throws {
        var random = SeededRandom(seed: TestSeed.printed())
        let rows = (1...20).map { row in
            #"<row r="\#(row)"><c r="A\#(row)" t="s"><v>\#(row % 3)</v></c><c s="1"><v>\#(row).5</v></c></row>"#
        }.joined()
        let parts = RawWorkbook.parts(
            rows: rows, strings: "<si><t>a</t></si><si><t>b</t></si><si><t>c</t></si>",
            styles: #"<cellXfs><xf/><xf numFmtId="14"/></cellXfs>"#)
        let whole = try RawWorkbook.zip(parts)
        var read = 0
        for round in 0..<3_000 {
            var bytes = whole
            if round % 2 == 0 {
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                if round % 10 == 0 {
                    bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
                }
            } else {
                var broken = parts
                let part = Int.random(in: broken.indices, using: &random)
                var text = Array(broken[part].1.utf8)
                let start = Int.random(in: text.indices, using: &random)
                let end = min(text.count, start + Int.random(in: 0...9, using: &random))
                text.replaceSubrange(
                    start..<end,
                    with: [
                        ["9", "<", "\"", "-1", "", "</row>"].randomElement(using: &random) ?? ""
                    ]
                    .flatMap { Array($0.utf8) })
                broken[part].1 = String(decoding: text, as: UTF8.self)
                bytes = try RawWorkbook.zip(broken)
            }
            if (try? Workbook(file: bytes, name: "form.xlsx")) != nil { read += 1 }
        }
        // Both happen, or the damage was none.
        #expect(read > 100 && read < 2_900)
    }
}
