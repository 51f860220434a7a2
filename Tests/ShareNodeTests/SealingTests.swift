import ShareControl
import ShareCore
import ShareStore
import Synchronization
import Testing

@testable import ShareNode

/// The one door through which a device's batches come to be.
@Suite struct SealingTests {
    @Test(.timeLimit(.minutes(1)))
    func `control operations wait while sealing is held, and are made from the room as it is then`()
        async throws
    {
        let node = try await TestNode("a")
        try await node.create("clinic")
        let room = try await node.room("clinic")
        await room.store.setSealingBlocked(true)
        let attempts = Mutex(0)
        let (attempted, signal) = AsyncStream.makeStream(of: Int.self)
        let sealing = Task {
            try await node.node.sealing.control(in: room) { store in
                signal.yield(
                    attempts.withLock {
                        $0 += 1
                        return $0
                    })
                return [.set(Setting(key: "name", value: "ward", bases: []))]
            }
        }
        for await count in attempted where count > 1 { break }
        #expect(try await room.store.view().logs.values.map(\.number) == [1])
        await room.store.setSealingBlocked(false)
        let batch = try #require(try await sealing.value)
        #expect(batch.number == 2)
        #expect(await room.store.settings().name == "ward")
        await node.stop()
    }
}
