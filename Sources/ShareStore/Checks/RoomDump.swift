import ShareCore
import ShareCrypto

/// The content of a room, in an order and in names that are alike on every device: to compare rooms
/// by.
enum RoomDump {
    /// The rows of each form with their names, the same on every device; from the seventh on the columns
    /// are those of fields.
    static func forms(of room: Room) -> [(heading: String, sql: String)] {
        room.forms.catalog.forms.values.sorted { $0.formID < $1.formID }.map { form in
            var sql =
                "SELECT _id, \(DeviceTable.authorID), _created, _updated, _state, _clock"
            for column in form.columns.sorted(by: { $0.name < $1.name }) {
                sql += "," + SQLName.quote(column.name)
            }
            return ("form \(form.formID) as \(form.table)", sql + " FROM \(form.quoted)")
        }
    }

    /// Calls `emit` with a heading and a line of values for each line of all other tables.
    static func notes(
        of room: Room, _ emit: (String, [SQLValue]) throws -> Void
    ) throws {
        let database = room.database
        let queries = [
            (
                "refused",
                """
                SELECT b.id, r.operation % 8192, r.count, r.reason, r.what FROM _refused r
                JOIN _batch b ON b.batch = r.operation / 8192 ORDER BY 1, 2
                """
            ),
            (
                "waiting",
                """
                SELECT b.id, w.operation % 8192, w.count, w.reason, w.key FROM _waiting w
                JOIN _batch b ON b.batch = w.operation / 8192 ORDER BY 1, 2
                """
            ),
            (
                "early",
                """
                SELECT b.id, v.version % 8192 FROM _version v
                JOIN _batch b ON b.batch = v.version / 8192
                JOIN _record r ON r.record = v.record WHERE NOT r.created ORDER BY 1, 2
                """
            ),
            (
                "conflict",
                """
                SELECT f.form_id, d.key, r.id, c.field, c.type, w.id, c.winner % 8192,
                l.id, c.loser % 8192
                FROM _conflict c JOIN _record r ON r.record = c.record
                JOIN _form f ON f.form = r.form JOIN _device d ON d.device = r.creator
                JOIN _batch w ON w.batch = c.winner / 8192
                JOIN _batch l ON l.batch = c.loser / 8192
                ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9
                """
            ),
            (
                "parallel",
                """
                SELECT f.form_id, d.key, r.id FROM _parallel p
                JOIN _record r ON r.record = p.record JOIN _form f ON f.form = r.form
                JOIN _device d ON d.device = r.creator ORDER BY 1, 2, 3
                """
            ),
            (
                "refused record",
                """
                SELECT o.id, b.id, o.operation % 8192, r.reason FROM _refused_record o
                JOIN _batch b ON b.batch = o.operation / 8192 JOIN _refused r ON r.operation =
                (SELECT max(operation) FROM _refused WHERE operation <= o.operation)
                ORDER BY 1, 2, 3
                """
            ),
            (
                "changed since review",
                """
                SELECT f.form_id, d.key, r.id FROM _record r JOIN _form f ON f.form = r.form
                JOIN _device d ON d.device = r.creator WHERE r.changed_since_review
                ORDER BY 1, 2, 3
                """
            ),
            (
                "list",
                """
                SELECT b.id, l.list % 8192, l.name, l.rows FROM _list l
                JOIN _batch b ON b.batch = l.list / 8192 ORDER BY 1, 2
                """
            ),
            (
                "list row",
                """
                SELECT b.id, r.row / 65536 % 8192, r.row % 65536, r.found, r.cells FROM _list_row r
                JOIN _batch b ON b.batch = r.row / 65536 / 8192 ORDER BY 1, 2, 3
                """
            ),
            ("member", "SELECT key, role FROM _member ORDER BY 1"),
            (
                "definition",
                """
                SELECT b.id, o.operation % 8192, o.form_id, o.verdict, o.in_force
                FROM _definition o JOIN _batch b ON b.batch = o.operation / 8192 ORDER BY 1, 2
                """
            ),
        ]
        for (heading, sql) in queries {
            for row in try database.rows(sql) { try emit(heading, row) }
        }
        try emit("digest", [.blob(room.digest.bytes)])
        let shown = room.forms.catalog.forms.values.sorted { $0.formID < $1.formID }
        for form in shown {
            try emit(
                "records",
                [.text(form.formID), .integer(Int64(room.forms.shown[form.number] ?? 0))])
        }
    }

    /// One hash for each heading: the sum of its lines, so that rows are read as they lie.
    static func hashes(of room: Room) throws -> [String: StateDigest] {
        var hashes: [String: StateDigest] = [:]
        let items = ItemWriter()
        for (heading, sql) in forms(of: room) {
            let statement = try room.database.prepare(sql)
            items.removeAll()
            for column in 6..<statement.columnCount { items.write(text: statement.name(column)) }
            var sum = items.digest()
            while try statement.step() {
                items.removeAll()
                for column in 0..<statement.columnCount { items.write(column, of: statement) }
                sum += items.digest()
            }
            hashes[heading] = sum
        }
        try notes(of: room) { heading, values in
            items.removeAll()
            for value in values {
                switch value {
                case .null: items.writeNull()
                case .integer(let value): items.write(integer: value)
                case .real(let value): items.write(value)
                case .text(let value): items.write(text: value)
                case .blob(let value): value.withUnsafeBytes { items.write(bytes: $0) }
                }
            }
            hashes[heading, default: .zero] += items.digest()
        }
        return hashes
    }
}

extension ItemWriter {
    /// Writes a column of the row at which a statement stands.
    fileprivate func write(_ column: Int32, of statement: Statement) {
        switch statement.kind(column) {
        case .null: writeNull()
        case .integer: write(integer: statement.integer(column))
        case .real: write(statement.real(column))
        case .text: statement.withText(column) { write(utf8: UnsafeRawBufferPointer($0)) }
        case .blob: statement.withBlob(column) { write(bytes: $0) }
        }
    }
}
