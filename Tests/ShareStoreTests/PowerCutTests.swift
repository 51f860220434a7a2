import Foundation
import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// What is left after a power cut that loses the end of the write-ahead log, at any place: a
/// commit is there with all of it or not at all, and what was reported is there.
struct PowerCutTests {
    private static let headerLength = 32
    private static let frameLength = 4_096 + 24

    /// Copies of the file as a cut would leave it, from the write-ahead log at `start` bytes to
    /// the one that is there now, cut at each frame and within each.
    private func cuts(
        of writer: RoomWriter, from start: Int, in bench: Bench,
        _ body: (RoomWriter, Bool) throws -> Void
    ) throws {
        let database = try Data(contentsOf: URL(fileURLWithPath: writer.path))
        let log = try Data(contentsOf: URL(fileURLWithPath: writer.path + "-wal"))
        var lengths = Array(stride(from: start, to: log.count, by: PowerCutTests.frameLength))
        lengths += lengths.map { $0 + PowerCutTests.frameLength / 2 }.filter { $0 < log.count }
        for length in lengths + [log.count] {
            let path = bench.scratch.path("cut\(length).sqlite")
            try database.write(to: URL(fileURLWithPath: path))
            try log.prefix(length).write(to: URL(fileURLWithPath: path + "-wal"))
            let cut = try RoomWriter(path: path, identity: writer.identity)
            try body(cut, length == log.count)
        }
    }

    private func logLength(_ writer: RoomWriter) throws -> Int {
        try Data(contentsOf: URL(fileURLWithPath: writer.path + "-wal")).count
    }

    @Test func `every commit is synced before it is reported`() throws {
        let bench = try Bench()
        #expect(try bench.founder.database.integer("PRAGMA synchronous") == 2)
        #expect(try bench.founder.database.row("PRAGMA journal_mode") == ["wal"])
    }

    @Test func `a cut while sealing leaves the entries pending or the batch sealed`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        try bench.founder.append([bench.row(form, "Sara", 30)], wall: bench.wall)
        _ = try bench.founder.seal(wall: bench.wall)
        for name in ["Ann", "Eve", "Mary"] {
            try bench.founder.append([bench.row(form, name, 1)], wall: bench.wall)
        }
        let before = try Bench.dump(bench.founder)
        // From an empty log on, so that each place in it belongs to the sealing.
        try bench.founder.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let sealed = try bench.founder.seal(wall: bench.wall)
        let after = try Bench.dump(bench.founder)
        var seen: Set<Bool> = []
        try cuts(of: bench.founder, from: 0, in: bench) { cut, isWhole in
            let dump = try Bench.dump(cut)
            #expect(dump == before || dump == after)
            seen.insert(dump == after)
            if isWhole { #expect(dump == after) }
            let again = try cut.seal(wall: bench.wall + 5)
            if dump == after {
                #expect(again.isEmpty)
                #expect(try cut.ownHead(.records) == sealed.last?.head)
            } else {
                // Nothing of the lost batch had left the device, so its number is free.
                #expect(again.map(\.number) == sealed.map(\.number))
                #expect(try cut.counts().records == 4)
            }
            let clock = try #require(sealed.last?.clock)
            if dump == after { #expect(cut.state.clock.last >= clock) }
        }
        #expect(seen == [true, false])
    }

    @Test func `a cut while merging leaves each group whole or missing`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        var groups: [[Batch]] = [try Bench.batches(of: bench.founder)]
        for number in 0..<4 {
            let names = try bench.founder.append(
                [bench.row(form, "a", Int64(number)), bench.row(form, "b", 2)], wall: bench.wall)
            var group = try bench.founder.seal(wall: bench.wall)
            try bench.founder.append([.delete(names[0])], wall: bench.wall)
            group += try bench.founder.seal(wall: bench.wall)
            groups.append(group)
        }
        let other = try bench.store()
        var states = [try Bench.dump(other)]
        try other.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for group in groups {
            try Bench.merge(group, into: other)
            states.append(try Bench.dump(other))
        }
        var seen: Set<Int> = []
        try cuts(of: other, from: 0, in: bench) { cut, isWhole in
            let dump = try Bench.dump(cut)
            let place = try #require(states.firstIndex(of: dump))
            seen.insert(place)
            if isWhole { #expect(place == states.count - 1) }
            for group in groups { try Bench.merge(group, into: cut) }
            #expect(try Bench.dump(cut) == states.last)
        }
        #expect(seen.count == states.count)
    }
}
