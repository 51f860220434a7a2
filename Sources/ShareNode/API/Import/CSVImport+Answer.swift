import ShareControl
import ShareCore
import ShareFormats
import ShareForms
import ShareStore

/// What is said of an import.
extension CSVImport {
    func answer(
        _ found: ImportFindings, isWritten: Bool = true, added: Int = 0, updated: Int = 0,
        changes: [ImportChange] = [], match: ImportMatcher? = nil,
        duplicates: ImportDuplicates = ImportDuplicates(), defaults: [ImportProblem] = []
    ) throws -> ImportAnswer {
        let deleted = isWritten ? orphans + (match?.deleted ?? []) : []
        let beside =
            defaults + Self.leftAlone(match?.older ?? [])
            + [match?.left.note(schema)].compactMap(\.self)
            + leftOut(deleted) + (match.map { staying($0.missing) } ?? [])
            + Self.twice(match?.alike?.count ?? 0)
        return ImportAnswer(
            added: added, updated: updated, changes: changes, unchanged: match?.unchanged ?? 0,
            older: match.map { $0.older.count + $0.left.wholeRows } ?? 0, deleted: deleted.count,
            rejected: errors(reader.problems + found.problems.first),
            rejectedCount: reader.problemCount + found.problems.count, rows: reader.rowCount,
            rejectedRows: reader.badRowCount + found.lines.count,
            rejectedCSV: isWritten ? try found.putAside(under: reader.header) : nil,
            warnings: errors(
                unread + beside + remaining(found) + found.warnings.first),
            warningCount: unread.count + beside.count + found.before.count + found.warnings.count,
            duplicates: duplicates, guess: guess, isDryRun: manner.isDryRun)
    }

    /// The first entries that rows change, as they are before it.
    func changes(
        _ edits: [ImportMatcher.Edit], _ rows: ImportRows, _ info: FormInfo
    ) async throws -> [ImportChange] {
        guard !edits.isEmpty else { return [] }
        let reader = try RoomReader(path: room.store.path)
        let first = schema.form.isRepeat ? Answers.shift : 0
        var changes: [ImportChange] = []
        var entryNames = entryNames
        for edit in edits.sorted(by: { $0.row < $1.row }).prefix(ControlLimits.rowErrors) {
            guard let record = try await reader.record(edit.name, in: info) else { continue }
            let writes = edit.writes(try rows.values(edit.row), of: fields)
                .filter { $0.field >= first }.sorted { $0.field < $1.field }
            let shown = writes.prefix(ImportChange.fieldsNamed).map { write in
                var change = schema.shown(
                    info.columns[write.field].field, from: record.values[write.field],
                    to: write.value)
                change.before = change.before.shortened(to: ImportChange.shownBytes)
                change.after = change.after.shortened(to: ImportChange.shownBytes)
                return change
            }
            changes.append(
                ImportChange(
                    line: Int(lines[edit.row]), id: edit.name.id.text,
                    key: entryNames?.name(of: record.values.first) ?? schema.key(of: record.values),
                    changes: shown,
                    changeCount: writes.count))
        }
        return changes
    }

    private var guess: ImportGuess? {
        let guess = reader.guess
        guard
            guess.dates != nil || guess.hasDecimalComma != nil || guess.excludesDecimalComma
        else { return nil }
        return ImportGuess(
            dates: guess.dates?.map(\.rawValue) ?? [],
            openDate: guess.openDay.map {
                ImportGuess.OpenDate(
                    line: $0.line, column: $0.column, cell: $0.cell.shortened(to: 60),
                    dmy: $0.dayFirst, mdy: $0.monthFirst)
            }, decimalComma: guess.hasDecimalComma == true,
            excludesDecimalComma: guess.excludesDecimalComma)
    }

    /// Rows whose entries were changed after the file was written.
    private static func leftAlone(_ older: [ImportMatcher.Older]) -> [ImportProblem] {
        guard !older.isEmpty else { return [] }
        let named = older.prefix(namedAtOnce).map { "\($0.name) (line \($0.line))" }
        let what =
            older.count == 1
            ? "1 row is left alone: its entry was"
            : "\(older.count) rows are left alone: their entries were"
        return [
            ImportProblem(
                line: 0, column: nil,
                reason: "\(what) changed after the file was written: "
                    + EntryWords.some(named, of: older.count),
                hint: "Export again and change that; or put these over it: --over-newer")
        ]
    }

    /// Rows whose entries were deleted: a new put would leave them deleted, and an import takes back
    /// nothing that somebody did.
    private func leftOut(_ rows: [ImportMatcher.LeftOut]) -> [ImportProblem] {
        guard !rows.isEmpty else { return [] }
        let names = entryNames ?? RowEntryNames(schema.info.formID, in: schema)
        let named = rows.sorted { $0.line < $1.line }.prefix(Self.namedAtOnce).map { row in
            let id = row.id.text.suffix(8)
            if let key = row.key { return "\(key) (line \(row.line))" }
            return names.name(ofDeleted: row.id.text).map { "\($0) (\(id), line \(row.line))" }
                ?? "\(id) (line \(row.line))"
        }
        let isOne = rows.count == 1
        let what =
            schema.form.isRepeat
            ? isOne
                ? "it was deleted, or what it belongs to"
                : "they were deleted, or what they belong to"
            : isOne ? "its entry was deleted" : "their entries were deleted"
        return [
            ImportProblem(
                line: 0, column: nil,
                reason: "\(isOne ? "1 row is" : "\(rows.count) rows are") left out: \(what): "
                    + EntryWords.some(named, of: rows.count),
                hint: hint(leftOut: rows))
        ]
    }

    private func hint(leftOut rows: [ImportMatcher.LeftOut]) -> String {
        let form = root?.info.formID ?? schema.info.formID
        guard rows.contains(where: { $0.key != nil }) else {
            return "`shared restore ID` brings it back; then import the file again."
        }
        let back = "`shared restore \(form) KEY` brings it back; then import the file again."
        return schema.form.isRepeat
            ? back
            : back + " Where it is another one that has this key: --over-newer, or"
                + " `shared add \(form)`."
    }

    /// Rows that are here and not in the file.
    private func staying(_ rows: MissingRows) -> [ImportProblem] {
        guard rows.count > 0 else { return [] }
        let isOne = rows.count == 1
        return [
            ImportProblem(
                line: 0, column: nil,
                reason: (isOne ? "1 row is" : "\(rows.count) rows are")
                    + " here and not in the file, which has others of"
                    + (isOne ? " its entry; it stays: " : " their entries; they stay: ")
                    + EntryWords.some(rows.names, of: rows.count),
                hint: "`shared edit` of the entry takes a row away.")
        ]
    }

    /// Rows that are added, and that their entries have already.
    private static func twice(_ count: Int) -> [ImportProblem] {
        guard count > 0 else { return [] }
        return [
            ImportProblem(
                line: 0, column: nil,
                reason: count == 1
                    ? "1 row is added although its entry has one with the same answers"
                    : "\(count) rows are added although their entries have such with the same answers",
                hint: "`shared edit` of the entry takes a row away; with a column KEY, as exports"
                    + " have it, rows are changed.")
        ]
    }

    private static let namedAtOnce = 10

    /// What was wrong before with entries that rows change, and stays so: once, with a count.
    private func remaining(_ found: ImportFindings) -> [ImportProblem] {
        found.before.sorted { $0.key < $1.key }.map { message, count in
            ImportProblem(
                line: 0, column: nil,
                reason: "\(count == 1 ? "1 entry" : "\(count) entries"): \(message)", hint: "")
        }
    }

    /// Columns of fields of earlier versions that have values, which nobody takes; and reviews.
    private var unread: [ImportProblem] {
        reader.unread.sorted { $0.key < $1.key }.map { name, count in
            guard name != "_state" else {
                let entries = count == 1 ? "1 entry was" : "\(count) entries were"
                return ImportProblem(
                    line: 1, column: name,
                    reason: entries
                        + " reviewed where the file is from: an import brings no reviews",
                    hint: "A review is its reviewer's own: `shared review`.")
            }
            let rows = count == 1 ? "1 row has a value" : "\(count) rows have a value"
            let form = schema.form
            let hint =
                if manner.isJSON {
                    ""
                } else if let place = try? schema.parser.position(of: name) {
                    "To put what it has into \(form.stored[place].name): "
                        + "--map \(name)=\(form.stored[place].name)"
                } else {
                    "To put what it has into a field of the form: --map \(name)=FIELD"
                }
            return ImportProblem(
                line: 1, column: name,
                reason: "not read: version \(form.version) does not ask it (\(rows))",
                hint: hint)
        }
    }

    /// The problems as they are told: a field that the form finds fault with is called by its column.
    private func errors(_ problems: [ImportProblem]) -> [RowError] {
        problems.sorted { $0.line < $1.line }.prefix(ControlLimits.rowErrors).map { problem in
            RowError(
                line: problem.line,
                column: problem.column.map { reader.title(ofField: $0) ?? $0 },
                reason: problem.reason,
                hint: problem.hint)
        }
    }
}
