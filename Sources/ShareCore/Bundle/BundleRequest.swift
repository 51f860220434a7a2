package import ShareCrypto

/// A device's wish to be admitted to a room, on its way in a file (docs/protocol/bundle.md, §3).
package struct BundleRequest: Hashable, Sendable {
    package let key: DeviceKey
    package let name: String
    /// Milliseconds since 1970 by the device's clock, for display.
    package let wall: UInt64
    /// The room, if the device was in it before; else it knows none.
    package let room: RoomID?
    /// The heads of its own logs in that room.
    package let heads: CoveredHeads
    let signature: [UInt8]

    /// A request signed by `identity`.
    package init(
        by identity: DeviceIdentity, name: String, wall: UInt64, room: RoomID?,
        heads: CoveredHeads
    ) {
        let unsigned = BundleRequest(
            key: identity.key, name: name, wall: wall, room: room, heads: heads, signature: [])
        self = BundleRequest(
            key: identity.key, name: name, wall: wall, room: room, heads: heads,
            signature: identity.sign(unsigned.signed))
    }

    init(
        key: DeviceKey, name: String, wall: UInt64, room: RoomID?, heads: CoveredHeads,
        signature: [UInt8]
    ) {
        self.key = key
        self.name = name
        self.wall = wall
        self.room = room
        self.heads = heads
        self.signature = signature
    }

    /// Whether the device of that key made it.
    package var isGenuine: Bool { Signature.isValid(signature, of: signed, by: key) }

    private var signed: [UInt8] {
        var writer = CBORWriter()
        writer.array(6)
        writer.write(text: "shared join request 1")
        write(to: &writer)
        return writer.bytes
    }

    /// The five items that are signed.
    func write(to writer: inout CBORWriter) {
        writer.write(bytes: key.bytes)
        writer.write(text: name)
        writer.write(unsigned: wall)
        if let room { writer.write(bytes: room.bytes) } else { writer.writeNull() }
        writer.array(2)
        writer.write(heads)
    }
}
