package import ShareCore
import ShareCrypto

/// Looks up entries of forms for those that choose from them.
extension RoomLists {
    /// Entries of one form that are offered at once; any other is found by its id, key or name.
    package static let entries = 2000

    /// The entries of a form; nil where the room has no such form.
    package func entries(of formID: String) -> RoomEntries? {
        read { try $0.entries(of: formID) } ?? nil
    }

    /// The entries of the form that writes an entity list of that name, as XLSForms do
    /// (`entities`, `save_to`); nil where there is none, or several.
    package func entries(ofEntityList list: String) -> RoomEntries? {
        read { try $0.entries(ofEntityList: list) } ?? nil
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

    /// The first entries: all, or those with exactly this in a column; nil where that column cannot
    /// be compared.
    package func rows(
        of entries: RoomEntries, where column: String? = nil, equals text: String = "",
        limit: Int = RoomLists.entries
    ) -> FoundEntries? {
        guard let column else { return find(in: entries, "", [], limit) }
        guard let sql = entries.sql(ofColumn: column) else { return nil }
        return find(in: entries, "WHERE \(sql) = ?1", [.text(text)], limit)
    }

    /// The entries with these values in the fields of their form's key, in its order; nil where one
    /// of these is no column.
    ///
    /// - Complexity: O(log entries) where the values are of all fields of the key, or the first.
    package func rows(
        of entries: RoomEntries, key: [(field: String, value: FieldValue)], limit: Int
    ) -> FoundEntries? {
        guard let condition = entries.condition(ofKey: key.map(\.field)) else { return nil }
        return find(in: entries, condition, key.map(\.value.sql), limit)
    }

    /// The entries of which each word is a part of their id or of one of these fields, whatever its
    /// case and marks.
    ///
    /// - Complexity: O(entries).
    package func rows(
        of entries: RoomEntries, containing words: [String], in fields: [String], limit: Int
    ) -> FoundEntries {
        let words = words.prefix(RoomEntries.words).map { FoldedText.fold($0) }
        return search {
            try $0.find(
                in: entries, entries.condition(containing: words, in: fields),
                words.map { .text($0) }, limit)
        } ?? FoundEntries()
    }

    /// The entry of that id as it was before it was deleted; nil where none was.
    package func deleted(_ id: String, of entries: RoomEntries) -> RoomEntry? {
        guard let id = RecordID(text: id) else { return nil }
        return read { try $0.deleted(id, of: entries, limit: 1).first } ?? nil
    }

    /// The deleted entries as they were, those made last first.
    package func deleted(of entries: RoomEntries, limit: Int) -> [RoomEntry] {
        read { try $0.deleted(nil, of: entries, limit: limit) } ?? []
    }

    private func find(
        in entries: RoomEntries, _ condition: String, _ values: [SQLValue], _ limit: Int
    ) -> FoundEntries {
        read { try $0.find(in: entries, condition, values, limit) } ?? FoundEntries()
    }

    /// An entry by its number; nil where it has gone.
    package func entry(_ row: Int64, of entries: RoomEntries) -> RoomEntry? {
        read { connection in
            let statement = try connection.database.cached(entries.reading)
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

extension RoomLists.Connection {
    fileprivate func find(
        in entries: RoomEntries, _ condition: String, _ values: [SQLValue], _ limit: Int
    ) throws -> FoundEntries {
        let statement = try database.cached(entries.select(condition))
        try statement.bind(values + [.integer(Int64(limit) + 1)])
        defer { statement.reset() }
        var found = FoundEntries()
        while try statement.step() {
            if found.rows.count == limit {
                found.isCut = true
            } else {
                found.rows.append(statement.integer(0))
            }
        }
        return found
    }

    /// - Parameter id: of the one that is wanted; nil for all.
    fileprivate func deleted(
        _ id: RecordID?, of entries: RoomEntries, limit: Int
    ) throws -> [RoomEntry] {
        let statement = try database.cached(
            """
            SELECT r.record, r.id, d.key FROM _record r JOIN _device d ON d.device = r.creator
            JOIN _form f ON f.form = r.form
            WHERE r.hidden AND r.created AND f.form_id = ?1\(id == nil ? "" : " AND r.id = ?3")
            ORDER BY r.id DESC LIMIT ?2
            """)
        defer { statement.reset() }
        try statement.bind(
            [.text(entries.formID), .integer(Int64(limit))]
                + (id.map { [.blob($0.bytes)] } ?? []))
        let devices = DeviceTable(database)
        let versions = VersionTable(
            database: database, names: BatchNames(database: database, devices: devices))
        var found: [RoomEntry] = []
        while try statement.step() {
            guard let id = RecordID(statement.blob(1)) else { continue }
            let outcome = try RecordOutcome(
                try versions.all(of: statement.integer(0)), in: versions)
            found.append(
                RoomEntry(
                    id: id.text, author: DeviceKey(statement.blob(2))?.text ?? "",
                    state: "deleted", created: Int64(outcome.created.milliseconds),
                    values: entries.fields.map { outcome.value(named: $0) }))
        }
        return found
    }

    /// The entries of a form as they are now.
    func entries(of formID: String) throws -> RoomEntries? {
        try refresh()
        return try remembered("@form:\(formID)") { try find(formID) { _ in [:] } }
    }

    /// Those of the form that writes an entity list, whose properties are named by `save_to`.
    func entries(ofEntityList list: String) throws -> RoomEntries? {
        try refresh()
        return try remembered(list) {
            let forms = try database.rows(
                """
                SELECT form_id FROM _definition WHERE in_force = 1 AND json_valid(json)
                AND json_extract(json, '$.entities[0].list_name') = ?1 LIMIT 2
                """, .text(list))
            guard forms.count == 1, case .text(let formID) = forms[0][0] else { return nil }
            return try find(formID) { try properties(of: $0) }
        }
    }

    private func remembered(_ list: String, _ find: () throws -> RoomEntries?) throws
        -> RoomEntries?
    {
        let list = Array(list.utf8)
        if let known = forms[list] { return known }
        if forms.count >= Self.formsKept { forms = [:] }
        let found = try find()
        forms[list] = .some(found)
        return found
    }

    private static let formsKept = 256

    /// - Parameter names: of fields of the definition in force, as they are seen.
    private func find(
        _ formID: String, _ names: (Int64) throws -> [String: String]
    ) throws -> RoomEntries? {
        let row = try database.row(
            """
            SELECT f.form, f.table_name, d.operation, f.records FROM _form f
            JOIN _definition d ON d.form_id = f.form_id AND d.in_force = 1
            WHERE f.form_id = ?1 AND f.table_name IS NOT NULL
            """, .text(formID))
        guard case .integer(let form)? = row?[0], case .text(let table)? = row?[1],
            case .integer(let definition)? = row?[2], case .integer(let count)? = row?[3]
        else { return nil }
        let names = try names(definition)
        var fields: [(name: String, field: String, column: String)] = []
        // Of a name with several types the one in force has the plain column.
        for row in try database.rows(
            """
            SELECT name, column_name FROM _field WHERE form = ?1
            ORDER BY name, column_name <> name, type
            """, .integer(form))
        {
            guard case .text(let field) = row[0], case .text(let column) = row[1],
                fields.last.map({ !$0.field.utf8.elementsEqual(field.utf8) }) ?? true
            else { continue }
            fields.append((names[field] ?? field, field, column))
        }
        return RoomEntries(formID, definition, Int(count), table, fields)
    }

    /// The properties that fields of a definition are saved to, by field.
    private func properties(of definition: Int64) throws -> [String: String] {
        let rows = try database.rows(
            """
            SELECT json_extract(d.json, t.path || '.name'), t.value
            FROM _definition d, json_tree(d.json, '$.fields') t
            WHERE d.operation = ?1 AND t.key = 'save_to' AND t.type = 'text'
            """, .integer(definition))
        return Dictionary(
            rows.compactMap { row in
                guard case .text(let field) = row[0], case .text(let property) = row[1] else {
                    return nil
                }
                return (field, property)
            }, uniquingKeysWith: { first, _ in first })
    }
}
