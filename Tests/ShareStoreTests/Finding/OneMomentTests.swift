import ShareCore
import ShareCrypto
import Synchronization
import Testing

@testable import ShareStore

/// Looks that read several tables, while the room changes between two of them.
struct OneMomentTests {
    @Test func `an entry that is allowed again meanwhile is found once`() async throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let device = try bench.device(.collector)
        try Bench.merge(Bench.batches(of: bench.founder), into: device)
        let key = device.identity.key
        func change(to role: Role) throws -> Batch {
            try bench.founder.sealControl(
                [
                    .roleChange(
                        RoleChange(
                            subject: key, role: role, heads: bench.founder.heads(of: key),
                            supersedes: bench.founder.authority.latest(about: key)))
                ], wall: bench.wall)
        }
        try device.append([bench.row(form, "Eve", 1)], wall: bench.wall)
        try Bench.merge([change(to: .viewer)], into: device)
        let raised = try change(to: .collector)
        let info = try #require(device.form("visit"))
        let reader = try RoomReader(path: device.path)

        // Looking at what is withheld, the condition lets the room change.
        let raising = Mutex(Raising(device: device, batch: raised))
        let condition = try RecordExpression(
            "jr:choice-name(name, '${name}') = 'Eve'", of: info, now: 0
        ) { choice, _ in
            raising.withLock { $0.run() }
            return choice
        }
        let query = RecordQuery(where: [.expression(condition)])
        let rows = try await reader.records(info, query)
        #expect(rows.map(\.state) == ["withheld"])
        #expect(try await reader.records(info, query).map(\.state) == [nil])
    }

    private struct Raising: @unchecked Sendable {
        // Used by one thread at a time, in the look of the reader.
        let device: TestRoom
        var batch: Batch?

        init(device: TestRoom, batch: Batch) {
            self.device = device
            self.batch = batch
        }

        mutating func run() {
            guard let batch else { return }
            self.batch = nil
            _ = try? Bench.merge([batch], into: device)
        }
    }

    @Test func `a view of one moment lasts as long as the one around it`() throws {
        let scratch = Scratch()
        let writer = try Database(path: scratch.path("file.sqlite"))
        try writer.makeDurable()
        try writer.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)")
        let reader = try Database(path: scratch.path("file.sqlite"), access: .readOnly)
        try reader.snapshot {
            let before = try reader.snapshot { try reader.integer("SELECT count(*) FROM t") }
            try writer.execute("INSERT INTO t VALUES(2)")
            #expect(before == 1)
            #expect(try reader.integer("SELECT count(*) FROM t") == 1)
        }
        #expect(try reader.integer("SELECT count(*) FROM t") == 2)
    }
}
