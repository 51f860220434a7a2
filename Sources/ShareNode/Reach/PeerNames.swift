import ShareCrypto
import Synchronization

/// What other devices call themselves, for those who cannot wait: what is typed is read at once.
final class PeerNames: Sendable {
    private let names = Mutex<[DeviceKey: String]>([:])

    /// Nil for a device that this one has not heard of.
    func name(of key: DeviceKey) -> String? { names.withLock { $0[key] } }

    /// - Parameter name: nil for a device that is forgotten.
    func note(_ key: DeviceKey, _ name: String?) { names.withLock { $0[key] = name } }
}
