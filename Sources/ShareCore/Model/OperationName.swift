package import ShareCrypto

/// The name of an operation, and of the version it makes: its batch and its place in there.
package struct OperationName: Hashable, Comparable, Sendable {
    package let batch: BatchID
    /// Counted from 0 through all blocks of the batch.
    package let index: Int

    package init(batch: BatchID, index: Int) {
        self.batch = batch
        self.index = index
    }

    package static func < (a: OperationName, b: OperationName) -> Bool {
        (a.batch, a.index) < (b.batch, b.index)
    }
}

/// A batch's name: the hash of the whole signed structure (docs/protocol.md, "Batch").
package struct BatchID: Hashable, Comparable, Sendable {
    package let digest: Digest

    package init(_ digest: Digest) { self.digest = digest }

    /// Stands for "the batch that holds this" in a body that is not sealed yet.
    package static let thisBatch = BatchID(.zero)

    package var bytes: [UInt8] { digest.bytes }
    package static func < (a: BatchID, b: BatchID) -> Bool { a.digest < b.digest }
}
