internal import COpenSSL
package import ShareCrypto

/// What all TLS connections of a device have in common: its certificate and the rules
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
