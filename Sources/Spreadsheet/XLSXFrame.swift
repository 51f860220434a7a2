/// The parts of an .xlsx file that every workbook has, and the cells of its sheets.
enum XLSXFrame {
    private static let namespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"

    static func part(ofSheet index: Int) -> String { "xl/worksheets/sheet\(index + 1).xml" }

    /// All parts but the sheets themselves.
    ///
    /// - Parameter sheets: their titles.
    static func parts(sheets: [String]) -> [(name: String, bytes: [UInt8])] {
        let main = "application/vnd.openxmlformats-officedocument.spreadsheetml."
        let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        let package = "http://schemas.openxmlformats.org/package/2006/"

        var types = XMLWriter()
        types.start("Types", [("xmlns", package + "content-types")])
        types.element(
            "Default",
            [
                ("Extension", "rels"),
                ("ContentType", "application/vnd.openxmlformats-package.relationships+xml"),
            ])
        var kinds = [("workbook", "sheet.main"), ("styles", "styles")]
        kinds += sheets.indices.map { ("worksheets/sheet\($0 + 1)", "worksheet") }
        for (part, kind) in kinds {
            types.element(
                "Override",
                [("PartName", "/xl/\(part).xml"), ("ContentType", "\(main)\(kind)+xml")])
        }
        types.end()

        var root = XMLWriter()
        root.start("Relationships", [("xmlns", package + "relationships")])
        root.element(
            "Relationship",
            [("Id", "rId1"), ("Type", office + "/officeDocument"), ("Target", "xl/workbook.xml")])
        root.end()

        var book = XMLWriter()
        var relations = XMLWriter()
        book.start("workbook", [("xmlns", namespace), ("xmlns:r", office)])
        book.start("sheets")
        relations.start("Relationships", [("xmlns", package + "relationships")])
        for (index, title) in sheets.enumerated() {
            let id = "rId\(index + 1)"
            book.element("sheet", [("name", title), ("sheetId", "\(index + 1)"), ("r:id", id)])
            relations.element(
                "Relationship",
                [
                    ("Id", id), ("Type", office + "/worksheet"),
                    ("Target", "worksheets/sheet\(index + 1).xml"),
                ])
        }
        relations.element(
            "Relationship",
            [("Id", "rIdStyles"), ("Type", office + "/styles"), ("Target", "styles.xml")])
        for _ in 0..<2 { book.end() }
        relations.end()

        return [
            ("[Content_Types].xml", types.bytes), ("_rels/.rels", root.bytes),
            ("xl/workbook.xml", book.bytes), ("xl/_rels/workbook.xml.rels", relations.bytes),
            ("xl/styles.xml", styles()),
        ]
    }

    /// Titles as Excel takes them: 1 to 31 characters, some excluded, no two alike without case.
    static func titles(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.enumerated().map { index, name in
            let safe = name.map { "[]:*?/\\".contains($0) ? "_" : $0 }.prefix(31)
            let title = safe.isEmpty ? "sheet\(index + 1)" : String(safe)
            return seen.insert(title.lowercased()).inserted ? title : "sheet\(index + 1)"
        }
    }

    /// How a cell is shown, by its place among the styles; text keeps `007` as it is typed.
    enum Style: Int, CaseIterable {
        case text, bold, number, date, dateTime, time

        /// The number of its format, of which those from 164 on are written out.
        var format: Int {
            switch self {
            case .text, .bold: 49
            case .number: 0
            case .date: 164
            case .dateTime: 165
            case .time: 21
            }
        }
    }

    private static func styles() -> [UInt8] {
        var xml = XMLWriter()
        xml.start("styleSheet", [("xmlns", namespace)])
        xml.start("numFmts", [("count", "2")])
        for (id, code) in [("164", "yyyy\\-mm\\-dd"), ("165", "yyyy\\-mm\\-dd\\ hh:mm:ss")] {
            xml.element("numFmt", [("numFmtId", id), ("formatCode", code)])
        }
        xml.end()
        xml.start("fonts", [("count", "2")])
        for isBold in [false, true] {
            xml.start("font")
            if isBold { xml.element("b") }
            xml.element("sz", [("val", "11")])
            xml.element("name", [("val", "Calibri")])
            xml.end()
        }
        xml.end()
        xml.start("fills", [("count", "2")])
        for pattern in ["none", "gray125"] {
            xml.start("fill")
            xml.element("patternFill", [("patternType", pattern)])
            xml.end()
        }
        xml.end()
        xml.start("borders", [("count", "1")])
        xml.element("border")
        xml.end()
        xml.start("cellStyleXfs", [("count", "1")])
        xml.element("xf")
        xml.end()
        xml.start("cellXfs", [("count", String(Style.allCases.count))])
        for style in Style.allCases {
            xml.element(
                "xf",
                [
                    ("numFmtId", String(style.format)), ("fontId", style == .bold ? "1" : "0"),
                    ("fillId", "0"), ("borderId", "0"), ("applyNumberFormat", "1"),
                ])
        }
        xml.end()
        xml.start("cellStyles", [("count", "1")])
        xml.element("cellStyle", [("name", "Normal"), ("xfId", "0"), ("builtinId", "0")])
        xml.end()
        xml.end()
        return xml.bytes
    }

    /// Begins a sheet, whose first row stays in view.
    static func start(_ xml: inout XMLWriter) {
        xml.start("worksheet", [("xmlns", namespace)])
        xml.start("sheetViews")
        xml.start("sheetView", [("workbookViewId", "0")])
        xml.element(
            "pane",
            [
                ("ySplit", "1"), ("topLeftCell", "A2"), ("activePane", "bottomLeft"),
                ("state", "frozen"),
            ])
        for _ in 0..<2 { xml.end() }
        xml.start("cols")
        xml.element("col", [("min", "1"), ("max", "40"), ("width", "22"), ("customWidth", "1")])
        xml.end()
        xml.start("sheetData")
    }

    /// A cell of text, which is never taken for a formula.
    static func text(
        _ text: String, at position: CellPosition, _ style: Style, _ xml: inout XMLWriter
    ) {
        xml.start(
            "c",
            [("r", position.description), ("s", String(style.rawValue)), ("t", "inlineStr")])
        xml.start("is")
        xml.element("t", [("xml:space", "preserve")], text: escaped(text))
        for _ in 0..<2 { xml.end() }
    }

    /// A cell of a number, or of a date as the number of its day.
    static func number(
        _ digits: String, at position: CellPosition, _ style: Style, _ xml: inout XMLWriter
    ) {
        xml.start("c", [("r", position.description), ("s", String(style.rawValue))])
        xml.element("v", text: digits)
        xml.end()
    }

    /// A text with what XML cannot hold, and what would read as such an escape, escaped.
    private static func escaped(_ text: String) -> String {
        let needsEscape = text.unicodeScalars.contains {
            !XMLWriter.isAllowed($0) || $0 == "_" || $0 == "\r"
        }
        guard needsEscape else { return text }
        let bytes = Array(text.utf8)
        var escaped = ""
        var offset = 0
        for scalar in text.unicodeScalars {
            let isEscape = scalar == "_" && CellText.escape(bytes[offset...]) != nil
            if isEscape || !XMLWriter.isAllowed(scalar) || scalar == "\r" {
                let digits = String(scalar.value, radix: 16, uppercase: true)
                escaped +=
                    "_x" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "_"
            } else {
                escaped.unicodeScalars.append(scalar)
            }
            offset += UTF8.width(scalar)
        }
        return escaped
    }
}
