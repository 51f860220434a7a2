package import ShareCore
import ShareCrypto

/// Operations that were made here and are not sealed: in its table `_pending`, block by block,
/// each under the name that it has for good in this file; and the clock that gave them theirs.
///
/// A batch that is being filled has its row in the log, with no id yet, and its operations here
/// and nowhere else. The clock in the file is never behind what is in it.
struct PendingEntries {
    /// Bytes of operations in a batch that is being filled, each block counted with its head as if
    /// no other were joined to it.
    static let batchSize = 900 << 10

    /// The batch that takes the next operation.
    struct OpenBatch {
        var batch: Int64
        var count: Int
        /// Bytes that its operations will take at most.
        var size: Int
    }

    let own: DeviceKey
    let database: Database
    var clock = HybridClock()
    var open: OpenBatch?
    /// Whether the last sealing kept something back as it would be above the room's quota.
    var isAboveQuota = false
    /// Blocks of a transaction that seals what it enters, by the names of their first operations:
    /// most never come into the table. Nil in any other.
    private var deferred: [(name: LocalName, block: RecordsBlock)]?

    init(own: DeviceKey, _ database: Database) {
        self.own = own
        self.database = database
    }

    mutating func load() throws {
        if let raw = try database.integer("SELECT value FROM _meta WHERE key = 'clock'") {
            clock = HybridClock(last: Timestamp(rawValue: UInt64(max(raw, 0))) ?? .latest)
        }
        try loadOpen()
    }

    /// Takes the last batch that is being filled for the one that takes the next operation.
    mutating func loadOpen() throws {
        open = nil
        guard
            let batch = try database.integer("SELECT max(batch) FROM _batch WHERE state = 1")
        else { return }
        let range = LocalName.range(of: batch)
        let row = try database.row(
            """
            SELECT coalesce(max(operation + count) - ?1, 0), coalesce(sum(length(block)), 0)
            FROM _pending WHERE operation BETWEEN ?1 AND ?2
            """, .integer(range.first), .integer(range.last))
        guard case .integer(let count)? = row?[0], case .integer(let size)? = row?[1] else {
            return
        }
        open = OpenBatch(batch: batch, count: Int(count), size: Int(size))
    }

    /// Writes the clock back, at the end of a transaction.
    func persist() throws {
        try database.run(
            "INSERT OR REPLACE INTO _meta(key, value) VALUES('clock', ?1)",
            .integer(Int64(clock.last.rawValue)))
    }

    func count() throws -> Int {
        Int(try database.integer("SELECT sum(count) FROM _pending") ?? 0)
    }

    func isEmpty() throws -> Bool { try database.row("SELECT 1 FROM _pending LIMIT 1") == nil }

    /// What they come to for people, where operations of these definitions are on rows of repeats.
    ///
    /// - Complexity: O(blocks); with rows of repeats O(operations), as far as these are looked at.
    func tally(
        _ repeats: Set<OperationName>,
        entry: (RecordsBlock, RecordsBlock.Row) throws -> RecordID?
    ) throws -> EntryTally {
        var tally = EntryTally()
        var count = 0
        // Without a word of the blocks, as sorting would read all of them.
        for row in try database.rows(
            "SELECT form, creates, sum(count) FROM _pending GROUP BY form, creates")
        {
            guard case .blob(let form) = row[0], case .integer(let operations) = row[2] else {
                continue
            }
            count += Int(operations)
            if OperationName(key: form).map(repeats.contains) == true {
                tally.parts += Int(operations)
            } else if row[1] == .integer(1) {
                tally.entries += Int(operations)
            }
        }
        guard tally.parts > 0, count <= EntryTally.looked,
            try database.integer("SELECT sum(length(block)) FROM _pending") ?? 0
                <= EntryTally.lookedBytes
        else { return tally }
        let statement = try database.prepare("SELECT block FROM _pending ORDER BY operation")
        var blocks: [RecordsBlock] = []
        while try statement.step() {
            blocks.append(try PendingBlock.decode(statement.blob(0), firstIndex: 0))
        }
        return try EntryTally(blocks, repeats: repeats, entry: entry)
    }

    /// The operations of an open batch, block by block, with names of open batches in them.
    func blocks(of batch: Int64) throws -> [RecordsBlock] {
        let range = LocalName.range(of: batch)
        let statement = try database.cached(
            """
            SELECT operation, block, checksum FROM _pending WHERE operation BETWEEN ?1 AND ?2
            ORDER BY 1
            """)
        defer { statement.clear() }
        try statement.bind([.integer(range.first), .integer(range.last)])
        var blocks: [RecordsBlock] = []
        while try statement.step() {
            blocks.append(try Self.block(in: statement))
        }
        guard let deferred else { return blocks }
        return blocks + deferred.filter { $0.name.batch == batch }.map(\.block)
    }

    /// The block in a row of operation, block and checksum.
    ///
    /// - Throws: `StoreError.damagedTable` where it is not what was written there.
    static func block(in row: Statement) throws -> RecordsBlock {
        let name = LocalName(rawValue: row.integer(0))
        let bytes = row.blob(1)
        guard row.isNull(2) || row.integer(2) == checksum(bytes, name) else {
            throw StoreError.damagedTable(row.file, "_pending")
        }
        return try PendingBlock.decode(bytes, firstIndex: name.index)
    }

    /// What shows that a block, or its place, is other than it was written: what is pending has no
    /// signature yet, and would be signed as it is.
    static func checksum(_ bytes: [UInt8], _ name: LocalName) -> Int64 {
        let digest = bytes.withUnsafeBytes { Hash.digest($0) }
        return digest.value.withUnsafeBytes { $0.loadUnaligned(as: Int64.self).littleEndian }
            &+ name.rawValue
    }

    mutating func keep(_ block: RecordsBlock, _ held: HeldBatch) throws {
        let name = held.local(block.firstIndex)
        if deferred == nil { try write(block, name) } else { deferred?.append((name, block)) }
    }

    private func write(_ block: RecordsBlock, _ name: LocalName) throws {
        try Self.insert(block, PendingBlock.encode(block), name, into: database)
    }

    /// Adds a block, as it was encoded, under the name of its first operation.
    static func insert(
        _ block: RecordsBlock, _ bytes: [UInt8], _ name: LocalName, into database: Database
    ) throws {
        let statement = try database.cached(
            """
            INSERT INTO _pending(operation, count, creates, form, checksum, block)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6)
            """)
        defer { statement.clear() }
        try statement.bind([
            .integer(name.rawValue), .integer(Int64(block.rows.count)),
            .integer(block.kind == .put ? 1 : 0), .blob(block.form.key),
            .integer(checksum(bytes, name)),
        ])
        try bytes.withUnsafeBytes { bytes in
            try statement.bindStatic(bytes, at: 6)
            try statement.step()
        }
    }

    /// From now on blocks stay in memory until `writeDeferred`, in the same transaction.
    mutating func deferWriting() { deferred = [] }

    /// Writes what was not sealed after all.
    mutating func writeDeferred() throws {
        let left = deferred ?? []
        deferred = nil
        for (name, block) in left { try write(block, name) }
    }

    mutating func remove(of held: HeldBatch) throws {
        deferred?.removeAll { $0.name.batch == held.batch }
        let range = LocalName.range(of: held.batch)
        try database.run(
            "DELETE FROM _pending WHERE operation BETWEEN ?1 AND ?2", .integer(range.first),
            .integer(range.last))
    }

    func removeAll() throws { try database.run("DELETE FROM _pending") }

    /// The clocks of the first and the last pending operation; nil where there is none.
    func clocks() throws -> ClosedRange<Timestamp>? {
        func clocks(_ order: String) throws -> [Timestamp] {
            guard
                case .blob(let block)? = try database.row(
                    "SELECT block FROM _pending ORDER BY operation \(order) LIMIT 1")?.first
            else { return [] }
            return try PendingBlock.decode(block, firstIndex: 0).rows.map(\.clock)
        }
        guard let first = try clocks("").min(), let last = try clocks("DESC").max() else {
            return nil
        }
        return min(first, last)...max(first, last)
    }

}

/// Ids for the records of one call: a random start, then one after another, so that in a batch
/// each takes a byte.
package struct RecordIDSource {
    private var last: RecordID?

    package init() {}

    /// The next id; the first one's time is that of all.
    package mutating func next(wall: WallTime) -> RecordID {
        if let next = last?.advanced(by: 1) {
            last = next
            return next
        }
        let random = SecureRandom.bytes(10)
        let words = random.withUnsafeBytes {
            (
                $0.loadUnaligned(as: UInt16.self),
                $0.loadUnaligned(fromByteOffset: 2, as: UInt64.self)
            )
        }
        let id = RecordID(milliseconds: wall.milliseconds, random: words)
        last = id
        return id
    }
}
