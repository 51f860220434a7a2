import ShareCore
import ShareCrypto

/// Batches of authors that have no grant here, yet or ever (docs/storage.md, "Quarantine"): its
/// table `_quarantine` holds at most so many, and none of them counts or is passed on.
struct Quarantine {
    let database: Database

    /// Bytes and batches at most, in one room.
    static let bytes: Int64 = 16 << 20
    static let batches: Int64 = 256

    /// Adds a batch; the oldest ones make room for it.
    func add(_ batch: Batch) throws {
        try database.run(
            """
            INSERT OR IGNORE INTO _quarantine(id, author, kind, number, bytes)
            VALUES(?1, ?2, ?3, ?4, ?5)
            """, .blob(batch.id.bytes), .blob(batch.author.bytes),
            .integer(Int64(batch.kind.rawValue)), .integer(Int64(batch.number)),
            .blob(batch.bytes))
        while let row = try database.row(
            "SELECT count(*), coalesce(sum(length(bytes)), 0), min(quarantine) FROM _quarantine"),
            case .integer(let count) = row[0], case .integer(let size) = row[1],
            count > Quarantine.batches || size > Quarantine.bytes
        {
            try database.run("DELETE FROM _quarantine WHERE quarantine = ?1", row[2])
        }
    }

    func remove(_ row: Int64) throws {
        try database.run("DELETE FROM _quarantine WHERE quarantine = ?1", .integer(row))
    }

    func count() throws -> Int {
        Int(try database.integer("SELECT count(*) FROM _quarantine") ?? 0)
    }

    /// The authors of which batches are held.
    func authors() throws -> [DeviceKey] {
        try database.rows("SELECT DISTINCT author FROM _quarantine").compactMap {
            if case .blob(let bytes) = $0[0] { DeviceKey(bytes) } else { nil }
        }
    }

    /// Calls `body` with the batches of an author, each after the one before it in its log, until
    /// it returns false.
    func each(
        of author: DeviceKey, _ body: (Int64, LogKind?, LogHead?, [UInt8]) throws -> Bool
    ) throws {
        let statement = try database.prepare(
            "SELECT quarantine, kind, number, id, bytes FROM _quarantine WHERE author = ?1 ORDER BY kind, number"
        )
        try statement.bind([.blob(author.bytes)])
        while try statement.step() {
            let kind = LogKind(rawValue: UInt8(truncatingIfNeeded: statement.integer(1)))
            guard
                try body(
                    statement.integer(0), kind, LogHead(statement.integer(2), statement.blob(3)),
                    statement.blob(4))
            else { return }
        }
    }
}

/// Sound batches that came after a damaged one, in the table `_orphan` until that is here again.
struct Orphans {
    let database: Database

    func isEmpty() throws -> Bool {
        try database.integer("SELECT 1 FROM _orphan LIMIT 1") == nil
    }

    func rows() throws -> [Int64] {
        try database.rows("SELECT orphan FROM _orphan ORDER BY orphan").compactMap {
            if case .integer(let row) = $0[0] { row } else { nil }
        }
    }

    func bytes(at row: Int64) throws -> [UInt8]? {
        guard
            case .blob(let bytes)? = try database.row(
                "SELECT bytes FROM _orphan WHERE orphan = ?1", .integer(row))?.first
        else { return nil }
        return bytes
    }

    func remove(_ row: Int64) throws {
        try database.run("DELETE FROM _orphan WHERE orphan = ?1", .integer(row))
    }
}
