import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// Very many versions of one record: what is entered here, and what somebody sends on purpose.
struct OneRecordTests {
    @Test func `what is entered on one record again and again goes on in the next batch`() throws {
        let room = try ConflictBench(editors: 1)
        for step in 0..<40 { try room.edit(0, [1: .integer(Int64(step))]) }
        let sealed = try room[0].seal(wall: room.bench.wall)
        #expect(try sealed.map { try $0.openBody().operationCount } == [16, 16, 8])
        try Bench.merge(sealed, into: room[1])
        #expect(try room[1].counts().refused == 0)
        #expect(try room[1].detail(of: room.record).values.contains(.integer(39)))
        #expect(try Bench.dump(room[0]) == Bench.dump(room[1]))
    }

    /// Batches of edits that have seen nothing, some of which say the same.
    private func flood(_ room: ConflictBench, batches count: Int) -> [Batch] {
        let hostile = room[1].identity
        var batches: [Batch] = []
        for number in 1...count {
            let clock = Timestamp(
                milliseconds: 1_700_000_000_000 + UInt64(number * 7 % 50), counter: 0)
            let rows = (0..<Limits.operationsOnRecord).map { _ in
                RecordsBlock.Row(id: room.record.id, clock: clock, creator: 1, parents: 0..<0)
            }
            let block = RecordsBlock(
                kind: .edit, firstIndex: 0, form: room.form, fields: [1],
                creators: [hostile.key, room[0].identity.key], rows: rows, parents: [],
                cells: rows.indices.map { .integer(Int64($0 + number % 3)) }, storage: [])
            batches.append(
                Batch.seal(
                    room: room.bench.founding.room, kind: .records, number: UInt64(number),
                    previous: batches.last?.id ?? BatchID(room.bench.founding.room.digest),
                    clock: clock, blocks: [.records(block)], by: hostile))
        }
        return batches
    }

    @Test func `thousands of edits beside each other come to the same everywhere`() async throws {
        let room = try ConflictBench(editors: 2)
        let batches = flood(room, batches: 200)
        try Bench.merge(batches, into: room[0])
        for start in stride(from: 0, to: batches.count, by: 7) {
            try Bench.merge(Array(batches[start..<min(start + 7, batches.count)]), into: room[2])
        }
        #expect(try Bench.dump(room[0]) == Bench.dump(room[2]))
        let conflict = try #require(try room[0].conflicts(after: nil, limit: 1).items.first)
        #expect(conflict.losers.count == RecordOutcome.maxLosers)
        #expect(try room[0].history(of: room.record, limit: 20).count == 20)

        // Who edits it now resolves as many sides as an operation can name.
        try room.edit(2, [1: .integer(1_000)])
        try room.exchange([0, 2])
        for device in [room[0], room[2]] {
            #expect(try device.detail(of: room.record).values.contains(.integer(1_000)))
            #expect(try await CheckTests.check(device) == [])
            let before = try Bench.dump(device)
            try device.rebuild()
            #expect(try Bench.dump(device) == before)
        }
        #expect(try Bench.dump(room[0]) == Bench.dump(room[2]))
    }

    @Test(arguments: [0, 1, 3])
    func `sides that agree are no conflict, however many they are`(_ differing: Int) throws {
        let room = try ConflictBench(editors: 2 + differing)
        for place in 1...2 { try room.edit(place, [1: .integer(7)]) }
        for place in 0..<differing { try room.edit(3 + place, [0: .text("\(place)")]) }
        try room.exchange()
        #expect(try room.conflicts().isEmpty == (differing < 2))
        #expect(try room.parallel().count == (differing == 1 ? 1 : 0))
    }
}
