import ShareControl
import ShareCore
import ShareFormats
import ShareStore

/// Writing what was read.
extension CSVImport {
    /// What is written of a file, and what else there is to say of it.
    struct Judged {
        var added: ImportPlan.Added
        var edits: [ImportMatcher.Edit]
        var found: ImportFindings
        /// What is computed in entries that rows of the file belong to.
        var more: [LocalChange] = []
    }

    /// Writes what was read, if all of it is good, or what is.
    ///
    /// - Parameter progress: called with how many rows of how many are written.
    /// - Throws: `CancellationError` where nobody waits any more, and nothing is written;
    ///   `Problem`, `StoreError`, `SQLiteError`.
    func write(
        progress: @escaping @Sendable (Int, Int?) -> Void
    ) async throws -> ImportAnswer {
        // A choice that could not be looked up is not wrong.
        try schema.info.lists.requireReading(since: failed)
        // A header that is wrong leaves no rows to keep.
        let isKept = manner.keepsGood && (reader.rowCount > 0 || reader.problemCount == 0)
        guard let rows else {
            return try answer(
                found, isWritten: isKept || reader.problemCount + found.problemCount == 0)
        }
        guard let info = await room.store.form(schema.info.formID),
            info.definition == schema.info.definition
        else {
            throw Problem(
                .busy, "the form was changed while the file was read", hint: "Import it again.")
        }
        if !manner.isDryRun { progress(0, rows.count) }
        let match = try await match(rows, info)
        var judged = try judge(match, rows)
        if let parts { judged = try await judge(judged, rows, with: parts) }
        try schema.info.lists.requireReading(since: failed)
        // What is wrong is told at once, however it is found.
        guard reader.problemCount + judged.found.problemCount == 0 || isKept else {
            return try answer(judged.found, isWritten: false)
        }
        let plan = ImportPlan(
            added: judged.added, edits: judged.edits, of: rows, fields: fields,
            more: judged.edits.flatMap(\.rows) + judged.more, wall: entering.wall(),
            definition: info.definition,
            progress: progress)
        let added = judged.added.which.count
        let duplicates = try match.duplicates(without: judged.found.lines)
        if !plan.isEmpty, !manner.isDryRun {
            _ = try await room.store.append(wall: entering.wall()) { try plan.next() }
            let news = [
                (RecordsBlock.Kind.put, added), (.edit, judged.edits.count),
            ].filter { $0.1 > 0 }.map { kind, count in
                RecordEffect(kind, form: info.formID, author: own.key, count: count)
            }
            await entering.noteEntered(news, in: room)
        }
        return try answer(
            judged.found, added: added, updated: judged.edits.count,
            match: match, duplicates: duplicates)
    }

    private func match(_ rows: ImportRows, _ info: FormInfo) async throws -> ImportMatcher {
        var match = ImportMatcher(
            rows, fields: fields, kinds: fields.map { schema.form.stored[$0].kind }, named: named,
            isKey: keyCells, own: own.key,
            mayChangeOthers: mayChangeOthers, check: check?.mayChange == true ? check : nil,
            lines: lines, unsaid: unsaid,
            parents: schema.form.isRepeat && namesAllRows ? parentsNamed : nil,
            cased: CasedKeys(schema.form, fields: fields, isKey: keyCells), beside: room.store.path)
        if match.isNeeded {
            let reader = try RoomReader(path: room.store.path)
            let hasDeleted =
                match.isKey != nil && !manner.overNewer
                ? try await reader.hasDeleted(of: info) : false
            try match.index(hasRecords: info.records > 0)
            if info.records > 0 {
                match = try await ImportMatching(match).run(
                    reader, info, isWhole: check?.wantsRows == true)
            }
            if hasDeleted { try await leaveOutDeleted(&match, info, reader) }
        }
        let unknown = match.unknown
        try match.finish(
            deleted: unknown.isEmpty
                ? [:]
                : await RoomReader(path: room.store.path).deleted(unknown, of: info.formID))
        try await leaveAlone(&match, info)
        if schema.form.isRepeat { match.requireParents(at: fields.firstIndex(of: 0)) }
        return match
    }

    /// Which of the file's fields are the form's key; nil without a key, or without all of it.
    private var keyCells: [Bool]? {
        let key = Set(schema.form.key.map { Array($0.utf8) })
        guard !key.isEmpty else { return nil }
        let cells = fields.map { key.contains(Array(schema.form.stored[$0].name.utf8)) }
        return cells.reduce(0) { $0 + ($1 ? 1 : 0) } == key.count ? cells : nil
    }

    /// Leaves out what is wrong, now that it is known what each row does.
    private func judge(_ match: ImportMatcher, _ rows: ImportRows) throws -> Judged {
        var found = found
        try found.reject(match, source(ofLine:))
        for row in match.overruled {
            found.note(warnings: try match.warnings.of(row).map(\.problem))
        }
        let edits = try match.edits.filter { edit in
            found.note(warnings: try match.warnings.of(edit.row).map(\.problem))
            found.note(before: try match.before.of(edit.row).map(\.problem.reason))
            let written = Set(edit.changed.map { fields[$0] })
            let problems = try doubts.of(edit.row).filter { written.contains($0.field) }
                .together(
                    with: match.faults.of(edit.row).map(\.problem)
                        + outside(edit.row, of: rows, writing: written), of: schema.form)
            try found.reject(problems, sources.row(edit.row))
            return problems.isEmpty && !match.refused.contains(Int(lines[edit.row]))
        }
        guard let check, check.mayChange else {
            let which = try match.added.filter { row in
                let problems = try telling(
                    doubts.of(Int(row)).map(\.problem) + outside(Int(row), of: rows), row, match)
                try found.reject(problems, sources.row(Int(row)))
                return problems.isEmpty
            }
            let plain = ImportPlan.Added(
                rows: rows, fields: fields, which: which, ids: match.ids)
            return Judged(added: plain, edits: edits, found: found)
        }
        var made = ImportRows(width: check.fields.count, beside: room.store.path)
        var which: [Int32] = []
        var ids: [Int32: RecordID] = [:]
        var left = match.added[...]
        while !left.isEmpty {
            try Task.checkCancellation()
            let part = left.prefix(Self.checkedAtOnce)
            left = left.dropFirst(part.count)
            let values = try part.map { row -> ImportCheck.Row in
                let doubts = try doubts.of(Int(row))
                return ImportCheck.Row(
                    line: Int(lines[Int(row)]),
                    values: doubts.readable(try whole(rows.values(Int(row)))),
                    isReadable: doubts.isReadable)
            }
            for (row, one) in zip(part, check.added(values)) {
                found.note(warnings: one.warnings)
                let problems = try telling(
                    doubts.of(Int(row)).together(
                        with: one.problems + outside(Int(row), of: rows), of: schema.form), row,
                    match)
                try found.reject(problems, sources.row(Int(row)))
                guard problems.isEmpty else { continue }
                if let id = match.ids[row] { ids[Int32(made.count)] = id }
                which.append(Int32(made.count))
                try made.append(one.values, at: check.fields)
            }
        }
        let added = ImportPlan.Added(rows: made, fields: check.fields, which: which, ids: ids)
        return Judged(added: added, edits: edits, found: found)
    }

    /// What is wrong with a row that would be a new entry, and of which entries its key is.
    private func telling(
        _ problems: [ImportProblem], _ row: Int32, _ match: ImportMatcher
    ) throws -> [ImportProblem] {
        guard let first = problems.first, let same = try match.namesake(of: Int(row)) else {
            return problems
        }
        let change =
            same.mayChange
            ? " To change an entry put its id into a column _id: shared list"
                + " \(schema.info.formID) --json tells it." : ""
        let told = ImportProblem(
            line: first.line, column: first.column, reason: first.reason,
            hint: (first.hint.isEmpty ? "" : first.hint + " ") + same.what + "." + change)
        return [told] + problems.dropFirst()
    }

    /// Rows that are checked before somebody looks whether anybody waits still.
    private static let checkedAtOnce = 1_024

    /// Cells of a row as values of the form.
    func whole(_ cells: [FieldValue]) -> [FieldValue] {
        var values = [FieldValue](repeating: .absent, count: schema.form.stored.count)
        for (field, cell) in zip(fields, cells) { values[field] = cell }
        return values
    }

    /// The row of a line as it was in the file.
    ///
    /// - Complexity: O(log rows): their lines ascend.
    func source(ofLine line: Int) throws -> [UInt8] {
        let wanted = Int32(clamping: line)
        var (low, high) = (0, lines.count)
        while low < high {
            let middle = (low + high) / 2
            if lines[middle] < wanted { low = middle + 1 } else { high = middle }
        }
        return low < lines.count && lines[low] == wanted ? try sources.row(low) : []
    }

    // MARK: The answer

    private func answer(
        _ found: ImportFindings, isWritten: Bool = true, added: Int = 0, updated: Int = 0,
        match: ImportMatcher? = nil, duplicates: ImportDuplicates = ImportDuplicates()
    ) throws -> ImportAnswer {
        let deleted = isWritten ? orphans + (match?.deleted ?? []) : []
        let beside =
            Self.leftAlone(match?.older ?? []) + [match?.left.note(schema)].compactMap(\.self)
            + leftOut(deleted) + (match.map { staying($0.missing) } ?? [])
        return ImportAnswer(
            added: added, updated: updated, unchanged: match?.unchanged ?? 0,
            older: match.map { $0.older.count + $0.left.wholeRows } ?? 0, deleted: deleted.count,
            rejected: Self.errors(reader.problems + found.problems),
            rejectedCount: reader.problemCount + found.problemCount, rows: reader.rowCount,
            rejectedRows: reader.badRowCount + found.lines.count,
            rejectedCSV: isWritten ? try found.putAside(under: reader.header) : nil,
            warnings: Self.errors(
                unread + beside + remaining(found) + found.warnings),
            warningCount: unread.count + beside.count + found.before.count + found.warningCount,
            duplicates: duplicates, guess: guess, isDryRun: manner.isDryRun)
    }

    private var guess: ImportGuess? {
        let guess = reader.guess
        guard guess.dates != nil || guess.hasDecimalComma != nil else { return nil }
        return ImportGuess(
            dates: guess.dates?.map(\.rawValue) ?? [],
            openDate: guess.openDay.map {
                ImportGuess.OpenDate(
                    line: $0.line, column: $0.column, cell: $0.cell.shortened(to: 60),
                    dmy: $0.dayFirst, mdy: $0.monthFirst)
            }, decimalComma: guess.hasDecimalComma == true)
    }

    /// Rows whose entries were changed after the file was written.
    private static func leftAlone(_ older: [ImportMatcher.Older]) -> [ImportProblem] {
        guard !older.isEmpty else { return [] }
        let named = older.prefix(namedAtOnce).map { "\($0.name) (line \($0.line))" }
        let more = older.count > namedAtOnce ? " and \(older.count - namedAtOnce) more" : ""
        let what =
            older.count == 1
            ? "1 row is left alone: its entry was"
            : "\(older.count) rows are left alone: their entries were"
        return [
            ImportProblem(
                line: 0, column: nil,
                reason: "\(what) changed after the file was written: "
                    + named.joined(separator: ", ") + more,
                hint: "Export again and change that; or put these over it: --over-newer")
        ]
    }

    /// Rows whose entries were deleted: a new put would leave them deleted, and an import takes back
    /// nothing that somebody did.
    private func leftOut(_ rows: [ImportMatcher.LeftOut]) -> [ImportProblem] {
        guard !rows.isEmpty else { return [] }
        let named = rows.sorted { $0.line < $1.line }.prefix(Self.namedAtOnce)
            .map { "\($0.key ?? String($0.id.text.suffix(8))) (line \($0.line))" }
        let more = rows.count > Self.namedAtOnce ? " and \(rows.count - Self.namedAtOnce) more" : ""
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
                    + named.joined(separator: ", ") + more,
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
        let more = rows.count > rows.names.count ? " and \(rows.count - rows.names.count) more" : ""
        let isOne = rows.count == 1
        return [
            ImportProblem(
                line: 0, column: nil,
                reason: (isOne ? "1 row is" : "\(rows.count) rows are")
                    + " here and not in the file, which has others of"
                    + (isOne ? " its entry; it stays: " : " their entries; they stay: ")
                    + rows.names.joined(separator: ", ") + more,
                hint: "`shared edit` of the entry takes a row away.")
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
            let cells = count == 1 ? "1 cell has a value" : "\(count) cells have a value"
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
                reason: "not read: version \(form.version) does not ask it (\(cells))",
                hint: hint)
        }
    }

    private static func errors(_ problems: [ImportProblem]) -> [RowError] {
        problems.sorted { $0.line < $1.line }.prefix(ControlLimits.rowErrors).map { problem in
            RowError(
                line: problem.line, column: problem.column, reason: problem.reason,
                hint: problem.hint)
        }
    }
}
