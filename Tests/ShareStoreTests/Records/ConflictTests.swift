import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// What counts as a conflict, and what resolves one.
struct ConflictTests {
    @Test func `two values of one field are a conflict on every device`() throws {
        let room = try ConflictBench(editors: 2)
        try room.edit(0, [0: .text("Sarah")])
        try room.edit(1, [0: .text("Zara"), 1: .integer(31)])
        try room.exchange()
        for place in room.devices.indices {
            #expect(try room.conflicts(place) == ["name: Zara > Sarah"])
            #expect(try room.parallel(place) == [])
            #expect(try room[place].counts().conflicts == 1)
        }
        let conflict = try #require(try room[2].conflicts(after: nil, limit: 1).items.first)
        #expect(conflict.record == room.record)
        #expect(conflict.winner.author == room[1].identity.key)
        #expect(conflict.losers.map(\.author) == [room[0].identity.key])
        #expect(conflict.losers[0].at == Int64(room.bench.wall) - 1)
    }

    @Test func `whoever writes the field resolves it, whoever writes another does not`() throws {
        let room = try ConflictBench(editors: 2)
        try room.edit(0, [0: .text("Sarah"), 1: .integer(1)])
        try room.edit(1, [0: .text("Zara"), 1: .integer(2)])
        try room.exchange()
        #expect(try room.conflicts() == ["age: 2 > 1", "name: Zara > Sarah"])
        try room.edit(2, [2: .decimal(3)])
        try room.exchange()
        #expect(try room.conflicts() == ["age: 2 > 1", "name: Zara > Sarah"])
        // The same value as shows is a decision as well.
        try room.edit(2, [0: .text("Zara")])
        #expect(try room.conflicts(2) == ["age: 2 > 1"])
        try room.exchange()
        for place in room.devices.indices {
            #expect(try room.conflicts(place) == ["age: 2 > 1"])
            #expect(try Bench.dump(room[place]) == Bench.dump(room[0]))
        }
        try room.edit(0, [1: .integer(1)])
        try room.exchange()
        for place in room.devices.indices { #expect(try room.conflicts(place) == []) }
        #expect(try room[1].history(of: room.record, limit: 100).count == 6)
    }

    @Test func `who comes to the same value alone agrees, to the bit`() throws {
        let room = try ConflictBench(editors: 2)
        for place in 0...2 { try room.edit(place, [0: .text("Zara")]) }
        try room.exchange()
        #expect(try room.conflicts() == [])
        #expect(try room.parallel() == [])
        // One letter, written in two ways.
        try room.edit(0, [0: .text("Zo\u{eb}")])
        try room.edit(1, [0: .text("Zoe\u{308}")])
        try room.edit(2, [0: .text("Zoe\u{308}")])
        try room.exchange()
        #expect(try room[1].counts().conflicts == 1)
        let losers = try #require(try room[1].conflicts(after: nil, limit: 1).items.first?.losers)
        #expect(losers.count == 1)
    }

    @Test func `two who resolve at once in different ways make a new conflict`() throws {
        let room = try ConflictBench(editors: 2)
        try room.edit(0, [0: .text("Sarah")])
        try room.edit(1, [0: .text("Zara")])
        try room.exchange()
        try room.edit(0, [0: .text("Sarah")])
        try room.edit(2, [0: .text("Sara H.")])
        try room.exchange()
        for place in room.devices.indices {
            #expect(try room.conflicts(place) == ["name: Sara H. > Sarah"])
        }
        try room.edit(1, [0: .text("Sara H.")])
        try room.exchange()
        for place in room.devices.indices { #expect(try room.conflicts(place) == []) }
    }

    @Test func `other fields written apart are no conflict, and listed until somebody edits`()
        throws
    {
        let room = try ConflictBench(editors: 2, roles: [.reviewer])
        try room.edit(0, [0: .text("Sarah")])
        try room.edit(1, [1: .integer(31)])
        try room.edit(1, [2: .decimal(2)])
        try room.change(3, .review(room.record, state: "approved", note: nil))
        try room.exchange()
        for place in room.devices.indices {
            #expect(try room.conflicts(place) == [])
            #expect(
                try room.parallel(place) == ["name=Sarah | age=31,weight=2.0 | approved"])
            #expect(try room[place].counts().parallel == 1)
        }
        try room.change(2, .comment(room.record, text: "a remark has nothing to do with it"))
        try room.exchange()
        #expect(try room.parallel().count == 1)
        try room.edit(2, [1: .integer(31)])
        try room.exchange()
        for place in room.devices.indices { #expect(try room.parallel(place) == []) }
    }

    @Test func `a conflict in one field leaves the parallel updates of others on their list`()
        async throws
    {
        let room = try ConflictBench(editors: 2, roles: [.reviewer])
        try room.edit(0, [0: .text("Sarah")])
        try room.edit(1, [0: .text("Zara"), 1: .integer(31)])
        try room.edit(2, [2: .decimal(2)])
        try room.exchange()
        for place in room.devices.indices {
            #expect(try room.conflicts(place) == ["name: Zara > Sarah"])
            #expect(try room.parallel(place) == ["age=31 | weight=2.0"])
            #expect(try await CheckTests.check(room[place]) == [])
        }
        // Who resolves the one has seen the others too.
        try room.edit(1, [0: .text("Zara")])
        try room.exchange()
        for place in room.devices.indices {
            #expect(try room.conflicts(place) == [])
            #expect(try room.parallel(place) == [])
        }
    }

    @Test func `reviews that say other things are a conflict of the state`() throws {
        let room = try ConflictBench(editors: 1)
        try room.change(0, .review(room.record, state: "approved", note: "fine"))
        try room.change(1, .review(room.record, state: "hasIssues", note: nil))
        try room.exchange()
        #expect(try room.conflicts() == ["_state: hasIssues > approved"])
        try room.change(0, .review(room.record, state: "approved", note: nil))
        try room.exchange()
        #expect(try room.conflicts(1) == [])
    }

    // MARK: Deleted beside an edit

    private func deletedBesideEdit() throws -> ConflictBench {
        let room = try ConflictBench(editors: 2)
        try room.edit(1, [0: .text("Zara")])
        try room.edit(1, [1: .integer(31)])
        try room.change(0, .delete(room.record))
        try room.exchange()
        return room
    }

    @Test func `a delete beside an edit stands as a conflict, also under a review`() throws {
        let room = try deletedBesideEdit()
        for place in room.devices.indices {
            #expect(try room.conflicts(place) == ["_deleted: 1 > age=31"])
            #expect(try room[place].counts().records == 0)
        }
        // A review is no decision about it, nor is an edit that leaves it deleted.
        try room.change(1, .review(room.record, state: "received", note: nil))
        try room.edit(1, [2: .decimal(1)])
        try room.exchange()
        for place in room.devices.indices {
            #expect(try room.conflicts(place) == ["_deleted: 1 > age=31"])
        }
    }

    @Test func `restoring it brings it back with what the edit wrote`() throws {
        let room = try deletedBesideEdit()
        try room.change(2, .restore(room.record))
        try room.exchange()
        for place in room.devices.indices {
            #expect(try room.conflicts(place) == [])
            #expect(
                try room[place].rows("SELECT name, age FROM visit") == [["Zara", 31]])
        }
    }

    @Test func `deleting it again confirms, and two who decide apart are a conflict`() throws {
        let room = try deletedBesideEdit()
        try room.change(2, .delete(room.record))
        #expect(try room.conflicts(2) == [])
        try room.change(1, .restore(room.record))
        try room.exchange()
        for place in room.devices.indices {
            #expect(try room.conflicts(place) == ["_deleted: 0 > 1"])
            #expect(try room[place].counts().records == 1)
        }
        try room.change(0, .delete(room.record))
        try room.exchange()
        for place in room.devices.indices {
            #expect(try room.conflicts(place) == [])
            #expect(try room[place].counts().records == 0)
        }
    }

    @Test func `two deletes agree, also where only one had seen the edit`() throws {
        let room = try ConflictBench(editors: 2)
        try room.edit(1, [0: .text("Zara")])
        try room.exchange([1, 2])
        try room.change(2, .delete(room.record))
        try room.change(0, .delete(room.record))
        try room.exchange()
        for place in room.devices.indices {
            #expect(try room.conflicts(place) == [])
            #expect(try room[place].counts().records == 0)
        }
    }

    // MARK: Lists

    @Test func `pages together are the whole list, in one order everywhere`() throws {
        let room = try ConflictBench(editors: 1)
        var names = [room.record]
        for number in 0..<9 {
            let place = number % 2
            names += try room[place].append(
                [room.bench.row(room.form, "n\(number)", 1)], wall: room.bench.wall)
        }
        try room.exchange()
        for name in names {
            try room.edit(0, [0: .text("a"), 1: .integer(1)], name)
            try room.edit(1, [0: .text("b"), 1: .integer(2)], name)
        }
        try room.exchange()
        let whole = try room[0].conflicts(after: nil, limit: 100)
        #expect(whole.items.count == 20)
        #expect(!whole.hasMore)
        #expect(whole.items.map(\.record.id) == whole.items.map(\.record.id).sorted())
        var pages: [RecordConflict] = []
        var after: RecordName?
        repeat {
            let page = try room[1].conflicts(after: after, limit: 3)
            #expect(page.hasMore == (pages.count + page.items.count < 20))
            pages += page.items
            after = page.items.last?.record
        } while pages.count < 20
        #expect(pages.map { "\($0)" } == whole.items.map { "\($0)" })
    }

    @Test func `what is noted of conflicts is what a rebuild finds`() async throws {
        let room = try deletedBesideEdit()
        let other = try room[0].append(
            [room.bench.row(room.form, "Mary", 4)], wall: room.bench.wall)[0]
        try room.exchange()
        try room.edit(0, [0: .text("Marie")], other)
        try room.edit(1, [1: .integer(5)], other)
        try room.exchange()
        let before = try ConflictBench.told(room[2])
        #expect(try room[2].counts().parallel == 1)
        #expect(try await CheckTests.check(room[2]) == [])
        try room[2].rebuild()
        #expect(try ConflictBench.told(room[2]) == before)
    }

    @Test func `more sides than one operation can name are resolved by the next one`() throws {
        let room = try ConflictBench(editors: 1)
        let count = Limits.parentsPerOperation + 6
        var clock = room[1].clock
        let head = try #require(try room[0].ownHead(.records))
        let parent = OperationName(batch: head.batch, index: 0)
        var batches: [Batch] = []
        for first in stride(from: 0, to: count, by: Limits.operationsOnRecord) {
            let sides = first..<min(first + Limits.operationsOnRecord, count)
            var storage: [UInt8] = []
            let cells = sides.map { Cell(.text("side \($0)"), storage: &storage) }
            batches.append(
                Batch.seal(
                    room: room.bench.founding.room, kind: .records,
                    number: UInt64(batches.count + 1),
                    previous: batches.last?.id ?? BatchID(room.bench.founding.room.digest),
                    clock: .latest,
                    blocks: [
                        .records(
                            RecordsBlock(
                                kind: .edit, firstIndex: 0, form: room.form, fields: [0],
                                creators: [room[1].identity.key, room[0].identity.key],
                                rows: sides.map { _ in
                                    RecordsBlock.Row(
                                        id: room.record.id,
                                        clock: clock.issue(wall: room.bench.wall),
                                        creator: 1, parents: 0..<1)
                                }, parents: [parent], cells: cells, storage: storage))
                    ], by: room[1].identity))
        }
        try Bench.merge(batches, into: room[0])
        #expect(
            try room[0].conflicts(after: nil, limit: 1).items.first?.losers.count
                == RecordOutcome.maxLosers)
        for _ in 0..<2 { try room.edit(0, [0: .text("resolved")]) }
        #expect(try room.conflicts() == [])
    }
}
