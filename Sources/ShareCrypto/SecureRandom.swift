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
