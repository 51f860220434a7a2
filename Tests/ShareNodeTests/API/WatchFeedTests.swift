import ShareControl
import Testing

@testable import ShareNode

/// What watchers are told, and what they are told that they were not.
struct WatchFeedTests {
    private func event(_ number: Int) -> WatchEvent {
        WatchEvent(event: "e\(number)", at: "", text: "")
    }

    private func rest(of feed: WatchFeed) async -> [WatchEvent] {
        var events: [WatchEvent] = []
        for await event in feed { events.append(event) }
        return events
    }

    @Test func `events come in order, also those that wait when the feed ends`() async {
        let hub = WatchHub(wall: { 1_000 })
        let feed = hub.watch()
        for number in 0..<WatchHub.backlog { hub.tell(event(number)) }
        hub.finish()
        let events = await rest(of: feed)
        #expect(events.map(\.event) == (0..<WatchHub.backlog).map { "e\($0)" })
        #expect(events.allSatisfy { $0.at == "1970-01-01T00:00:01.000Z" }, "\(events[0].at)")
    }

    @Test func `a slow watcher is told how many events it missed, and others are not`() async {
        let hub = WatchHub(wall: { 1_000 })
        let slow = hub.watch()
        let quick = hub.watch()
        var reader = quick.makeAsyncIterator()
        let count = WatchHub.backlog * 3 + 7
        for number in 0..<count {
            hub.tell(event(number))
            #expect(await reader.next()?.event == "e\(number)")
        }
        hub.finish()
        #expect(await reader.next() == nil)
        let events = await rest(of: slow)
        #expect(events.first?.event == "missed")
        #expect(events.first?.count == count - WatchHub.backlog)
        #expect(
            events.dropFirst().map(\.event)
                == (count - WatchHub.backlog..<count).map { "e\($0)" })
    }

    @Test func `every event is either shown or counted as missed, whoever is faster`() async {
        let hub = WatchHub(wall: { 1_000 })
        let feed = hub.watch()
        let count = 50_000
        let telling = Task.detached {
            for number in 0..<count { hub.tell(WatchEvent(event: "\(number)", at: "", text: "")) }
            hub.finish()
        }
        var next = 0
        var shown = 0
        var missed = 0
        for await event in feed {
            if event.event == "missed" {
                missed += event.count ?? 0
                next += event.count ?? 0
            } else {
                // The gaps lie exactly where it is said.
                #expect(event.event == "\(next)")
                next += 1
                shown += 1
            }
        }
        await telling.value
        #expect(shown + missed == count)
    }

    @Test func `nothing is kept for a feed that was let go`() {
        let hub = WatchHub(wall: { 1_000 })
        do {
            let feed = hub.watch()
            hub.tell(event(1))
            #expect(hub.isWatched)
            withExtendedLifetime(feed) {}
        }
        #expect(!hub.isWatched)
    }

    @Test func `a watcher that is cancelled is woken`() async {
        let hub = WatchHub(wall: { 1_000 })
        let feed = hub.watch()
        let watching = Task { await rest(of: feed).count }
        hub.tell(event(1))
        watching.cancel()
        #expect(await watching.value <= 1)
    }
}
