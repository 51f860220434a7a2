package import ShareControl
import Synchronization

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
    private let onEnd: @Sendable () -> Void

    /// - Parameter limit: how many events wait at most.
    init(limit: Int, onEnd: @escaping @Sendable () -> Void) {
        self.limit = limit
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
                    if let missed = state.takeMissed() { return (missed, false) }
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

    /// What is said of events that were dropped; they are all older than those that wait.
    mutating func takeMissed() -> WatchEvent? {
        guard missed > 0 else { return nil }
        defer { missed = 0 }
        return WatchEvent(
            event: "missed", at: WallClock.text(WallClock.milliseconds()), count: missed,
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
