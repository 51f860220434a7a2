@testable import Spreadsheet

/// An .xlsx file from its parts, as other programs may write them.
enum RawWorkbook {
    private static let namespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    private static let office =
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

    static func zip(_ parts: [(String, String)]) throws -> [UInt8] {
        var archive = try ZipBuilder()
        for (name, text) in parts { try archive.add(name, Array(text.utf8)) }
        return try archive.finish()
    }

    /// The parts of a workbook with one sheet, whose rows are given as XML.
    static func parts(
        rows: String, strings: String? = nil, styles: String? = nil, properties: String = "",
        target: String = "worksheets/sheet1.xml"
    ) -> [(String, String)] {
        let relation = { (id: String, kind: String, target: String) in
            #"<Relationship Id="\#(id)" Type="\#(office)/\#(kind)" Target="\#(target)"/>"#
        }
        let head =
            #"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">"#
        var parts = [
            (
                "_rels/.rels",
                head + relation("rId1", "officeDocument", "xl/workbook.xml") + "</Relationships>"
            ),
            (
                "xl/workbook.xml",
                #"<workbook xmlns="\#(namespace)" xmlns:r="\#(office)">\#(properties)<sheets>"#
                    + #"<sheet name="survey" sheetId="7" r:id="rId3"/></sheets></workbook>"#
            ),
            (
                "xl/_rels/workbook.xml.rels",
                head + relation("rId3", "worksheet", target)
                    + relation("rId4", "sharedStrings", "sharedStrings.xml")
                    + relation("rId5", "styles", "/xl/styles.xml") + "</Relationships>"
            ),
            (
                "xl/worksheets/sheet1.xml",
                #"<worksheet xmlns="\#(namespace)"><sheetData>\#(rows)</sheetData></worksheet>"#
            ),
        ]
        if let strings {
            parts.append(("xl/sharedStrings.xml", #"<sst xmlns="\#(namespace)">\#(strings)</sst>"#))
        }
        if let styles {
            parts.append(
                ("xl/styles.xml", #"<styleSheet xmlns="\#(namespace)">\#(styles)</styleSheet>"#))
        }
        return parts
    }

    static func bytes(
        rows: String, strings: String? = nil, styles: String? = nil, properties: String = "",
        target: String = "worksheets/sheet1.xml"
    ) throws -> [UInt8] {
        try zip(
            parts(
                rows: rows, strings: strings, styles: styles, properties: properties,
                target: target))
    }
}
