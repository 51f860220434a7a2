package import ShareCore
package import ShareCrypto

/// Reads a room's records over a connection of its own, so that a long list or an export never
/// keeps the writer waiting.
package actor RoomReader {
    let database: Database
    let functions = RowFunctions()
    let devices: DeviceTable
    /// Whether what forms have against their records can be read.
    private let hasFlags: Bool
    private let executor: QueueExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Opens the file of a room that a `RoomStore` has made.
    ///
    /// - Parameter hasFlags: whether conditions may ask what a form has against a record, and
    ///   records come with it; a `RowFollower` has to have made a step there.
    /// - Throws: `StoreError.newerSchema`, `SQLiteError`.
    package init(path: String, vfs: String? = nil, hasFlags: Bool = false) throws {
        self.hasFlags = hasFlags
        executor = QueueExecutor(label: "room reader")
        database = try Database(path: path, access: .readOnly, vfs: vfs)
        try Schema.room.check(database)
        devices = DeviceTable(database)
        try functions.define(in: database)
        // Who has asked and left keeps nobody else waiting.
        database.endsWhenCancelled()
        if hasFlags { try EntryFlags.attach(to: database, besides: path) }
    }

    /// Calls `body` with each record wanted, from one unchanging view of the room, until it
    /// returns false; last with entries that are withheld.
    ///
    /// - Parameters:
    ///   - form: as `RoomStore` gave it; after a change of the form ask it again.
    ///   - isWhole: whether the rows of its repeats come along.
    package func list(
        _ form: FormInfo, _ query: RecordQuery = RecordQuery(), isWhole: Bool = false,
        _ body: @Sendable (RecordRow) throws -> Bool
    ) throws {
        try database.snapshot {
            let withheld = try WithheldEntries(database: database).page(of: form, query)
            var count = 0
            if !withheld.isBehindTable {
                let statement = try select(form, query)
                var columns = RecordColumns(
                    form, devices, hasFlags: hasFlags, hasTrails: query.wantsTrails,
                    hasOrigins: query.wantsOrigins)
                let repeats = RepeatRows(database, devices)
                let changes = query.wantsTrails ? try WithheldChanges(database) : nil
                while try statement.step() {
                    var row = try columns.row(statement)
                    if let changes {
                        row.trail?.hasWithheldChange = try changes.areThere(of: row.name.id)
                    }
                    if isWhole { try repeats.fill(&row, of: form) }
                    guard try body(row) else { return }
                    count += 1
                }
            }
            var rows = Array(withheld.rows.prefix((query.limit ?? .max) - count))
            if isWhole { try WithheldEntries(database: database).fill(&rows, of: form) }
            for row in rows {
                guard try body(row) else { return }
            }
        }
    }

    /// The records wanted, of one moment, for results that are known to be short.
    package func records(
        _ form: FormInfo, _ query: RecordQuery = RecordQuery()
    ) throws -> [RecordRow] {
        try database.snapshot {
            let withheld = try WithheldEntries(database: database).page(of: form, query)
            var rows: [RecordRow] = []
            if !withheld.isBehindTable {
                let statement = try select(form, query)
                var columns = RecordColumns(
                    form, devices, hasFlags: hasFlags, hasTrails: query.wantsTrails,
                    hasOrigins: query.wantsOrigins)
                while try statement.step() { rows.append(try columns.row(statement)) }
            }
            return rows + withheld.rows.prefix((query.limit ?? .max) - rows.count)
        }
    }

    /// Conditions and orders of a form's records as SQL.
    func sql(of form: FormInfo) throws -> RecordSQL {
        try RecordSQL(form, functions, in: database)
    }

    private func select(_ form: FormInfo, _ query: RecordQuery) throws -> Statement {
        var sql = try sql(of: form)
        let columns = RecordColumns.sql(
            form, hasFlags: hasFlags, hasTrails: query.wantsTrails,
            hasOrigins: query.wantsOrigins, reach: query.reach)
        let table = SQLName.quote(form.table)
        let order = try sql.orderClause(query)
        var wanted = try sql.whereClause(query.conditions, after: try position(of: query, in: form))
        if let limit = query.limit {
            let first = "\(order) LIMIT \(sql.values.add(.integer(Int64(limit))))"
            // Before it sorts, SQLite works out what is selected for each row that may come.
            wanted =
                query.order.isEmpty
                ? wanted + first
                : " WHERE rowid IN (SELECT rowid FROM \(table)\(wanted)\(first))\(order)"
        } else {
            wanted += order
        }
        let text = "SELECT \(columns) FROM \(table)\(wanted)"
        let statement = try database.prepare(text)
        try statement.bind(sql.values.all)
        return statement
    }

    /// Where a page begins: what the record before it is sorted by.
    private func position(of query: RecordQuery, in form: FormInfo) throws -> RecordSQL.Cursor? {
        guard let name = query.after else { return nil }
        var values: [SQLValue] = []
        if !query.order.isEmpty {
            let columns = try query.order.map { try RecordSQL.column($0.subject, form) }
            guard
                let row = try database.row(
                    """
                    SELECT \(columns.joined(separator: ", ")) FROM \(SQLName.quote(form.table))
                    WHERE _id = ?1 AND _author = ?2
                    """, .text(name.id.text),
                    try devices.find(name.creator).map { .integer($0) } ?? .null)
            else { throw StoreError.unknownRecord(name.id.text) }
            values = row
        }
        values += [.text(name.id.text), .text(name.creator.text)]
        return RecordSQL.Cursor(order: RecordSQL.order(query), values: values)
    }

    /// One record with the rows of its repeats; nil if it is not shown.
    ///
    /// - Parameter wantsOrigin: whether it is wanted under which version of the form it was made.
    package func record(
        _ name: RecordName, in form: FormInfo, wantsOrigin: Bool = false
    ) throws -> RecordRow? {
        try database.snapshot {
            var query = RecordQuery(where: [
                RecordQuery.Condition(.id, equals: .text(name.id.text)),
                RecordQuery.Condition(.author, equals: .text(name.creator.text)),
            ])
            query.wantsOrigins = wantsOrigin
            let row = try records(form, query).first
            guard var found = row else { return nil }
            guard !found.isWithheld else {
                var rows = [found]
                try WithheldEntries(database: database).fill(&rows, of: form)
                return rows[0]
            }
            try RepeatRows(database, devices).fill(&found, of: form)
            return found
        }
    }

    /// The one record of an id: in full, or its last characters, with `@` and the beginning of
    /// its creator's key where several answer to it.
    ///
    /// - Parameter deleted: whether it may be a deleted one.
    /// - Throws: `StoreError.unknownRecord`, `StoreError.ambiguousRecord`.
    /// - Complexity: O(log n) for an id in full; a part of one is looked for in all ids.
    package func find(
        _ text: String, in forms: [FormInfo], deleted: Bool = false
    ) throws -> RecordName {
        guard let wanted = RecordText(text) else { throw StoreError.unknownRecord(text) }
        guard wanted.id.utf8.count >= RecordText.shortest else {
            throw StoreError.shortRecord(text)
        }
        // Of one moment: an entry that is deleted, or sent, meanwhile would be found twice.
        let found = try database.snapshot {
            let shown = try forms.flatMap { try self.shown(wanted, in: $0) }
            return try shown + (deleted ? self.deleted(wanted) : [])
        }
        guard let first = found.first else { throw StoreError.unknownRecord(text) }
        guard found.count == 1 else { throw StoreError.ambiguousRecord(found) }
        return first
    }

    /// So many records that answer to an id are looked for at most, in each form.
    private static let answers = 20

    /// How many records of a form have a value in a column, or such a one; of a repeat, how many
    /// have rows with it.
    ///
    /// - Complexity: O(records).
    package func count(
        of column: FormInfo.Column, in form: FormInfo, where condition: RecordQuery.Condition? = nil
    ) throws -> Int {
        var sql = try sql(of: form)
        let isThere = RecordQuery.Condition.compare(.column(column.name), .unequal, .absent)
        let filter = try sql.whereClause([condition ?? isThere])
        let statement = try database.prepare(
            "SELECT count(\(form.form.isRepeat ? "DISTINCT _parent" : "*"))"
                + " FROM \(SQLName.quote(form.table))\(filter)")
        try statement.bind(sql.values.all)
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    /// The devices that have shown records of these ids.
    ///
    /// - Complexity: O(ids · log records).
    package func creators(
        of ids: Set<RecordID>, in form: FormInfo
    ) throws -> [RecordID: [DeviceKey]] {
        let statement = try database.prepare(
            "SELECT _author FROM \(SQLName.quote(form.table)) WHERE _id = ?1")
        var found: [RecordID: [DeviceKey]] = [:]
        for id in ids {
            try statement.bind([.text(id.text)])
            while try statement.step() {
                found[id, default: []].append(try devices.key(of: statement.integer(0)))
            }
            statement.clear()
        }
        return found
    }

    /// The greatest number that a row of each of these records has in a repeat, by what the rows
    /// have in `_parent`; records without rows are not among them.
    ///
    /// - Complexity: O(parents · log rows).
    package func lastNumbers(
        of parents: some Sequence<FieldValue>, in form: FormInfo
    ) throws -> [(parent: FieldValue, number: Int64)] {
        let statement = try database.prepare(
            "SELECT max(_index) FROM \(SQLName.quote(form.table)) WHERE _parent = ?1")
        var found: [(FieldValue, Int64)] = []
        for case .text(let parent) in parents {
            try statement.bind([.text(parent)])
            if try statement.step(), case .integer(let number) = statement.value(0) {
                found.append((.text(parent), number))
            }
            statement.clear()
        }
        return found
    }

    private func shown(_ wanted: RecordText, in form: FormInfo) throws -> [RecordName] {
        let condition =
            wanted.full == nil ? "substr(_id, -\(wanted.id.utf8.count)) = ?1" : "_id = ?1"
        let statement = try database.prepare(
            """
            SELECT _id, _author FROM \(SQLName.quote(form.table)) WHERE \(condition)
            AND substr(\(DeviceTable.authorID), 5, \(wanted.device.utf8.count)) = ?2
            LIMIT \(RoomReader.answers)
            """)
        try statement.bind([.text(wanted.full?.text ?? wanted.id), .text(wanted.device)])
        var found: [RecordName] = []
        while try statement.step() {
            guard let id = RecordID(text: statement.text(0)) else { continue }
            let creator = try devices.key(of: statement.integer(1))
            found.append(RecordName(form: form.formID, creator: creator, id: id))
        }
        found += try WithheldEntries(database: database).rows(of: form).map(\.name).filter { name in
            let isWanted = wanted.full.map { $0 == name.id } ?? name.id.text.hasSuffix(wanted.id)
            return isWanted && name.creator.text.dropFirst(4).hasPrefix(wanted.device)
        }
        return found
    }

    /// Whose deleted records of a form have these ids.
    ///
    /// - Complexity: O(ids · log records).
    package func deleted(
        _ ids: Set<RecordID>, of form: String
    ) throws -> [RecordID: [DeviceKey]] {
        let statement = try database.prepare(
            """
            SELECT d.key FROM _record r JOIN _device d ON d.device = r.creator
            JOIN _form f ON f.form = r.form
            WHERE r.hidden AND r.created AND r.id = ?1 AND f.form_id = ?2
            """)
        var found: [RecordID: [DeviceKey]] = [:]
        for id in ids {
            try statement.bind([.blob(id.bytes), .text(form)])
            while try statement.step() {
                if let creator = DeviceKey(statement.blob(0)) {
                    found[id, default: []].append(creator)
                }
            }
            statement.clear()
        }
        return found
    }

    /// Deleted records stand in no form's table.
    private func deleted(_ wanted: RecordText) throws -> [RecordName] {
        let condition: String
        let value: SQLValue
        if let full = wanted.full {
            (condition, value) = ("r.id = ?1", .blob(full.bytes))
        } else {
            let digits = wanted.id.filter { $0 != "-" }
            condition = "substr(lower(hex(r.id)), -\(digits.utf8.count)) = ?1"
            value = .text(digits)
        }
        let statement = try database.prepare(
            """
            SELECT r.id, d.key, f.form_id FROM _record r JOIN _device d ON d.device = r.creator
            JOIN _form f ON f.form = r.form WHERE r.hidden AND r.created AND \(condition)
            """)
        try statement.bind([value])
        var found: [RecordName] = []
        while found.count < RoomReader.answers, try statement.step() {
            guard let id = RecordID(statement.blob(0)), let creator = DeviceKey(statement.blob(1)),
                creator.text.dropFirst(4).hasPrefix(wanted.device)
            else { continue }
            found.append(RecordName(form: statement.text(2), creator: creator, id: id))
        }
        return found
    }
}

extension FormInfo.Column {
    /// The values that are shown, as an expression of its form's table.
    var sql: String {
        let own = SQLName.quote(name)
        return whole == nil ? own : "CAST(\(own) AS REAL)"
    }
}
