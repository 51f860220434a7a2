package import ShareCrypto

/// A room of this device as the synchronisation knows it: a snapshot that the store makes after
/// each change.
package struct RoomView: Sendable {
    package enum Standing: Hashable, Sendable {
        case member(Role)
        /// It was removed by another device.
        case removed
        /// It removed itself.
        case left

        /// Whether the device was a member and is none any more.
        package var isGone: Bool { self == .removed || self == .left }
    }

    package let room: RoomID
    /// The logs of all known authors.
    package let logs: [LogName: LogState]
    package let standings: [DeviceKey: Standing]
    /// The authors whose logs count among `logs` where they are held: all who have or had a role,
    /// and those whose grant is void but may have decided something (docs/protocol/authority.md,
    /// §7).
    package let known: Set<DeviceKey>
    /// Stands for the heads of all logs; equal for equal heads.
    package let vector: Digest
    /// Stands for the merged state.
    package let digest: Digest
    /// Whether a change of authority is still being worked through, so that the digest is not
    /// to be compared.
    package let isReapplying: Bool
    /// Nil where the founding batch is not held.
    package let founder: DeviceKey?
    /// Whether the room is kept from strangers.
    package let isHidden: Bool
    /// Greater in each later view of the same open file: what is older may arrive after it.
    package var revision: UInt64 = 0

    package init(
        room: RoomID, logs: [LogName: LogState], standings: [DeviceKey: Standing],
        known: Set<DeviceKey>, vector: Digest, digest: Digest, isReapplying: Bool,
        founder: DeviceKey? = nil, isHidden: Bool = false
    ) {
        self.room = room
        self.logs = logs
        self.standings = standings
        self.known = known
        self.vector = vector
        self.digest = digest
        self.isReapplying = isReapplying
        self.founder = founder
        self.isHidden = isHidden
    }

    /// Stands for the heads of these logs (docs/protocol.md, "Digest").
    package static func vector(of logs: [LogName: LogState]) -> Digest {
        var writer = CBORWriter(reserving: 16 + logs.count * 72)
        writer.array(logs.count)
        for (name, log) in logs.sorted(by: { $0.key < $1.key }) {
            let heads = log.all.map { [$0] } ?? log.heads.map(\.batch.digest)
            writer.array(2 + heads.count)
            writer.write(bytes: name.author.bytes)
            writer.write(unsigned: UInt64(name.kind.rawValue))
            for head in heads { writer.write(bytes: head.bytes) }
        }
        return Hash.digest(writer.bytes)
    }

    /// Whether a device was a member and is none any more.
    package func isGone(_ key: DeviceKey) -> Bool { standings[key]?.isGone ?? false }

    package func role(of key: DeviceKey) -> Role? {
        if case .member(let role) = standings[key] { role } else { nil }
    }

    /// Whether both hold the same control batches, as far as these count.
    func hasSameDecisions(as other: RoomView) -> Bool {
        logs.count == other.logs.count
            && logs.allSatisfy { $0.key.kind == .records || other.logs[$0.key] == $0.value }
    }
}

/// A summary of one device's copy of a room, to be compared with another's (docs/protocol.md,
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
