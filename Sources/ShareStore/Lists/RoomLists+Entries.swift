package import ShareCore
import ShareCrypto

/// The entries of a form, as fields of other forms choose from them.
package struct RoomEntries: Hashable, Sendable {
    package let formID: String
    /// The number of the definition in force in this file.
    package let definition: Int64
    /// The names of the fields, by column.
    package let names: [String]
    let table: String
    let columns: [String]

    /// What a row has beside its fields.
    package static let own = ["name", "_state", "_author"]

    /// The SQL of what is compared in a column of `own` or of the fields; nil where nothing is.
    func sql(ofColumn column: String) -> String? {
        switch column {
        case "name": "_id"
        case "_state": "coalesce(_state, 'received')"
        case "_author": nil
        default: names.firstIndex(of: column).map { SQLName.quote(columns[$0]) }
        }
    }
}

/// One entry that can be chosen.
package struct RoomEntry: Sendable {
    package let id: String
    package let author: String
    package let state: String
    /// When it was made, in milliseconds since 1970.
    package let created: Int64
    /// In the order of `RoomEntries.names`.
    package let values: [FieldValue]
}

/// Looks up entries of forms for those that choose from them.
extension RoomLists {
    /// Entries of one form that are offered; any other is found by its id, key or name.
    package static let entries = 2000

    /// Entries with a text in them that are found.
    private static let matches = 1000

    /// The entries of a form; nil where the room has no such form.
    package func entries(of formID: String) -> RoomEntries? {
        read { connection in
            let database = connection.database
            let row = try database.row(
                """
                SELECT f.form, f.table_name, d.operation FROM _form f
                JOIN _definition d ON d.form_id = f.form_id AND d.in_force = 1
                WHERE f.form_id = ?1 AND f.table_name IS NOT NULL
                """, .text(formID))
            guard case .integer(let form)? = row?[0], case .text(let table)? = row?[1],
                case .integer(let definition)? = row?[2]
            else { return nil }
            var (names, columns): ([String], [String]) = ([], [])
            for row in try database.rows(
                "SELECT name, column_name FROM _field WHERE form = ?1 ORDER BY name, type",
                .integer(form))
            {
                guard case .text(let name) = row[0], case .text(let column) = row[1] else {
                    continue
                }
                names.append(name)
                columns.append(column)
            }
            return RoomEntries(
                formID: formID, definition: definition, names: names, table: table,
                columns: columns)
        } ?? nil
    }

    /// The definition in force, with its JSON alone.
    package func json(of entries: RoomEntries) -> String? {
        read { connection in
            let row = try connection.database.row(
                "SELECT json FROM _definition WHERE operation = ?1", .integer(entries.definition))
            guard case .text(let json)? = row?[0] else { return nil }
            return json
        } ?? nil
    }

    /// The numbers of the entries, in the order in which they came: all, or those with exactly this
    /// in a column; nil where that column cannot be compared.
    package func rows(
        of entries: RoomEntries, where column: String? = nil, equals text: String = ""
    ) -> [Int64]? {
        var condition = ""
        if let column {
            guard let sql = entries.sql(ofColumn: column) else { return nil }
            condition = "WHERE \(sql) = ?1"
        }
        return numbers(of: entries, condition, column == nil ? [] : [.text(text)])
    }

    /// The numbers of the entries that contain a text in their id or in one of their fields,
    /// whatever its case and marks.
    package func rows(of entries: RoomEntries, containing text: String) -> [Int64] {
        let fields = (["_id"] + entries.columns.map { SQLName.quote($0) })
            .map { "instr(fold(\($0)), ?1) > 0" }
        return numbers(
            of: entries, "WHERE " + fields.joined(separator: " OR "),
            [.text(FoldedText.fold(text))], limit: Self.matches)
    }

    private func numbers(
        of entries: RoomEntries, _ condition: String, _ values: [SQLValue],
        limit: Int = RoomLists.entries
    ) -> [Int64] {
        read { connection in
            let statement = try connection.database.prepare(
                """
                SELECT rowid FROM \(SQLName.quote(entries.table)) \(condition)
                ORDER BY rowid LIMIT \(limit)
                """)
            try statement.bind(values)
            var rows: [Int64] = []
            while try statement.step() { rows.append(statement.integer(0)) }
            return rows
        } ?? []
    }

    /// An entry by its number; nil where it has gone.
    package func entry(_ row: Int64, of entries: RoomEntries) -> RoomEntry? {
        read { connection in
            let columns = entries.columns.map { ", t." + SQLName.quote($0) }.joined()
            let statement = try connection.database.cached(
                """
                SELECT t._id, t._state, t._created, d.key\(columns)
                FROM \(SQLName.quote(entries.table)) t
                LEFT JOIN _device d ON d.device = t._author WHERE t.rowid = ?1
                """)
            try statement.bind([.integer(row)])
            defer { statement.reset() }
            guard try statement.step() else { return nil }
            return RoomEntry(
                id: statement.text(0), author: DeviceKey(statement.blob(3))?.text ?? "",
                state: statement.optionalText(1) ?? "received", created: statement.integer(2),
                values: entries.columns.indices.map {
                    switch statement.value(Int32($0) + 4) {
                    case .integer(let number): .integer(number)
                    case .real(let number): .decimal(number)
                    case .text(let text): .text(text)
                    case .null, .blob: .absent
                    }
                })
        } ?? nil
    }
}
