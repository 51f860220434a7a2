extension Workbook {
    /// Reads an .xlsx file (ECMA-376, in either edition), of it the sheets whose names `wanted`
    /// takes; the others are listed without rows.
    ///
    /// - Parameter orOnly: whether a sheet that is the only one is read all the same.
    /// - Throws: `SpreadsheetError`.
    package init(
        xlsx bytes: [UInt8], wanted: (String) -> Bool = { _ in true }, orOnly: Bool = false
    ) throws(SpreadsheetError) {
        let archive = try ZipArchive(bytes)
        let parts = try XLSXParts(archive)
        self.init()
        var budget = Budget()
        for listing in parts.sheets {
            guard wanted(listing.name) || orOnly && parts.sheets.count == 1 else {
                sheets.append(Sheet(name: listing.name))
                continue
            }
            let reader = SheetReader(listing.name, parts, budget)
            try archive.parse(listing.part, reader)
            budget = reader.budget
            sheets.append(reader.sheet)
        }
    }
}

/// The cells and bytes of text that are left to a workbook.
struct Budget {
    private var cells = SpreadsheetLimits.cells
    private var bytes = SpreadsheetLimits.textBytes

    mutating func spend(_ text: String) throws(SpreadsheetError) {
        cells -= 1
        bytes -= text.utf8.count
        guard cells >= 0 else { throw .tooLarge(what: "cells", limit: SpreadsheetLimits.cells) }
        guard bytes >= 0 else {
            throw .tooLarge(what: "bytes of text", limit: SpreadsheetLimits.textBytes)
        }
        guard text.utf8.count <= SpreadsheetLimits.cellBytes else {
            throw .tooLarge(what: "bytes of a cell", limit: SpreadsheetLimits.cellBytes)
        }
    }
}

/// Collects the rows of one sheet.
private final class SheetReader: XMLHandler {
    private(set) var sheet: Sheet
    private(set) var budget: Budget
    private let parts: XLSXParts
    private var row = Row(number: 0)
    private var column = 0
    private var type = ""
    private var format = CellFormat.number
    private var hasFormula = false
    private var value = CellText()
    private var isInCell = false

    init(_ name: String, _ parts: XLSXParts, _ budget: Budget) {
        sheet = Sheet(name: name)
        self.parts = parts
        self.budget = budget
    }

    func start(_ name: String, _ attributes: XMLAttributes) throws(SpreadsheetError) {
        switch name {
        case "row":
            let number = attributes["r"].flatMap { Int($0) } ?? row.number + 1
            guard (1...SpreadsheetLimits.rowNumber).contains(number) else {
                throw .damaged(part: "sheet \(sheet.name)", reason: "a row numbered \(number)")
            }
            row = Row(number: number)
            column = 0
        case "c":
            column = attributes["r"].flatMap { CellPosition($0)?.column } ?? column + 1
            guard column <= SpreadsheetLimits.columns else {
                throw .tooLarge(what: "columns", limit: SpreadsheetLimits.columns)
            }
            type = attributes["t"] ?? "n"
            let style = attributes["s"].flatMap { Int($0) } ?? 0
            format = parts.styles.indices.contains(style) ? parts.styles[style] : .number
            hasFormula = false
            value = CellText()
            isInCell = true
        case "f": hasFormula = true
        default: if isInCell { value.start(name) }
        }
    }

    func end(_ name: String) throws(SpreadsheetError) {
        switch name {
        case "row": if !row.cells.isEmpty { sheet.rows.append(row) }
        case "c":
            isInCell = false
            let text = try text()
            if text.isEmpty, hasFormula, type != "str", sheet.unsolved.count < 100 {
                sheet.unsolved.append(CellPosition(row: row.number, column: column))
            }
            guard !text.isEmpty else { return }
            try budget.spend(text)
            row.set(column: column, text)
        default: if isInCell { value.end(name) }
        }
    }

    func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(SpreadsheetError) {
        if isInCell { try value.append(bytes) }
    }

    private func text() throws(SpreadsheetError) -> String {
        switch type {
        case "s":
            let written = value.plain
            guard !written.isEmpty else { return "" }
            guard let index = Int(written), parts.texts.indices.contains(index) else {
                let position = CellPosition(row: row.number, column: column)
                throw .damaged(
                    part: "sheet \(sheet.name)",
                    reason: "\(position) names a shared text that is not there")
            }
            return parts.texts[index]
        case "b":
            switch value.plain {
            case "": return ""
            case "0", "false": return "FALSE"
            default: return "TRUE"
            }
        case "n": return format.text(of: value.plain, from1904: parts.from1904)
        default: return value.string
        }
    }
}

/// The text of a cell as its elements arrive: of `v` and of `t`, without reading aids (`rPh`).
struct CellText {
    private(set) var bytes: [UInt8] = []
    private var isOpen = false
    private var isAid = false

    mutating func start(_ name: String) {
        if name == "rPh" { isAid = true }
        if name == "t" || name == "v" { isOpen = !isAid }
    }

    mutating func end(_ name: String) {
        if name == "rPh" { isAid = false }
        if name == "t" || name == "v" { isOpen = false }
    }

    mutating func append(_ piece: UnsafeBufferPointer<UInt8>) throws(SpreadsheetError) {
        guard isOpen else { return }
        guard bytes.count + piece.count <= SpreadsheetLimits.cellBytes else {
            throw .tooLarge(what: "bytes of a cell", limit: SpreadsheetLimits.cellBytes)
        }
        bytes.append(contentsOf: piece)
    }

    /// The text as it is written.
    var plain: String { String(decoding: bytes, as: UTF8.self) }

    /// The text with escapes such as `_x000D_` resolved, which stand for what XML cannot hold.
    var string: String {
        guard bytes.contains(UInt8(ascii: "_")) else { return plain }
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if let scalar = CellText.escape(bytes[index...]) {
                decoded.append(contentsOf: UTF8.encode(scalar) ?? .init())
                index += 7
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// The scalar of an escape at the front: `_x`, four hexadecimal digits, `_`.
    static func escape(_ bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        let start = bytes.startIndex
        guard bytes.count >= 7, bytes[start] == UInt8(ascii: "_"),
            bytes[start + 1] == UInt8(ascii: "x"), bytes[start + 6] == UInt8(ascii: "_")
        else { return nil }
        var code: UInt32 = 0
        for byte in bytes[(start + 2)..<(start + 6)] {
            guard byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                return nil
            }
            code = code << 4 | UInt32(digit)
        }
        return Unicode.Scalar(code)
    }
}
