import ShareCore
import ShareCrypto

/// Bounds what is kept of control logs of which nothing can count but leaves: those of devices that
/// never were editor or owner (docs/protocol.md, "Limits"). Control batches are held in memory, and so
/// no member takes that of others without end.
struct ControlAllowance {
    private let judgement: Judgement
    private let log: BatchLog
    /// What is held of the logs that were asked about.
    private var held: [DeviceKey: (batches: Int64, bytes: Int64)] = [:]
    /// Those of which a batch was not taken: what comes behind it has no predecessor.
    private var full: Set<DeviceKey> = []

    /// - Parameter judgement: with the batches that are asked about.
    init(judgement: Judgement, log: BatchLog) {
        self.judgement = judgement
        self.log = log
    }

    /// Whether a control batch that is not held is to be kept; then it counts among those that are.
    mutating func takes(_ batch: Batch) throws -> Bool {
        guard !judgement.authority.isOrWasEditor(batch.author) else { return true }
        var size = try held[batch.author] ?? log.size(of: batch.log)
        size.batches += 1
        size.bytes += Int64(batch.size)
        let times: Int64 = judgement.isRemoved(batch.author) ? 2 : 1
        guard !full.contains(batch.author),
            size.batches <= times * Int64(Limits.controlBatchesOfOthers),
            size.bytes <= times * Int64(Limits.controlBytesOfOthers)
        else {
            full.insert(batch.author)
            return false
        }
        held[batch.author] = size
        return true
    }
}

extension BatchLog {
    /// The batches of a log that are held, and their bytes.
    ///
    /// - Complexity: O(batches of the log).
    fileprivate func size(of name: LogName) throws -> (batches: Int64, bytes: Int64) {
        guard let author = try devices.find(name.author),
            let row = try database.row(
                """
                SELECT count(*), coalesce(sum(length(bytes)), 0) FROM _batch
                WHERE author = ?1 AND kind = ?2
                """, .integer(author), .integer(Int64(name.kind.rawValue))),
            case .integer(let batches) = row[0], case .integer(let bytes) = row[1]
        else { return (0, 0) }
        return (batches, bytes)
    }
}
