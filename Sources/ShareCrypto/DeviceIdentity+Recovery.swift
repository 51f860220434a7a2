internal import CSodium

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
