internal import ShareCore

/// Reads the entries of a form, or the rows of a repeat, from a CSV file that arrives in pieces.
package struct EntryImport: EntryReading {
    private let parser: ValueParser
    private let isRaw: Bool
    private let earlier: Set<String>
    private let habits: CSVHabits
    private let keepsGood: Bool
    private var reader: CSVReader
    private var columns: ImportColumns?
    private var rows: EntryRowReader
    private var hasFailed = false
    /// Rows with problems.
    package private(set) var badRowCount = 0
    /// The header, and the rows with problems by their lines, as they were, where good rows are
    /// kept.
    package private(set) var header: [UInt8] = []
    package private(set) var badRows: [(line: Int, raw: [UInt8])] = []
    /// Rows read, without the header.
    package private(set) var rowCount = 0

    /// With `isRaw` the cells are taken as they are, `'` in front included; with `keepsGood` rows
    /// with problems are put aside in `badRows`.
    ///
    /// - Parameter earlier: columns of fields that the form does not have any more, which an
    ///   export takes along; they are not read.
    package init(
        _ parser: ValueParser, isRaw: Bool = false, habits: CSVHabits = CSVHabits(),
        keepsGood: Bool = false, separator: UInt8? = nil, earlier: Set<String> = []
    ) {
        self.earlier = earlier
        self.parser = parser
        self.isRaw = isRaw
        rows = EntryRowReader(parser, habits)
        self.habits = habits
        self.keepsGood = keepsGood
        reader = CSVReader(separator: separator)
    }

    package var unread: [String: Int] { rows.unread }
    package var guess: HabitGuess { rows.guess }
    package var found: ImportProblems { rows.problems }

    /// The fields for which the file has a column, in the file's order; nil before the header has
    /// been read.
    package var positions: [Int]? { columns?.positions }

    /// Whether rows may name the records that they change.
    package var namesRecords: Bool {
        columns.map { columns in
            columns.areNamedByPlace || columns.uses.contains(.id) || columns.uses.contains(.key)
        } ?? false
    }

    /// Takes the next bytes and hands each entry without a problem to `body`, in order.
    package mutating func read(
        _ bytes: UnsafeRawBufferPointer, _ body: (ImportedEntry) -> Void
    ) {
        guard !hasFailed else { return }
        run(bytes, body)
    }

    /// The same for an array.
    package mutating func read(_ bytes: [UInt8], _ body: (ImportedEntry) -> Void) {
        bytes.withUnsafeBytes { read($0, body) }
    }

    package func title(ofField name: String) -> String? {
        columns?.title(ofField: name, of: parser.form)
    }

    package mutating func takeBadRows() -> [(line: Int, raw: [UInt8])] {
        defer { badRows = [] }
        return badRows
    }

    /// Takes the end of the file into account. A file without even a header is a problem.
    package mutating func finish(_ body: (ImportedEntry) -> Void) {
        guard !hasFailed else { return }
        run(nil, body)
        if columns == nil, !hasFailed {
            rows.report(
                ImportProblem(
                    line: 1, column: nil, reason: "the file is empty",
                    hint: "Its first line names the fields."))
        }
    }

    /// Hands the bytes, or with nil the end of the file, to the reader.
    private mutating func run(
        _ bytes: UnsafeRawBufferPointer?, _ body: (ImportedEntry) -> Void
    ) {
        // Taken out while it runs, as its rows change this value.
        var reader = self.reader
        self.reader = CSVReader()
        do {
            if let bytes {
                try reader.read(bytes) { if let entry = take($0) { body(entry) } }
            } else {
                try reader.finish { if let entry = take($0) { body(entry) } }
            }
        } catch {
            hasFailed = true
            let column = error.column.map { columns?.title($0 - 1) ?? String($0) }
            rows.report(
                ImportProblem(
                    line: error.line, column: column, reason: error.reason, hint: error.hint))
        }
        self.reader = reader
    }

    private mutating func take(_ row: CSVRow) -> ImportedEntry? {
        guard !hasFailed else { return nil }
        guard let columns else {
            let header = ImportColumns.read(
                row, parser, isRaw: isRaw, earlier, fields: habits.fields)
            if keepsGood { self.header = raw(row, isFirst: true) }
            for problem in header.problems { rows.report(problem) }
            hasFailed = !header.problems.isEmpty
            self.columns = header.columns
            return nil
        }
        // Spreadsheets end with such lines: `;;;;`.
        if (0..<row.count).allSatisfy({ ValueReader.trimmed(row[$0]).isEmpty }) { return nil }
        rowCount += 1
        let entry = whole(row, columns)
        if entry == nil {
            badRowCount += 1
            if keepsGood { badRows.append((row.line, raw(row))) }
        }
        return entry
    }

    /// A row as it was, in a line of CSV such as those of its file.
    private func raw(_ row: CSVRow, isFirst: Bool = false) -> [UInt8] {
        var options = row.writing
        options.isRaw = true
        options.hasByteOrderMark = isFirst && options.hasByteOrderMark
        var writer = CSVWriter(options)
        writer.row((0..<row.count).map { row[$0] })
        return writer.take()
    }

    private mutating func whole(_ row: CSVRow, _ columns: ImportColumns) -> ImportedEntry? {
        guard row.count == columns.count else {
            rows.report(
                ImportProblem(
                    line: row.line, column: nil,
                    reason: "\(row.count) cells; the header has \(columns.count)",
                    hint: "Is a separator missing, or one too many, or a quote left open?"))
            return nil
        }
        var entry = rows.entry(row, columns)
        if keepsGood { entry?.raw = raw(row) }
        return entry
    }
}
