import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// How much a member may write: judged alike by everybody from its own log, kept to by its own
/// device.
struct QuotaTests {
    private static let day: UInt64 = 86_400_000

    private func set(_ quota: Quota?, in bench: Bench) throws {
        bench.wall += 1
        try bench.founder.sealControl(
            [
                .set(
                    Setting(
                        key: Authority.quotaSetting, value: quota?.text ?? "",
                        parents: bench.founder.heads(ofSetting: Authority.quotaSetting)))
            ], wall: bench.wall)
        while try bench.founder.reapply() {}
    }

    /// Batches of one entry each, at these moments, by a program that does not keep to a quota.
    private func flood(
        _ walls: [UInt64], _ form: OperationName, in bench: Bench, by member: DeviceIdentity
    ) throws -> [Batch] {
        var batches: [Batch] = []
        for (place, wall) in walls.enumerated() {
            let clock = Timestamp(milliseconds: bench.wall + UInt64(place), counter: 0)
            var storage: [UInt8] = []
            let cell = Cell(.text("entry \(place)"), storage: &storage)
            let block = RecordsBlock(
                kind: .put, firstIndex: 0, form: form, fields: [0], creators: [member.key],
                rows: [
                    .init(
                        id: RecordID(milliseconds: wall, random: (1, UInt64(place))), clock: clock,
                        creator: 0, parents: 0..<0)
                ], parents: [], cells: [cell], storage: storage)
            batches.append(
                Batch.seal(
                    room: bench.founding.room, kind: .records, number: UInt64(place + 1),
                    previous: batches.last?.id ?? BatchID(bench.founding.room.digest),
                    clock: clock, wall: WallTime(milliseconds: wall), blocks: [.records(block)],
                    by: member))
        }
        return batches
    }

    /// The numbers of the batches of a device that are refused for the quota.
    private func refused(of key: DeviceKey, by room: TestRoom) throws -> [Int64] {
        try room.rows(
            """
            SELECT b.number FROM _refused r JOIN _batch b ON b.batch = r.operation / 8192
            WHERE r.reason = 'quota' AND b.author = ?1 ORDER BY b.number
            """, .integer(try room.number(of: key))
        ).compactMap { if case .integer(let number) = $0[0] { number } else { nil } }
    }

    @Test(arguments: [
        "5", "5/day", "5B", "5B/day", "5 6/day", "5 6/day 7B 8B/day", "6/day 7B",
        "1000000000000000",
    ])
    func `a value has one form`(text: String) {
        #expect(Quota(text: text)?.text == text)
    }

    @Test(arguments: [
        "", " ", "0", "05", "5 ", " 5", "5  6/day", "6/day 5", "5 5", "5b", "5KB", "-5", "+5",
        "off",
        "1000000000000001", "99999999999999999999", "5/Day", "5/day 6/day", "５",
    ])
    func `any other value limits nothing`(text: String) throws {
        #expect(Quota(text: text) == nil)
    }

    @Test func `what comes above it is refused by everybody, and counts when owners give more`()
        throws
    {
        let bench = try Bench()
        let form = try bench.addForm()
        let member = try bench.device()
        let batches = try flood(
            Array(repeating: bench.wall, count: 6), form, in: bench, by: member.identity)
        try set(Quota(operations: 4), in: bench)
        try Bench.merge(batches, into: bench.founder)
        let key = member.identity.key
        #expect(try refused(of: key, by: bench.founder) == [5, 6])
        #expect(try bench.founder.counts().records == 4)
        try set(Quota(operations: 5), in: bench)
        #expect(try refused(of: key, by: bench.founder) == [6])
        try set(nil, in: bench)
        #expect(try refused(of: key, by: bench.founder) == [])
        #expect(try bench.founder.counts().records == 6)
        // Less again, and a device that has had everything at once comes to the same.
        try set(Quota(operations: 2), in: bench)
        let late = try bench.store()
        try Bench.merge(try Bench.batches(of: bench.founder), into: late)
        while try late.reapply() {}
        #expect(try refused(of: key, by: late) == [3, 4, 5, 6])
        #expect(late.digest == bench.founder.digest)
        try late.rebuild()
        #expect(late.digest == bench.founder.digest)
    }

    @Test func `a day is that of the author's clock, and what lies between two others is one`()
        throws
    {
        let bench = try Bench()
        let form = try bench.addForm()
        let member = try bench.device()
        let one = bench.wall / Self.day * Self.day
        let two = one + Self.day
        try set(Quota(operationsADay: 2), in: bench)
        try Bench.merge(
            try flood(
                [one, one, one, two - 1, two, two, two, one, one, one], form, in: bench,
                by: member.identity), into: bench.founder)
        #expect(try refused(of: member.identity.key, by: bench.founder) == [3, 4, 7, 10])
    }

    @Test func `false days are bounded by what a member may write in all`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let member = try bench.device()
        try set(Quota(operations: 3, operationsADay: 1), in: bench)
        let days = (0..<6).map { bench.wall - UInt64($0) * Self.day }
        try Bench.merge(
            try flood(days, form, in: bench, by: member.identity), into: bench.founder)
        #expect(try refused(of: member.identity.key, by: bench.founder) == [4, 5, 6])
    }

    @Test func `bytes are those of the batches as they travel`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let member = try bench.device()
        let batches = try flood(
            Array(repeating: bench.wall, count: 3), form, in: bench, by: member.identity)
        let two = UInt64(batches[0].bytes.count + batches[1].bytes.count)
        try set(Quota(bytes: two), in: bench)
        try Bench.merge(batches, into: bench.founder)
        #expect(try refused(of: member.identity.key, by: bench.founder) == [3])
        try set(Quota(bytes: two - 1), in: bench)
        #expect(try refused(of: member.identity.key, by: bench.founder) == [2, 3])
    }

    @Test func `each branch of a log that forks is counted along itself`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let member = try bench.device()
        try set(Quota(operations: 3), in: bench)
        let one = try flood(
            Array(repeating: bench.wall, count: 4), form, in: bench, by: member.identity)
        bench.wall += 50
        let other = try flood(
            Array(repeating: bench.wall, count: 4), form, in: bench, by: member.identity)
        for batches in [one + other, other + one] {
            let room = try bench.store()
            try Bench.merge(try Bench.batches(of: bench.founder) + batches, into: room)
            while try room.reapply() {}
            #expect(try refused(of: member.identity.key, by: room) == [4, 4])
        }
    }

    @Test func `owners are not bound, and others may not set it`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let editor = try bench.device(.editor)
        try set(Quota(operations: 1), in: bench)
        for number in 0..<3 {
            try bench.founder.append([bench.row(form, "own", Int64(number))], wall: bench.wall)
            #expect(try bench.founder.seal(wall: bench.wall).count == 1)
        }
        #expect(try bench.founder.counts().records == 3)
        try Bench.merge(try Bench.batches(of: bench.founder), into: editor)
        #expect(throws: StoreError.refused(.role)) {
            try editor.sealControl(
                [.set(Setting(key: Authority.quotaSetting, value: "9", parents: []))],
                wall: bench.wall)
        }
    }

    @Test func `a device keeps back what would be above it, and lets go of it when it may`() throws
    {
        let bench = try Bench()
        let form = try bench.addForm()
        let member = try bench.device()
        try set(Quota(operationsADay: 8), in: bench)
        try Bench.merge(try Bench.batches(of: bench.founder), into: member)
        let noon = bench.wall / Self.day * Self.day + Self.day / 2
        for number in 0..<20 {
            try member.append([bench.row(form, "n", Int64(number))], wall: noon)
        }
        #expect(try member.seal(wall: noon).count == 4)
        var counts = try member.counts()
        #expect(counts.pending == 12 && counts.aboveQuota == 12 && counts.unsealed == 0)
        #expect(counts.records == 20)
        #expect(try member.seal(wall: noon + 1).isEmpty)
        // The next day some more, in the order in which they were made.
        #expect(try member.seal(wall: noon + Self.day).count == 4)
        try Bench.merge(try Bench.batches(of: member), into: bench.founder)
        #expect(try bench.founder.counts().records == 16)
        #expect(try refused(of: member.identity.key, by: bench.founder) == [])
        try set(nil, in: bench)
        try Bench.merge(try Bench.batches(of: bench.founder), into: member)
        while try member.reapply() {}
        _ = try member.seal(wall: noon + Self.day)
        counts = try member.counts()
        #expect(counts.pending == 0 && counts.aboveQuota == 0)
    }

    @Test func `edits of what is kept back wait with it`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let member = try bench.device()
        try set(Quota(operations: 4), in: bench)
        try Bench.merge(try Bench.batches(of: bench.founder), into: member)
        for number in 0..<3 {
            try member.append([bench.row(form, "n", Int64(number))], wall: bench.wall)
        }
        #expect(try member.seal(wall: bench.wall).count == 3)
        let name = try #require(
            try member.append(
                [bench.row(form, "a", 1), bench.row(form, "b", 1)], wall: bench.wall
            ).last)
        try member.append(
            [.edit(name, definition: form, values: [.init(field: 1, value: .integer(9))])],
            wall: bench.wall)
        #expect(try member.seal(wall: bench.wall).count == 1)
        #expect(try member.counts().pending == 2)
        try set(nil, in: bench)
        try Bench.merge(try Bench.batches(of: bench.founder), into: member)
        #expect(try member.seal(wall: bench.wall).count >= 1)
        #expect(try member.counts().pending == 0)
    }
}
