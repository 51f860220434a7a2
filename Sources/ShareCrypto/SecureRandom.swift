internal import CSodium

/// The system's random source.
package enum SecureRandom {
    /// As many fresh random bytes as asked for.
    package static func bytes(_ count: Int) -> [UInt8] {
        _ = Sodium.ready
        var bytes = [UInt8](repeating: 0, count: count)
        randombytes_buf(&bytes, count)
        return bytes
    }
}

/// Starts libsodium once; every use of the library in this module goes through here.
enum Sodium {
    static let ready: Void = {
        // A device without a source of randomness cannot work at all.
        precondition(sodium_init() >= 0, "libsodium cannot start")
    }()
}
