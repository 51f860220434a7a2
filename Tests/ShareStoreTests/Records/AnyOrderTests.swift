import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareStore

/// The property that all else stands on: what a room comes to depends on the set of batches,
/// not on their order, on duplicates, or on what was held before.
struct AnyOrderTests {
    static let seed = TestSeed.printed(by: "AnyOrderTests")

    @Test(arguments: [false, true])
    func `any order of any batches comes to the same`(isWar: Bool) throws {
        for round in 0..<(Exhaustive.isOn ? 50 : 6) {
            var random = SeededRandom(
                seed: AnyOrderTests.seed &+ UInt64(round) &+ (isWar ? 1_000 : 0))
            let bench = try Bench()
            let batches = try story(bench, isWar: isWar, &random)
            let reference = try bench.store()
            try deliver(batches, to: reference)
            let expected = try state(of: reference)
            for order in 0..<10 {
                var store = try bench.store()
                // Records follow authority in steps of a few operations, with merges between them
                // and the file closed at any time.
                var kills = SeededRandom(seed: UInt64.random(in: 0 ... .max, using: &random))
                let step = [1, 3, 10, 10_000].randomElement(using: &random) ?? 1
                func reopen(_ always: Bool = false) throws {
                    if always || Int.random(in: 0..<12, using: &kills) == 0 {
                        store = try TestRoom(path: store.path, identity: store.identity)
                    }
                    // Thousands of commits that nobody needs after a power cut.
                    try store.execute("PRAGMA synchronous=OFF")
                    store.reappliedAtOnce = step
                }
                try reopen(true)
                var mixed = batches.shuffled(using: &random)
                mixed += mixed.prefix(5)
                // A part first, in the file and judged, then the rest.
                let part = Int.random(in: 0...mixed.count, using: &random)
                try deliver(Array(mixed[..<part]), all: false, &random) {
                    try reopen()
                    return store
                }
                if order == 3 { try store.rebuild() }
                try deliver(mixed.shuffled(using: &random), all: true, &random) {
                    try reopen()
                    return store
                }
                while try store.reapply() { try reopen() }
                let dump = try state(of: store)
                try #require(
                    dump == expected,
                    "seed \(AnyOrderTests.seed) war \(isWar) round \(round) order \(order): \(difference(dump, expected))"
                )
                try #require(try store.view().vector == reference.view().vector)
                if order == 7 {
                    try store.rebuild()
                    try #require(
                        try state(of: store) == expected, "rebuild, war \(isWar) round \(round)")
                }
                if order == 8 {
                    try reopen(true)
                    try #require(
                        try state(of: store) == expected, "reopen, war \(isWar) round \(round)")
                }
            }
        }
    }

    /// The state in words, but for batches past a cutoff, and of authors whose grant has fallen:
    /// who had them already keeps them and shows them as refused, others never ask for them.
    func state(of store: TestRoom) throws -> [String] {
        var past: [String] = []
        for row in try store.rows(
            "SELECT author, kind, number, id FROM _batch WHERE state = 0")
        {
            guard case .integer(let author) = row[0], case .integer(let raw) = row[1],
                let kind = LogKind(rawValue: UInt8(raw)), case .integer(let number) = row[2],
                case .blob(let bytes) = row[3], let id = Digest(bytes)
            else { continue }
            let log = LogName(author: try store.key(of: author), kind: kind)
            let head = LogHead(number: UInt64(number), batch: BatchID(id))
            if try store.isPastCutoff(head, of: log) { past.append("\(row[3])") }
        }
        return try Bench.dump(store).filter { line in !past.contains { line.contains($0) } }
    }

    /// Hands over batches in groups until nothing is missing (or once, if not `all`).
    func deliver(
        _ batches: [Batch], all: Bool, _ random: inout SeededRandom,
        to store: () throws -> TestRoom
    ) throws {
        var left = batches
        repeat {
            let before = left.count
            var next: [Batch] = []
            while !left.isEmpty {
                let count = min(Int.random(in: 1...6, using: &random), left.count)
                let group = Array(left.prefix(count))
                left.removeFirst(count)
                let outcomes = try Bench.merge(group, into: try store(), reapplying: false)
                for (batch, outcome) in zip(group, outcomes)
                where [.gap, .apart, .pastCutoff].contains(outcome.fate) { next.append(batch) }
                for _ in 0..<Int.random(in: 0...2, using: &random) { _ = try store().reapply() }
            }
            left = next
            if left.count == before { break }
        } while all && !left.isEmpty
    }

    func deliver(_ batches: [Batch], to store: TestRoom) throws {
        var random = SeededRandom(seed: 1)
        try deliver(batches, all: true, &random) { store }
        while try store.reapply() {}
    }

    func difference(_ a: [String], _ b: [String]) -> String {
        let ours = Set(a)
        let theirs = Set(b)
        return
            (a.filter { !theirs.contains($0) }.map { "+ " + $0 }
            + b.filter { !ours.contains($0) }.map { "- " + $0 }).prefix(12).joined(separator: "\n")
    }
}
