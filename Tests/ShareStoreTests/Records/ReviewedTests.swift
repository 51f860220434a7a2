import ShareCore
import Testing

@testable import ShareStore

/// Changes that a review had not seen, whatever the clocks.
struct ReviewedTests {
    /// Whether a device tells that the record was changed since its review: as its list does, by a
    /// condition, and beside the record alone.
    private func told(_ room: ConflictBench, _ place: Int) async throws -> [Bool] {
        let device = room[place]
        let info = try #require(device.form("visit"))
        let reader = try RoomReader(path: device.path)
        var query = RecordQuery()
        query.wantsTrails = true
        let row = try #require(try await reader.records(info, query).first)
        let open = RecordQuery(where: [.init(.reviewed, equals: .text("no"))])
        return [
            try #require(row.trail).isChangedSinceReview,
            try await reader.records(info, open).count == 1,
            try device.detail(of: room.record).isChangedSinceReview,
        ]
    }

    /// Two edit one field, unseen by each other; a reviewer has seen some of it.
    @Test(arguments: [[2, 3], [1, 3], [1, 2, 3]])
    func `an entry in conflict is reviewed where the reviewer had seen both sides`(met: [Int])
        async throws
    {
        let room = try ConflictBench(editors: 2, roles: [.reviewer])
        try room.edit(2, [0: .text("Zara")])
        try room.edit(1, [0: .text("Sarah")])
        try room.exchange(met)
        try room.change(3, .review(room.record, state: "approved", note: nil))
        try room.exchange()
        for place in room.devices.indices {
            #expect(try room.conflicts(place) == ["name: Sarah > Zara"])
            let isChanged = met.count < 3
            #expect(
                try await told(room, place) == [isChanged, isChanged, isChanged], "\(place)")
            #expect(try await CheckTests.check(room[place]) == [])
        }
        let before = try Bench.dump(room[0])
        try room[0].rebuild()
        #expect(try Bench.dump(room[0]) == before)
        // Who resolves it has it reviewed again.
        try room.edit(1, [0: .text("Sarah")])
        try room.exchange()
        #expect(try await told(room, 0) == [true, true, true])
        try room.change(3, .review(room.record, state: "approved", note: nil))
        try room.exchange()
        #expect(try await told(room, 0) == [false, false, false])
    }
}
