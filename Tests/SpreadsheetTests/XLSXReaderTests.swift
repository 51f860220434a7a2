import Testing

@testable import Spreadsheet

/// What the .xlsx files of many programs hold.
@Suite struct XLSXReaderTests {
    private func cells(
        _ rows: String, strings: String? = nil, styles: String? = nil, properties: String = "",
        target: String = "worksheets/sheet1.xml"
    ) throws -> [String] {
        let bytes = try RawWorkbook.bytes(
            rows: rows, strings: strings, styles: styles, properties: properties, target: target)
        let rows = try Workbook(file: bytes, name: "form.xlsx").sheets[0].rows
        return rows.flatMap { row in
            row.cells.map { "\(CellPosition(row: row.number, column: $0.column))=\($0.text)" }
        }
    }

    @Test func `shared texts lose their runs and reading aids`() throws {
        let strings =
            "<si><t>plain</t></si><si><r><t>ri</t></r><r><rPr><b/></rPr><t>ch</t></r></si>"
            + "<si><t>東京</t><rPh sb=\"0\" eb=\"2\"><t>トウキョウ</t></rPh></si>"
            + "<si><t xml:space=\"preserve\"> a_x000D_b_x005F_x0041_ </t></si>"
        let row = (0..<4).map { #"<c t="s"><v>\#($0)</v></c>"# }.joined()
        #expect(
            try cells("<row>\(row)</row>", strings: strings)
                == ["A1=plain", "B1=rich", "C1=東京", "D1= a\rb_x0041_ "])
    }

    @Test func `cells say what they show, in every type`() throws {
        let rows = #"""
            <row r="2"><c r="B2" t="inlineStr"><is><t>in</t></is></c><c t="b"><v>1</v></c>
            <c t="b"><v>0</v></c><c r="AA2" t="str"><f>A1</f><v>text</v></c>
            <c t="e"><v>#N/A</v></c><c t="d"><v>2026-11-21</v></c></row>
            <row><c><v>20.0</v></c><c><v>2014083101</v></c><c><v>0.1</v></c><c><v>1.1000000000000001</v></c>
            <c><v>1E-3</v></c><c><v>-7</v></c><c><v>nan</v></c></row>
            <row><c><v>1000000000000000</v></c><c><v>12345678901234567890</v></c><c><v>1E+15</v></c>
            <c><v>-9007199254740993</v></c><c><v>1E+300</v></c></row>
            """#
        #expect(
            try cells(rows) == [
                "B2=in", "C2=TRUE", "D2=FALSE", "AA2=text", "AB2=#N/A", "AC2=2026-11-21", "A3=20",
                "B3=2014083101", "C3=0.1", "D3=1.1", "E3=0.001", "F3=-7", "G3=nan",
                "A4=1000000000000000", "B4=12345678901234567890", "C4=1000000000000000",
                "D4=-9007199254740993", "E4=1e+300",
            ])
    }

    @Test func `elements may have prefixes, and targets begin at the root`() throws {
        let rows = #"<x:row xmlns:x="http://x" r="1"><x:c r="A1"><x:v>1</x:v></x:c></x:row>"#
        #expect(try cells(rows, target: "/xl/worksheets/sheet1.xml") == ["A1=1"])
        #expect(try cells(rows, target: "../xl/./worksheets/sheet1.xml") == ["A1=1"])
    }

    @Test func `days are dates where their style says so`() throws {
        let styles = #"""
            <numFmts><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd hh:mm"/>
            <numFmt numFmtId="165" formatCode="[Red]0.0&quot; days&quot;"/>
            <numFmt numFmtId="166" formatCode="[h]:mm"/></numFmts>
            <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
            <cellXfs><xf/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="20"/>
            <xf numFmtId="165"/><xf numFmtId="166"/></cellXfs>
            """#
        let row = #"""
            <row><c s="0"><v>45000</v></c><c s="1"><v>45000</v></c><c s="2"><v>45000.75</v></c>
            <c s="3"><v>0.5</v></c><c s="4"><v>1.5</v></c><c s="5"><v>1.5</v></c>
            <c s="1"><v>1</v></c><c s="1"><v>60</v></c><c s="1"><v>61</v></c><c s="1"><v>9e99</v></c></row>
            """#
        #expect(
            try cells(row, styles: styles) == [
                "A1=45000", "B1=2023-03-15", "C1=2023-03-15T18:00:00", "D1=12:00:00", "E1=1.5",
                "F1=1.5", "G1=1900-01-01", "H1=1900-02-28", "I1=1900-03-01", "J1=9e+99",
            ])
        let from1904 = try cells(
            #"<row><c s="1"><v>0</v></c></row>"#, styles: styles,
            properties: #"<workbookPr date1904="1"/>"#)
        #expect(from1904 == ["A1=1904-01-01"])
    }

    @Test func `percentages are read as people see them, to the digit`() throws {
        let styles = #"""
            <numFmts><numFmt numFmtId="164" formatCode="0.0\ %"/>
            <numFmt numFmtId="165" formatCode="0&quot;%&quot;"/></numFmts>
            <cellXfs><xf/><xf numFmtId="9"/><xf numFmtId="10"/><xf numFmtId="164"/>
            <xf numFmtId="165"/></cellXfs>
            """#
        let row = #"""
            <row><c s="1"><v>1</v></c><c s="1"><v>0.07</v></c><c s="2"><v>0.28999999999999998</v></c>
            <c s="3"><v>-0.755</v></c><c s="1"><v>0</v></c><c s="1"><v>0.00001</v></c>
            <c s="4"><v>75</v></c><c s="1"><v>1E+20</v></c><c s="1"><v></v></c></row>
            """#
        #expect(
            try cells(row, styles: styles) == [
                "A1=100%", "B1=7%", "C1=29%", "D1=-75.5%", "E1=0%", "F1=0.001%", "G1=75",
                "H1=1e+22%",
            ])
    }

    @Test func `a formula without its result is told, not only empty`() throws {
        let bytes = try RawWorkbook.bytes(
            rows: #"<row r="3"><c r="B3"><f>1+1</f></c><c r="C3"><f>2</f><v>2</v></c></row>"#)
        let sheet = try Workbook(xlsx: bytes).sheets[0]
        #expect(sheet.unsolved.map(\.description) == ["B3"])
        #expect(sheet.rows[0][3] == "2")
    }

    @Test func `sheets that nobody wants are listed and not read`() throws {
        let bytes = try RawWorkbook.bytes(rows: "<row><c t=\"s\"><v>9</v></c></row>")
        let book = try Workbook(xlsx: bytes, wanted: { _ in false })
        #expect(book.sheets == [Sheet(name: "survey")])
    }

    @Test(arguments: [
        (#"<row><c t="s"><v>5</v></c></row>"#, "A1 names a shared text that is not there"),
        (#"<row r="9999999"><c><v>1</v></c></row>"#, "a row numbered 9999999"),
        (#"<row><c r="XFD1"/><c><v>1</v></c></row>"#, "columns: more than 16384"),
        ("<row><c><v>1</v></row>", "mismatched tag"),
        (String(repeating: "<a>", count: 70), "levels of xl/worksheets/sheet1.xml"),
    ])
    func `a damaged sheet is refused`(rows: String, reason: String) throws {
        let bytes = try RawWorkbook.bytes(rows: rows)
        let error = try #require(throws: SpreadsheetError.self) { try Workbook(xlsx: bytes) }
        #expect(error.description.contains(reason), "\(error)")
    }
}
