internal import ShareCore

/// What each column of an imported file is for, from its header.
final class ImportColumns: Sendable {
    enum Use: Hashable, Sendable {
        case id, author, ignored
        /// The place in `form.stored`, and whether a `'` in front may have been put there.
        case field(Int, isGuarded: Bool)
    }

    let titles: [String]
    let uses: [Use]
    /// Places in `form.stored`, in the file's order.
    let positions: [Int]
    /// Places of the required fields.
    let required: [Int]
    private let present: Set<Int>

    var count: Int { uses.count }
    var ignored: [String] { zip(titles, uses).filter { $0.1 == .ignored }.map { $0.0 } }
    func has(_ position: Int) -> Bool { present.contains(position) }

    /// The header of a column, or its number.
    func title(_ index: Int) -> String {
        titles.indices.contains(index) ? titles[index] : "\(index + 1)"
    }

    private init(titles: [String], uses: [Use], form: Form) {
        self.titles = titles
        self.uses = uses
        positions = uses.compactMap { use in
            if case .field(let position, _) = use { return position }
            return nil
        }
        present = Set(positions)
        required = form.stored.indices.filter { form.stored[$0].isRequired }
    }

    /// Reads the header; with problems, all of them, the columns are of no use.
    static func read(
        _ row: CSVRow, _ parser: ValueParser, isRaw: Bool
    ) -> (columns: ImportColumns, problems: [ImportProblem]) {
        var titles: [String] = []
        var uses: [Use] = []
        var problems: [ImportProblem] = []
        func complain(_ column: String?, _ reason: String, _ hint: String) {
            problems.append(
                ImportProblem(line: row.line, column: column, reason: reason, hint: hint))
        }
        for index in 0..<row.count {
            let title = ValueReader.trimmed(
                row.withCell(index) {
                    String(
                        decoding: isRaw ? $0 : FormulaGuard.taken(from: $0), as: UTF8.self)
                })
            titles.append(title)
            if title.isEmpty {
                complain(
                    String(index + 1), "the column has no header", "name the field, or delete it")
                uses.append(.ignored)
                continue
            }
            do {
                let use = try use(of: title, parser, isRaw: isRaw)
                uses.append(use)
                if use != .ignored, uses.dropLast().contains(use) {
                    complain(title, "two columns of this field", "keep one of them")
                }
            } catch {
                uses.append(.ignored)
                complain(title, error.description, error.hint)
            }
        }
        let columns = ImportColumns(titles: titles, uses: uses, form: parser.form)
        guard problems.isEmpty else { return (columns, problems) }
        if columns.positions.isEmpty {
            complain(nil, "no column is a field of the form", "its first line names the fields")
        } else if !uses.contains(.id) {
            for position in columns.required where !columns.has(position) {
                let name = parser.form.stored[position].name
                complain(name, "there is no column for the required field \(name)", "add it")
            }
        }
        return (columns, problems)
    }

    private static func use(
        of title: String, _ parser: ValueParser, isRaw: Bool
    ) throws(ValueError) -> Use {
        if title == "_id" { return .id }
        if title == "_author" { return .author }
        if title.utf8.first == UInt8(ascii: "_") { return .ignored }
        let position = try parser.position(of: title)
        let isText = parser.form.stored[position].storage == .text
        return .field(position, isGuarded: isText && !isRaw)
    }
}
