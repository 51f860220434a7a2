package import ShareCrypto

/// A batch's name: the hash of the whole signed structure (docs/protocol.md, "Batch").
package struct BatchID: Hashable, Comparable, Sendable {
    package let digest: Digest

    package init(_ digest: Digest) { self.digest = digest }

    /// Stands for "the batch that holds this" in a body that is not sealed yet.
    package static let thisBatch = BatchID(.zero)

    package var bytes: [UInt8] { digest.bytes }
    package static func < (a: BatchID, b: BatchID) -> Bool { a.digest < b.digest }
}
