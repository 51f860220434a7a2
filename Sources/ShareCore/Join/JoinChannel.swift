package import ShareCrypto

/// The connection that an exchange is bound to: what TLS says about it.
package struct JoinChannel: Hashable, Sendable {
    /// The label, with no context, and length for the TLS exporter (RFC 8446 §7.5).
    package static let exporterLabel = "EXPORTER-shared-cpace"
    package static let exporterLength = Bytes32.count

    package let exporter: Bytes32
    /// Both from the certificates of the connection.
    package let joiner: DeviceKey
    package let inviter: DeviceKey

    /// - Throws: `ownKey` if both ends are the same device.
    package init(
        exporter: Bytes32, joiner: DeviceKey, inviter: DeviceKey
    ) throws(JoinRefusal) {
        guard joiner != inviter else { throw .ownKey }
        self.exporter = exporter
        self.joiner = joiner
        self.inviter = inviter
    }

    /// One side's run of CPace over this connection (docs/protocol/joining.md §3).
    func cpace(
        _ role: CPaceRole, selector: JoinSelector, secret: JoinSecret, scalar: CPaceScalar
    ) throws(CPaceError) -> CPace {
        try CPace(
            role: role, password: secret.password,
            channel: CPace.lvCat(Array("shared join 1".utf8), joiner.bytes, inviter.bytes),
            session: exporter.bytes, associated: JoinChannel.associated(role, selector),
            scalar: scalar)
    }

    /// The draft's ADa and ADb.
    static func associated(_ role: CPaceRole, _ selector: JoinSelector) -> [UInt8] {
        switch role {
        case .initiator: CPace.lvCat(Array("J".utf8), selector.bytes)
        case .responder: CPace.lvCat(Array("I".utf8))
        }
    }

    /// The bytes that a joiner signs to accept.
    func acceptance(of room: RoomID) -> [UInt8] {
        CPace.lvCat(Array("shared accept 1".utf8), room.bytes, inviter.bytes)
    }

    static let welcomeLabel = "shared join 1 welcome"
    static let acceptLabel = "shared join 1 accept"
}
