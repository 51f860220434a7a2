import ShareCore
import ShareCrypto

/// Batches of authors that have no grant here, yet or ever (docs/storage.md, "Held apart").
extension RoomWriter {
    /// Bytes and batches held apart at most, in one room.
    static let apartBytes: Int64 = 16 << 20
    static let apartBatches: Int64 = 256

    /// Keeps a batch apart; the oldest make room for it.
    func keepApart(_ batch: Batch) throws {
        try database.run(
            """
            INSERT OR IGNORE INTO _apart(id, author, kind, number, bytes)
            VALUES(?1, ?2, ?3, ?4, ?5)
            """, .blob(batch.id.bytes), .blob(batch.author.bytes),
            .integer(Int64(batch.kind.rawValue)), .integer(Int64(batch.number)),
            .blob(batch.bytes))
        while let row = try database.row(
            "SELECT count(*), coalesce(sum(length(bytes)), 0), min(apart) FROM _apart"),
            case .integer(let count) = row[0], case .integer(let size) = row[1],
            count > RoomWriter.apartBatches || size > RoomWriter.apartBytes
        {
            try database.run("DELETE FROM _apart WHERE apart = ?1", row[2])
        }
    }

    /// Takes in what is held apart of authors who have got a grant.
    func mergeApart() throws {
        var known: [IncomingBatch] = []
        for row in try database.rows("SELECT DISTINCT author FROM _apart") {
            guard case .blob(let bytes) = row[0], let author = DeviceKey(bytes),
                state.judgement.isKnown(author)
            else { continue }
            for row in try database.rows(
                "SELECT bytes, apart FROM _apart WHERE author = ?1 ORDER BY kind, number",
                .blob(bytes))
            {
                guard case .blob(let bytes) = row[0], case .integer(let apart) = row[1] else {
                    continue
                }
                known.append(IncomingBatch(try readBatch(bytes, at: apart)))
            }
            try database.run("DELETE FROM _apart WHERE author = ?1", .blob(bytes))
        }
        if !known.isEmpty { _ = try mergeGroup(known) }
    }
}
