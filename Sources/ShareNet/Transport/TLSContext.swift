internal import COpenSSL
package import ShareCrypto

/// The certificate and the rules that all TLS connections of a device have in common
/// (docs/protocol.md, "TLS").
// SSL_CTX counts its owners atomically and is not changed after init: sessions may be made from
// it on any thread.
package final class TLSContext: @unchecked Sendable {
    let handle: OpaquePointer
    /// The device's own key.
    package let ownKey: DeviceKey

    /// The rules with a certificate made for `identity`.
    package convenience init(identity: DeviceIdentity) throws(TLSError) {
        try self.init(
            ownKey: identity.key, certificate: TLSCertificate(identity: identity))
    }

    init(ownKey: DeviceKey, certificate: TLSCertificate) throws(TLSError) {
        let doing = "preparing TLS"
        let handle = try TLSError.unwrap(doing) { SSL_CTX_new(TLS_method()) }
        self.handle = handle
        self.ownKey = ownKey
        let version = TLS1_3_VERSION
        try TLSError.check(doing) { shim_SSL_CTX_set_min_proto_version(handle, version) }
        try TLSError.check(doing) { shim_SSL_CTX_set_max_proto_version(handle, version) }
        try TLSError.check(doing) { SSL_CTX_set_ciphersuites(handle, TLSContext.ciphers) }
        try TLSError.check(doing) { shim_SSL_CTX_set1_groups_list(handle, "X25519") }
        try TLSError.check(doing) { shim_SSL_CTX_set1_sigalgs_list(handle, "ed25519") }
        try TLSError.check(doing) { shim_SSL_CTX_set1_client_sigalgs_list(handle, "ed25519") }
        try TLSError.check(doing) { SSL_CTX_set_num_tickets(handle, 0) }
        try TLSError.check(doing) { SSL_CTX_set_max_early_data(handle, 0) }
        try TLSError.check(doing) { SSL_CTX_set_recv_max_early_data(handle, 0) }
        _ = SSL_CTX_set_options(handle, shim_SSL_OP_NO_TICKET() | shim_SSL_OP_NO_RENEGOTIATION())
        _ = shim_SSL_CTX_set_session_cache_mode(handle, Int(SSL_SESS_CACHE_OFF))
        // A record is retried from a buffer that may have moved, and idle connections give their
        // 34 KB of record buffers back.
        _ = shim_SSL_CTX_set_mode(
            handle,
            Int(SSL_MODE_ENABLE_PARTIAL_WRITE) | Int(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER)
                | Int(SSL_MODE_RELEASE_BUFFERS))
        try TLSError.check(doing) { SSL_CTX_use_certificate(handle, certificate.certificate) }
        try TLSError.check(doing) { SSL_CTX_use_PrivateKey(handle, certificate.key) }
        SSL_CTX_set_verify(handle, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        SSL_CTX_set_cert_verify_callback(handle, TLSContext.verifyPeer, nil)
    }

    deinit { SSL_CTX_free(handle) }

    private static let ciphers = "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256"

    /// Judges the peer's certificate in place of the library's chain building: exactly one, its
    /// key Ed25519, signed by that key. Names, dates and extensions are not looked at.
    private static let verifyPeer:
        @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { store, _ in
            guard let store, shim_X509_STORE_CTX_chain_length(store) == 1,
                let certificate = X509_STORE_CTX_get0_cert(store),
                TLSCertificate.deviceKey(of: certificate) != nil,
                X509_verify(certificate, X509_get0_pubkey(certificate)) == 1
            else {
                if let store {
                    X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION)
                }
                return 0
            }
            return 1
        }
}

/// A self-signed Ed25519 certificate and its key: what a device shows to the others.
///
/// Only the key in it means anything. Its dates are the widest there are, for who looks at them.
final class TLSCertificate {
    let certificate: OpaquePointer
    let key: OpaquePointer

    private static let widestDates = (from: "19700101000000Z", to: "99991231235959Z")

    init(
        identity: DeviceIdentity, validFrom: String? = nil, validTo: String? = nil
    ) throws(TLSError) {
        let doing = "making the device's certificate"
        let key = try TLSError.unwrap(doing) {
            identity.withSeed { seed in
                EVP_PKEY_new_raw_private_key(
                    EVP_PKEY_ED25519, nil,
                    seed.bindMemory(to: UInt8.self).baseAddress, seed.count)
            }
        }
        let certificate: OpaquePointer
        do {
            certificate = try TLSError.unwrap(doing) { X509_new() }
        } catch {
            EVP_PKEY_free(key)
            throw error
        }
        // From here on `deinit` frees both, also where a step below throws.
        self.key = key
        self.certificate = certificate
        try TLSError.check(doing) { X509_set_version(certificate, 2) }
        try TLSError.check(doing) { ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1) }
        try TLSError.check(doing) {
            ASN1_TIME_set_string(
                X509_getm_notBefore(certificate), validFrom ?? TLSCertificate.widestDates.from)
        }
        try TLSError.check(doing) {
            ASN1_TIME_set_string(
                X509_getm_notAfter(certificate), validTo ?? TLSCertificate.widestDates.to)
        }
        // The same for everyone: a certificate says nothing about its device but the key.
        let name = try TLSError.unwrap(doing) { X509_get_subject_name(certificate) }
        try TLSError.check(doing) {
            X509_NAME_add_entry_by_txt(name, "CN", 0x1000 | 1, "shared", -1, -1, 0)
        }
        try TLSError.check(doing) { X509_set_issuer_name(certificate, name) }
        try TLSError.check(doing) { X509_set_pubkey(certificate, key) }
        // Returns the length of the signature; Ed25519 takes no digest.
        try TLSError.check(doing) { X509_sign(certificate, key, nil) > 0 ? 1 : 0 }
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    /// The key of a peer's certificate; nil unless it is Ed25519.
    static func deviceKey(of certificate: OpaquePointer) -> DeviceKey? {
        guard let key = X509_get0_pubkey(certificate), EVP_PKEY_get_id(key) == EVP_PKEY_ED25519
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Bytes32.count)
        var count = bytes.count
        guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1 else { return nil }
        return DeviceKey(bytes.prefix(count))
    }
}

/// A failure of TLS, in the library's own words.
package struct TLSError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The step that failed, and the library's words on it.
    package let description: String

    /// The error with what the library left in its queue, which this empties.
    static func last(_ doing: String) -> TLSError {
        var reasons: [String] = []
        while case let code = ERR_get_error(), code != 0 {
            if let text = ERR_reason_error_string(code) {
                reasons.append(String(cString: text))
            } else {
                reasons.append("error \(code)")
            }
        }
        let said = reasons.isEmpty ? "no reason given" : reasons.joined(separator: ", ")
        return TLSError(description: "\(doing): \(said)")
    }

    /// Runs `call` with an empty error queue, as the library demands for its answers to be right,
    /// and checks that it returned 1.
    static func check(_ doing: String, _ call: () -> Int32) throws(TLSError) {
        ERR_clear_error()
        guard call() == 1 else { throw last(doing) }
    }

    /// Runs `call` with an empty error queue, and checks that it returned something.
    static func unwrap<T>(_ doing: String, _ call: () -> T?) throws(TLSError) -> T {
        ERR_clear_error()
        guard let value = call() else { throw last(doing) }
        return value
    }
}
