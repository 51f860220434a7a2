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
        of writer: TestRoom, from start: Int, in bench: Bench, schema: Schema = .room,
        _ body: (TestRoom, Bool) throws -> Void
    ) throws {
        let whole = try logLength(writer)
        try cuts(of: writer, from: start, in: bench, schema: schema) {
            try body($0, $1 == whole)
        }
    }

    /// The same with the length that is left of the write-ahead log.
    private func cuts(
        of writer: TestRoom, from start: Int, in bench: Bench, schema: Schema = .room,
        _ body: (TestRoom, Int) throws -> Void
    ) throws {
        let database = try Data(contentsOf: URL(fileURLWithPath: writer.path))
        let log = try Data(contentsOf: URL(fileURLWithPath: writer.path + "-wal"))
        var lengths = Array(stride(from: start, to: log.count, by: PowerCutTests.frameLength))
        lengths += lengths.map { $0 + PowerCutTests.frameLength / 2 }.filter { $0 < log.count }
        for length in lengths + [log.count] {
            let path = bench.scratch.path("cut\(length).sqlite")
            try database.write(to: URL(fileURLWithPath: path))
            try log.prefix(length).write(to: URL(fileURLWithPath: path + "-wal"))
            let cut = try TestRoom(path: path, identity: writer.identity, schema: schema)
            try body(cut, length)
        }
    }

    private func logLength(_ writer: TestRoom) throws -> Int {
        try Data(contentsOf: URL(fileURLWithPath: writer.path + "-wal")).count
    }

    @Test func `every commit is synced before it is reported`() throws {
        let bench = try Bench()
        #expect(try bench.founder.integer("PRAGMA synchronous") == 2)
        #expect(try bench.founder.row("PRAGMA journal_mode") == ["wal"])
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
        try bench.founder.execute("PRAGMA wal_checkpoint(TRUNCATE)")
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
            if dump == after { #expect(cut.clock.last >= clock) }
        }
        #expect(seen == [true, false])
    }

    @Test func `a cut while an entry is entered and sealed at once leaves both or neither`() throws
    {
        let bench = try Bench()
        let form = try bench.addForm()
        try bench.founder.append([bench.row(form, "Sara", 30)], wall: bench.wall)
        let before = try Bench.dump(bench.founder)
        try bench.founder.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let entered = try bench.founder.enter([bench.row(form, "Ann", 1)], wall: bench.wall)
        // What was pending goes along.
        #expect(entered.records.count == 1 && entered.batches.map(\.number) == [1])
        #expect(try bench.founder.counts().pending == 0)
        let after = try Bench.dump(bench.founder)
        var seen: Set<Bool> = []
        try cuts(of: bench.founder, from: 0, in: bench) { cut, isWhole in
            let dump = try Bench.dump(cut)
            #expect(dump == before || dump == after)
            seen.insert(dump == after)
            if isWhole { #expect(dump == after) }
            #expect(try cut.counts().records == (dump == after ? 2 : 1))
            #expect(try cut.ownHead(.records) == (dump == after ? entered.batches[0].head : nil))
            #expect(try cut.seal(wall: bench.wall + 5).map(\.number) == (dump == after ? [] : [1]))
        }
        #expect(seen == [true, false])
    }

    /// What had been reported when the write-ahead log had grown to `end` bytes.
    private struct Reported {
        var end = 0
        var entries = 0
        var sealed: [Batch] = []
        var delivered: LogHead?
    }

    @Test func `what was reported of an entry, a batch or a delivery outlives every cut`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let device = bench.founder
        let peer = DeviceIdentity.generate().key
        let log = LogName(author: device.identity.key, kind: .records)
        let controls = try Bench.batches(of: device)
        try device.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        var steps = [Reported()]
        func report(_ change: (inout Reported) throws -> Void) throws {
            var next = steps[steps.count - 1]
            try change(&next)
            next.end = try logLength(device)
            steps.append(next)
        }
        for round in 1...4 {
            for name in ["Ann", "Eve"] {
                try report {
                    try device.append([bench.row(form, name, Int64(round))], wall: bench.wall)
                    $0.entries += 1
                }
            }
            try report { $0.sealed += try device.seal(wall: bench.wall) }
            try report {
                let head = try #require($0.sealed.last?.head)
                device.noteDelivered(
                    Acknowledgement(
                        log: log, head: head, isStored: true, accepted: 2, waiting: 0, refused: 0),
                    by: peer)
                #expect(try device.delivered(log)[peer] == head)
                try device.writeDeliveries()
                $0.delivered = head
            }
        }
        var seen: Set<Int> = []
        try cuts(of: device, from: 0, in: bench) { cut, length in
            let place = try #require(steps.lastIndex { $0.end <= length })
            let reported = steps[place]
            seen.insert(place)
            #expect(try cut.counts().records >= reported.entries)
            let delivered = try cut.delivered(log)[peer]
            #expect(delivered?.number ?? 0 >= reported.delivered?.number ?? 0)
            // A batch that may have left the device stays, and the next one comes after it.
            let other = try bench.store()
            try Bench.merge(controls + reported.sealed, into: other)
            try cut.append([bench.row(form, "Mary", 1)], wall: bench.wall)
            _ = try cut.seal(wall: bench.wall)
            let own = try Bench.batches(of: cut).filter { $0.kind == .records }
            let fates = try Bench.merge(own, into: other).map(\.fate)
            #expect(fates.allSatisfy { $0 == .stored || $0 == .known })
            #expect(try other.forks().isEmpty)
            #expect(try Bench.dump(other) == Bench.dump(cut))
        }
        #expect(seen.count == steps.count)
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
        try other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
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

    @Test func `a cut while an older file is brought up to date leaves it as it was or made anew`()
        throws
    {
        let bench = try Bench()
        let form = try bench.addForm()
        let names = try bench.founder.append(
            [bench.row(form, "Ann", 1), bench.row(form, "Eve", 2)], wall: bench.wall)
        _ = try bench.founder.seal(wall: bench.wall)
        try bench.founder.append([.delete(names[0])], wall: bench.wall)
        _ = try bench.founder.seal(wall: bench.wall)
        let sound = try Bench.dump(bench.founder)
        // What is derived is incomplete, and a step more brings the file up to date.
        try bench.founder.execute(
            "DELETE FROM _definition; DELETE FROM _version; PRAGMA wal_checkpoint(TRUNCATE)")
        let schema = Schema(
            first: Schema.room.first,
            steps: Schema.room.steps + ["CREATE TABLE _more(x INTEGER) STRICT"])
        let opened = try TestRoom(
            path: bench.founder.path, identity: bench.founder.identity, schema: schema)
        var seen: Set<Bool> = []
        try cuts(of: opened, from: 0, in: bench, schema: schema) { cut, isWhole in
            let dump = try Bench.dump(cut)
            let version = try cut.schemaVersion()
            #expect(dump == sound && version == schema.version)
            seen.insert(isWhole)
        }
        #expect(seen == [true, false])
    }

    @Test func `a cut while records follow a removal leaves each step whole or missing`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let device = try bench.device(.editor)
        try Bench.merge(Bench.batches(of: bench.founder), into: device)
        let names = try bench.founder.append([bench.row(form, "Sara", 30)], wall: bench.wall)
        try Bench.merge(try bench.founder.seal(wall: bench.wall), into: device)
        for age in 0..<4 {
            try device.append(
                [
                    bench.row(form, "Ann", Int64(age)),
                    .edit(
                        names[0], definition: form, values: [.init(field: 1, value: .integer(9))]),
                ], wall: bench.wall)
            _ = try device.seal(wall: bench.wall)
        }
        try Bench.merge(Bench.batches(of: device), into: bench.founder)
        let other = try bench.store()
        try Bench.merge(Bench.batches(of: bench.founder), into: other)
        let removal = try bench.remove(device.identity.key)
        other.reappliedAtOnce = 2
        var states = [try Bench.dump(other)]
        try other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try Bench.merge([removal], into: other, reapplying: false)
        states.append(try Bench.dump(other))
        while try other.reapply() { states.append(try Bench.dump(other)) }
        states.append(try Bench.dump(other))
        #expect(states.last == (try Bench.dump(bench.founder)))
        var seen: Set<Int> = []
        try cuts(of: other, from: 0, in: bench) { cut, isWhole in
            let dump = try Bench.dump(cut)
            let place = try #require(states.firstIndex(of: dump))
            seen.insert(place)
            if isWhole { #expect(dump == states.last) }
            if dump != states[0], dump != states.last { #expect(try cut.view().isReapplying) }
            try Bench.merge([removal], into: cut)
            #expect(try Bench.dump(cut) == states.last)
        }
        #expect(seen.count > 3)
    }
}
