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
    private let wall: @Sendable () -> UInt64
    /// Events kept for a watcher that does not read.
    static let backlog = 1_024

    /// - Parameter wall: milliseconds of the wall clock since 1970.
    package init(wall: @escaping @Sendable () -> UInt64) { self.wall = wall }

    /// Events from now on, until the feed is let go.
    package func watch() -> WatchFeed {
        state.withLock { state in
            state.next += 1
            let number = state.next
            let feed = WatchFeed(limit: Self.backlog, wall: wall) { [weak self] in
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
        event.at = WallClock.text(wall())
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

/// The events of one watcher, oldest first. When it reads too slowly the oldest that wait are
/// dropped, and a `missed` event with their number takes their place.
///
/// It is no `Channel`: dropping and telling of it have to be one step, so that the gap is exactly
/// where it is said.
package final class WatchFeed: AsyncSequence, Sendable {
    fileprivate struct State {
        var waiting: [WatchEvent] = []
        /// Where in `waiting` the oldest lies; what is before it has been read.
        var first = 0
        var missed = 0
        var isFinished = false
        var reader: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    private let limit: Int
    private let wall: @Sendable () -> UInt64
    private let onEnd: @Sendable () -> Void

    /// - Parameter limit: how many events wait at most.
    init(
        limit: Int, wall: @escaping @Sendable () -> UInt64,
        onEnd: @escaping @Sendable () -> Void
    ) {
        self.limit = limit
        self.wall = wall
        self.onEnd = onEnd
    }

    deinit { onEnd() }

    /// Adds an event; where `limit` of them wait already, the oldest goes.
    func add(_ event: WatchEvent) {
        let reader = state.withLock { state in
            guard !state.isFinished else { return CheckedContinuation<Void, Never>?.none }
            if state.waiting.count - state.first >= limit {
                state.first += 1
                state.missed += 1
            }
            // Read and dropped ones are let go together, so that no event is moved often.
            if state.first > limit {
                state.waiting.removeFirst(state.first)
                state.first = 0
            }
            state.waiting.append(event)
            return state.takeReader()
        }
        reader?.resume()
    }

    /// Ends the feed; what waits is still handed out.
    func finish() {
        let reader = state.withLock { state in
            state.isFinished = true
            return state.takeReader()
        }
        reader?.resume()
    }

    /// The next event; nil when the feed has ended or the task is cancelled. For one reader.
    fileprivate func next() async -> WatchEvent? {
        await withTaskCancellationHandler {
            while true {
                let (event, isOver): (WatchEvent?, Bool) = state.withLock { state in
                    if let missed = state.takeMissed(at: wall) { return (missed, false) }
                    if let event = state.take() { return (event, false) }
                    return (nil, state.isFinished)
                }
                if event != nil || isOver { return event }
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state in
                        if state.first < state.waiting.count || state.isFinished { return true }
                        state.reader = continuation
                        return false
                    }
                    if isReady { continuation.resume() }
                }
            }
        } onCancel: {
            finish()
        }
    }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let feed: WatchFeed

        package mutating func next() async -> WatchEvent? { await feed.next() }
    }

    package func makeAsyncIterator() -> Iterator { Iterator(feed: self) }
}

extension WatchFeed.State {
    mutating func takeReader() -> CheckedContinuation<Void, Never>? {
        defer { reader = nil }
        return reader
    }

    /// The event that stands for those dropped; they are all older than those that wait.
    mutating func takeMissed(at wall: () -> UInt64) -> WatchEvent? {
        guard missed > 0 else { return nil }
        defer { missed = 0 }
        return WatchEvent(
            event: "missed", at: WallClock.text(wall()), count: missed,
            text: "\(missed) \(missed == 1 ? "event was" : "events were") not shown:"
                + " they came faster than they were read")
    }

    mutating func take() -> WatchEvent? {
        guard first < waiting.count else { return nil }
        let event = waiting[first]
        first += 1
        if first == waiting.count {
            waiting = []
            first = 0
        }
        return event
    }
}
