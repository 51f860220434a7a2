/// A device's Ed25519 public key (RFC 8032): the whole of its identity.
package struct DeviceKey: Hashable, Comparable, Sendable {
    package let value: Bytes32

    package init(_ value: Bytes32) { self.value = value }

    /// The key in exactly 32 bytes; nil for any other length. Whether they are a point is
    /// found out when a signature is checked.
    package init?(_ bytes: some Collection<UInt8>) {
        guard let value = Bytes32(bytes) else { return nil }
        self.value = value
    }

    package var bytes: [UInt8] { value.bytes }
    package static func < (a: DeviceKey, b: DeviceKey) -> Bool { a.value < b.value }
}
