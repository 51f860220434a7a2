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
        guard let read = rows else {
            return try answer(
                found, isWritten: isKept || reader.problemCount + found.problems.count == 0)
        }
        guard let info = await room.store.form(schema.info.formID),
            info.definition == schema.info.definition
        else {
            throw Problem(
                .busy, "the form was changed while the file was read", hint: "Import it again.")
        }
        // What others change meanwhile, and what comes with other files, is looked at as well.
        for _ in 1..<Self.attempts {
            do {
                return try await write(read, info, isKept: isKept, progress)
            } catch StoreError.rowsChanged {}
        }
        return try await write(read, info, isKept: isKept, progress)
    }

    /// How often rows are looked up in entries that go on changing.
    private static let attempts = 4

    private func write(
        _ read: ImportRows, _ info: FormInfo, isKept: Bool,
        _ progress: @escaping @Sendable (Int, Int?) -> Void
    ) async throws -> ImportAnswer {
        if !manner.isDryRun { progress(0, read.count) }
        let mark = try await room.store.rowsMark(of: info.formID)
        // What is written at one moment is one change of its entry, with the rows that it makes.
        let wall = entering.wall()
        let match = try await match(read, info, at: wall)
        let rows = try await numbered(read, match.added, info)
        var judged = withoutParts(try judge(match, rows))
        if let parts { judged = try await judge(judged, rows, with: parts) }
        try schema.info.lists.requireReading(since: failed)
        // What is wrong is told at once, however it is found.
        guard reader.problemCount + judged.found.problems.count == 0 || isKept else {
            return try answer(judged.found, isWritten: false)
        }
        let plan = ImportPlan(
            added: judged.added, edits: judged.edits, of: rows, fields: fields,
            more: judged.more, wall: wall, definition: info.definition, progress: progress)
        let added = judged.added.which.count
        let duplicates = try match.duplicates(without: judged.found.lines)
        let changes = try await changes(judged.edits, rows, info)
        if !plan.isEmpty, !manner.isDryRun {
            let reads = match.isNeeded || parts != nil
            _ = try await room.store.append(wall: wall, since: reads ? mark : nil) {
                try plan.next()
            }
            await entering.noteEntered(
                try news(added, judged.edits, of: rows, info), in: room)
        }
        return try answer(
            judged.found, added: added, updated: judged.edits.count, changes: changes,
            match: match, duplicates: duplicates, defaults: defaults(in: judged.added))
    }

    /// What those are told who watch: of a single entry that is changed all of it.
    private func news(
        _ added: Int, _ edits: [ImportMatcher.Edit], of rows: ImportRows, _ info: FormInfo
    ) throws -> [RecordEffect] {
        var news: [RecordEffect] = []
        func note(_ effect: RecordEffect) { if effect.count > 0 { news.append(effect) } }
        note(RecordEffect(.put, form: info.formID, author: own.key, count: added))
        var edited = RecordEffect(.edit, form: info.formID, author: own.key, count: edits.count)
        if edits.count == 1 {
            edited.record = edits[0].name
            edited.fields = edits[0].writes(try rows.values(edits[0].row), of: fields)
                .map { info.columns[$0.field].field.name }
        }
        note(edited)
        return news
    }

    private func match(
        _ rows: ImportRows, _ info: FormInfo, at wall: UInt64
    ) async throws -> ImportMatcher {
        var match = ImportMatcher(
            rows, fields: fields, parser: schema.parser, named: named,
            isKey: keyCells, own: own.key,
            mayChangeOthers: mayChangeOthers,
            check: check?.mayChange == true ? check?.at(wall) : nil,
            lines: lines, unsaid: unsaid, texts: texts,
            parents: schema.form.isRepeat && namesAllRows ? parentsNamed : nil,
            cased: CasedKeys(schema.form, fields: fields, isKey: keyCells), beside: room.store.path)
        if match.isNeeded {
            let reader = try RoomReader(path: room.store.path)
            let hasDeleted =
                match.isKey != nil && !manner.overNewer
                ? try await reader.hasDeleted(of: info) : false
            if info.records > 0, match.mayNameOthers {
                match = try await ImportMatching(match).nameKeys(reader, info)
            }
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

    /// Without the good rows of a line of JSON of which another row is put aside: the line comes again
    /// as a whole once it is mended.
    private func withoutParts(_ judged: Judged) -> Judged {
        guard manner.keepsGood, manner.isJSON, schema.form.isRepeat else { return judged }
        let bad = judged.found.lines
        func isWhole(_ row: Int) -> Bool { !bad.contains(Int(lines[row])) }
        var judged = judged
        judged.edits = judged.edits.filter { isWhole($0.row) }
        judged.added = ImportPlan.Added(
            rows: judged.added.rows, fields: judged.added.fields,
            which: judged.added.which.filter { isWhole(Int($0)) }, ids: judged.added.ids)
        return judged
    }

    /// Leaves out what is wrong, now that it is known what each row does.
    private func judge(_ match: ImportMatcher, _ rows: ImportRows) throws -> Judged {
        var found = found
        try found.reject(match, source(ofLine:))
        for row in match.changes.overruled {
            found.note(warnings: try match.changes.warnings.of(row).map(\.problem))
        }
        let edits = try match.edits.filter { edit in
            let written = Set(edit.changed.map { fields[$0] })
            let problems = try doubts.of(edit.row)
                .filter {
                    written.contains($0.field) && !edit.kept.contains($0.field)
                        && !edit.settled.contains($0.field)
                }
                .together(
                    with: match.changes.faults.of(edit.row).map(\.problem)
                        + outside(edit.row, of: rows, writing: written), of: schema.form)
            try found.reject(problems, sources.row(edit.row))
            guard problems.isEmpty, !match.refused.contains(Int(lines[edit.row])) else {
                return false
            }
            found.note(warnings: try match.changes.warnings.of(edit.row).map(\.problem))
            found.note(before: try match.changes.before.of(edit.row).map(\.problem.reason))
            return true
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
                    isReadable: doubts.isReadable, doubts: doubts)
            }
            for (row, one) in zip(part, check.added(values)) {
                let problems = try telling(
                    doubts.of(Int(row)).settled(one.settled).together(
                        with: one.problems + outside(Int(row), of: rows), of: schema.form), row,
                    match)
                try found.reject(problems, sources.row(Int(row)))
                guard problems.isEmpty else { continue }
                found.note(warnings: one.warnings)
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
}
