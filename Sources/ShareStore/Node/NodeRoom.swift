package import ShareCore
package import ShareCrypto

/// A room as `node.sqlite` lists it.
package struct NodeRoom: Sendable {
    package let id: RoomID
    /// The room's name on this device.
    package let name: String
    /// The name of its file in the folder of rooms.
    package let file: String
    /// Whether entries are pushed as they are made; nil: as the room's owners have set it.
    package let autopush: Bool?
    /// How it is being joined, while a join has been accepted that has not come to its end.
    package let joining: Joining?
    package let stay: Stay

    /// Whether the device is in the room.
    package enum Stay: Int64, Sendable {
        case here = 0
        case left = 1
        /// It leaves as soon as a member is in reach that can hear of it.
        case leaving = 2
        /// It was to leave, and came to be the only owner before anybody could hear of it.
        case kept = 3
    }

    /// By which door a device comes in: with a code or a bundle, or where the room is open.
    package enum Joining: Int64, Sendable {
        case invited = 1
        case open = 2
    }
}

/// A device that was met, and where.
package struct NodeDevice: Sendable {
    package let key: DeviceKey
    package let name: String
    /// `HOST:PORT`, the latest first.
    package let addresses: [String]
    /// Milliseconds since 1970.
    package let lastSeen: UInt64?
    /// The release of the program that it ran then; nil where it did not say.
    package let release: String?

    package init(
        key: DeviceKey, name: String, addresses: [String], lastSeen: UInt64?,
        release: String? = nil
    ) {
        self.release = release
        self.key = key
        self.name = name
        self.addresses = addresses
        self.lastSeen = lastSeen
    }
}
