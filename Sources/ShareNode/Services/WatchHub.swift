package import ShareControl
import ShareCore
import ShareCrypto
import Synchronization

/// Passes events on to everybody who watches; a slow watcher misses the oldest, and is told.
package final class WatchHub: Sendable {
    private struct State {
        var feeds: [UInt64: Held] = [:]
        var next: UInt64 = 0
    }

    /// Weak: a watcher is gone when nobody reads its feed.
    private struct Held: Sendable {
        weak let feed: WatchFeed?
    }

    private let state = Mutex(State())
    /// Events kept for a watcher that does not read.
    static let backlog = 1_024

    package init() {}

    /// Events from now on, until the feed is let go.
    package func watch() -> WatchFeed {
        state.withLock { state in
            state.next += 1
            let number = state.next
            let feed = WatchFeed(limit: Self.backlog) { [weak self] in
                self?.state.withLock { state in _ = state.feeds.removeValue(forKey: number) }
            }
            state.feeds[number] = Held(feed: feed)
            return feed
        }
    }

    /// Tells an event that is put together only if somebody watches.
    func tell(
        _ event: String, in room: String? = nil, peer: DeviceKey? = nil, named: String = "",
        count: Int? = nil, _ text: @autoclosure () -> String
    ) {
        guard isWatched else { return }
        tell(
            WatchEvent(
                event: event, room: room, peer: peer.map { NamedDevice(id: $0.text, name: named) },
                count: count, text: text()))
    }

    /// Whether anybody watches: events that cost something to put together ask first.
    var isWatched: Bool { state.withLock { !$0.feeds.isEmpty } }

    /// Tells an event, with the moment at which it is told.
    package func tell(_ event: WatchEvent) {
        var event = event
        event.at = WallClock.text(WallClock.milliseconds())
        for feed in feeds() { feed.add(event) }
    }

    package func finish() {
        for feed in feeds() { feed.finish() }
    }

    /// Outside of the lock, as the last one to let a feed go ends it, which takes the lock.
    private func feeds() -> [WatchFeed] {
        let held = state.withLock { Array($0.feeds.values) }
        return held.compactMap(\.feed)
    }
}
