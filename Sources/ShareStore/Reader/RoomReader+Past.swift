package import ShareCore
import ShareCrypto

/// What records were before, and those that were deleted.
extension RoomReader {
    /// Values of a record that somebody would write.
    package struct Asked: Sendable {
        let name: RecordName
        /// By the places of the form's columns; of several values any.
        let values: [Int: [FieldValue]]

        package init(_ name: RecordName, _ values: [Int: [FieldValue]]) {
            self.name = name
            self.values = values
        }
    }

    /// Which of these values the fields of each record had by any of its versions: what a put does
    /// not say was empty then.
    ///
    /// - Complexity: O(versions of the records); of one that nobody has changed it is a look.
    package func hadBefore(_ asked: [Asked], in form: FormInfo) throws -> [Set<Int>] {
        let statement = try database.prepare(
            """
            SELECT v.kind, v.content FROM _record r JOIN _version v ON v.record = r.record
            WHERE r.form = ?1 AND r.creator = ?2 AND r.id = ?3 AND v.kind IN (?4, ?5)
            """)
        let (put, edit) = (RecordsBlock.Kind.put.rawValue, RecordsBlock.Kind.edit.rawValue)
        return try asked.map { asked in
            guard let creator = try devices.find(asked.name.creator) else { return [] }
            var found: Set<Int> = []
            try statement.bind([
                .integer(form.number), .integer(creator), .blob(asked.name.id.bytes),
                .integer(Int64(put)), .integer(Int64(edit)),
            ])
            defer { statement.clear() }
            while found.count < asked.values.count, try statement.step() {
                let isPut = statement.integer(0) == Int64(put)
                let said = try statement.withBlob(1) { try VersionContent(encoded: $0) }.values
                for (place, values) in asked.values where !found.contains(place) {
                    let column = form.columns[place]
                    let entry = said.last { $0.field == column.field || $0.field == column.whole }
                    let had =
                        entry.map { column.shown($0.value) } ?? (isPut ? FieldValue.absent : nil)
                    if let had, values.contains(had) { found.insert(place) }
                }
            }
            return found
        }
    }

    /// A deleted record, with some of the values that it had.
    package struct Deleted: Sendable {
        package let name: RecordName
        package let values: [FieldValue]
    }

    /// The deleted records of a form, those made last first.
    ///
    /// - Parameter places: the columns whose values are wanted.
    /// - Complexity: O(deleted records of the form, and versions of these).
    package func deleted(
        of form: FormInfo, values places: [Int], limit: Int
    ) throws -> [Deleted] {
        let versions = VersionTable(
            database: database, names: BatchNames(database: database, devices: devices))
        return try database.snapshot {
            let statement = try database.prepare(
                """
                SELECT r.id, d.key, r.record FROM _record r JOIN _device d ON d.device = r.creator
                WHERE r.hidden AND r.created AND r.form = ?1 ORDER BY r.id DESC LIMIT ?2
                """)
            try statement.bind([.integer(form.number), .integer(Int64(limit))])
            var found: [Deleted] = []
            while try statement.step() {
                guard let id = RecordID(statement.blob(0)),
                    let creator = DeviceKey(statement.blob(1))
                else { continue }
                let outcome = try RecordOutcome(
                    try versions.all(of: statement.integer(2)), in: versions)
                let values = places.map { place in
                    let column = form.columns[place]
                    return column.shown(outcome.value(of: column.field, or: column.whole))
                }
                found.append(
                    Deleted(
                        name: RecordName(form: form.formID, creator: creator, id: id),
                        values: values))
            }
            return found
        }
    }

    /// Whether any record of a form was deleted.
    package func hasDeleted(of form: FormInfo) throws -> Bool {
        try database.integer(
            "SELECT 1 FROM _record WHERE hidden AND created AND form = ?1 LIMIT 1",
            .integer(form.number)) != nil
    }
}
