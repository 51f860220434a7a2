import ShareCore
import ShareCrypto

/// Records with a past, which have an entry in `_record` and versions, and those that are only a row.
extension RecordTables {
    /// Adds the operation of a row that creates nothing, as allowed, to its record's versions; what
    /// the record comes to is worked out when the transaction ends.
    mutating func addVersion(
        _ row: Int, of block: RecordsBlock, in held: HeldBatch, _ definition: FormDefinition,
        _ form: FormTable
    ) throws {
        let operation = block.rows[row]
        let parents = block.parents(of: operation)
        try addVersion(
            held.local(block.firstIndex + row), kind: block.kind, clock: operation.clock,
            wall: operation.wall, parents: held.isOpen ? Array(parents) : parents.ofSealed,
            content: VersionContent(block, row: row, definition: definition),
            to: RecordName(
                form: form.formID, creator: block.creators[Int(operation.creator)],
                id: operation.id), in: form)
    }

    /// Adds an operation, allowed by role and type, to its record's versions; what the record
    /// comes to is worked out when the transaction ends.
    mutating func addVersion(
        _ local: LocalName, kind: RecordsBlock.Kind, clock: Timestamp, wall: WallTime,
        parents: some Sequence<OperationName>, content: VersionContent, to name: RecordName,
        in form: FormTable
    ) throws {
        let record = try sideRecord(making: name, in: form)
        try versions.add(
            local, of: record, kind: kind, clock: clock, wall: wall, parents: parents,
            content: content)
        dirty.insert(record)
    }

    /// The number of a record in the side tables; nil if it is only a row of its form's table,
    /// or nothing at all.
    func sideRecord(_ id: RecordID, _ creator: Int64, _ form: FormTable) throws -> Int64? {
        try database.integer(
            "SELECT record FROM _record WHERE form = ?1 AND creator = ?2 AND id = ?3",
            .integer(form.number), .integer(creator), .blob(id.bytes))
    }

    /// The number of a record in the side tables, where it is put if it was not there: with its
    /// one version, if it is a row of its form's table; hidden, if it is not.
    func sideRecord(making name: RecordName, in form: FormTable) throws -> Int64 {
        let creator = try devices.number(of: name.creator)
        if let record = try sideRecord(name.id, creator, form) { return record }
        let row = try plainRow(name, in: form)
        try database.run(
            """
            INSERT INTO _record(form, creator, id, created, hidden, item)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6)
            """, .integer(form.number), .integer(creator), .blob(name.id.bytes),
            .integer(row == nil ? 0 : 1), .integer(row == nil ? 1 : 0),
            try row.map { try itemOfPlain($0, name) } ?? .null)
        let record = database.lastRowID
        if let row {
            try versions.add(
                row.local, of: record, kind: .put, clock: row.clock,
                wall: WallTime(ofPut: name.id, clock: row.clock), parents: [],
                content: VersionContent(values: row.values))
            try database.run(
                "UPDATE \(form.quoted) SET _version = ?1 WHERE _id = ?2 AND _author = ?3",
                .integer(-record), .text(name.id.text), .integer(creator))
        }
        return record
    }

    /// A record that is only a row of its form's table.
    struct PlainRow {
        let local: LocalName
        let clock: Timestamp
        /// Sorted by field.
        let values: [VersionContent.Entry]
    }

    /// The row of a record that has no side tables. The table keeps values to the bit, and a put
    /// writes no absent ones, so the row is the put.
    func plainRow(_ name: RecordName, in form: FormTable) throws -> PlainRow? {
        guard let creator = try devices.find(name.creator) else { return nil }
        var sql = "SELECT _version, _clock"
        for column in form.columns { sql += "," + SQLName.quote(column.name) }
        sql += " FROM \(form.quoted) WHERE _id = ?1 AND _author = ?2"
        let statement = try database.cached(sql)
        defer { statement.clear() }
        try statement.bind([.text(name.id.text), .integer(creator)])
        guard try statement.step(), statement.integer(0) > 0 else { return nil }
        var values: [VersionContent.Entry] = []
        for (position, column) in form.columns.enumerated() {
            let value = FieldValue(statement.value(Int32(position + 2)))
            if value != .absent {
                values.append(
                    VersionContent.Entry(field: column.field(of: value), value: value))
            }
        }
        return PlainRow(
            local: LocalName(rawValue: statement.integer(0)),
            clock: Timestamp(rawValue: UInt64(max(statement.integer(1), 0))) ?? .latest,
            values: values)
    }

    /// A record's versions, also where it is only a row.
    ///
    /// - Throws: `StoreError.unknownRecord`.
    func allVersions(
        of name: RecordName, in forms: FormTables, comments: VersionTable.Remarks = .left
    ) throws -> StoredVersions {
        guard let form = forms.catalog.forms[name.form],
            let creator = try devices.find(name.creator)
        else { throw StoreError.unknownRecord(name.id.text) }
        if let record = try sideRecord(name.id, creator, form) {
            return try versions.all(of: record, comments: comments)
        }
        guard let row = try plainRow(name, in: form) else {
            throw StoreError.unknownRecord(name.id.text)
        }
        var stored = StoredVersions(record: nil)
        guard comments == .left else { return stored }
        let content = VersionContent(values: row.values.sorted { $0.field < $1.field })
        let sealed = try names.sealedName(row.local)
        let version = RecordVersion(
            name: sealed ?? OperationName(batch: .open(row.local.batch), index: row.local.index),
            author: name.creator, clock: row.clock, parents: [], writes: content.writes(as: .put))
        stored.versions.addBatch(version.name.batch, by: version.author)
        stored.versions.append(
            at: row.local.index, clock: row.clock,
            shape: stored.versions.shape(.put, writing: version.writes))
        stored.rows = [row.local.batch]
        stored.isOpen = [sealed == nil]
        stored.plain = StoredVersion(
            local: row.local, version: version, kind: .put,
            wall: WallTime(ofPut: name.id, clock: row.clock), isPending: sealed == nil,
            content: content)
        return stored
    }

    /// The part of the digest that a plain row adds; null if it is not sealed.
    private func itemOfPlain(_ row: PlainRow, _ name: RecordName) throws -> SQLValue {
        guard let operation = try names.sealedName(row.local) else { return .null }
        let values = row.values.map {
            RecordItem.Value(
                name: $0.field.name, type: $0.field.type.rawValue, value: $0.value,
                version: operation)
        }
        return .blob(
            RecordItem.digest(name, values: values, heads: [operation], review: nil, items).bytes)
    }

}

extension FieldValue {
    init(_ value: SQLValue) {
        switch value {
        case .null, .blob: self = .absent
        case .integer(let value): self = .integer(value)
        case .real(let value): self = .decimal(value)
        case .text(let value): self = .text(value)
        }
    }

    var sql: SQLValue {
        switch self {
        case .absent: .null
        case .integer(let value): .integer(value)
        case .decimal(let value): .real(value)
        case .text(let value): .text(value)
        }
    }
}
