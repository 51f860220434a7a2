import ShareCore
import ShareCrypto

/// How much the batches before a batch of records come to, along its own branch. The id of a batch
/// stands for all that comes before it, so what was found once holds whatever is undone.
final class QuotaMeter {
    private let database: Database
    private var known: [BatchID: LogUsage] = [:]

    /// Batches of which it is remembered what they come to.
    private static let remembered = 4_096

    init(_ database: Database) { self.database = database }

    /// What a log comes to with a batch that is held.
    ///
    /// - Complexity: O(batches before it) where none of them was asked about.
    func usage(upTo batch: BatchID) throws -> LogUsage {
        var way: [(id: BatchID, operations: UInt64, bytes: UInt64, wall: UInt64)] = []
        var usage = LogUsage()
        var next: BatchID? = batch
        while let id = next {
            if let found = known[id] {
                usage = found
                break
            }
            // The first batch of a log names the room, which is no batch of records.
            let row = try database.row(
                """
                SELECT previous, operations, length(bytes), wall FROM _batch
                WHERE id = ?1 AND kind = 1
                """, .blob(id.bytes))
            guard case .blob(let previous)? = row?[0], case .integer(let operations)? = row?[1],
                case .integer(let bytes)? = row?[2], case .integer(let wall)? = row?[3]
            else { break }
            way.append(
                (id, UInt64(clamping: operations), UInt64(clamping: bytes), UInt64(clamping: wall)))
            next = Digest(previous).map { BatchID($0) }
        }
        // One that is not stored yet: what it comes to is not known.
        guard !way.isEmpty else { return usage }
        if known.count > Self.remembered { known = [:] }
        for step in way.reversed() {
            usage = usage.adding(
                operations: step.operations, bytes: step.bytes,
                wall: WallTime(milliseconds: step.wall))
        }
        known[batch] = usage
        return usage
    }
}
