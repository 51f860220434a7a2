/// One side's proof that it has the key: the draft's Ta or Tb. Ask `CPaceKey.isValid` about it;
/// `==` is for values that are no secret any more.
package struct CPaceTag: Hashable, Sendable {
    package let bytes: [UInt8]

    package static let length = 64

    /// The tag in exactly 64 bytes; nil for any other length.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == CPaceTag.length else { return nil }
        self.bytes = Array(bytes)
    }

    /// The output of the authenticator, whose length is this one.
    init(authenticator: [UInt8]) {
        precondition(authenticator.count == CPaceTag.length)
        bytes = authenticator
    }
}
