internal import ShareCore

/// What each column of an imported file is for, from its header.
package final class ImportColumns: Sendable {
    enum Use: Hashable, Sendable {
        case id, author, ignored
        /// Behind the last header, as spreadsheets leave columns: nothing may stand in it.
        case unnamed
        /// When the entry was changed last before the file was written.
        case updated
        /// A field that the form had in an earlier version: not read, and told where it has values;
        /// with the first column of that field, as there may be several.
        case earlier(Int)
        /// What the row's entry is called in this file and those of its repeats.
        case key
        /// What the entry is called that a row of a repeat belongs to.
        case parentKey
        /// The place that what a row of a repeat belongs to has in its own file, where the parent's
        /// key is that of the whole entry.
        case parentPlace
        /// The place in `form.stored`, and whether a `'` in front may have been put there.
        case field(Int, isGuarded: Bool)
        /// A number of a place: of which field, and whether latitude, longitude, altitude, accuracy.
        case part(Int, Int)
    }

    /// How files of entries and files of their repeats refer to each other, as in ODK Central.
    package static let key = "KEY"
    package static let parentKey = "PARENT_KEY"

    let titles: [String]
    let uses: [Use]
    /// Places in `form.stored`, in the file's order.
    let positions: [Int]
    /// Places of the required fields, but for those that have no column and begin with a default.
    let required: [Int]
    private let present: Set<Int>
    /// Whether rows of a repeat have no name but their place among those of their entry.
    let areNamedByPlace: Bool

    var count: Int { uses.count }
    func has(_ position: Int) -> Bool { present.contains(position) }

    /// Whether rows say by the form's key which entry they are.
    func hasKey(of form: Form) -> Bool {
        !form.key.isEmpty
            && form.key.allSatisfy { name in
                present.contains { form.stored[$0].name.utf8.elementsEqual(name.utf8) }
            }
    }

    /// The header of a column, or its number.
    func title(_ index: Int) -> String {
        titles.indices.contains(index) ? titles[index] : "\(index + 1)"
    }

    /// The header of the column with a number of a place; of another one of it where there is none.
    func title(ofPart part: Int, of position: Int) -> String {
        let column =
            uses.firstIndex(of: .part(position, part))
            ?? uses.firstIndex { if case .part(position, _) = $0 { true } else { false } }
        return title(column ?? 0)
    }

    /// The header of the column with the field of a form; nil where there is none, and where another
    /// column has that name for a header.
    func title(ofField name: String, of form: Form) -> String? {
        guard !titles.contains(name) else { return nil }
        let column = uses.firstIndex { use in
            switch use {
            case .field(let position, _), .part(let position, _): form.stored[position].name == name
            default: false
            }
        }
        return column.map { title($0) }
    }

    private init(titles: [String], uses: [Use], form: Form, areNamedByPlace: Bool) {
        self.areNamedByPlace = areNamedByPlace
        self.titles = titles
        self.uses = uses
        var named: [Int] = []
        for use in uses {
            switch use {
            case .field(let position, _): named.append(position)
            case .part(let position, _) where !named.contains(position): named.append(position)
            case .part, .id, .author, .updated, .ignored, .unnamed, .earlier, .key, .parentKey,
                .parentPlace:
                continue
            }
        }
        // Of a repeat both are always written: they come from other columns, or from the order.
        positions = form.isRepeat ? [0, 1] + named.filter { $0 != 1 } : named
        let present = Set(positions)
        self.present = present
        required = form.stored.indices.filter {
            form.stored[$0].isRequired && (present.contains($0) || !form.fillsIn($0))
        }
    }

    /// Reads the header; with problems, all of them, the columns are of no use.
    static func read(
        _ row: CSVRow, _ parser: ValueParser, isRaw: Bool, _ earlier: Set<String>,
        fields: [String: String]
    ) -> (columns: ImportColumns, problems: [ImportProblem]) {
        let titles = (0..<row.count).map { index in
            ValueReader.trimmed(
                row.withCell(index) {
                    String(
                        decoding: isRaw ? $0 : FormulaGuard.taken(from: $0), as: UTF8.self)
                })
        }
        let conventions = Conventions(titles, parser, isRaw: isRaw)
        var uses: [Use] = []
        var problems: [ImportProblem] = []
        func complain(_ column: String?, _ reason: String, _ hint: String) {
            problems.append(
                ImportProblem(line: row.line, column: column, reason: reason, hint: hint))
        }
        let taken = Set(
            titles.compactMap { try? parser.position(of: fields[$0] ?? $0) })
        var firstColumns: [String: Int] = [:]
        func earlierUse(of field: String, in column: Int) -> Use {
            let first = firstColumns[field] ?? column
            firstColumns[field] = first
            return .earlier(first)
        }
        let named = titles.lastIndex { !$0.isEmpty } ?? 0
        for (index, title) in titles.enumerated() {
            if title.isEmpty, index > named {
                uses.append(.unnamed)
                continue
            }
            if title.isEmpty {
                complain(
                    String(index + 1), "the column has no header", "name the field, or delete it")
                uses.append(.ignored)
                continue
            }
            // Somebody has said that it is nothing of the form's.
            if fields[title]?.isEmpty == true {
                uses.append(.ignored)
                continue
            }
            // The exact name of an earlier field comes before any label.
            if earlier.contains(title), fields[title] == nil {
                uses.append(earlierUse(of: title, in: index))
                continue
            }
            let name = fields[title] ?? title
            do throws(ValueError) {
                let use =
                    if let use = conventions.use(of: name) { use } else {
                        try use(of: name, parser, besides: taken, isRaw: isRaw)
                    }
                uses.append(use)
                if use != .ignored, uses.dropLast().contains(use) {
                    complain(title, "two columns of this field", "keep one of them")
                }
            } catch {
                if case .unknownField = error, let field = part(of: name, in: earlier) {
                    uses.append(earlierUse(of: field, in: index))
                    continue
                }
                uses.append(.ignored)
                var hint = error.hint
                if case .unknownField = error {
                    let isPlain = title.allSatisfy {
                        $0.isLetter || $0.isNumber || "_-".contains($0)
                    }
                    func map(_ field: String) -> String {
                        let pair = "\(title)=\(field)"
                        return "--map "
                            + (isPlain ? pair : "'\(pair.replacing("'", with: "'\\''"))'")
                    }
                    hint +=
                        parser.nearest(to: name, besides: taken).map {
                            " To read it so: \(map($0.field)); to leave the column out: "
                        } ?? " To leave the column out: "
                    hint += map("")
                }
                complain(title, error.description, hint)
            }
        }
        let columns = ImportColumns(
            titles: titles, uses: uses, form: parser.form,
            areNamedByPlace: conventions.areNamedByPlace)
        guard problems.isEmpty else { return (columns, problems) }
        if columns.positions.isEmpty {
            complain(nil, "no column is a field of the form", "its first line names the fields")
        } else if parser.form.isRepeat, !uses.contains(.parentKey), conventions.isKobo {
            complain(
                koboEntry, "there is no column \(koboEntry)",
                "let KoboToolbox export _uuid with the answers")
        } else if parser.form.isRepeat, !uses.contains(.parentKey) {
            complain(
                parentKey, "there is no column \(parentKey)",
                "name in it the _id, or the form's key, of the entry that each row belongs to; or"
                    + " say which column it is: --map COLUMN=\(parentKey)")
        } else if !uses.contains(.id), !uses.contains(.key), !columns.areNamedByPlace,
            !columns.hasKey(of: parser.form)
        {
            // Else a row may be an entry from before the field was required.
            for position in columns.required where !columns.has(position) {
                let name = parser.form.stored[position].name
                complain(name, "there is no column for the required field \(name)", "add it")
            }
        }
        return (columns, problems)
    }

    /// The one of these fields that a column is of as ODK Central and KoboToolbox name what lies in a
    /// group, one of several choices, or a part of a place: `home/age`, `signs/cough`,
    /// `gps-Latitude`; nil where it is of none.
    private static func part(of title: String, in fields: Set<String>) -> String? {
        title.split { $0 == "/" || $0 == "-" }.map(String.init).first { fields.contains($0) }
    }

    private static func use(
        of title: String, _ parser: ValueParser, besides taken: Set<Int>, isRaw: Bool
    ) throws(ValueError) -> Use {
        if title == "_id" { return .id }
        if title == "_author" { return .author }
        if title == "_updated" { return .updated }
        if parser.form.isRepeat {
            if title == parentKey { return .parentKey }
            if title == FormDefinition.repeatFields[1].name { return .field(1, isGuarded: false) }
        }
        let isField = parser.form.stored.contains { $0.name == title }
        if title == key, !isField { return .key }
        if title.utf8.first == UInt8(ascii: "_") { return .ignored }
        let position = try parser.position(of: title, besides: taken)
        let isText = parser.form.stored[position].storage == .text
        return .field(position, isGuarded: isText && !isRaw)
    }
}

extension Form {
    /// Whether a field that a file does not have begins with a default: what was answered last is
    /// known where questions are asked alone.
    fileprivate func fillsIn(_ position: Int) -> Bool {
        guard let initial = stored[position].expressions.initial else { return false }
        return !initial.contains("${last-saved#")
    }
}
