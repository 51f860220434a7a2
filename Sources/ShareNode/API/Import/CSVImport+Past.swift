import ShareCore
import ShareFormats
import ShareForms
import ShareStore

/// Files whose writer has not heard of what became of the entries since.
extension CSVImport {
    /// Deleted entries, the latest made, whose keys are looked at.
    private static let deletedLimit = 10_000

    /// Entries whose past is asked for in one go.
    private static let editsAtOnce = 1_024

    /// Lets cells alone that say what their entries said before they were changed: to the file they
    /// are no change. A row that knows when its entry was changed last may put anything back.
    func leaveAlone(_ match: inout ImportMatcher, _ info: FormInfo) async throws {
        guard !manner.overNewer, match.edits.contains(where: { !$0.isKnown }) else { return }
        let reader = try RoomReader(path: room.store.path)
        let first = schema.form.isRepeat ? Answers.shift : 0
        var kept: [ImportMatcher.Edit] = []
        var entryNames = entryNames
        var left = match.edits[...]
        while !left.isEmpty {
            try Task.checkCancellation()
            let part = left.prefix(Self.editsAtOnce)
            left = left.dropFirst(part.count)
            let asked = try part.map { edit in
                let cells = edit.isKnown ? [] : edit.differing.filter { fields[$0] >= first }
                let values = cells.isEmpty ? [] : try match.rows.values(edit.row)
                let named = cells.isEmpty ? [:] : try match.changes.named(of: edit.row)
                return RoomReader.Asked(
                    edit.name,
                    Dictionary(
                        uniqueKeysWithValues: cells.map {
                            (fields[$0], [values[$0]] + (named[fields[$0]].map { [$0] } ?? []))
                        }))
            }
            for (edit, had) in zip(part, try await reader.hadBefore(asked, in: info)) {
                guard !had.isEmpty, let record = try await reader.record(edit.name, in: info) else {
                    kept.append(edit)
                    continue
                }
                if let rest = try match.leave(had, of: edit, record, schema, &entryNames) {
                    kept.append(rest)
                }
            }
        }
        match.edits = kept
    }

    /// Lets rows out whose key only a deleted entry has: an import brings back nothing.
    func leaveOutDeleted(
        _ match: inout ImportMatcher, _ info: FormInfo, _ reader: RoomReader
    ) async throws {
        guard let isKey = match.isKey, match.hasUnmatched else { return }
        let places = zip(fields, isKey).filter(\.1).map(\.0)
        for one in try await reader.deleted(of: info, values: places, limit: Self.deletedLimit) {
            match.take(deleted: one.name.id, key: one.values)
        }
    }

    /// The deleted entries of a form whose key is one field, by its value.
    func deletedKeys(
        of root: FormSchema, _ reader: RoomReader
    ) async throws -> [FieldValue: RecordID] {
        let gone = try await reader.deleted(
            of: root.info, values: root.keyPlaces, limit: Self.deletedLimit)
        return Dictionary(
            gone.compactMap { one in one.values.first.map { ($0, one.name.id) } },
            uniquingKeysWith: { first, _ in first })
    }
}

extension ImportMatcher {
    /// What is left of an edit without the fields that the record had so before; nil where that is
    /// nothing.
    fileprivate mutating func leave(
        _ had: Set<Int>, of edit: Edit, _ record: RecordRow, _ schema: FormSchema,
        _ entries: inout RowEntryNames?
    ) throws -> Edit? {
        let values = try rows.values(edit.row)
        let rest = try changes.edit(
            edit.row, record, leaving: edit.differing.filter { had.contains(fields[$0]) })
        // What the form works out follows from the others, and nobody has typed it.
        let cells = rest.left.filter {
            schema.form.stored[fields[$0]].expressions.calculation == nil
        }.map { cell in
            LeftCells.Cell(
                field: fields[cell], stays: record.values[fields[cell]], inFile: values[cell])
        }
        let isWhole = rest.changed.isEmpty
        if !cells.isEmpty {
            let name =
                try name(of: edit.row) ?? entries?.name(of: record.values.first)
                ?? String(edit.name.id.text.suffix(8))
            left.take(
                LeftCells.Row(line: changes.line(of: edit.row), name: name, cells: cells),
                isWhole: isWhole)
        }
        guard isWhole else { return rest }
        fates[edit.row] = cells.isEmpty ? .unchanged : .left
        return nil
    }
}
