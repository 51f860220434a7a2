internal import CSodium

/// A device's key pair. Its secret half never leaves this module but inside a closure.
package final class DeviceIdentity: Sendable {
    package let key: DeviceKey
    private let secret: SecretBytes

    /// A new identity from the system's random source.
    package static func generate() -> DeviceIdentity {
        var seed = SecureRandom.bytes(seedLength)
        defer { seed.wipe() }
        return DeviceIdentity(validSeed: seed)
    }

    /// The length of the seed that an identity is stored as, in bytes.
    package static let seedLength = 32

    /// The identity of a stored seed; nil if the seed is not 32 bytes.
    package convenience init?(seed: [UInt8]) {
        guard seed.count == DeviceIdentity.seedLength else { return nil }
        self.init(validSeed: seed)
    }

    private init(validSeed seed: [UInt8]) {
        _ = Sodium.ready
        var key = [UInt8](repeating: 0, count: Int(crypto_sign_PUBLICKEYBYTES))
        var secret = [UInt8](repeating: 0, count: Int(crypto_sign_SECRETKEYBYTES))
        let result = crypto_sign_seed_keypair(&key, &secret, seed)
        precondition(result == 0, "a 32-byte seed always makes a key pair")
        self.key = key.withUnsafeBytes { DeviceKey(Bytes32($0)) }
        self.secret = SecretBytes(&secret)
    }

    /// The Ed25519 signature of `message`, 64 bytes.
    package func sign(_ message: [UInt8]) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: Signature.length)
        let result = secret.withUnsafeBytes {
            $0.withOctets {
                crypto_sign_detached(&signature, nil, message, UInt64(message.count), $0)
            }
        }
        precondition(result == 0, "signing has no way to fail")
        return signature
    }

    /// Lends the 32-byte seed to `body`: for the file that keeps it and for the TLS context.
    package func withSeed<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        // libsodium's secret key is the seed followed by the public key.
        try secret.withUnsafeBytes {
            try body(UnsafeRawBufferPointer(rebasing: $0.prefix(DeviceIdentity.seedLength)))
        }
    }
}

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

extension DeviceIdentity {
    /// Bytes of the secret that a room's recovery code stands for.
    package static let recoverySecretLength = 16

    /// The recovery key of a room (docs/protocol/authority.md §1): its seed is BLAKE2b, keyed with the
    /// secret, over "shared recovery 1" and the nonce of the room's founding. Nil if the secret is
    /// not 16 bytes.
    package convenience init?(recoverySecret secret: [UInt8], nonce: [UInt8]) {
        guard secret.count == DeviceIdentity.recoverySecretLength else { return nil }
        _ = Sodium.ready
        let message = Array("shared recovery 1".utf8) + nonce
        var seed = [UInt8](repeating: 0, count: DeviceIdentity.seedLength)
        defer { seed.wipe() }
        let result = crypto_generichash(
            &seed, seed.count, message, UInt64(message.count), secret, secret.count)
        precondition(result == 0, "BLAKE2b takes a key of 16 bytes")
        self.init(seed: seed)
    }
}
