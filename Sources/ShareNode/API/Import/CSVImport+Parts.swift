import ShareCore
import ShareFormats
import ShareStore

/// Rows of a repeat, which are looked at with their entries.
extension CSVImport {
    /// Rows of the file that lie in one entry: by their numbers, as all of the file may be rows of
    /// a repeat.
    private struct Group {
        let entry: RecordName
        var rows: [Int32] = []
    }

    /// Leaves out rows that are wrong, and puts in what the form computes in them and in the entries
    /// that they belong to.
    func judge(
        _ judged: Judged, _ rows: ImportRows, with check: PartCheck
    ) async throws -> Judged {
        var judged = judged
        let reader = try RoomReader(path: room.store.path)
        var computed: [Int: [Int: FieldValue]] = [:]
        var wrong = BitSet()
        let changed = Dictionary(
            judged.edits.map { ($0.row, $0) }, uniquingKeysWith: { first, _ in first })
        for group in try await groups(judged, rows, check, reader) {
            try Task.checkCancellation()
            guard let entry = try await reader.record(group.entry, in: check.root.info) else {
                continue
            }
            let parts = try group.rows.compactMap { row in
                try part(Int(row), rows, changing: changed[Int(row)])
            }
            var made = try check.check(entry, parts)
            if !made.problems.isEmpty {
                for problem in made.problems {
                    try judged.found.reject([problem], source(ofLine: problem.line))
                }
                let lines = Set(made.problems.map(\.line))
                for part in parts where lines.contains(part.line) { wrong.insert(part.row) }
                // What is computed is computed without them.
                let good = parts.filter { !lines.contains($0.line) }
                guard !good.isEmpty else { continue }
                made = try check.check(entry, good)
                guard made.problems.isEmpty else {
                    // Without the others these are wrong.
                    for problem in made.problems {
                        try judged.found.reject([problem], source(ofLine: problem.line))
                    }
                    for part in good { wrong.insert(part.row) }
                    continue
                }
            }
            judged.found.note(warnings: made.warnings)
            computed.merge(made.computed) { $1 }
            judged.more += made.rows
            guard !made.entry.isEmpty else { continue }
            let values = made.entry.sorted { $0.key < $1.key }.map {
                LocalChange.FieldChange(field: $0.key, value: $0.value)
            }
            judged.more.append(
                .edit(entry.name, definition: check.root.info.definition, values: values))
        }
        judged.edits = judged.edits.filter { !wrong.contains($0.row) }
        for position in judged.edits.indices {
            judged.edits[position].computed = computed[judged.edits[position].row] ?? [:]
        }
        judged.added = try added(judged.added, rows, without: wrong, computed)
        return judged
    }

    /// New rows with what is computed in them.
    private func added(
        _ added: ImportPlan.Added, _ rows: ImportRows, without wrong: BitSet,
        _ computed: [Int: [Int: FieldValue]]
    ) throws -> ImportPlan.Added {
        let which = added.which.filter { !wrong.contains(Int($0)) }
        let more = Set(computed.values.flatMap(\.keys))
        guard !more.isEmpty else {
            return ImportPlan.Added(
                rows: added.rows, fields: added.fields, which: which, ids: added.ids)
        }
        let fields = Set(fields).union(more).sorted()
        var made = ImportRows(width: fields.count, beside: room.store.path)
        var ids: [Int32: RecordID] = [:]
        for row in which {
            var values = try whole(rows.values(Int(row)))
            for (field, value) in computed[Int(row)] ?? [:] { values[field] = value }
            if let id = added.ids[row] { ids[Int32(made.count)] = id }
            try made.append(values, at: fields)
        }
        return ImportPlan.Added(
            rows: made, fields: fields, which: Array(0..<Int32(made.count)), ids: ids)
    }

    /// The rows by the entries that they belong to, in the order of the file.
    private func groups(
        _ judged: Judged, _ rows: ImportRows, _ check: PartCheck, _ reader: RoomReader
    ) async throws -> [Group] {
        var groups: [Group] = []
        var positions: [RecordName: Int] = [:]
        var entries: [ParentName: RecordName] = [:]
        for row in judged.added.which + judged.edits.map({ Int32($0.row) }) {
            try Task.checkCancellation()
            guard let parent = try self.parent(rows.values(Int(row))) else { continue }
            if entries[parent] == nil {
                entries[parent] = try await entry(of: parent, check.names, check.root, reader)
            }
            guard let entry = entries[parent] else { continue }
            let position = positions[entry] ?? groups.count
            if position == groups.count {
                positions[entry] = position
                groups.append(Group(entry: entry))
            }
            groups[position].rows.append(row)
        }
        return groups
    }

    /// The entry, or the row, that a row lies in; nil where the row does not say.
    private func parent(_ cells: [FieldValue]) -> ParentName? {
        guard let cell = fields.firstIndex(of: 0), case .text(let text) = cells[cell] else {
            return nil
        }
        return ParentName(text.utf8)
    }

    /// A row of the file as its entry takes it.
    private func part(
        _ row: Int, _ rows: ImportRows, changing edit: ImportMatcher.Edit?
    ) throws -> PartCheck.Part? {
        let cells = try rows.values(row)
        guard let parent = self.parent(cells) else { return nil }
        return PartCheck.Part(
            row: row, line: Int(lines[row]), parent: parent, name: edit?.name,
            values: Dictionary(
                fields.indices.filter { cell in
                    edit.map {
                        !$0.left.contains(cell) && !unsaid.contains(row * fields.count + cell)
                    } ?? true
                }
                .map { (fields[$0], edit?.meant[$0] ?? cells[$0]) },
                uniquingKeysWith: { first, _ in first }))
    }

    /// The entry that a row's parent is, or lies in; nil where it is not here.
    private func entry(
        of parent: ParentName, _ names: [String], _ root: FormSchema, _ reader: RoomReader
    ) async throws -> RecordName? {
        var schemas = [root]
        for name in names.dropLast() {
            guard let last = schemas.last, let index = last.repeat(named: name) else { return nil }
            schemas.append(last.repeats[index])
        }
        var parent = parent
        while let schema = schemas.popLast() {
            let name = RecordName(
                form: schema.info.formID, creator: parent.creator, id: parent.id)
            if schemas.isEmpty { return name }
            guard let row = try await reader.record(name, in: schema.info),
                case .text(let text)? = row.values.first, let above = ParentName(text.utf8)
            else { return nil }
            parent = above
        }
        return nil
    }
}
