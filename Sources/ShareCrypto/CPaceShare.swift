/// What one side of CPace sends in the open: the draft's Ya or Yb. Whether it is a valid
/// element is found out when a key is made with it.
package struct CPaceShare: Hashable, Sendable {
    package let value: Bytes32

    package init(_ value: Bytes32) { self.value = value }

    /// The share in exactly 32 bytes; nil for any other length.
    package init?(_ bytes: some Collection<UInt8>) {
        guard let value = Bytes32(bytes) else { return nil }
        self.value = value
    }

    package var bytes: [UInt8] { value.bytes }
}
