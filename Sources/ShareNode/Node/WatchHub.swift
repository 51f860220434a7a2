package import ShareControl
import ShareCore
import ShareCrypto
import Synchronization

/// Passes events on to everybody who watches; a slow watcher misses the oldest, and is told.
package final class WatchHub: Sendable {
    private struct State {
        var watchers: [UInt64: AsyncStream<WatchEvent>.Continuation] = [:]
        var next: UInt64 = 0
    }

    private let state = Mutex(State())
    /// Events kept for a watcher that does not read.
    private static let backlog = 1_024

    package init() {}

    /// Events from now on, until the stream is let go.
    package func watch() -> AsyncStream<WatchEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: WatchEvent.self, bufferingPolicy: .bufferingNewest(Self.backlog))
        let number = state.withLock { state in
            state.next += 1
            state.watchers[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { state in _ = state.watchers.removeValue(forKey: number) }
        }
        return stream
    }

    /// Tells an event that is put together only if somebody watches.
    func tell(
        _ event: String, in room: String? = nil, peer: DeviceKey? = nil, named: String = "",
        count: Int? = nil, _ text: @autoclosure () -> String
    ) {
        guard state.withLock({ !$0.watchers.isEmpty }) else { return }
        tell(
            WatchEvent(
                event: event, at: WallClock.text(WallClock.milliseconds()), room: room,
                peer: peer.map { NamedDevice(id: $0.text, name: named) }, count: count,
                text: text()))
    }

    package func tell(_ event: WatchEvent) {
        let watchers = state.withLock { Array($0.watchers.values) }
        for watcher in watchers { watcher.yield(event) }
    }

    package func finish() {
        let watchers = state.withLock { Array($0.watchers.values) }
        for watcher in watchers { watcher.finish() }
    }
}
