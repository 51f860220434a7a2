internal import Spreadsheet

/// The bounds of an XLSForm within those of a workbook: no work grows with the square of a file.
enum XLSFormLimits {
    /// Columns of a sheet.
    static let columns = 500
    static let surveyRows = 10_000
    /// Rows of each other sheet.
    static let rows = 300_000
    static let languages = 64
    /// Groups and repeats within each other; JSON has two levels for each.
    static let depth = 24
}

/// A sheet of an XLSForm: its first row as headers, the cells of the others under them.
struct FormSheet {
    let name: String
    let headers: [Header]
    let rows: [Row]
    /// The headers of columns that have a name and no language.
    private let named: [String: [Header]]
    /// The columns whose header stands over others further to the left too, and these.
    let repeated: [Int: [Int]]

    /// A sheet whose headers `read` understands; nil where it has no row.
    init?(_ sheet: Sheet, _ read: (_ title: String, _ number: Int, _ isOld: Bool) -> Header) {
        guard let first = sheet.rows.first else { return nil }
        let titles = first.cells.map { (number: $0.column, title: FormSheet.clean($0.text)) }
        let isOld = !titles.contains { $0.title.contains("::") }
        name = sheet.name
        headers = titles.compactMap { number, title in
            title.isEmpty ? nil : read(title, number, isOld)
        }
        rows = Array(sheet.rows.dropFirst())
        var named: [String: [Header]] = [:]
        for header in headers where header.language == nil {
            if case .column(let name) = header.meaning { named[name, default: []].append(header) }
        }
        self.named = named
        var same: [[String?]: [Int]] = [:]
        var repeated: [Int: [Int]] = [:]
        for header in headers {
            let key = [Header.folded(header.title), header.language]
            repeated[header.number] = same[key]
            same[key, default: []].append(header.number)
        }
        self.repeated = repeated
    }

    /// The first header with a meaning.
    func header(_ meaning: Header.Meaning) -> Header? { headers.first { $0.meaning == meaning } }

    /// The text of the first column with that name that has one in the row.
    func text(_ name: String, _ row: Row) -> String {
        for header in named[name] ?? [] {
            let text = FormSheet.clean(row[header.number])
            if !text.isEmpty { return text }
        }
        return ""
    }

    /// Whether a column further to the left with the same header has text in a row.
    func isRepeated(_ header: Header, in row: Row) -> Bool {
        guard let before = repeated[header.number] else { return false }
        return before.contains { !FormSheet.clean(row[$0]).isEmpty }
    }

    /// The place of a cell of the column with that name.
    func place(_ row: Row?, _ name: String? = nil) -> SheetPosition {
        let found = name.flatMap { header(.column($0)) }
        return SheetPosition(sheet: self.name, row: row?.number, column: found?.column)
    }

    /// Whether the row has text under any header.
    func isBlank(_ row: Row) -> Bool {
        headers.allSatisfy { header in FormSheet.clean(row[header.number]).isEmpty }
    }

    /// A cell's text without outer space; the hard spaces of web pages become plain.
    static func clean(_ text: String) -> String {
        guard !text.isEmpty else { return text }
        guard text.unicodeScalars.contains("\u{A0}") else { return text.trimmed }
        var plain = ""
        for scalar in text.unicodeScalars {
            plain.unicodeScalars.append(scalar == "\u{A0}" ? " " : scalar)
        }
        return plain.trimmed
    }

    /// A text for the machine: quotes that an office program has bent are straight again.
    static func straight(_ text: String) -> String {
        let bent = text.unicodeScalars.contains { (0x2018...0x201D).contains($0.value) }
        guard bent else { return text }
        var straight = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\u{2018}", "\u{2019}": straight += "'"
            case "\u{201C}", "\u{201D}": straight += "\""
            default: straight.unicodeScalars.append(scalar)
            }
        }
        return straight
    }
}

extension Substring {
    var trimmed: String { String(self).trimmed }
}
