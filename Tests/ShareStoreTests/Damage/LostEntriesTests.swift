import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// Entries that were not sent, in a `_pending` that is not as it was written.
struct LostEntriesTests {
    private func ward() throws -> (
        bench: Bench, store: TestRoom, form: OperationName, ids: [String]
    ) {
        let bench = try Bench()
        let form = try bench.addForm()
        let names = try ["Ann", "Bo", "Cy"].map {
            try bench.founder.append([bench.row(form, $0, 1)], wall: bench.wall)[0]
        }
        return (bench, bench.founder, form, names.map(\.id.text))
    }

    @Test func `a block of which a bit changed is neither sealed nor believed by a rebuild`()
        async throws
    {
        let (bench, room, form, ids) = try ward()
        try Database(path: room.path).execute(
            """
            UPDATE _pending SET block = CAST(replace(block, 'Bo', 'Co') AS BLOB)
            WHERE operation = (SELECT operation FROM _pending ORDER BY 1 LIMIT 1 OFFSET 1)
            """)
        #expect(throws: StoreError.damagedTable(room.path, "_pending")) {
            try room.seal(wall: bench.wall)
        }
        let store = try RoomStore(path: room.path, identity: room.identity)
        let check = try await store.check()
        let findings = try await check.run(scratch: room.path + ".check") { _, _ in }
        #expect(findings.contains { $0.hint.contains("enter it again") }, "\(findings)")
        let report = try await store.rebuild()
        #expect(report.kept != nil && report.hasChanged)
        #expect(report.lost.entries.map(\.id) == [ids[1]])
        #expect(report.lost.entries.map(\.form) == ["visit"])
        #expect(report.lost.count == 1)
        let after = try await store.check()
        #expect(try await after.run(scratch: room.path + ".check") { _, _ in } == [])
        // In the gap and behind it.
        try await store.append([bench.row(form, "Ed", 1)], wall: bench.wall)
        let sealed = try await store.seal(wall: bench.wall)
        let sound = try await store.check()
        #expect(try await sound.run(scratch: room.path + ".check") { _, _ in } == [])
        try await store.append([bench.row(form, "Di", 1)], wall: bench.wall)
        #expect(try await store.counts().records == 4)
        let other = try bench.device()
        try Bench.merge(
            try Bench.batches(of: TestRoom(path: room.path, identity: room.identity)), into: other)
        #expect(sealed.count == 1)
        #expect(try other.rows("SELECT name FROM visit ORDER BY 1") == [["Ann"], ["Cy"], ["Ed"]])
    }

    @Test(arguments: [
        ("DELETE FROM _pending WHERE operation = (SELECT max(operation) FROM _pending)", 1),
        ("DELETE FROM _pending", 3),
        ("DROP TABLE _pending", 3),
        ("UPDATE _pending SET operation = operation + 64", 3),
        ("UPDATE _pending SET checksum = checksum + 1", 3),
    ])
    func `what was not sent and is gone is named`(damage: String, count: Int) async throws {
        let (bench, room, _, ids) = try ward()
        defer { withExtendedLifetime(bench) {} }
        let store = try RoomStore(path: room.path, identity: room.identity)
        try Database(path: room.path).execute(damage)
        let report = try await store.rebuild()
        #expect(report.kept != nil)
        #expect(report.lost.count == count)
        #expect(report.lost.entries.map(\.id).sorted() == ids.suffix(count).sorted())
        #expect(try await store.counts().records == 3 - count)
    }

    @Test func `an edit that was not sent and is gone is named by its entry`() async throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let name = try bench.founder.append([bench.row(form, "Ann", 1)], wall: bench.wall)[0]
        _ = try bench.founder.seal(wall: bench.wall)
        try bench.founder.append(
            [.edit(name, definition: form, values: [.init(field: 1, value: .integer(9))])],
            wall: bench.wall)
        let store = try RoomStore(path: bench.founder.path, identity: bench.founder.identity)
        try Database(path: bench.founder.path).execute("DELETE FROM _pending")
        let report = try await store.rebuild()
        #expect(report.lost.entries.map(\.id) == [name.id.text])
        #expect(try await store.counts().records == 1)
    }

    @Test func `of very many entries that are gone each is counted once`() async throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let count = LostEntries.limit + 50
        let rows: [[FieldValue]] = (0..<count).map { [.text("entry \($0)"), .integer(1)] }
        let names = try bench.founder.append(
            [.put(NewRows(definition: form, fields: [0, 1], rows: rows))], wall: bench.wall)
        try bench.founder.append(
            names.map {
                .edit($0, definition: form, values: [.init(field: 1, value: .integer(9))])
            }, wall: bench.wall)
        let store = try RoomStore(path: bench.founder.path, identity: bench.founder.identity)
        try Database(path: bench.founder.path).execute("DELETE FROM _pending")
        let lost = try await store.rebuild().lost
        #expect(lost.count == count)
        #expect(Set(lost.entries).count == LostEntries.limit)
        #expect(lost.with(lost).count == count)
    }

    @Test func `a file of an earlier release keeps what is pending in it`() async throws {
        let (bench, room, _, _) = try ward()
        try Database(path: room.path).execute(
            """
            ALTER TABLE _pending DROP COLUMN checksum;
            ALTER TABLE _record DROP COLUMN changed_since_review;
            PRAGMA user_version = 13
            """)
        let store = try RoomStore(path: room.path, identity: room.identity)
        #expect(try await store.rebuild().lost.isEmpty)
        #expect(try await store.counts().pending == 3)
        #expect(try await store.seal(wall: bench.wall).count == 1)
    }
}
