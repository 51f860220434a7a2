import ShareCore
import ShareCrypto

/// Batches by their rows.
extension BatchLog {

    /// Batches of records in the order of their rows.
    func heldBatches(
        _ condition: String, limit: Int = .max, _ values: SQLValue...
    ) throws -> [HeldBatch] {
        let statement = try database.cached(
            """
            SELECT \(BatchLog.heldColumns) FROM _batch b \(condition)
            ORDER BY b.batch LIMIT \(limit)
            """)
        defer { statement.clear() }
        try statement.bind(values)
        var batches: [HeldBatch] = []
        while try statement.step() { batches.append(try heldBatch(statement)) }
        return batches
    }

    /// The greatest number in the log of records of the author of a batch `b`.
    private static let lastNumber =
        "(SELECT coalesce(max(number), 0) FROM _head h WHERE h.author = b.author AND h.kind = 1)"

    /// The first columns of a statement that `heldBatch` reads a batch `b` from, an open one with
    /// the number that it will get at the least.
    static let heldColumns = """
        b.batch, b.id, b.author, b.state, CASE b.state WHEN 1 THEN 1
        + \(lastNumber)
        + (SELECT count(*) FROM _batch o WHERE o.state = 1 AND o.batch < b.batch)
        ELSE b.number END
        """

    /// The batch that a row begins with.
    func heldBatch(_ row: Statement) throws -> HeldBatch {
        let batch = row.integer(0)
        let author = row.integer(2)
        let isOpen = row.integer(3) == 1
        guard let id = isOpen ? BatchID.open(batch) : Digest(row.blob(1)).map({ BatchID($0) })
        else { throw StoreError.damaged("batch \(batch)") }
        return HeldBatch(
            batch: batch, id: id, number: UInt64(max(row.integer(4), 0)),
            author: try devices.key(of: author), authorNumber: author, isOpen: isOpen)
    }

    func openHeld(_ batch: Int64) throws -> HeldBatch {
        guard let held = try heldBatches("WHERE b.batch = ?1", .integer(batch)).first else {
            throw StoreError.damaged("batch \(batch)")
        }
        return held
    }

    /// A sealed batch as it is stored.
    func bytes(of batch: Int64) throws -> [UInt8] {
        guard
            case .blob(let bytes)? = try database.row(
                "SELECT bytes FROM _batch WHERE batch = ?1", .integer(batch))?.first
        else { throw StoreError.damaged("batch \(batch)") }
        return bytes
    }

    /// Reads a batch back that was checked before it was stored.
    func readBatch(_ bytes: [UInt8], at row: Int64) throws -> Batch {
        do throws(EnvelopeError) {
            return try Batch(trusted: bytes)
        } catch {
            throw StoreError.damaged("batch \(row): \(error)")
        }
    }

    /// Goes through the batches of a log by number. Rows whose ids cannot be read are passed
    /// over.
    func eachBatch(of author: Int64, _ kind: LogKind, _ body: (LogRow) throws -> Void) throws {
        let statement = try database.prepare(
            """
            SELECT number, id, previous, wall, operations, batch FROM _batch
            WHERE author = ?1 AND kind = ?2 AND state = 0 ORDER BY number
            """)
        try statement.bind([.integer(author), .integer(Int64(kind.rawValue))])
        while try statement.step() {
            guard let head = LogHead(statement.integer(0), statement.blob(1)),
                let previous = Digest(statement.blob(2))
            else { continue }
            try body(
                LogRow(
                    row: statement.integer(5), head: head, previous: BatchID(previous),
                    wall: WallTime(milliseconds: UInt64(max(statement.integer(3), 0))),
                    operations: Int(max(statement.integer(4), 0))))
        }
    }

    /// The batches of a records log that are among `ends` or before them; without `ends` all.
    func batches(of author: Int64, upTo ends: [LogHead]?) throws -> [LogRow] {
        var batches: [LogRow] = []
        try eachBatch(of: author, .records) { batches.append($0) }
        guard let ends else { return batches }
        var shown = Set(ends.map(\.batch))
        for batch in batches.reversed() where shown.contains(batch.head.batch) {
            shown.insert(batch.previous)
        }
        return batches.filter { shown.contains($0.head.batch) }
    }

    /// Calls `body` with each control batch and its row, in the order in which they came: one at a
    /// time, as lists can be long.
    func eachControl(_ body: (Int64, Batch) throws -> Void) throws {
        let statement = try database.prepare(
            "SELECT batch, bytes FROM _batch WHERE kind = 0 AND state = 0 ORDER BY batch")
        while try statement.step() {
            let row = statement.integer(0)
            try body(row, try readBatch(statement.blob(1), at: row))
        }
    }

    /// The body of a sealed batch; nil where its author has made it malformed.
    ///
    /// - Throws: `StoreError.damaged` where the disk has.
    func body(of held: HeldBatch) throws -> Body? {
        let bytes = try bytes(of: held.batch)
        let batch = try readBatch(bytes, at: held.batch)
        do throws(BodyError) {
            return try batch.openBody()
        } catch {
            guard (try? Batch(verifying: bytes)) != nil else {
                throw StoreError.damaged("batch \(held.batch): \(error)")
            }
            return nil
        }
    }

    // MARK: Batches that are being filled

    /// The batches that are being filled here, in the order in which they will be sealed.
    func open() throws -> [HeldBatch] {
        // Each as `heldColumns` has it, without counting those before it: there may be thousands.
        let statement = try database.cached(
            """
            SELECT b.batch, b.id, b.author, b.state, row_number() OVER (ORDER BY b.batch)
            + \(BatchLog.lastNumber)
            FROM _batch b WHERE b.state = 1 ORDER BY b.batch
            """)
        defer { statement.clear() }
        var batches: [HeldBatch] = []
        while try statement.step() { batches.append(try heldBatch(statement)) }
        return batches
    }

    /// The first batch that is being filled here; nil without any.
    func firstOpen() throws -> HeldBatch? {
        try heldBatches("WHERE b.state = 1", limit: 1).first
    }

    /// Whether batches are being filled here under another key than this.
    func hasOpen(besides author: DeviceKey) throws -> Bool {
        try database.row(
            """
            SELECT 1 FROM _batch b JOIN _device d ON d.device = b.author
            WHERE b.state = 1 AND d.key <> ?1 LIMIT 1
            """, .blob(author.bytes)) != nil
    }

    /// A new batch behind all others.
    func addOpen(by author: DeviceKey) throws -> HeldBatch {
        try database.run(
            "INSERT INTO _batch(author, kind, operations, state) VALUES(?1, 1, 0, 1)",
            .integer(try devices.number(of: author)))
        return try openHeld(database.lastRowID)
    }

    func removeOpen(_ open: HeldBatch) throws {
        try database.run("DELETE FROM _batch WHERE batch = ?1 AND state = 1", .integer(open.batch))
    }

    /// Gives a batch that is being filled another author.
    func renew(_ open: HeldBatch, by author: DeviceKey) throws -> HeldBatch {
        try database.run(
            "UPDATE _batch SET author = ?2 WHERE batch = ?1 AND state = 1", .integer(open.batch),
            .integer(try devices.number(of: author)))
        return try openHeld(open.batch)
    }

    /// The local names of the operations of a batch `b`.
    static let namesInBatch = "BETWEEN b.batch * 8192 AND b.batch * 8192 + 8191"

    /// How many operations are in a batch `b`, also in one that is being filled.
    static let operationsInBatch = """
        CASE b.state WHEN 0 THEN b.operations ELSE (SELECT coalesce(sum(p.count), 0)
        FROM _pending p WHERE p.operation \(namesInBatch)) END
        """

}

/// A batch of records in the file: sealed, or still being filled here.
struct HeldBatch {
    let batch: Int64
    /// For an open batch a stand-in (`BatchID.open`).
    let id: BatchID
    let number: UInt64
    let author: DeviceKey
    let authorNumber: Int64
    let isOpen: Bool

    var head: LogHead { LogHead(number: number, batch: id) }

    func local(_ index: Int) -> LocalName { LocalName(batch: batch, index: index) }
}

/// A sealed batch of a log as its row says, without its bytes.
struct LogRow {
    let row: Int64
    let head: LogHead
    let previous: BatchID
    /// When it was sealed, by its author's clock.
    let wall: WallTime
    let operations: Int
}

/// Ids and authors of batches by their rows: the tables name operations by these.
struct BatchNames {
    let database: Database
    let devices: DeviceTable

    /// The name that everyone knows an operation by; nil if its batch is still open.
    func sealedName(_ local: LocalName) throws -> OperationName? {
        guard
            case .blob(let id)? = try database.row(
                "SELECT id FROM _batch WHERE batch = ?1 AND state <> 1", .integer(local.batch))?
                .first, let digest = Digest(id)
        else { return nil }
        return OperationName(batch: BatchID(digest), index: local.index)
    }

    /// The id of a batch, nil while it is being filled, and its author; nil where there is none.
    func batch(_ row: Int64) throws -> (id: BatchID?, author: DeviceKey)? {
        let statement = try database.cached("SELECT id, author FROM _batch WHERE batch = ?1")
        defer { statement.clear() }
        try statement.bind(.integer(row), at: 1)
        guard try statement.step() else { return nil }
        let author = try devices.key(of: statement.integer(1))
        if statement.isNull(0) { return (nil, author) }
        return (Digest(statement.blob(0)).map { BatchID($0) } ?? .thisBatch, author)
    }
}

extension LogHead {
    /// A head from a row; nil where the id is none.
    init?(_ number: Int64, _ id: [UInt8]) {
        guard let digest = Digest(id) else { return nil }
        self.init(number: UInt64(max(number, 0)), batch: BatchID(digest))
    }

    /// A head from two columns of a row; nil where they hold none.
    init?(_ number: SQLValue, _ id: SQLValue) {
        guard case .integer(let number) = number, case .blob(let id) = id else { return nil }
        self.init(number, id)
    }
}
