package import ShareCrypto

/// A device that was met, and where.
package struct NodeDevice: Sendable {
    package let key: DeviceKey
    package let name: String
    /// `HOST:PORT`, the latest first.
    package let addresses: [String]
    /// Milliseconds since 1970.
    package let lastSeen: UInt64?

    package init(key: DeviceKey, name: String, addresses: [String], lastSeen: UInt64?) {
        self.key = key
        self.name = name
        self.addresses = addresses
        self.lastSeen = lastSeen
    }
}
