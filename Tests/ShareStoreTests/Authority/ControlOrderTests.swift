import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareStore

/// Control logs as no honest program makes them: what the store keeps up comes to the same in any
/// order of arrival, whatever it held before and however often it was opened, and is what
/// authority makes of all operations.
struct ControlOrderTests {
    static let seed = TestSeed.printed(by: "ControlOrderTests")

    @Test func `any order of hostile control logs comes to the same`() async throws {
        let orders = AnyOrderTests()
        for round in 0..<4 {
            var random = SeededRandom(seed: Self.seed &+ UInt64(round))
            let bench = try Bench()
            let story = try ControlStory(bench, &random)
            let reference = try bench.store()
            try orders.deliver(story.batches, to: reference)
            try expectVerdicts(of: reference, "round \(round)")
            let expected = try orders.state(of: reference)
            for order in 0..<4 {
                var store = try bench.store()
                store.reappliedAtOnce = [1, 10, 10_000].randomElement(using: &random) ?? 1
                var kills = SeededRandom(seed: UInt64.random(in: 0 ... .max, using: &random))
                let mixed = story.batches.shuffled(using: &random)
                let part = Int.random(in: 0...mixed.count, using: &random)
                for (batches, all) in [(Array(mixed[..<part]), false), (mixed, true)] {
                    try orders.deliver(batches, all: all, &random) {
                        if Int.random(in: 0..<12, using: &kills) == 0 {
                            store = try TestRoom(path: store.path, identity: store.identity)
                        }
                        try store.execute("PRAGMA synchronous=OFF")
                        return store
                    }
                }
                while try store.reapply() {}
                let place = "seed \(Self.seed) round \(round) order \(order)"
                let state = try orders.state(of: store)
                try #require(
                    state == expected, "\(place): \(orders.difference(state, expected))")
                try #require(try store.view().vector == reference.view().vector, "\(place)")
                try expectVerdicts(of: store, place)
                let kept = try Bench.dump(store)
                try store.rebuild()
                let again = try Bench.dump(store)
                try #require(
                    again == kept,
                    "rebuild, \(place): \(orders.difference(again, kept))")
            }
        }
    }

    /// Each operation is noted as authority judges it that has all of them at hand.
    private func expectVerdicts(of store: TestRoom, _ place: String) throws {
        let controls = try store.openControls()
        let batches = controls.map { record in
            ControlBatch(
                author: record.author, head: record.head, previous: record.previous,
                entries: record.entries.map {
                    .init(index: $0.index, operation: $0.entry.operation)
                })
        }
        let authority = Authority(room: store.room, batches: batches)
        for record in controls {
            for (index, entry) in record.entries {
                var wanted = try #require(authority.verdict(of: record.name(index)))
                if wanted == .accepted, case .form(let form) = entry.operation, !form.isSound {
                    wanted = .refused(.definition)
                }
                try #require(
                    record.verdict(at: index) == wanted,
                    "\(place): \(entry.operation) at \(index) of \(record.head)")
                if wanted == .accepted { #expect(record.accepts(OperationSort(entry.operation))) }
            }
        }
    }
}
