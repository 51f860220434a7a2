internal import ShareCore

/// Reads the entries of a form, or the rows of a repeat, from a CSV file that arrives in pieces.
package struct EntryImport: EntryReading {
    private let parser: ValueParser
    private let isRaw: Bool
    private let isRepeat: Bool
    /// As many as `form.stored`.
    private let noValues: [FieldValue]
    private let earlier: Set<String>
    private let habits: CSVHabits
    private let keepsGood: Bool
    private var reader: CSVReader
    private var columns: ImportColumns?
    /// How many rows of a repeat each entry has had, and each row of the repeat around it.
    private var indexes: [RowParent: Int64] = [:]
    private var hasFailed = false
    package private(set) var unread: [String: Int] = [:]
    package private(set) var guess = HabitGuess()
    package private(set) var found = ImportProblems()
    /// Rows with problems.
    package private(set) var badRowCount = 0
    /// The header, and the rows with problems by their lines, as they were, where good rows are
    /// kept.
    package private(set) var header: [UInt8] = []
    package private(set) var badRows: [(line: Int, raw: [UInt8])] = []
    /// Rows handed on with cells that cannot be read, for all of their faults to be told.
    private var unreadableRows = 0
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
        isRepeat = parser.form.isRepeat
        noValues = [FieldValue](repeating: .absent, count: parser.form.stored.count)
        self.habits = habits
        self.keepsGood = keepsGood
        reader = CSVReader(separator: separator)
    }

    /// The fields for which the file has a column, in the file's order; nil before the header has
    /// been read.
    package var positions: [Int]? { columns?.positions }

    /// Whether rows may name the records that they change.
    package var namesRecords: Bool {
        columns.map { columns in
            columns.areNamedByPlace || columns.uses.contains(.id) || columns.uses.contains(.key)
        } ?? false
    }

    /// Columns of the system that an import does not look at, for instance `_created`.
    package var ignoredColumns: [String] { columns?.ignored ?? [] }

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
            report(
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
            report(
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
            for problem in header.problems { report(problem) }
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
            report(
                ImportProblem(
                    line: row.line, column: nil,
                    reason: "\(row.count) cells; the header has \(columns.count)",
                    hint: "Is a separator missing, or one too many, or a quote left open?"))
            return nil
        }
        return entry(row, columns)
    }

    private mutating func entry(_ row: CSVRow, _ columns: ImportColumns) -> ImportedEntry? {
        let before = problemCount
        var values = noValues
        var id: RecordID?
        var author: String?
        var updated: String?
        var key: RecordID?
        var parentKey: RecordID?
        var parentText = ""
        var parentPlace: Int64?
        var isUnnumbered = false
        var parts: [Int: [String]] = [:]
        var doubts: [ImportedEntry.Doubt] = []
        var texts: [Int: String] = [:]
        var earlierFields: Set<Int> = []
        // Closures that take all of this value with them would copy it for each cell.
        let (parser, habits) = (parser, habits)
        for cell in 0..<row.count {
            switch columns.uses[cell] {
            case .ignored: continue
            case .unnamed:
                guard !ValueReader.trimmed(row[cell]).isEmpty else { continue }
                report(
                    ImportProblem(
                        line: row.line, column: String(cell + 1),
                        reason: "the column has no header", hint: "Name the field, or delete it."))
            case .earlier(let first):
                if !ValueReader.trimmed(row[cell]).isEmpty, earlierFields.insert(first).inserted {
                    unread[columns.title(first), default: 0] += 1
                }
            case .id:
                let text = ValueReader.trimmed(row[cell])
                if text.isEmpty { continue }
                id = RecordID(text: text)
                if id == nil {
                    report(
                        ImportProblem(
                            line: row.line, column: "_id",
                            reason: "\"\(FormReader.shown(text))\" is not the id of an entry",
                            hint: "Leave it empty to add a new entry."))
                }
            case .author:
                let text = ValueReader.trimmed(row[cell])
                if !text.isEmpty { author = text }
            case .updated: updated = ValueReader.trimmed(row[cell])
            case .key:
                key = ImportedEntry.id(ofKey: ValueReader.trimmed(row[cell]))
            case .parentKey:
                parentText = ValueReader.trimmed(row[cell])
                parentKey = ImportedEntry.id(ofKey: parentText)
                if parentKey == nil {
                    report(
                        ImportProblem(
                            line: row.line, column: ImportColumns.parentKey,
                            reason: "the row names no entry",
                            hint:
                                "Name the _id, the KEY or the form's key of the entry that it belongs"
                                + " to."))
                }
            case .parentPlace:
                parentPlace = Int64(ValueReader.trimmed(row[cell]))
                if parentPlace == nil {
                    report(
                        ImportProblem(
                            line: row.line, column: ImportColumns.koboParentPlace,
                            reason: "the row names no row that it belongs to",
                            hint: "Leave the number as KoboToolbox wrote it."))
                }
            case .part(let position, let part):
                parts[position, default: ["", "", "", ""]][part] = ValueReader.trimmed(row[cell])
            case .field(let position, let isGuarded):
                do throws(ValueError) {
                    values[position] = try row.withCell(cell) { bytes throws(ValueError) in
                        let bytes = isGuarded ? FormulaGuard.taken(from: bytes) : bytes
                        return try Self.value(bytes, at: position, parser, habits)
                    }
                    if !habits.hasDecimalComma, !guess.hasDecimalPoint,
                        case .decimal = values[position],
                        row.withCell(cell, { $0.contains(Self.point) })
                    {
                        guess.takeDecimalPoint()
                    }
                    if parser.fields[position].kind.isChoice,
                        case .text(let name) = values[position],
                        !row.withCell(cell, { $0.elementsEqual(name.utf8) })
                    {
                        texts[position] = Self.text(of: row, cell, isGuarded: isGuarded)
                    }
                } catch {
                    let typed = Self.text(of: row, cell, isGuarded: isGuarded)
                    let doubt = doubt(error, typed, at: position, row.line, columns.title(cell))
                    if doubt.isUnreadable {
                        look(at: typed, at: position, row.line, columns.title(cell))
                    }
                    // Of a file in which all is wrong so much is not kept.
                    if doubt.isUnreadable, unreadableRows >= CSVLimits.problems {
                        report(doubt.problem)
                        continue
                    }
                    values[position] = .text(typed)
                    if case .retired = error, let value = parser.earlier(typed, at: position) {
                        values[position] = value
                    }
                    if parser.fields[position].kind.isChoice { texts[position] = typed }
                    doubts.append(doubt)
                }
            }
        }
        for (position, numbers) in parts where !numbers[0].isEmpty || !numbers[1].isEmpty {
            let known = numbers.lastIndex { !$0.isEmpty } ?? 0
            let index = numbers[...known].map { $0.isEmpty ? "0" : $0 }.joined(separator: " ")
            do {
                values[position] = try parser.value(index, at: position)
            } catch {
                report(error, row.line, parser.form.stored[position].name)
            }
        }
        if isRepeat, let parentKey {
            let place = count(RowParent(id: parentKey))
            if columns.areNamedByPlace {
                key = ImportedEntry.id(ofPlace: place, in: parser.form.formID, of: parentText)
            }
            let index =
                parentPlace.map { count(RowParent(id: parentKey, place: $0)) } ?? place
            if values[1] == .absent {
                values[1] = .integer(index)
                isUnnumbered = !columns.areNamedByPlace
            }
            if case .integer(let index) = values[1], index < 1 {
                report(
                    ImportProblem(
                        line: row.line, column: FormDefinition.repeatFields[1].name,
                        reason: "the place of a row is a number from 1",
                        hint: "Leave it empty to put the row behind the others."))
            }
        }
        // A cell that could not be read is no missing one.
        guard problemCount == before else {
            for doubt in doubts where doubt.isUnreadable { report(doubt.problem) }
            return nil
        }
        if !doubts.isReadable { unreadableRows += 1 }
        do {
            try parser.checkSize(values)
        } catch {
            report(problem(error, row.line, nil))
            return nil
        }
        addMissing(values, isUpdate: id != nil, row.line, columns, to: &doubts)
        return ImportedEntry(
            line: row.line, id: id ?? key, isNamedByKey: id == nil && key != nil, author: author,
            updated: updated, parentKey: parentKey, parentText: parentText,
            parentPlace: parentPlace, isUnnumbered: isUnnumbered, values: values,
            doubts: doubts, texts: texts, raw: keepsGood ? raw(row) : [])
    }

    /// What rows of a repeat belong to, as far as their file says it.
    private struct RowParent: Hashable {
        let id: RecordID
        var place: Int64?
    }

    /// How many rows belong to it by now, with one more.
    private mutating func count(_ parent: RowParent) -> Int64 {
        indexes[parent, default: 0] += 1
        return indexes[parent] ?? 1
    }

    private static let point = UInt8(ascii: ".")

    /// A cell without spaces at its ends, and without the guard that spreadsheets need.
    private static func text(of row: CSVRow, _ cell: Int, isGuarded: Bool) -> String {
        let text = row[cell]
        guard isGuarded else { return ValueReader.trimmed(text) }
        var guarded = text
        return guarded.withUTF8 {
            ValueReader.trimmed(String(decoding: FormulaGuard.taken(from: $0), as: UTF8.self))
        }
    }

    private static func value(
        _ cell: UnsafeBufferPointer<UInt8>, at position: Int, _ parser: ValueParser,
        _ habits: CSVHabits
    ) throws(ValueError) -> FieldValue {
        guard habits.areUnusual,
            let written = habits.rewritten(cell, as: parser.form.stored[position].storage)
        else { return try parser.value(utf8: cell, at: position) }
        return try parser.value(String(decoding: written, as: UTF8.self), at: position)
    }

    /// Looks in which ways a cell could be read.
    private mutating func look(
        at typed: String, at position: Int, _ line: Int, _ title: String
    ) {
        func read(_ change: (inout CSVHabits) -> Void) -> String? {
            var (habits, typed) = (habits, typed)
            change(&habits)
            let value = typed.withUTF8 { bytes in
                try? Self.value(bytes, at: position, parser, habits)
            }
            return value.map { parser.text($0, at: position) }
        }
        switch parser.form.stored[position].storage {
        case .date where habits.dates == nil, .dateTime where habits.dates == nil:
            guess.take(
                day: typed, as: HabitGuess.orders.map { order in read { $0.dates = order } }, line,
                title)
        case .integer where !habits.hasDecimalComma, .decimal where !habits.hasDecimalComma:
            guess.take(number: typed, withComma: read { $0.hasDecimalComma = true } != nil)
        default: return
        }
    }

    /// What is wrong with a cell; where it is no value of its field at all, as it was typed, its row
    /// can never be the same as an entry.
    private func doubt(
        _ error: ValueError, _ typed: String, at position: Int, _ line: Int, _ title: String
    ) -> ImportedEntry.Doubt {
        switch error {
        case .retired, .severalChoices:
            return ImportedEntry.Doubt(field: position, problem: problem(error, line, title))
        case .notAChoice(_, _, let hint):
            let error = ValueError.notAChoice(
                field: parser.form.stored[position].name, got: typed, hint: hint)
            return ImportedEntry.Doubt(field: position, problem: problem(error, line, title))
        default:
            let hint = habits.hint(typed, as: parser.form.stored[position].storage)
            return ImportedEntry.Doubt(
                field: position, problem: problem(error.withGot(typed), line, title, hint: hint),
                isUnreadable: true)
        }
    }

    /// Notes the required fields that a row has no value for.
    // No closure, which would take a copy of all of this value for each row.
    private func addMissing(
        _ values: [FieldValue], isUpdate: Bool, _ line: Int, _ columns: ImportColumns,
        to doubts: inout [ImportedEntry.Doubt]
    ) {
        for position in columns.required {
            guard case .absent = values[position], !isUpdate || columns.has(position) else {
                continue
            }
            let name = parser.form.stored[position].name
            doubts.append(
                ImportedEntry.Doubt(
                    field: position,
                    problem: problem(
                        .required(field: name), line, name,
                        hint: columns.has(position)
                            ? "The cell is empty." : "The file has no such column.")))
        }
    }

    private mutating func report(
        _ error: ValueError, _ line: Int, _ column: String?, hint: String? = nil
    ) {
        report(problem(error, line, column, hint: hint))
    }

    private func problem(
        _ error: ValueError, _ line: Int, _ column: String?, hint: String? = nil
    ) -> ImportProblem {
        ImportProblem(
            line: line, column: column, reason: error.description, hint: hint ?? error.hint)
    }

    private mutating func report(_ problem: ImportProblem) {
        found.add(problem)
    }
}
