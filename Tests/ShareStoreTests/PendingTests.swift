import CSQLite
import Foundation
import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// Entries that were pending when the file was copied, or when the identity changed.
struct PendingTests {
    private func copy(_ writer: TestRoom, in bench: Bench) throws -> String {
        try writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let path = bench.scratch.path("copy.sqlite")
        try FileManager.default.copyItem(atPath: writer.path, toPath: path)
        return path
    }

    private func age(_ record: RecordName, _ age: Int64, _ form: OperationName) -> LocalChange {
        .edit(
            record, definition: form,
            values: [LocalChange.FieldChange(field: 1, value: .integer(age))])
    }

    /// Pages that SQLite looked at for a question about the room.
    private func pages(_ room: TestRoom, _ body: () throws -> Void) throws -> Int {
        func looked() -> Int {
            [SQLITE_DBSTATUS_CACHE_HIT, SQLITE_DBSTATUS_CACHE_MISS].reduce(0) { sum, figure in
                var (now, most) = (Int32(0), Int32(0))
                sqlite3_db_status(room.file.database.handle, figure, &now, &most, 0)
                return sum + Int(now)
            }
        }
        let before = looked()
        try body()
        return looked() - before
    }

    @Test func `counting what is pending reads no value of it`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let room = bench.founder
        for number in 0..<100 {
            let text = String(repeating: "word \(number) ", count: 4_000)
            try room.append([bench.row(form, text, 30)], wall: bench.wall)
        }
        let bytes = try #require(try room.integer("SELECT sum(length(block)) FROM _pending"))
        #expect(bytes > 2_000_000)
        let read = try pages(room) {
            let counted = try room.counts().pending
            #expect(counted == 100)
        }
        #expect(read < 300, "of \(bytes / 4_096) pages with values")
    }

    /// Entries that no block joins, of fields that take more where they are listed than where they
    /// are empty.
    @Test func `a batch that is being filled never grows above what can be sealed`() throws {
        let bench = try Bench()
        let fields = (0..<300).map { FormField(name: "f\($0)", type: .text) }
        let form = try bench.addForm("wide", fields)
        let room = bench.founder
        for number in 0..<1_200 {
            let width = 300 - number % 2
            var cells = [FieldValue](repeating: .absent, count: width)
            cells[0] = .text("entry \(number)")
            bench.wall += 1_000
            try room.append(
                [.put(NewRows(definition: form, fields: Array(0..<width), rows: [cells]))],
                wall: bench.wall)
        }
        let open = try room.integer("SELECT count(*) FROM _batch WHERE state = 1")
        #expect(try room.seal(wall: bench.wall + 3_600_000).count == Int(open ?? 0))
        #expect(try room.counts().pending == 0)
        #expect(
            try room.integer("SELECT count(*) FROM wide") == 1_200)
    }

    @Test func `what an operation takes at most is never less than it takes`() throws {
        var random = SystemRandomNumberGenerator()
        let identity = DeviceIdentity.generate()
        let other = DeviceIdentity.generate().key
        func name() -> OperationName {
            OperationName(
                batch: BatchID(Hash.digest(SecureRandom.bytes(8))),
                index: Int.random(in: 0..<4_096, using: &random))
        }
        for kind in [RecordsBlock.Kind.put, .edit] {
            for _ in 0..<50 {
                let parents = kind == .put ? [] : (0..<Int.random(in: 0...64)).map { _ in name() }
                let width = Int.random(in: 0...600, using: &random)
                var storage: [UInt8] = []
                let cells = (0..<width).map { _ in
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: Cell.absent
                    case 1: Cell.integer(.min)
                    case 2: Cell.decimal(0.1)
                    default: Cell(.text(String(repeating: "x", count: 300)), storage: &storage)
                    }
                }
                let row = RecordsBlock.Row(
                    id: RecordID(high: .max, low: .max), clock: .latest,
                    wall: WallTime(milliseconds: 0), creator: kind == .put ? 0 : 1,
                    parents: 0..<Int32(parents.count))
                let block = RecordsBlock(
                    kind: kind, firstIndex: 0, form: name(), fields: Array(0..<width),
                    creators: kind == .put ? [identity.key] : [identity.key, other], rows: [row],
                    parents: parents, cells: cells, storage: storage)
                let size =
                    BodyEncoder.headSize(
                        fields: width, batches: 1 + parents.count, creators: kind == .put ? 0 : 1)
                    + (kind == .put
                        ? BodyEncoder.putSize : BodyEncoder.changeSize(parents: parents.count))
                    + cells.reduce(0) { $0 + BodyEncoder.size(of: $1) }
                let bytes = BodyEncoder.encode(
                    [.records(block)], author: identity.key, clock: .zero)
                #expect(bytes.count <= size + 3)
            }
        }
    }

    @Test func `an entry that comes back sealed is no longer pending`() async throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let original = bench.founder
        let sara = try original.append([bench.row(form, "Sara", 30)], wall: bench.wall)[0]
        try original.append([age(sara, 31, form)], wall: bench.wall)
        let ann = try original.append([bench.row(form, "Ann", 2)], wall: bench.wall)[0]
        let restored = try TestRoom(
            path: try copy(original, in: bench), identity: original.identity)
        let sealed = try original.seal(wall: bench.wall)

        // Entered in the copy: two that hang on what is sealed by now, and one that does not.
        try restored.append([age(sara, 32, form)], wall: bench.wall)
        try restored.append([.delete(ann)], wall: bench.wall)
        try restored.append([bench.row(form, "Eve", 3)], wall: bench.wall)
        #expect(try restored.counts().pending == 6)
        let before = try restored.counts().records
        let report = try restored.merge(sealed.map { IncomingBatch($0) })
        #expect(report.sealedBefore == 3)
        #expect(try restored.counts().pending == 3)
        #expect(try restored.counts().records == before)
        // It may come again, and changes nothing.
        #expect(try restored.merge(sealed.map { IncomingBatch($0) }).sealedBefore == 0)

        let rest = try restored.seal(wall: bench.wall)
        #expect(rest.map(\.number) == [2])
        #expect(try rest.map { try $0.openBody().operationCount } == [3])
        try Bench.merge(rest, into: original)
        let other = try bench.store()
        try Bench.merge(Bench.batches(of: original), into: other)
        #expect(try Bench.dump(original) == Bench.dump(restored))
        #expect(try Bench.dump(other) == Bench.dump(restored))
        #expect(try original.conflicts(after: nil, limit: 10).items.isEmpty)
        #expect(try await CheckTests.check(restored) == [])
    }

    @Test func `what was sealed on both branches is one record without a conflict`() async throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let original = bench.founder
        let sara = try original.append([bench.row(form, "Sara", 30)], wall: bench.wall)[0]
        try original.append([age(sara, 31, form)], wall: bench.wall)
        let restored = try TestRoom(
            path: try copy(original, in: bench), identity: original.identity)
        let sealed = try original.seal(wall: bench.wall)
        try restored.append([bench.row(form, "Eve", 3)], wall: bench.wall)
        let branch = try restored.seal(wall: bench.wall)
        try Bench.merge(sealed, into: restored)
        try Bench.merge(branch, into: original)
        #expect(try Bench.dump(original) == Bench.dump(restored))
        #expect(try original.counts().records == 2)
        #expect(try original.conflicts(after: nil, limit: 10).items.isEmpty)
        #expect(try original.ownHead(.records) == restored.ownHead(.records))
        for writer in [original, restored] {
            #expect(try await CheckTests.check(writer) == [])
        }
    }

    @Test func `entries of an earlier identity wait for the new one's role, and are its own`()
        async throws
    {
        let bench = try Bench()
        let form = try bench.addForm()
        let shared = try bench.founder.append([bench.row(form, "Sara", 30)], wall: bench.wall)[0]
        _ = try bench.founder.seal(wall: bench.wall)
        let device = try bench.device(.editor)
        try Bench.merge(Bench.batches(of: bench.founder), into: device)
        let ann = try device.append([bench.row(form, "Ann", 2)], wall: bench.wall)[0]
        try device.append([age(ann, 3, form)], wall: bench.wall)
        try device.append([age(shared, 31, form)], wall: bench.wall)

        let renewed = try TestRoom(path: device.path, identity: .generate())
        #expect(try renewed.counts().pending == 3)
        #expect(try renewed.seal(wall: bench.wall).isEmpty)
        #expect(try await CheckTests.check(renewed) == [])
        let grant = try bench.grant(.editor, to: renewed.identity.key)
        try Bench.merge([grant], into: renewed)
        #expect(try renewed.counts().records == 2)
        let sealed = try renewed.seal(wall: bench.wall)
        #expect(sealed.map(\.number) == [1])
        let outcomes = try Bench.merge(sealed, into: bench.founder)
        #expect(outcomes.map(\.accepted) == [3])
        #expect(try Bench.dump(renewed) == Bench.dump(bench.founder))
        #expect(try await CheckTests.check(renewed) == [])
        let own = RecordName(form: ann.form, creator: renewed.identity.key, id: ann.id)
        #expect(try bench.founder.history(of: own, limit: 10).count == 2)
        #expect(try bench.founder.history(of: shared, limit: 10).count == 2)
    }

    /// Gives a member another role.
    private func change(_ key: DeviceKey, to role: Role, in bench: Bench) throws -> Batch {
        let authority = bench.founder.authority
        bench.wall += 1
        return try bench.founder.sealControl(
            [
                .roleChange(
                    RoleChange(
                        subject: key, role: role, heads: bench.founder.heads(of: key),
                        supersedes: authority.latest(about: key)))
            ], wall: bench.wall)
    }

    @Test func `what the role does not allow any more waits for it, and what is allowed does not`()
        async throws
    {
        let bench = try Bench()
        let form = try bench.addForm()
        let shared = try bench.founder.append([bench.row(form, "Sara", 30)], wall: bench.wall)[0]
        _ = try bench.founder.seal(wall: bench.wall)
        let device = try bench.device(.editor)
        try Bench.merge(Bench.batches(of: bench.founder), into: device)
        // An editor's, a reviewer's, and what everybody may who enters anything; the edit of Ann
        // is made after the review.
        try device.append([age(shared, 31, form)], wall: bench.wall)
        let ann = try device.append([bench.row(form, "Ann", 2)], wall: bench.wall)[0]
        try device.append([.review(ann, state: "verified", note: nil)], wall: bench.wall)
        try device.append([age(ann, 3, form)], wall: bench.wall)
        try device.append([.comment(shared, text: "seen")], wall: bench.wall)

        let key = device.identity.key
        try Bench.merge([change(key, to: .collector, in: bench)], into: device)
        #expect(try device.counts().pending == 5 && device.counts().withheld == 3)
        #expect(try device.counts().refused == 0 && device.refusedPlaces().isEmpty)
        let sealed = try device.seal(wall: bench.wall)
        #expect(try sealed.map { try $0.openBody().operationCount } == [2])
        #expect(try Bench.merge(sealed, into: bench.founder).map(\.accepted) == [2])
        #expect(try device.counts().pending == 3 && device.counts().withheld == 3)
        #expect(device.digest == bench.founder.digest)
        #expect(try await CheckTests.check(device) == [])
        // Again nothing of it goes out, beside what is new and after a restart.
        #expect(try device.seal(wall: bench.wall).isEmpty)
        let again = try TestRoom(path: device.path, identity: device.identity)
        let eve = try again.append([bench.row(form, "Eve", 4)], wall: bench.wall)[0]
        try Bench.merge(again.seal(wall: bench.wall), into: bench.founder)
        #expect(try again.counts().pending == 3)
        #expect(try await CheckTests.check(again) == [])

        try Bench.merge([change(key, to: .viewer, in: bench)], into: again)
        #expect(try again.seal(wall: bench.wall).isEmpty)
        try Bench.merge([change(key, to: .reviewer, in: bench)], into: again)
        #expect(try again.counts().withheld == 1)
        try Bench.merge(again.seal(wall: bench.wall), into: bench.founder)
        #expect(try again.counts().pending == 1)
        try Bench.merge([change(key, to: .editor, in: bench)], into: again)
        #expect(try again.counts().pending == 1 && again.counts().withheld == 0)
        try Bench.merge(again.seal(wall: bench.wall), into: bench.founder)

        for writer in [again, bench.founder] {
            #expect(try writer.counts().pending == 0 && writer.counts().refused == 0)
            #expect(try writer.counts().waiting == 0)
            #expect(try writer.history(of: shared, limit: 10).count == 3)
            #expect(try writer.history(of: ann, limit: 10).count == 3)
            #expect(try writer.history(of: eve, limit: 10).count == 1)
            #expect(try await CheckTests.check(writer) == [])
        }
        #expect(try Bench.dump(again) == Bench.dump(bench.founder))
    }

    @Test func `what waits for a form and is not allowed either is said to be kept`() async throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let shared = try bench.founder.append([bench.row(form, "Sara", 30)], wall: bench.wall)[0]
        _ = try bench.founder.seal(wall: bench.wall)
        let editor = try bench.device(.editor)
        let device = try bench.device(.editor)
        try Bench.merge(Bench.batches(of: bench.founder), into: editor)
        let wide = try bench.addForm(
            "visit", Bench.fields + [FormField(name: "note", type: .text)], by: editor, version: "2"
        )
        try Bench.merge(Bench.batches(of: editor), into: device)
        try device.append([age(shared, 31, wide)], wall: bench.wall)
        let ann = try device.append([bench.row(wide, "Ann", 2)], wall: bench.wall)[0]
        try device.append([age(ann, 3, wide)], wall: bench.wall)
        try Bench.merge([bench.remove(editor.identity.key)], into: device)
        #expect(try device.counts().blocked == 3 && device.counts().withheld == 0)

        try Bench.merge(
            [change(device.identity.key, to: .collector, in: bench)], into: device)
        #expect(try device.counts().pending == 3 && device.counts().withheld == 1)
        let sealed = try device.seal(wall: bench.wall)
        #expect(try sealed.map { try $0.openBody().operationCount } == [2])
        #expect(try device.counts().pending == 1 && device.counts().withheld == 1)
        #expect(try device.counts().refused == 1, "the form")
        #expect(try device.counts().blocked == 3)
        try Bench.merge(
            [change(device.identity.key, to: .viewer, in: bench)], into: device)
        #expect(try device.counts().withheld == 1)
        #expect(try await CheckTests.check(device) == [])
    }
}
