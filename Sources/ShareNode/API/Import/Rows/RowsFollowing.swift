import ShareCore
import ShareFormats
import ShareForms
import ShareStore

/// Lets the rows of an entry follow what rows of a file change in it: what is computed in them,
/// answers that are not asked any more, and rows of which the form does not ask any more.
struct RowsFollowing {
    let check: PartCheck
    /// The rows of the file, by where they lie in the entry.
    let parts: [[Int]: PartCheck.Part]
    /// Where it is told what becomes of rows that the file does not have.
    let line: Int

    /// One row, or the entry, before and after.
    private struct Change {
        let now: Answers
        let was: Answers?
        let row: RecordRow
        let schema: FormSchema
        var names: [String] = []
        var position: [Int] = []
        var path = ""
        let line: Int
    }

    /// - Parameters:
    ///   - now: the answers with the rows of the file, and before.
    ///   - entry: as it lies in the store, with the rows of the file.
    func follow(
        _ now: Answers, _ was: Answers, _ entry: RecordRow, _ made: inout PartCheck.Made
    ) {
        rows(
            in: Change(now: now, was: was, row: entry, schema: check.root, line: line), &made)
    }

    private func rows(in outer: Change, _ made: inout PartCheck.Made) {
        for (slot, one) in check.root.form.repeats(in: outer.names).enumerated() {
            guard let index = outer.schema.repeat(named: one.name),
                outer.now.repeats.indices.contains(slot), outer.row.repeats.indices.contains(index)
            else { continue }
            let before = Dictionary(
                (outer.was?.repeats.list(slot) ?? []).compactMap { row in
                    row.row.map { ($0, row) }
                }, uniquingKeysWith: { first, _ in first })
            var gone = 0
            // Those beyond what the form counts are kept, and not computed.
            for (place, (now, row)) in zip(outer.now.repeats[slot], outer.row.repeats[index])
                .enumerated()
            {
                let position = outer.position + [place]
                let part = one.names == check.names ? parts[position] : nil
                let inner = Change(
                    now: now, was: before[row.name.id], row: row,
                    schema: outer.schema.repeats[index], names: one.names,
                    position: position, path: "\(outer.path)\(one.name)[\(place + 1)]/",
                    line: part?.line ?? outer.line)
                if now.isLeftOut {
                    guard part == nil, inner.was?.isLeftOut == false, may(.delete, row) else {
                        continue
                    }
                    gone += 1
                    made.rows.append(.delete(row.name))
                    made.rows += RepeatChanges.deletions(
                        of: row.repeats, by: check.surroundings.own.key, as: check.role)
                    continue
                }
                values(in: inner, part, &made)
                rows(in: inner, &made)
            }
            if gone > 0 {
                made.warnings.append(
                    ImportProblem(gone: gone, of: outer.path + one.name, outer.line))
            }
        }
    }

    private func values(
        in place: Change, _ part: PartCheck.Part?, _ made: inout PartCheck.Made
    ) {
        let now = EntryValues(place.now, place.schema, in: place.names).values
        let was = place.was.map { EntryValues($0, place.schema, in: place.names).values }
        var changes: [LocalChange.FieldChange] = []
        for (field, one) in place.schema.form.stored.enumerated() where field >= Answers.shift {
            let value = now[field] ?? .absent
            let old = was?[field] ?? .absent
            let isComputed = one.expressions.calculation != nil
            if let part {
                // What is computed in rows of the file is so already.
                guard !isComputed, value == .absent, place.row.values[field] != .absent else {
                    continue
                }
                if let given = part.values[field], given != .absent, given != old {
                    made.problems.append(
                        ImportProblem(
                            line: part.line, column: place.path + one.name,
                            reason: "it is not asked with the other answers of its entry or row",
                            hint: "Leave the cell empty."))
                } else if old != .absent {
                    made.computed[part.row, default: [:]][field] = .absent
                    tell(old, field, in: place, &made)
                }
                continue
            }
            guard value != old, place.row.values[field] != value, may(.edit, place.row) else {
                continue
            }
            changes.append(LocalChange.FieldChange(field: field, value: value))
            if !isComputed, value == .absent { tell(old, field, in: place, &made) }
        }
        guard !changes.isEmpty else { return }
        made.rows.append(
            .edit(place.row.name, definition: place.schema.info.definition, values: changes))
    }

    private func tell(
        _ value: FieldValue, _ field: Int, in place: Change, _ made: inout PartCheck.Made
    ) {
        made.warnings.append(
            ImportProblem(cleared: value, field, of: place.schema, in: place.path, place.line))
    }

    private func may(_ kind: RecordsBlock.Kind, _ row: RecordRow) -> Bool {
        RecordPermission.allows(
            check.role, kind, own: row.name.creator == check.surroundings.own.key)
    }
}
