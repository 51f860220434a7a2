import ShareCore
import ShareCrypto

/// Ids for the records of one call: a random start, then one after another, so that in a batch
/// each takes a byte.
struct RecordIDSource {
    private var last: RecordID?

    /// The next id; the first one's time is that of all.
    mutating func next(milliseconds: UInt64) -> RecordID {
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
        let id = RecordID(milliseconds: milliseconds, random: words)
        last = id
        return id
    }
}
