internal import CSodium

/// The secret number of one side of one run of CPace; wiped with its last owner. Using one for
/// two runs would let their keys be compared, so it is made afresh for each.
package struct CPaceScalar: Sendable {
    let secret: SecretBytes

    package static let length = 32

    /// A fresh scalar, uniform in the order of the group and not zero.
    package static func random() -> CPaceScalar {
        _ = Sodium.ready
        var bytes = [UInt8](repeating: 0, count: length)
        crypto_core_ristretto255_scalar_random(&bytes)
        return CPaceScalar(secret: SecretBytes(&bytes))
    }

    private init(secret: SecretBytes) { self.secret = secret }

    /// A given scalar, little-endian, for published vectors and fixtures; nil unless it is 32
    /// bytes. The bytes are wiped.
    package init?(taking bytes: inout [UInt8]) {
        guard bytes.count == CPaceScalar.length else { return nil }
        secret = SecretBytes(&bytes)
    }
}
