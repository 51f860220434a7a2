import COpenSSL
import Glibc
import ShareCrypto

@testable import ShareNet

/// A TLS client that breaks one of the rules.
struct TLSOddPeer {
    /// What is odd about it.
    enum Oddity: CaseIterable {
        case none, noCertificate, rsa, ecdsa, twoCertificates, badSelfSignature, oldVersion
        case otherCipher, otherGroup
    }

    /// Dials `endpoint` and returns what came of the handshake and of reading after it: nil if
    /// the other side accepted and sent something.
    static func dial(_ endpoint: Endpoint, _ oddity: Oddity) throws -> String? {
        let socket = try TransportRawPeer(to: endpoint)
        let context = SSL_CTX_new(TLS_method())
        defer { SSL_CTX_free(context) }
        SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nil)
        try configure(context, oddity)
        let session = SSL_new(context)
        defer { SSL_free(session) }
        SSL_set_fd(session, socket.fd)
        ERR_clear_error()
        guard SSL_connect(session) == 1 else { return TLSError.last("connect").description }
        var byte: UInt8 = 0
        // In TLS 1.3 a client hears only now what the server thinks of its certificate.
        guard SSL_read(session, &byte, 1) == 1 else { return TLSError.last("read").description }
        return nil
    }

    private static func configure(_ context: OpaquePointer?, _ oddity: Oddity) throws {
        switch oddity {
        case .noCertificate:
            return
        case .rsa:
            try present(context, key(EVP_PKEY_RSA) { EVP_PKEY_CTX_set_rsa_keygen_bits($0, 2_048) })
            return
        case .ecdsa:
            let key = key(EVP_PKEY_EC) {
                EVP_PKEY_CTX_set_ec_paramgen_curve_nid($0, NID_X9_62_prime256v1)
            }
            try present(context, key)
            return
        case .oldVersion:
            _ = shim_SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION)
        case .otherCipher:
            SSL_CTX_set_ciphersuites(context, "TLS_AES_256_GCM_SHA384")
        case .otherGroup:
            _ = shim_SSL_CTX_set1_groups_list(context, "P-256")
        case .none, .twoCertificates, .badSelfSignature:
            break
        }
        let own = try TLSCertificate(identity: DeviceIdentity.generate())
        if oddity == .badSelfSignature {
            // Another key signs; the handshake itself is signed by the right one.
            let other = try TLSCertificate(identity: DeviceIdentity.generate())
            X509_sign(own.certificate, other.key, nil)
        }
        SSL_CTX_use_certificate(context, own.certificate)
        SSL_CTX_use_PrivateKey(context, own.key)
        if oddity == .twoCertificates {
            let other = try TLSCertificate(identity: DeviceIdentity.generate())
            X509_up_ref(other.certificate)
            SSL_CTX_ctrl(
                context, SSL_CTRL_CHAIN_CERT, 0, UnsafeMutableRawPointer(other.certificate))
        }
    }

    private static func key(
        _ kind: Int32, _ parameters: (OpaquePointer?) -> Int32
    ) -> OpaquePointer? {
        let maker = EVP_PKEY_CTX_new_id(kind, nil)
        defer { EVP_PKEY_CTX_free(maker) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(maker) == 1, parameters(maker) == 1,
            EVP_PKEY_keygen(maker, &key) == 1
        else { return nil }
        return key
    }

    /// Presents a self-signed certificate of any kind of key, which this frees.
    private static func present(_ context: OpaquePointer?, _ key: OpaquePointer?) throws {
        defer { EVP_PKEY_free(key) }
        let certificate = X509_new()
        defer { X509_free(certificate) }
        X509_set_version(certificate, 2)
        ASN1_TIME_set_string(X509_getm_notBefore(certificate), "19700101000000Z")
        ASN1_TIME_set_string(X509_getm_notAfter(certificate), "99991231235959Z")
        X509_set_pubkey(certificate, key)
        try TLSError.check("signing") { X509_sign(certificate, key, EVP_sha256()) > 0 ? 1 : 0 }
        try TLSError.check("presenting") { SSL_CTX_use_certificate(context, certificate) }
        try TLSError.check("presenting") { SSL_CTX_use_PrivateKey(context, key) }
    }
}
