import ShareCrypto
import Synchronization

/// What other devices call themselves, for those who cannot wait: what is typed is read at once.
final class PeerNames: Sendable {
    private let names = Mutex<[DeviceKey: String]>([:])

    /// Nil for a device that this one has not heard of.
    func name(of key: DeviceKey) -> String? { names.withLock { $0[key] } }

    func take(_ known: [DeviceKey: KnownPeer]) {
        let all = known.mapValues(\.name)
        names.withLock { $0 = all }
    }
}
