import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

struct ForkedViewTests {
    @Test func `of a log with seventy branches a message tells no more than it may`() throws {
        let bench = try Bench()
        let author = DeviceIdentity.generate()
        try bench.grant(.collector, to: author.key)
        let store = try bench.store()
        try Bench.merge(Bench.batches(of: bench.founder), into: store)
        let room = bench.founding.room
        var batches: [Batch] = []
        for branch in 0..<70 {
            var last = BatchID(room.digest)
            for number in 1...20 {
                let batch = Batch.seal(
                    room: room, kind: .records, number: UInt64(number), previous: last,
                    clock: Timestamp(milliseconds: 5, counter: UInt16(branch)), rawBody: [0x80],
                    by: author)
                batches.append(batch)
                last = batch.id
            }
        }
        try Bench.merge(batches, into: store)
        let view = try store.view()
        let log = LogName(author: author.key, kind: .records)
        #expect(view.logs[log]?.heads.count == Limits.headsTold)
        _ = try WireMessage(decoding: WireMessage.have(room, view.logs).encoded())

        let unknown = LogHead(number: 21, batch: BatchID(Hash.digest([1])))
        let positions = try store.find(log, [unknown]).positions
        #expect(positions.count == SyncLimits.positions)
        _ = try WireMessage(decoding: WireMessage.want(room, log, after: positions).encoded())
    }

    /// A log of four batches, and then so many branches.
    private static func branches(_ count: Int, in room: RoomID, by author: DeviceIdentity)
        -> (line: [Batch], ends: [Batch])
    {
        func seal(_ number: UInt64, _ previous: BatchID, _ counter: Int) -> Batch {
            Batch.seal(
                room: room, kind: .records, number: number, previous: previous,
                clock: Timestamp(milliseconds: 5, counter: UInt16(counter)), rawBody: [0x80],
                by: author)
        }
        var line: [Batch] = []
        for number in 1...4 {
            line.append(seal(UInt64(number), line.last?.id ?? BatchID(room.digest), 0))
        }
        return (line, (0..<count).map { seal(5, line[3].id, $0) })
    }

    @Test func `whoever took a dozen branches and whoever took nine can tell`() throws {
        let bench = try Bench()
        let author = DeviceIdentity.generate()
        try bench.grant(.collector, to: author.key)
        let other = try bench.store()
        try Bench.merge(Bench.batches(of: bench.founder), into: other)
        let (line, ends) = Self.branches(12, in: bench.founding.room, by: author)
        try Bench.merge(line + ends, into: bench.founder)
        try Bench.merge(line + ends.prefix(9), into: other)
        #expect(try bench.founder.view().vector != other.view().vector)
        let log = LogName(author: author.key, kind: .records)
        #expect(try bench.founder.view().logs[log]?.heads.count == 12)
    }

    @Test func `of very many branches those that an owner names are told`() throws {
        let bench = try Bench()
        let author = DeviceIdentity.generate()
        try bench.grant(.collector, to: author.key)
        let (line, ends) = Self.branches(100, in: bench.founding.room, by: author)
        try Bench.merge(line + ends, into: bench.founder)
        let named = ends.map(\.head).sorted().suffix(30)
        _ = try bench.founder.sealControl(
            [
                .accept(
                    Acceptance(
                        subject: author.key,
                        heads: CoveredHeads(control: [], records: Array(named))))
            ], wall: bench.wall)
        let log = LogName(author: author.key, kind: .records)
        let told = try #require(try bench.founder.view().logs[log]).heads
        #expect(told.count == Limits.headsTold && Set(named).isSubset(of: told))

        // Whoever lacks one that is not told can tell, and whoever has all can.
        let all = Set(ends.map(\.head))
        let untold = try #require(all.subtracting(told).first)
        for isWhole in [false, true] {
            let other = try bench.store()
            try Bench.merge(
                Bench.batches(of: bench.founder).filter { isWhole || $0.head != untold },
                into: other)
            #expect(try (bench.founder.view().vector == other.view().vector) == isWhole)
            #expect(try (bench.founder.view().logs[log] == other.view().logs[log]) == isWhole)
        }
    }

    @Test func `branches past a cutoff do not refuse what counts`() throws {
        let bench = try Bench()
        let author = DeviceIdentity.generate()
        try bench.grant(.collector, to: author.key)
        let other = try bench.store()
        let control = try Bench.batches(of: bench.founder)
        let (line, ends) = Self.branches(9, in: bench.founding.room, by: author)
        let early = try bench.store()
        try Bench.merge(control + line + ends, into: early)
        try Bench.merge(control, into: other)
        let unheld = LogHead(number: 5, batch: BatchID(Hash.digest([1])))
        let removal = try bench.remove(
            author.key, heads: CoveredHeads(control: [], records: [unheld]))
        try Bench.merge([removal], into: early)
        try Bench.merge([removal] + line + ends, into: other)
        for store in [early, other] {
            let held = try store.rows("SELECT batch FROM _batch WHERE kind = 1 AND number < 5")
            #expect(held.count == 4)
            for row in held {
                guard case .integer(let batch) = row[0] else { continue }
                #expect(try store.role(at: batch) == .collector)
            }
            #expect(try store.forks().allSatisfy { !$0.isRefused })
        }
        #expect(try early.view().vector == other.view().vector)
        #expect(try early.view().digest == other.view().digest)
    }
}
