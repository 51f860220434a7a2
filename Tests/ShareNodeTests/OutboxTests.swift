import ShareCore
import Testing

@testable import ShareNode

@Suite struct OutboxTests {
    @Test(.timeLimit(.minutes(1)))
    func `messages come out in their order, also to one who waits for them`() async {
        let outbox = Outbox()
        let reading = Task {
            var versions: [UInt64] = []
            while let message = await outbox.next() {
                if case .otherHello(let version) = message { versions.append(version) }
            }
            return versions
        }
        outbox.trust()
        for version in 1...UInt64(5_000) { #expect(outbox.add(.otherHello(version: version))) }
        outbox.finish()
        #expect(await reading.value == Array(1...5_000))
        if await outbox.next() != nil { Issue.record("something came after the end") }
    }

    @Test func `what waits for one who does not read is bounded, for a stranger more so`() {
        func count(_ outbox: Outbox) -> Int {
            (0..<1_000_000).first { _ in !outbox.add(.pong) } ?? .max
        }
        let stranger = Outbox()
        let member = Outbox()
        member.trust()
        #expect(count(stranger) <= 512)
        #expect((1_000...131_072).contains(count(member)))
    }
}
