package import ShareCrypto

/// What the synchronisation knows of a room of this device: a snapshot that the store makes
/// after each change.
package struct RoomView: Sendable {
    package enum Standing: Hashable, Sendable {
        case member(Role)
        case removed
    }

    package let room: RoomID
    /// The logs of all who have or had a role.
    package let logs: [LogName: LogState]
    package let standings: [DeviceKey: Standing]
    /// Stands for the heads of all logs; equal for equal heads.
    package let vector: Digest
    /// Stands for the merged state.
    package let digest: Digest
    /// Whether a change of authority is still being worked through, so that the digest is not
    /// to be compared.
    package let isSettling: Bool

    package init(
        room: RoomID, logs: [LogName: LogState], standings: [DeviceKey: Standing],
        vector: Digest, digest: Digest, isSettling: Bool
    ) {
        self.room = room
        self.logs = logs
        self.standings = standings
        self.vector = vector
        self.digest = digest
        self.isSettling = isSettling
    }

    package func role(of key: DeviceKey) -> Role? {
        if case .member(let role) = standings[key] { role } else { nil }
    }
}
