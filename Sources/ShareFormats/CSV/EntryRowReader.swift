internal import ShareCore

/// Makes entries of the rows of a CSV file, or rows of a repeat, and collects what is wrong with them.
struct EntryRowReader: Sendable {
    private var cells: CellReader
    private let isRepeat: Bool
    /// As many as `form.stored`.
    private let noValues: [FieldValue]
    /// How many rows of a repeat each entry has had, and each row of the repeat around it.
    private var indexes: [RowParent: Int64] = [:]
    /// Rows handed on with cells that cannot be read, for all of their faults to be reported.
    private var unreadableRows = 0
    private(set) var unread: [String: Int] = [:]
    private(set) var problems = ImportProblems()
    var guess: HabitGuess { cells.guess }

    init(_ parser: ValueParser, _ habits: CSVHabits) {
        cells = CellReader(parser, habits)
        isRepeat = parser.form.isRepeat
        noValues = [FieldValue](repeating: .absent, count: parser.form.stored.count)
    }

    mutating func report(_ problem: ImportProblem) { problems.add(problem) }

    /// An entry of a row of as many cells as the header has; nil where something is wrong with it that
    /// no entry that is there can make right.
    mutating func entry(_ row: CSVRow, _ columns: ImportColumns) -> ImportedEntry? {
        let before = problems.count
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
        let (parser, habits) = (cells.parser, cells.habits)
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
                            line: row.line, column: columns.title(cell),
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
                            line: row.line, column: columns.title(cell),
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
                            line: row.line, column: columns.title(cell),
                            reason: "the row names no row that it belongs to",
                            hint: "Leave the number as KoboToolbox wrote it."))
                }
            case .part(let position, let part):
                parts[position, default: ["", "", "", ""]][part] = ValueReader.trimmed(row[cell])
            case .field(let position, let isGuarded):
                do throws(ValueError) {
                    values[position] = try row.withCell(cell) { bytes throws(ValueError) in
                        let bytes = isGuarded ? FormulaGuard.taken(from: bytes) : bytes
                        return try CellReader.value(bytes, at: position, parser, habits)
                    }
                    cells.note(values[position], of: row, cell)
                    if parser.fields[position].kind.isChoice,
                        case .text(let name) = values[position],
                        !row.withCell(cell, { $0.elementsEqual(name.utf8) })
                    {
                        texts[position] = CellReader.text(of: row, cell, isGuarded: isGuarded)
                    }
                } catch {
                    let typed = CellReader.text(of: row, cell, isGuarded: isGuarded)
                    let doubt = cells.doubt(
                        error, typed, at: position, row.line, columns.title(cell))
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
        for (position, numbers) in parts.sorted(by: { $0.key < $1.key })
        where !numbers[0].isEmpty || !numbers[1].isEmpty {
            if let part = [0, 1].first(where: { numbers[$0].isEmpty }) {
                report(
                    ImportProblem(
                        line: row.line, column: columns.title(ofPart: part, of: position),
                        reason: "the \(part == 0 ? "latitude" : "longitude") is missing",
                        hint: "A place has both: fill in the cell, or empty the others."))
                continue
            }
            let known = numbers.lastIndex { !$0.isEmpty } ?? 0
            let index = numbers[...known].map { $0.isEmpty ? "0" : $0 }.joined(separator: " ")
            do {
                values[position] = try parser.value(index, at: position)
            } catch {
                let title = columns.title(ofPart: 0, of: position)
                report(cells.problem(error, row.line, title))
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
        guard problems.count == before else {
            for doubt in doubts where doubt.isUnreadable { report(doubt.problem) }
            return nil
        }
        if !doubts.isReadable { unreadableRows += 1 }
        do {
            try parser.checkSize(values)
        } catch {
            report(cells.problem(error, row.line, nil))
            return nil
        }
        addMissing(values, isUpdate: id != nil, row.line, columns, to: &doubts)
        return ImportedEntry(
            line: row.line, id: id ?? key, isNamedByKey: id == nil && key != nil, author: author,
            updated: updated, parentKey: parentKey, parentText: parentText,
            parentPlace: parentPlace, isUnnumbered: isUnnumbered, values: values,
            doubts: doubts, texts: texts)
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
            let name = cells.parser.form.stored[position].name
            doubts.append(
                ImportedEntry.Doubt(
                    field: position,
                    problem: cells.problem(
                        .required(field: name), line, name,
                        hint: columns.has(position)
                            ? "The cell is empty." : "The file has no such column.")))
        }
    }
}
