package import ShareCrypto

/// A device that the room's control logs admit.
package struct Member: Hashable, Sendable {
    package let device: DeviceKey
    package let role: Role

    package init(device: DeviceKey, role: Role) {
        self.device = device
        self.role = role
    }
}

/// A device that was a member and has been removed, or has left.
package struct FormerMember: Hashable, Sendable {
    package let device: DeviceKey
    package let removal: OperationName
    package let by: DeviceKey
    package let reason: String

    package init(device: DeviceKey, removal: OperationName, by: DeviceKey, reason: String) {
        self.device = device
        self.removal = removal
        self.by = by
        self.reason = reason
    }

    package var leftByItself: Bool { by == device }
}
