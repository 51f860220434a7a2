package import ShareCrypto

/// What a device tells everyone on the Wi-Fi about itself (docs/protocol/discovery.md).
package struct Advertisement: Hashable, Sendable {
    /// The device's name; it is cut to 63 bytes, and a suffix is added where it is taken.
    package var name: String
    /// The TCP port that the device listens on.
    package var port: UInt16
    package var device: DeviceKey
    /// The rooms that are not hidden, most important first: those that do not fit are left out.
    package var rooms: [AdvertisedRoom]

    package init(name: String, port: UInt16, device: DeviceKey, rooms: [AdvertisedRoom] = []) {
        self.name = name
        self.port = port
        self.device = device
        self.rooms = rooms
    }

    var text: ServiceText { ServiceText(device: device, rooms: rooms) }
}
