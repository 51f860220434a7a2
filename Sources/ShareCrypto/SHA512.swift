internal import CSodium

/// SHA-512 (FIPS 180-4) and HMAC over it (RFC 2104): what CPace asks for, nothing else uses it.
enum SHA512 {
    static let length = 64
    /// The bytes that the hash takes in at once; CPace pads by it ("s_in_bytes").
    static let blockLength = 128

    static func digest(_ bytes: [UInt8]) -> [UInt8] {
        _ = Sodium.ready
        var output = [UInt8](repeating: 0, count: length)
        crypto_hash_sha512(&output, bytes, UInt64(bytes.count))
        return output
    }

    static func authenticator(of message: [UInt8], key: UnsafeRawBufferPointer) -> [UInt8] {
        _ = Sodium.ready
        var state = crypto_auth_hmacsha512_state()
        defer { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
        var output = [UInt8](repeating: 0, count: length)
        key.withOctets { _ = crypto_auth_hmacsha512_init(&state, $0, key.count) }
        crypto_auth_hmacsha512_update(&state, message, UInt64(message.count))
        crypto_auth_hmacsha512_final(&state, &output)
        return output
    }
}
