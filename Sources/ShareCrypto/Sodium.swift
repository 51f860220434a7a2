internal import CSodium

/// Starts libsodium once; every use of the library in this module goes through here.
enum Sodium {
    static let ready: Void = {
        // A device without a source of randomness cannot work at all.
        precondition(sodium_init() >= 0, "libsodium cannot start")
    }()
}
