package import ShareCrypto

internal import ShareCore

/// The TXT record of an advertisement (docs/protocol/discovery.md): everyone on the Wi-Fi reads
/// it, and anyone can write one.
package struct ServiceText: Hashable, Sendable {
    package let protocolVersion: Int
    package let device: DeviceKey
    package let rooms: [AdvertisedRoom]

    /// The version of the record's own layout.
    static let layout = "1"
    /// The protocol version that this program speaks.
    static let currentProtocol = 1
    /// The longest `key=value`, in bytes (RFC 6763 §6.1).
    static let longestEntry = 255
    /// The longest record that we write, in bytes, so that it fits in one packet with the rest.
    static let longestWritten = 400
    /// The longest record that we read, in bytes: what fits in one Ethernet frame.
    static let longestRead = 1_300
    /// The most rooms that are read from one record.
    static let mostRooms = 32

    package init(
        protocolVersion: Int = ServiceText.currentProtocol, device: DeviceKey,
        rooms: [AdvertisedRoom]
    ) {
        self.protocolVersion = protocolVersion
        self.device = device
        self.rooms = rooms
    }
}
