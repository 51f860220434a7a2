package import ShareCore

/// The CSV file of a list that forms share, as it arrives: a column `name`, with `label` and
/// `label::LANGUAGE` if it has labels, and columns of its own. Texts lose the `'` that an export
/// puts before what a spreadsheet could run.
package struct ListFile {
    private let name: String
    private var reader = CSVReader()
    private var content: ListContent?
    private var header: [String] = []
    /// Columns that tell rows of one name apart.
    private var telling: [Int] = []
    /// The column that says of which list a row is, where the file has several.
    private var owner: Int?
    /// The columns that are kept.
    private var kept: [Int] = []
    private var seen: Set<Told> = []
    /// What can be chosen from it, as it is stored.
    package private(set) var names: Set<String> = []

    /// - Parameter name: of the list. Of a file with a column `list_name` its rows alone are taken.
    package init(name: String) throws(FormError) {
        self.name = name
        if let fault = FormNames.fault(ofLabelled: name) {
            throw FormError(
                .badList, at: "list \"\(FormReader.shown(name))\"", "its name: \(fault)",
                hint: "For instance village.")
        }
    }

    /// Takes the next bytes of the file.
    ///
    /// - Throws: `FormError` of `badList` or `tooMany`, with the line.
    package mutating func read(_ bytes: [UInt8]) throws(FormError) {
        do {
            var rows: [(line: Int, cells: [String])] = []
            try reader.read(bytes) { rows.append(($0.line, $0.cells)) }
            for row in rows { try take(row.cells, row.line) }
        } catch let error as CSVError {
            throw FormError(.badList, at: place(error.line), error.reason, hint: error.hint)
        } catch let error as FormError {
            throw error
        } catch {
            throw FormError(.badList, at: place(1), "\(error)", hint: "")
        }
    }

    /// The whole list.
    package mutating func finish() throws(FormError) -> ListContent {
        do {
            var rows: [(line: Int, cells: [String])] = []
            try reader.finish { rows.append(($0.line, $0.cells)) }
            for row in rows { try take(row.cells, row.line) }
        } catch let error as CSVError {
            throw FormError(.badList, at: place(error.line), error.reason, hint: error.hint)
        } catch let error as FormError {
            throw error
        } catch {
            throw FormError(.badList, at: place(1), "\(error)", hint: "")
        }
        guard let content, content.rows > 0 else {
            throw FormError(
                .badList, at: "list \(FormReader.shown(name))",
                owner == nil ? "the file has no rows" : "the file has no rows of this list",
                hint: "Its first line is for instance name,label; then a line for each choice.")
        }
        return content
    }

    /// A digest of the cells by which rows are told apart: of a long list the texts would be many times
    /// its 16 bytes.
    private struct Told: Hashable {
        private let high: Int
        private let low: Int

        init(_ cells: [String]) {
            var (first, second) = (Hasher(), Hasher())
            second.combine(1)
            for cell in cells {
                first.combine(cell)
                second.combine(cell)
            }
            (high, low) = (first.finalize(), second.finalize())
        }
    }

    private func place(_ line: Int) -> String { "list \(FormReader.shown(name)), line \(line)" }

    private mutating func take(_ row: [String], _ line: Int) throws(FormError) {
        let cells = row.map { FormulaGuard.taken(from: $0) }
        guard content != nil else { return try begin(cells) }
        guard cells.count == header.count else {
            throw FormError(
                .badList, at: place(line), "\(cells.count) cells; the header has \(header.count)",
                hint: "Is a separator missing, or one too many?")
        }
        if let owner, !cells[owner].utf8.elementsEqual(name.utf8) { return }
        if let column = header.firstIndex(of: "name") {
            let fault =
                cells[column].isEmpty
                ? "the name is empty"
                : FormNames.hasControl(cells[column]) ? "the name cannot be printed" : nil
            if let fault {
                throw FormError(
                    .badList, at: place(line), fault,
                    hint: "Each row has what is stored under name, and what people read under"
                        + " label.")
            }
            guard seen.insert(Told(telling.map { cells[$0] })).inserted else {
                throw FormError(
                    .badList, at: place(line),
                    "\"\(FormReader.shown(cells[column]))\" is there twice",
                    hint: "Keep one of them, or tell them apart by another column.")
            }
            names.insert(cells[column])
        }
        do throws(ListContent.Fault) {
            try content?.append(kept.map { cells[$0] })
        } catch {
            throw FormError(.tooMany, at: place(line), Self.words(error), hint: Self.hint)
        }
    }

    private mutating func begin(_ cells: [String]) throws(FormError) {
        header = cells.map { ValueReader.trimmed($0) }
        let line = place(1)
        if let column = header.firstIndex(where: \.isEmpty) {
            throw FormError(
                .badList, at: line, "column \(column + 1) has no name",
                hint: "Its first line is for instance name,label.")
        }
        if let long = header.first(where: {
            $0.utf8.count > FormLimits.nameBytes || FormNames.hasControl($0)
        }) {
            throw FormError(
                .badList, at: line,
                "a column's name is too long, or cannot be printed: \""
                    + "\(FormReader.shown(long))\"",
                hint: "At most \(FormLimits.nameBytes) bytes.")
        }
        var known: Set<[UInt8]> = []
        for title in header where !known.insert(Array(title.utf8)).inserted {
            throw FormError(
                .badList, at: line, "two columns \"\(FormReader.shown(title))\"",
                hint: "Keep one of them.")
        }
        owner = header.firstIndex { $0 == "list_name" || $0 == "list name" }
        kept = header.indices.filter { $0 != owner }
        telling = kept.filter { !LocalizedText.isLabel(column: header[$0]) }
        do throws(ListContent.Fault) {
            content = try ListContent(columns: kept.map { header[$0] })
        } catch {
            throw FormError(.tooMany, at: line, Self.words(error), hint: Self.hint)
        }
    }

    /// What forms need and a list does not have; nil where it can be chosen from.
    package var note: String? {
        if !header.contains("name") {
            return "it has no column name"
                + (meant("name").map { "; did you mean name by \($0)?" }
                    ?? ": forms say which is stored with parameters, value=COLUMN")
        }
        guard !header.contains(where: LocalizedText.isLabel), let label = meant("label") else {
            return nil
        }
        return "it has no column label; did you mean label by \(label)?"
    }

    /// The column that was meant to be one that is not there.
    private func meant(_ column: String) -> String? {
        let found =
            header.first { FormNames.folded($0) == FormNames.folded(column) }
            ?? header.first { Suggestion.nearest(to: $0, among: [column]) != nil }
        return found.map { FormReader.shown($0) }
    }

    private static let hint = "Leave out what nobody chooses, or columns that no form uses."

    private static func words(_ fault: ListContent.Fault) -> String {
        switch fault {
        case .columns(let count): "\(count) columns; a list has 1 to \(Limits.listColumns)"
        case .cell(let bytes): "a cell of \(bytes) bytes; at most \(Limits.listCell) are possible"
        case .rows: "more than \(Limits.rowsPerList) rows"
        case .length: "more than \(ListContent.bytes >> 20) MiB"
        }
    }
}

extension LocalizedText {
    /// The texts of a row in columns `label` and `label::LANGUAGE`.
    package init(columns: [String], cells: [String]) {
        self.init(
            texts: zip(columns, cells).compactMap { column, cell in
                guard Self.isLabel(column: column), !cell.isEmpty else { return nil }
                return Translation(
                    language: column == "label" ? "" : String(column.dropFirst(7)), text: cell)
            })
    }

    /// Whether a column of a list is what people read.
    package static func isLabel(column: String) -> Bool {
        column == "label" || column.hasPrefix("label::")
    }
}
