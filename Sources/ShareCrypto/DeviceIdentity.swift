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
