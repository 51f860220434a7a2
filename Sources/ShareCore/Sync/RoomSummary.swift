package import ShareCrypto

/// What a copy of a room comes to, to be compared between two devices (docs/protocol.md,
/// "Digest").
package struct RoomSummary: Hashable, Sendable {
    /// The way in which `digest` is computed by this release.
    package static let ownLevel: UInt64 = 1

    package let level: UInt64
    /// Stands for the heads of all logs that both ends may hold.
    package let vector: Digest
    /// Stands for the merged state; nil where one of the two may not hold all of it.
    package let digest: Digest?

    package init(level: UInt64 = RoomSummary.ownLevel, vector: Digest, digest: Digest?) {
        self.level = level
        self.vector = vector
        self.digest = digest
    }

    /// Whether both hold the same batches and nothing shows that they made something else of them.
    package func isLike(_ other: RoomSummary) -> Bool {
        vector == other.vector && !contradicts(other)
    }

    /// Whether both hold the same batches and came to another state: a fault of one of them.
    package func contradicts(_ other: RoomSummary) -> Bool {
        guard vector == other.vector, level == other.level, let digest,
            let otherDigest = other.digest
        else { return false }
        return digest != otherDigest
    }
}
