import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// What a merge has to tell to those who watch.
struct RoomChangesTests {
    private func merge(_ from: TestRoom, into device: TestRoom) throws -> RoomChanges {
        _ = try from.seal(wall: 1)
        return try device.merge(try Bench.batches(of: from).map { IncomingBatch($0) }).changes
    }

    @Test func `entries are counted, other operations are named`() throws {
        let room = try ConflictBench(editors: 1)
        try room[0].append(
            (0..<5).map { room.bench.row(room.form, "n\($0)", 1) }, wall: room.bench.wall)
        try room.edit(0, [0: .text("Sarah"), 1: .integer(2)])
        try room.change(0, .review(room.record, state: "approved", note: nil))
        try room.change(0, .delete(room.record))
        let report = try merge(room[0], into: room[1])
        let own = room[0].identity.key
        #expect(
            report.records == [
                RecordEffect(.put, form: "visit", author: own, count: 5),
                RecordEffect(
                    .edit, form: "visit", author: own, record: room.record, fields: ["name", "age"]),
                RecordEffect(
                    .review, form: "visit", author: own, record: room.record, state: "approved"),
                RecordEffect(.delete, form: "visit", author: own, record: room.record),
            ])
        // What is held already is no news.
        let again = try merge(room[0], into: room[1])
        #expect(again.records == [] && again.refused == [] && again.changedForms == [])
    }

    @Test func `a single new entry is named`() throws {
        let room = try ConflictBench(editors: 1)
        let name = try room[1].append(
            [room.bench.row(room.form, "Ann", 1)], wall: room.bench.wall)[0]
        let report = try merge(room[1], into: room[0])
        #expect(report.records.map(\.record) == [name])
    }

    @Test func `much of it is counted`() throws {
        let room = try ConflictBench(editors: 1)
        let count = RoomChanges.namedRecords * 2
        for step in 0..<count { try room.edit(0, [1: .integer(Int64(1_000 + step))]) }
        let report = try merge(room[0], into: room[1])
        #expect(report.records.count == RoomChanges.namedRecords + 1)
        #expect(report.records.reduce(0) { $0 + $1.count } == count)
        #expect(report.records.last?.record == nil)
    }

    @Test func `a form that has come or changed is told, once`() throws {
        let room = try ConflictBench(editors: 1)
        try room.bench.addForm("visit", [Bench.fields[0]], version: "2")
        try room.bench.addForm("other", [Bench.fields[0]])
        #expect(try merge(room[0], into: room[1]).changedForms == ["other", "visit"])
        #expect(try merge(room[0], into: room[1]).changedForms == [])
    }

    @Test func `operations that wait are no news`() throws {
        let room = try ConflictBench(editors: 2)
        let name = try room[1].append(
            [room.bench.row(room.form, "Ann", 1)], wall: room.bench.wall)[0]
        try room.exchange([1, 2])
        try room.edit(2, [0: .text("Anna")], name)
        _ = try room[2].seal(wall: room.bench.wall)
        let own = try Bench.batches(of: room[2]).filter { $0.author == room[2].identity.key }
        let report = try room[0].merge(own.map { IncomingBatch($0) })
        #expect(report.changes.records == [])
        #expect(report.outcomes.reduce(0) { $0 + $1.waiting } == 1)
    }

    // MARK: Conflicts

    @Test func `a conflict is told when a merge brings it about, on each device, once`() throws {
        let room = try ConflictBench(editors: 2)
        try room.edit(0, [0: .text("Sarah"), 1: .integer(1)])
        try room.edit(1, [0: .text("Zara"), 1: .integer(2)])
        let expected = ArisenConflict(
            record: room.record,
            fields: [.field(Bench.fields[1]), .field(Bench.fields[0])])
        #expect(try merge(room[0], into: room[2]).conflicts == [])
        #expect(try merge(room[1], into: room[2]).conflicts == [expected])
        #expect(try merge(room[1], into: room[0]).conflicts == [expected])
        #expect(try merge(room[0], into: room[1]).conflicts == [expected])
        // Not again for what changes nothing about it, nor for a rebuild.
        try room.edit(2, [2: .decimal(1)])
        #expect(try merge(room[2], into: room[0]).conflicts == [])
        try room[0].rebuild()
        #expect(try merge(room[1], into: room[0]).conflicts == [])
        // A third side is told, a decision is not.
        let third = try room.bench.device(.editor)
        let first = try Bench.batches(of: room[0]).filter { $0.author == room[0].identity.key }
        let before = first.filter { $0.kind == .control || $0.number == 1 }
        try Bench.merge(before, into: third)
        try third.append(
            [
                .edit(
                    room.record, definition: room.form,
                    values: [LocalChange.FieldChange(field: 0, value: .text("Third"))])
            ], wall: room.bench.wall + 9)
        try Bench.merge(Bench.batches(of: room[0]), into: room[1])
        #expect(
            try merge(third, into: room[1]).conflicts
                == [ArisenConflict(record: room.record, fields: [.field(Bench.fields[0])])])
        try room.edit(1, [0: .text("Sara"), 1: .integer(3)])
        try Bench.merge(Bench.batches(of: third), into: room[2])
        #expect(try merge(room[1], into: room[2]).conflicts == [])
        #expect(try room[2].counts().conflicts == 0)
    }

    @Test func `judging an author again tells no conflict that stood before`() throws {
        let room = try ConflictBench(editors: 1)
        try room.edit(0, [0: .text("Sarah")])
        try room.edit(1, [0: .text("Zara")])
        try room.exchange()
        let key = room[1].identity.key
        let head = try #require(try room[1].ownHead(.records))
        let covered = CoveredHeads(control: [], records: [head])
        let after = room[0].authority.latest(about: key)
        let batch = try room[0].sealControl(
            [
                .roleChange(
                    RoleChange(subject: key, role: .viewer, heads: covered, supersedes: after))
            ],
            wall: room.bench.wall)
        let report = try room[1].merge([IncomingBatch(batch)])
        #expect(report.changedControl && report.changes.conflicts == [])
        #expect(try room.conflicts(1) == ["name: Zara > Sarah"])
    }

    @Test func `very many conflicts are counted`() throws {
        let room = try ConflictBench(editors: 1)
        let count = RoomChanges.namedRecords + 5
        let names = try room[0].append(
            (0..<count).map { room.bench.row(room.form, "\($0)", 1) }, wall: room.bench.wall)
        try room.exchange()
        for place in 0...1 {
            for name in names { try room.edit(place, [0: .text("by \(place)")], name) }
        }
        let report = try merge(room[0], into: room[1])
        #expect(report.conflicts.count == RoomChanges.namedRecords)
        #expect(report.moreConflicts == 5)
        #expect(report.conflicts.map(\.record) == report.conflicts.map(\.record).sorted())
    }
}
