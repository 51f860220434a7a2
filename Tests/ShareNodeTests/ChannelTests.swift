import ShareTestKit
import Testing

@testable import ShareNode

@Suite struct ChannelTests {
    @Test(.timeLimit(.minutes(1)))
    func `what is added comes out in order, in groups within the bounds`() async {
        let channel = Channel<Int>(limit: 100) { $0 }
        for number in [5, 5, 5, 50, 1] { channel.add(number) }
        #expect(await channel.next(upTo: 2, cost: 100) == [5, 5])
        #expect(await channel.next(upTo: 9, cost: 20) == [5])
        // One that is beyond the bound comes alone.
        #expect(await channel.next(upTo: 9, cost: 20) == [50])
        channel.finish()
        #expect(await channel.next() == 1)
        #expect(await channel.next() == nil)
        #expect(channel.peak == 66)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a writer that waits goes on when there is room, and when it ends`() async {
        let channel = Channel<Int>(limit: 2)
        channel.add(1)
        channel.add(2)
        #expect(!channel.offer(3))
        let passed = Shared(0)
        let writers = (0..<8).map { _ in
            Task {
                await channel.hasRoom()
                passed.change { $0 += 1 }
            }
        }
        #expect(await channel.next() == 1)
        #expect(await eventually { passed.value == 8 })
        for writer in writers { await writer.value }
        channel.add(4)
        let last = Task { await channel.hasRoom() }
        #expect(channel.cancel() == [2, 4])
        await last.value
        #expect(channel.offer(5))
        #expect(await channel.next() == nil)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a thread that is held up passes on everything, and is let go at the end`() async {
        let channel = Channel<Int>(limit: 4)
        let added = Shared(0)
        let isOver = Shared(false)
        Thread.start {
            while channel.addBlocking(added.value) { added.change { $0 += 1 } }
            isOver.change { $0 = true }
        }
        for number in 0..<10_000 { #expect(await channel.next() == number) }
        channel.cancel()
        #expect(await eventually { isOver.value })
        #expect(channel.peak <= 4)
        #expect(added.value >= 10_000)
    }
}

private enum Thread {
    /// Runs work that may wait on a thread of its own.
    static func start(_ work: @escaping @Sendable () -> Void) {
        Task { try? await OffPool.run(work) }
    }
}
