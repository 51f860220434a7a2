package import ShareCrypto

/// A device that the room's control logs admit.
package struct Member: Hashable, Sendable {
    package let device: DeviceKey
    package let role: Role
    /// The scopes in all of which its entries must lie; empty where nothing bounds them.
    package let scopes: [Scope]

    package init(device: DeviceKey, role: Role, scopes: [Scope] = []) {
        self.device = device
        self.role = role
        self.scopes = scopes
    }

    /// The middles of two lists, without the beginning and the end that both share: nearly all is
    /// shared where one member has come or gone.
    package static func unlike(
        _ one: [Member], _ other: [Member]
    ) -> (one: ArraySlice<Member>, other: ArraySlice<Member>) {
        let start = zip(one, other).prefix { $0 == $1 }.count
        let rest = min(one.count, other.count) - start
        let end = zip(one.reversed(), other.reversed()).prefix { $0 == $1 }.prefix(rest).count
        return (one[start..<one.count - end], other[start..<other.count - end])
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

/// The rights of a device at one batch of one of its logs (docs/protocol/authority.md §3).
package enum Standing: Hashable, Sendable {
    /// No operation in force concerns the device: what it wrote waits for its grant.
    case unknown
    /// With the scopes that all of its entries must lie in.
    case member(Role, scopes: [Scope] = [])
    /// `removed`, `beforeGrant` or `forked`.
    case refused(Refusal)

    package var role: Role? {
        if case .member(let role, _) = self { role } else { nil }
    }

    package var scopes: [Scope] {
        if case .member(_, let scopes) = self { scopes } else { [] }
    }
}
