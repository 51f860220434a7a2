package import ShareCore
import ShareCrypto

extension RoomStore {
    /// The rows of a record in all of its repeats, also deleted ones: `limit` at most.
    ///
    /// - Complexity: O(rows of the record · log rows), and O(deleted rows of these repeats).
    package func allRows(
        of record: RecordName, in form: FormInfo, limit: Int
    ) throws -> [RecordName] {
        try file.room.allRows(of: [ParentName(record).text], in: form, limit)
    }
}

extension Room {
    /// The entry that a row of a block lies in; nil where the row, or what it belongs to, is not
    /// shown.
    func entry(_ block: RecordsBlock, _ row: RecordsBlock.Row) throws -> RecordID? {
        guard let definition = forms.catalog.definitions[block.form] else { return nil }
        var form = definition.form.formID
        var name = ParentName(creator: block.creators[Int(row.creator)], id: row.id)
        while let parent = FormDefinition.parentForm(of: form) {
            guard let table = forms.catalog.forms[form]?.table,
                let creator = try devices.find(name.creator),
                case .text(let text)? = try database.row(
                    "SELECT _parent FROM \(SQLName.quote(table)) WHERE _id = ?1 AND _author = ?2",
                    .text(name.id.text), .integer(creator))?.first,
                let above = ParentName(text.utf8)
            else { return nil }
            (form, name) = (parent, above)
        }
        return name.id
    }

    fileprivate func allRows(
        of parents: Set<String>, in form: FormInfo, _ limit: Int
    ) throws -> [RecordName] {
        guard !parents.isEmpty, limit > 0 else { return [] }
        var found: [RecordName] = []
        for child in form.repeats where found.count < limit {
            var names: [RecordName] = []
            let statement = try database.prepare(
                """
                SELECT _id, \(DeviceTable.authorID) FROM \(SQLName.quote(child.table))
                WHERE _parent = ?1
                """)
            for parent in parents {
                try statement.bind([.text(parent)])
                while found.count + names.count < limit, try statement.step() {
                    guard let id = RecordID(text: statement.text(0)),
                        let creator = DeviceKey(text: statement.text(1))
                    else { continue }
                    names.append(RecordName(form: child.formID, creator: creator, id: id))
                }
                statement.clear()
            }
            let room = limit - found.count - names.count
            names += try deletedRows(in: child) { parents.contains($0) }.prefix(room).map(\.name)
            found += names
            found += try allRows(
                of: Set(names.map { ParentName($0).text }), in: child, limit - found.count)
        }
        return found
    }

    /// The deleted rows of a repeat that belonged to parents that are wanted, and what each came to.
    func deletedRows(
        in form: FormInfo, where isWanted: (String) -> Bool
    ) throws -> [(name: RecordName, outcome: RecordOutcome)] {
        guard let table = forms.catalog.forms[form.formID] else { return [] }
        var found: [(name: RecordName, outcome: RecordOutcome)] = []
        for row in try database.rows(
            """
            SELECT r.id, d.key FROM _record r JOIN _device d ON d.device = r.creator
            WHERE r.form = ?1 AND r.hidden AND r.created
            """, .integer(table.number))
        {
            guard case .blob(let id) = row[0], case .blob(let key) = row[1],
                let id = RecordID(id), let creator = DeviceKey(key)
            else { continue }
            let name = RecordName(form: form.formID, creator: creator, id: id)
            let outcome = try RecordOutcome(
                try records.allVersions(of: name, in: forms), in: records.versions)
            guard outcome.isDeleted,
                case .text(let parent)? = outcome.values[FormDefinition.repeatFields[0]]?.value,
                isWanted(parent)
            else { continue }
            found.append((name, outcome))
        }
        return found
    }
}
