internal import COpenSSL
internal import ShareCrypto

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
