package import ShareCrypto

/// What a bundle says of itself first. Of this only `writer` is proven, by the end's signature.
package struct BundleHeader: Hashable, Sendable {
    /// The room whose batches follow; nil where only a request to join does.
    package let room: RoomID?
    /// What the writer calls the room: a label.
    package let name: String
    package let writer: DeviceKey
    /// Milliseconds since 1970 by the writer's clock, for display.
    package let wall: UInt64
    /// Whether everything is in it that the writer holds, also what is passed on to owners alone.
    package let isWhole: Bool

    package init(
        room: RoomID?, name: String, writer: DeviceKey, wall: UInt64, isWhole: Bool
    ) {
        self.room = room
        self.name = name
        self.writer = writer
        self.wall = wall
        self.isWhole = isWhole
    }
}
