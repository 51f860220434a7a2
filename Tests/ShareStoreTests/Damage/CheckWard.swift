import ShareCore
import ShareCrypto

@testable import ShareStore

/// A room with two authors, conflicts, refused and waiting operations, two forms, and an
/// entry that is not sealed.
struct CheckWard {
    let bench: Bench
    let store: TestRoom

    init() throws {
        bench = try Bench()
        store = bench.founder
        let form = try bench.addForm()
        try bench.addForm("other", [Bench.fields[0]])
        let nurse = try bench.device(.collector)
        let viewer = try bench.device(.collector)
        try Bench.merge(try Bench.batches(of: store), into: nurse)
        try Bench.merge(try Bench.batches(of: store), into: viewer)
        for number in 0..<6 {
            try nurse.append([bench.row(form, "n\(number)", Int64(number))], wall: bench.wall)
            _ = try nurse.seal(wall: bench.wall)
        }
        let names = try store.append(
            [bench.row(form, "one", 1), bench.row(form, "two", 2)], wall: bench.wall)
        _ = try store.seal(wall: bench.wall)
        try store.append(
            [.edit(names[0], definition: form, values: [.init(field: 1, value: .integer(9))])],
            wall: bench.wall)
        _ = try store.seal(wall: bench.wall)
        // A fork of the own log makes a conflict.
        let records = try Bench.batches(of: store).filter {
            $0.kind == .records && $0.author == store.identity.key
        }
        let rival = bench.sealed(
            [
                RecordsBlock(
                    kind: .edit, firstIndex: 0, form: form, fields: [1],
                    creators: [store.identity.key],
                    rows: [
                        RecordsBlock.Row(
                            id: names[0].id, clock: records[0].clock, creator: 0,
                            parents: 0..<1)
                    ], parents: [OperationName(batch: records[0].id, index: 0)],
                    cells: [.integer(5)], storage: [])
            ], number: 2, after: records[0].id, clock: records[0].clock, by: store.identity)
        try Bench.merge([rival], into: store)
        // Another's record may not be edited: refused.
        try Bench.merge(try Bench.batches(of: nurse), into: store)
        try Bench.merge(try Bench.batches(of: nurse), into: viewer)
        let foreign = bench.sealed(
            [
                RecordsBlock(
                    kind: .delete, firstIndex: 0, form: form, fields: [],
                    creators: [viewer.identity.key, store.identity.key],
                    rows: [
                        RecordsBlock.Row(
                            id: names[1].id, clock: records[0].clock, creator: 1,
                            parents: 0..<0),
                        RecordsBlock.Row(
                            id: names[1].id, clock: records[0].clock, creator: 0,
                            parents: 0..<0),
                    ], parents: [], cells: [], storage: [])
            ], number: 1, after: BatchID(store.room.digest), clock: records[0].clock,
            by: viewer.identity)
        // A form that has not arrived: waiting.
        let early = bench.sealed(
            [
                RecordsBlock(
                    kind: .put, firstIndex: 0,
                    form: OperationName(batch: records[0].id, index: 0), fields: [],
                    creators: [viewer.identity.key],
                    rows: [
                        RecordsBlock.Row(
                            id: names[1].id, clock: records[0].clock, creator: 0,
                            parents: 0..<0)
                    ], parents: [], cells: [], storage: [])
            ], number: 2, after: foreign.id, clock: records[0].clock, by: viewer.identity)
        try Bench.merge([foreign, early], into: store)
        try store.append([bench.row(form, "pending", 3)], wall: bench.wall)
        // A stranger's batch is held apart.
        let stranger = try bench.device(nil)
        try Bench.merge(
            [
                Batch.seal(
                    room: store.room, kind: .records, number: 1,
                    previous: BatchID(store.room.digest), clock: records[0].clock,
                    blocks: [], by: stranger.identity)
            ], into: store)
        store.noteDelivered(
            Acknowledgement(
                log: records[0].log, head: records[0].head, isStored: true, accepted: 1,
                waiting: 0, refused: 0), by: nurse.identity.key)
        try store.writeDeliveries()
    }

    func check() async throws -> [StoreFinding] {
        try await CheckTests.check(store)
    }
}
