package import ShareControl
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

    package func tell(_ event: WatchEvent) {
        let watchers = state.withLock { Array($0.watchers.values) }
        for watcher in watchers { watcher.yield(event) }
    }

    package func finish() {
        let watchers = state.withLock { Array($0.watchers.values) }
        for watcher in watchers { watcher.finish() }
    }
}
