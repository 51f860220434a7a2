import ShareCore
import ShareCrypto

/// What the accepted operations on records come to: the rows of the forms' tables, and the
/// operations on records that have more than one, or that are not shown.
///
/// Beside the rows it owns `_record`, and works on two parts of its own: the versions of records and
/// their conflicts. When a transaction ends each row is what its record's versions come to, and
/// `sum` is that of the digest items of all records. A record that was only ever created is its row
/// and nothing else. It knows neither logs nor roles: what comes here is allowed.
struct RecordTables {
    let database: Database
    let devices: DeviceTable
    let names: BatchNames
    let versions: VersionTable
    var conflicts: ConflictTables
    let touched: TouchedRows
    let items = ItemWriter()
    /// The records' share of the room's digest.
    var sum = StateDigest.zero
    /// Records to be looked at again before the transaction ends.
    var dirty: Set<Int64> = []

    init(_ database: Database, _ devices: DeviceTable, _ names: BatchNames) {
        self.database = database
        self.devices = devices
        self.names = names
        versions = VersionTable(database: database, names: names)
        conflicts = ConflictTables(database, versions)
        touched = TouchedRows(database: database)
    }

    mutating func load() throws {
        sum = .zero
        dirty = []
        if case .blob(let bytes)? = try database.row(
            "SELECT value FROM _meta WHERE key = 'records_digest'")?.first,
            let sum = StateDigest(bytes)
        {
            self.sum = sum
        }
    }

    /// Drops all but the forms' own tables.
    mutating func removeAll() throws {
        try database.execute("DELETE FROM _record")
        try versions.removeAll()
        try conflicts.removeAll()
        try touched.beginAnew()
        sum = .zero
        dirty = []
    }

    /// Writes the sum back, at the end of a transaction.
    func persist() throws {
        try database.run(
            "INSERT OR REPLACE INTO _meta(key, value) VALUES('records_digest', ?1)",
            .blob(sum.bytes))
        try touched.persist()
    }

    /// Brings all records that were touched up to date, each once.
    mutating func recompute(_ forms: inout FormTables) throws {
        while let record = dirty.popFirst() { try recompute(record, &forms) }
    }

    private mutating func recompute(_ record: Int64, _ forms: inout FormTables) throws {
        guard
            let row = try database.row(
                "SELECT form, creator, id, hidden, item FROM _record WHERE record = ?1",
                .integer(record)),
            case .integer(let formNumber) = row[0], case .integer(let creator) = row[1],
            case .blob(let bytes) = row[2], let id = RecordID(bytes)
        else { return }
        let wasShown = row[3] == 0
        if case .blob(let item) = row[4], let old = StateDigest(item) { sum -= old }
        let position = ConflictTrace.RecordKey(form: formNumber, creator: creator, id: id)
        let key = try devices.key(of: creator)
        let stored = try versions.all(of: record)
        guard let form = forms.catalog.byNumber[formNumber], stored.versions.count > 0 else {
            if wasShown, let form = forms.catalog.byNumber[formNumber] {
                try deleteRow(id, creator, form, &forms)
            }
            try conflicts.note(nil, record, at: position)
            if try versions.hasAny(on: record) {
                try note(record, created: false, hidden: true, changed: false, item: nil)
            } else {
                try database.run("DELETE FROM _record WHERE record = ?1", .integer(record))
            }
            return
        }
        let name = RecordName(form: form.formID, creator: key, id: id)
        let accepted = try RecordOutcome(stored.sealed, in: versions)
        let shown = stored.hasPending ? try RecordOutcome(stored, in: versions) : accepted
        let item = accepted.isCreated ? accepted.digest(of: name, items) : nil
        if let item { sum += item }

        let isShown = shown.isCreated && !shown.isDeleted
        if isShown {
            try writeRow(shown, record, name, form, &forms, exists: wasShown)
        } else if wasShown {
            try deleteRow(id, creator, form, &forms)
        }
        try conflicts.note(shown.isCreated ? shown : nil, record, at: position)
        try note(
            record, created: shown.isCreated, hidden: !isShown, changed: shown.isChangedSinceReview,
            item: item)
    }

    private func note(
        _ record: Int64, created: Bool, hidden: Bool, changed: Bool, item: StateDigest?
    ) throws {
        try database.run(
            """
            UPDATE _record SET created = ?2, hidden = ?3, changed_since_review = ?4, item = ?5
            WHERE record = ?1
            """, .integer(record), .integer(created ? 1 : 0), .integer(hidden ? 1 : 0),
            .integer(changed ? 1 : 0), item.map { .blob($0.bytes) } ?? .null)
    }

    private func deleteRow(
        _ id: RecordID, _ creator: Int64, _ form: FormTable, _ forms: inout FormTables
    ) throws {
        let statement = try database.cached(
            "DELETE FROM \(form.quoted) WHERE _id = ?1 AND _author = ?2 RETURNING rowid")
        defer { statement.clear() }
        try statement.bind([.text(id.text), .integer(creator)])
        var gone: [Int64] = []
        while try statement.step() { gone.append(statement.integer(0)) }
        try touched.noteGone(gone, of: form)
        forms.count(shown: -gone.count, in: form.number)
    }

    private func writeRow(
        _ outcome: RecordOutcome, _ record: Int64, _ name: RecordName, _ form: FormTable,
        _ forms: inout FormTables,
        exists: Bool
    ) throws {
        let columns =
            ["_created", "_updated", "_state", "_version", "_clock"] + form.columns.map(\.name)
        let sql: String
        if exists {
            let assignments = columns.enumerated()
                .map { "\(SQLName.quote($1)) = ?\($0 + 3)" }.joined(separator: ",")
            sql =
                "UPDATE \(form.quoted) SET \(assignments) WHERE _id = ?1 AND _author = ?2"
                + " RETURNING rowid"
        } else {
            let positions = (1...columns.count + 2).map { "?\($0)" }.joined(separator: ",")
            let names = columns.map { SQLName.quote($0) }.joined(separator: ",")
            sql = "INSERT INTO \(form.quoted)(_id,_author,\(names)) VALUES(\(positions))"
            forms.count(shown: 1, in: form.number)
        }
        let updated =
            try outcome.latest.map { try versions.wall(of: $0, in: outcome.stored) }
            ?? WallTime(outcome.updated)
        let statement = try database.cached(sql)
        try statement.bind(
            [
                .text(name.id.text), .integer(try devices.number(of: name.creator)),
                .integer(
                    Int64(WallTime(ofPut: name.id, clock: outcome.created).milliseconds)),
                .integer(Int64(updated.milliseconds)),
                outcome.review?.state.map { .text($0) } ?? .null, .integer(-record),
                .integer(Int64(outcome.updated.rawValue)),
            ] + form.columns.map { outcome.value(of: $0.field, or: $0.whole).sql })
        try touched.note(statement, of: form)
        statement.clear()
    }

    // MARK: Fields that lose their column, or get one

    /// Rows looked at in one go.
    static let rowsAtOnce = 1_000

    /// Columns asked for in one expression, which may not be too deep.
    static let columnsAtOnce = 100

    /// Before fields lose their columns: makes versions of the rows that have a value there.
    func keepValues(of fields: Set<FormField>, in form: FormTable) throws {
        let columns = fields.sorted(by: <).compactMap { form.names[$0] }
        for first in stride(from: 0, to: columns.count, by: RecordTables.columnsAtOnce) {
            let some = columns[first..<min(first + RecordTables.columnsAtOnce, columns.count)]
                .map { "\(SQLName.quote($0)) IS NOT NULL" }.joined(separator: " OR ")
            var rows: [[SQLValue]]
            repeat {
                // A row with versions is not found again.
                rows = try database.rows(
                    """
                    SELECT _id, _author FROM \(form.quoted)
                    WHERE _version > 0 AND (\(some)) LIMIT \(RecordTables.rowsAtOnce)
                    """)
                for row in rows {
                    guard case .text(let id) = row[0], case .integer(let author) = row[1],
                        let id = RecordID(text: id)
                    else { throw StoreError.damaged("a row of \(form.table)") }
                    let creator = try devices.key(of: author)
                    _ = try sideRecord(
                        making: RecordName(form: form.formID, creator: creator, id: id), in: form)
                }
            } while !rows.isEmpty
        }
    }

    /// Where fields have got a column at last: writes the rows of records with versions anew.
    mutating func showAgain(_ form: FormTable) throws {
        for row in try database.rows(
            "SELECT record FROM _record WHERE form = ?1", .integer(form.number))
        {
            if case .integer(let record) = row[0] { dirty.insert(record) }
        }
    }

}
