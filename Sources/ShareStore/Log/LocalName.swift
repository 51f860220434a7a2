import ShareCore
import ShareCrypto

/// An operation's name inside one file: its batch's row and its place, in 64 bits. It is final
/// from the moment that an operation is entered, long before its batch has an id.
struct LocalName: Hashable, Comparable {
    let rawValue: Int64

    /// More than `Limits.operationsPerBatch`, so that names never run into the next batch. It is a
    /// constant of the file: SQL writes it out.
    static let namesPerBatch: Int64 = 8_192

    /// Rows of batches lie below, so that no name runs out of its 64 bits.
    static let batchLimit: UInt64 = 1 << 50

    init(rawValue: Int64) { self.rawValue = rawValue }

    /// A damaged file may hold any row number: what it comes to is found by a check, and must not
    /// end the daemon.
    init(batch: Int64, index: Int) {
        rawValue = batch &* LocalName.namesPerBatch &+ Int64(index)
    }

    var batch: Int64 { rawValue / LocalName.namesPerBatch }
    var index: Int { Int(rawValue % LocalName.namesPerBatch) }

    /// All names in a batch.
    static func range(of batch: Int64) -> (first: Int64, last: Int64) {
        let first = LocalName(batch: batch, index: 0).rawValue
        return (first, first &+ namesPerBatch &- 1)
    }

    static func < (a: LocalName, b: LocalName) -> Bool { a.rawValue < b.rawValue }
}

extension BatchID {
    /// Stands for a batch that is still being filled. No hash begins with 24 zero bytes.
    static func open(_ batch: Int64) -> BatchID {
        var bytes = [UInt8](repeating: 0, count: Bytes32.count)
        withUnsafeBytes(of: batch.bigEndian) { bytes.replaceSubrange(24..., with: $0) }
        return BatchID(bytes.withUnsafeBytes { Digest(Bytes32($0)) })
    }

    /// The batch that `open(_:)` made this name for; nil for a real id.
    var openBatch: Int64? {
        guard isOpenName else { return nil }
        let number = bytes.suffix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return number < LocalName.batchLimit ? Int64(number) : nil
    }

    /// Whether it has the shape of a name that `open(_:)` makes.
    var isOpenName: Bool { bytes.prefix(24).allSatisfy { $0 == 0 } }
}

extension Sequence<OperationName> {
    /// Those that may name a sealed operation. Another device may send any bytes as a name; what
    /// looks like one of our own open batches names nothing, and must not come to mean a row of
    /// this file.
    var ofSealed: [OperationName] { filter { !$0.batch.isOpenName } }
}

extension OperationName {
    /// The name in 34 bytes.
    var key: [UInt8] {
        batch.bytes + [UInt8(truncatingIfNeeded: index >> 8), UInt8(truncatingIfNeeded: index)]
    }

    /// Reads names that `key` wrote one after another.
    static func names(_ bytes: UnsafeRawBufferPointer) -> [OperationName] {
        stride(from: 0, to: bytes.count - keyLength + 1, by: keyLength).map { start in
            let id = UnsafeRawBufferPointer(rebasing: bytes[start..<start + Bytes32.count])
            return OperationName(
                batch: BatchID(Digest(Bytes32(id))),
                index: Int(bytes[start + 32]) << 8 | Int(bytes[start + 33]))
        }
    }

    static let keyLength = 34

    /// Reads a name that `key` wrote; nil where the bytes are none.
    init?(key: [UInt8]) {
        guard key.count == OperationName.keyLength,
            let name = key.withUnsafeBytes({ OperationName.names($0).first })
        else { return nil }
        self = name
    }
}
