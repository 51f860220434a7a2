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
}
