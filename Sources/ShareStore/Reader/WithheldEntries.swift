import ShareCore
import ShareCrypto

/// Entries that were made here and that this device's role does not allow any more: nobody else is
/// sent them, and they stand in no table, but their author can read them.
struct WithheldEntries {
    let database: Database

    /// The state of such an entry, where others have that of a review.
    static let state = "withheld"

    /// The withheld entries of a form that are wanted, by id and creator. They stand behind those of
    /// the table, so a page that begins behind one of them has no others.
    func page(
        of form: FormInfo, _ query: RecordQuery
    ) throws -> (rows: [RecordRow], isBehindTable: Bool) {
        let rows = try rows(of: form, query)
        guard let last = rows.firstIndex(where: { $0.name == query.after }) else {
            return (rows, false)
        }
        return (Array(rows[(last + 1)...]), true)
    }

    /// All of them, whatever page is wanted.
    func rows(of form: FormInfo, _ query: RecordQuery = RecordQuery()) throws -> [RecordRow] {
        let isDescending = query.order.last?.isDescending ?? false
        return try all(of: form).filter { row in
            try query.conditions.allSatisfy { try $0.holds(for: row, of: form) }
        }.sorted {
            let (one, other) = isDescending ? ($1.name, $0.name) : ($0.name, $1.name)
            return (one.id, one.creator) < (other.id, other.creator)
        }
    }

    /// Puts the rows of their repeats, which are withheld with them, beside the values of entries.
    func fill(_ entries: inout [RecordRow], of form: FormInfo) throws {
        guard !entries.isEmpty else { return }
        for child in form.repeats {
            var rows = try all(of: child)
            try fill(&rows, of: child)
            let groups = Dictionary(grouping: rows, by: { $0.values.first })
            for position in entries.indices {
                let parent = FieldValue.text(ParentName(entries[position].name).text)
                let own = (groups[parent] ?? []).sorted { Self.place(of: $0) < Self.place(of: $1) }
                entries[position].repeats.append(own)
            }
        }
    }

    /// The place of a row among those of its entry.
    private static func place(of row: RecordRow) -> (Int64, RecordID) {
        guard row.values.count > 1, case .integer(let index) = row.values[1] else {
            return (.max, row.name.id)
        }
        return (index, row.name.id)
    }

    /// Whether anything is withheld, be it an entry or a change of one.
    var areThere: Bool {
        get throws {
            let refused = try database.integer(
                """
                SELECT 1 FROM _batch b CROSS JOIN _refused r
                ON r.operation \(BatchLog.namesInBatch) WHERE b.state = 1 LIMIT 1
                """)
            return refused != nil
        }
    }

    /// All withheld entries of a form, with what was changed in them before they were sent.
    private func all(of form: FormInfo) throws -> [RecordRow] {
        guard try areThere else { return [] }
        var entries: [RecordName: Entry] = [:]
        let statement = try database.prepare(
            """
            SELECT operation, block, checksum FROM _pending ORDER BY operation
            """)
        while try statement.step() {
            let first = LocalName(rawValue: statement.integer(0))
            let block = try PendingEntries.block(in: statement)
            guard let fields = form.definitions[block.form] else { continue }
            for (row, operation) in block.rows.enumerated() {
                let local = LocalName(batch: first.batch, index: block.firstIndex + row)
                guard try isRefused(local) else { continue }
                let name = RecordName(
                    form: form.formID, creator: block.creators[Int(operation.creator)],
                    id: operation.id)
                switch block.kind {
                case .put: entries[name] = Entry(at: operation.wall)
                case .delete: entries[name] = nil
                case .edit, .restore, .review, .comment: break
                }
                entries[name]?.updated = operation.wall
                guard block.kind == .put || block.kind == .edit else { continue }
                for (column, field) in block.fields.enumerated() where fields.count > field {
                    entries[name]?.values[fields[field]] = block.value(row: row, column: column)
                }
            }
        }
        return entries.map { name, entry in
            var row = RecordRow(
                name: name, created: Int64(entry.created.milliseconds),
                updated: Int64(entry.updated.milliseconds), state: WithheldEntries.state,
                values: form.columns.map { column in
                    column.shown(
                        entry.values[column.field]
                            ?? column.whole.flatMap { entry.values[$0] } ?? .absent)
                })
            row.isWithheld = true
            return row
        }
    }

    private struct Entry {
        let created: WallTime
        var updated: WallTime
        var values: [FormField: FieldValue] = [:]

        init(at wall: WallTime) {
            created = wall
            updated = wall
        }
    }

    private func isRefused(_ operation: LocalName) throws -> Bool {
        let row = try database.row(
            "SELECT operation, count FROM _refused WHERE operation <= ?1 ORDER BY 1 DESC LIMIT 1",
            .integer(operation.rawValue))
        guard case .integer(let first)? = row?[0], case .integer(let count)? = row?[1] else {
            return false
        }
        return operation.rawValue < first + count
    }
}

/// Changes of entries that were made here and that this device's role does not allow any more: the
/// entries stand as others know them.
struct WithheldChanges {
    /// Nil where nothing is withheld: then nothing is looked up.
    private let statement: Statement?

    init(_ database: Database) throws {
        statement =
            try WithheldEntries(database: database).areThere
            ? database.prepare(
                """
                SELECT 1 FROM _refused_record o JOIN _batch b ON b.batch = o.operation / 8192
                WHERE o.id = ?1 AND b.state = 1 LIMIT 1
                """) : nil
    }

    /// Whether there is one of an entry of this id.
    func areThere(of id: RecordID) throws -> Bool {
        guard let statement else { return false }
        defer { statement.clear() }
        try statement.bind([.blob(id.bytes)])
        return try statement.step()
    }
}
