import ShareFormats
import Testing

@testable import Spreadsheet

/// Tables in Markdown and CSV.
@Suite struct TextTableTests {
    private func table(_ book: Workbook, _ name: String) -> [[String]]? {
        book.sheet(named: name)?.rows.map { row in row.cells.map(\.text) }
    }

    @Test func `a Markdown file names its sheets in the first column`() throws {
        let text = """
            # A form
            | survey  |      |      |              |
            |         | type | name | label        |
            |---------|------|------|--------------|
            |         | text | a    | x \\| y&#10;z | a remark
            |         |      |      |
            | Choices |
            |         | list_name | name |
            """
        let book = try Workbook(file: Array(text.utf8), name: "form.md")
        #expect(book.sheets.map(\.name) == ["survey", "Choices"])
        #expect(table(book, " SURVEY") == [["type", "name", "label"], ["text", "a", "x | y\nz"]])
        #expect(book.sheets[0].rows.map(\.number) == [3, 5])
        #expect(throws: SpreadsheetError.noTable) { try Workbook(markdown: Array("# none".utf8)) }
        #expect(throws: SpreadsheetError.notUTF8(file: "f.md", line: 2)) {
            try Workbook(markdown: Array("|a|\n|".utf8) + [0xFF], name: "f.md")
        }
    }

    @Test func `a folder of CSV files is a workbook`() throws {
        let book = try Workbook(csvFiles: [
            ("forms/survey.csv", Array("type;name\r\n\r\ntext;a\r\n".utf8)),
            ("choices.csv", Array("\u{FEFF}list_name,name\nyes_no,yes\n".utf8)),
        ])
        #expect(table(book, "survey") == [["type", "name"], ["text", "a"]])
        #expect(book.sheets[0].rows.map(\.number) == [1, 3])
        #expect(table(book, "choices") == [["list_name", "name"], ["yes_no", "yes"]])
        #expect(
            throws: SpreadsheetError.csv(file: "s.csv", CSVError.openQuote(line: 2, column: 2))
        ) {
            try Workbook(csvFiles: [("s.csv", Array("a,b\n1,\"x".utf8))])
        }
    }

    @Test func `one CSV file holds several sheets as pyxform writes them, or one`() throws {
        let many = try Workbook(
            file: Array("survey,,\n,type,name\n,text,a\nchoices,,\n,list_name,name\n".utf8),
            name: "form.csv")
        #expect(many.sheets.map(\.name) == ["survey", "choices"])
        #expect(table(many, "survey") == [["type", "name"], ["text", "a"]])
        let one = try Workbook(file: Array("type,name\ntext,a\n".utf8), name: "survey.csv")
        #expect(one.sheets.map(\.name) == ["survey"])
    }

    @Test func `columns are lettered as people see them`() {
        #expect(
            [1, 26, 27, 702, 703, 16_384].map { CellPosition.letters(ofColumn: $0) }
                == ["A", "Z", "AA", "ZZ", "AAA", "XFD"])
        #expect(CellPosition("XFD1048576") == CellPosition(row: 1_048_576, column: 16_384))
        for bad in ["", "A", "7", "A0", "XFE1", "A1B", "Ä1"] { #expect(CellPosition(bad) == nil) }
    }
}
