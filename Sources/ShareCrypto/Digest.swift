/// A BLAKE2b-256 hash (RFC 7693).
package struct Digest: Hashable, Comparable, Sendable {
    package let value: Bytes32

    package init(_ value: Bytes32) { self.value = value }

    /// The digest in exactly 32 bytes; nil for any other length.
    package init?(_ bytes: some Collection<UInt8>) {
        guard let value = Bytes32(bytes) else { return nil }
        self.value = value
    }

    package static let zero = Digest(.zero)
    package var bytes: [UInt8] { value.bytes }
    package static func < (a: Digest, b: Digest) -> Bool { a.value < b.value }
}
