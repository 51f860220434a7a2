internal import CSodium

/// The key that a run of CPace led to (the draft's ISK) with what is made from it
/// (docs/protocol/joining.md §4). It stays in here and is wiped with its last owner.
package final class CPaceKey: Sendable {
    let secret: SecretBytes
    private let tagKey: SecretBytes
    private let initiator: [UInt8]
    private let responder: [UInt8]

    /// How much longer sealed bytes are than what they hold.
    package static let sealLength = 16

    /// Takes the ISK, which is wiped, and each side's lv_cat of share and associated data.
    init(_ key: inout [UInt8], session: [UInt8], initiator: [UInt8], responder: [UInt8]) {
        var input = [UInt8]("CPaceMac".utf8)
        input.reserveCapacity(input.count + session.count + key.count)
        input += session
        input += key
        defer { input.wipe() }
        var tagKey = SHA512.digest(input)
        self.tagKey = SecretBytes(&tagKey)
        self.initiator = initiator
        self.responder = responder
        secret = SecretBytes(&key)
    }

    /// The tag by which the side `role` proves that it has this key: HMAC-SHA-512 over its share
    /// and associated data, as the draft suggests.
    package func tag(of role: CPaceRole) -> CPaceTag {
        let message = role == .initiator ? initiator : responder
        return CPaceTag(
            authenticator: tagKey.withUnsafeBytes { SHA512.authenticator(of: message, key: $0) })
    }

    /// Whether `tag` is the one of the side `role`; takes the same time for every wrong one.
    package func isValid(_ tag: CPaceTag, of role: CPaceRole) -> Bool {
        let expected = self.tag(of: role)
        return sodium_memcmp(expected.bytes, tag.bytes, CPaceTag.length) == 0
    }

    /// Encrypts and authenticates the one message that `label` stands for
    /// (ChaCha20-Poly1305, RFC 8439).
    ///
    /// Each label has a key of its own and is used for one message of one run only: that is what
    /// makes the fixed nonce of zeros safe.
    package func seal(_ message: [UInt8], label: String) -> [UInt8] {
        var key = self.key(for: label)
        defer { key.wipe() }
        var sealed = [UInt8](repeating: 0, count: message.count + CPaceKey.sealLength)
        let result = crypto_aead_chacha20poly1305_ietf_encrypt(
            &sealed, nil, message, UInt64(message.count), nil, 0, nil, CPaceKey.nonce, key)
        precondition(result == 0, "sealing has no way to fail")
        return sealed
    }

    /// The message that was sealed under `label`; nil if anything about it was changed.
    package func open(_ sealed: [UInt8], label: String) -> [UInt8]? {
        guard sealed.count >= CPaceKey.sealLength else { return nil }
        var key = self.key(for: label)
        defer { key.wipe() }
        var message = [UInt8](repeating: 0, count: sealed.count - CPaceKey.sealLength)
        let result = crypto_aead_chacha20poly1305_ietf_decrypt(
            &message, nil, nil, sealed, UInt64(sealed.count), nil, 0, CPaceKey.nonce, key)
        return result == 0 ? message : nil
    }

    private static let nonce = [UInt8](
        repeating: 0, count: Int(crypto_aead_chacha20poly1305_IETF_NPUBBYTES))

    /// BLAKE2b-256 of the label, keyed with all 64 bytes of the ISK.
    private func key(for label: String) -> [UInt8] {
        let label = Array(label.utf8)
        var key = [UInt8](repeating: 0, count: Int(crypto_aead_chacha20poly1305_IETF_KEYBYTES))
        let result = secret.withUnsafeBytes { secret in
            secret.withOctets {
                crypto_generichash(
                    &key, key.count, label, UInt64(label.count), $0, secret.count)
            }
        }
        precondition(result == 0, "BLAKE2b refused its fixed lengths")
        return key
    }
}
