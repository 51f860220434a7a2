internal import CSodium

/// Ed25519 signatures as libsodium 1.0.18 checks them (RFC 8032; small-order keys and
/// non-canonical values are refused).
package enum Signature {
    /// The length of a signature in bytes.
    package static let length = 64

    /// Whether `signature` is `key`'s over `message`.
    package static func isValid(
        _ signature: [UInt8], of message: [UInt8], by key: DeviceKey
    ) -> Bool {
        signature.withUnsafeBytes { signature in
            message.withUnsafeBytes { isValid(signature, of: $0, by: key) }
        }
    }

    /// Whether `signature` is `key`'s over `message`.
    package static func isValid(
        _ signature: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer, by key: DeviceKey
    ) -> Bool {
        guard signature.count == length else { return false }
        _ = Sodium.ready
        return key.value.withUnsafeBytes { key in
            signature.withOctets { signature in
                message.withOctets { octets in
                    key.withOctets {
                        crypto_sign_verify_detached(
                            signature, octets, UInt64(message.count), $0) == 0
                    }
                }
            }
        }
    }
}
