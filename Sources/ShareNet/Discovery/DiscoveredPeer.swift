package import ShareCrypto

/// A device as its advertisement describes it. Anyone on the Wi-Fi can advertise anything: only
/// a handshake with the key shows that an address is the device's.
package struct DiscoveredPeer: Hashable, Sendable {
    package let key: DeviceKey
    /// The name that it advertises, made fit for a screen.
    package let name: String
    package let port: UInt16
    /// Numeric addresses, IPv4 first, at most 16; link-local IPv6 with its scope
    /// (`fe80::1%eth0`).
    package let addresses: [String]
    package let rooms: [AdvertisedRoom]
    /// The protocol version that it speaks.
    package let protocolVersion: Int
    /// Names of the network interfaces on which it is seen, sorted.
    package let interfaces: [String]
}
