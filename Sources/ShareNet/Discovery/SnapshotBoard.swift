internal import Synchronization

/// Where the newest snapshot hangs: read at once from anywhere, and followed by one reader.
final class SnapshotBoard: Sendable {
    let stream: AsyncStream<DiscoverySnapshot>
    private let continuation: AsyncStream<DiscoverySnapshot>.Continuation
    private let newest = Mutex(DiscoverySnapshot())

    init() {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit { continuation.finish() }

    var snapshot: DiscoverySnapshot { newest.withLock { $0 } }

    /// Replaces the snapshot and tells the reader, unless nothing has changed.
    func publish(_ snapshot: DiscoverySnapshot) {
        let changed = newest.withLock { newest in
            guard newest != snapshot else { return false }
            newest = snapshot
            return true
        }
        if changed { continuation.yield(snapshot) }
    }
}
