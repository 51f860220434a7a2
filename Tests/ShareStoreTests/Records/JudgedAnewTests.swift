import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// What was judged before is judged anew where something else that has come puts it into another
/// light, though nothing is said of its author.
@Suite struct JudgedAnewTests {
    private let bench: Bench

    init() throws { bench = try Bench() }

    /// What is kept up is what the batches come to.
    private func expectKept(in store: TestRoom) throws {
        while try store.reapply() {}
        let kept = try Bench.dump(store)
        try store.rebuild()
        #expect(try Bench.dump(store) == kept)
    }

    /// A batch of one new record.
    private func record(
        _ id: UInt64, by device: DeviceIdentity, _ form: OperationName, after previous: Batch? = nil
    ) -> Batch {
        let row = RecordsBlock.Row(
            id: RecordID(high: 1, low: id), clock: .latest, creator: 0, parents: 0..<0)
        let block = RecordsBlock(
            kind: .put, firstIndex: 0, form: form, fields: [1], creators: [device.key],
            rows: [row], parents: [], cells: [.integer(1)], storage: [])
        return bench.sealed(
            [block], number: (previous?.number ?? 0) + 1, after: previous?.id, by: device)
    }

    @Test func `a grant that another author's leaves no room for counts no more`() throws {
        let editors = [DeviceIdentity.generate(), .generate()].sorted { $0.key < $1.key }
        for editor in editors { try bench.grant(.editor, to: editor.key) }
        let grant = RawControlBody.Block.operation(
            .grant(
                Grant(
                    subject: DeviceIdentity.generate().key, role: .viewer, firstControl: 1,
                    firstRecords: 1, supersedes: [])))
        let most = Array(repeating: grant, count: Limits.operationsInForce - 1)
        let room = bench.founding.room
        let many = RawControlBody(blocks: most).sealed(by: editors[1], in: room)
        let last = RawControlBody(blocks: [grant]).sealed(
            by: editors[1], in: room, number: 2, after: many.id)
        let first = RawControlBody(blocks: [grant]).sealed(by: editors[0], in: room)
        try Bench.merge([many, last], into: bench.founder)
        #expect(try bench.founder.counts(of: last.id).accepted == 1)
        try Bench.merge([first], into: bench.founder)
        #expect(try bench.founder.counts(of: first.id).accepted == 1)
        #expect(try bench.founder.counts(of: last.id).refused == 1)
        try expectKept(in: bench.founder)
    }

    @Test func `what a log with too many heads names counts for nothing itself`() throws {
        let room = bench.founding.room
        let editor = DeviceIdentity.generate()
        let owner = DeviceIdentity.generate()
        try bench.grant(.editor, to: editor.key)
        try bench.grant(.owner, to: owner.key)
        let branches = (0...Limits.headsPerLog).map { place in
            RawControlBody(blocks: [RawControlBody.set("key\(place)")])
        }
        let editors = branches.map { $0.sealed(by: editor, in: room) }
        let owners = branches.map { $0.sealed(by: owner, in: room) }
        try Bench.merge(editors + owners, into: bench.founder)
        #expect(try bench.founder.counts(of: editors[0].id).refused == 1)
        // It would name a branch of the editor's log, and is refused with the log that it stands in.
        let heads = CoveredHeads(control: [editors[0].head], records: [])
        let naming = RawControlBody(blocks: [
            .operation(.accept(Acceptance(subject: editor.key, heads: heads)))
        ]).sealed(by: owner, in: room)
        try Bench.merge([naming], into: bench.founder)
        #expect(try bench.founder.counts(of: naming.id).refused == 1)
        #expect(try bench.founder.counts(of: editors[0].id).refused == 1)
        let change = RoleChange(
            subject: editor.key, role: .editor, heads: heads,
            supersedes: bench.founder.authority.latest(about: editor.key))
        _ = try bench.founder.sealControl([.roleChange(change)], wall: bench.wall)
        #expect(try bench.founder.counts(of: editors[0].id).accepted == 1)
        #expect(try bench.founder.counts(of: editors[1].id).refused == 1)
        try expectKept(in: bench.founder)
    }

    @Test func `a branch counts until the head that a removal names arrives`() throws {
        let form = try bench.addForm()
        let device = DeviceIdentity.generate()
        try bench.grant(.collector, to: device.key)
        let one = record(1, by: device, form)
        let two = record(2, by: device, form, after: one)
        let three = record(3, by: device, form, after: two)
        let other = record(4, by: device, form, after: one)
        let store = bench.founder
        try Bench.merge([one, other], into: store)
        let named = CoveredHeads(control: [], records: [three.head])
        try bench.remove(device.key, heads: named)
        let log = LogName(author: device.key, kind: .records)
        #expect(try store.view().logs[log]?.heads == [other.head])
        #expect(try store.counts().records == 2)
        try Bench.merge([two], into: store)
        #expect(try store.view().logs[log]?.heads == [two.head, other.head].sorted())
        try Bench.merge([three], into: store)
        #expect(try store.view().logs[log]?.heads == [three.head])
        #expect(try store.counts().records == 3)
        #expect(try store.counts(of: other.id).refused == 1)
        try expectKept(in: store)
        // An acceptance moves the line, and the log's heads are what they were.
        let accepted = CoveredHeads(control: [], records: [other.head])
        _ = try store.sealControl(
            [.accept(Acceptance(subject: device.key, heads: accepted))], wall: bench.wall)
        #expect(try store.view().logs[log]?.heads == [other.head, three.head])
        #expect(try store.counts().records == 4)
        try expectKept(in: store)
    }

    @Test func `a log counts until one head too many arrives`() throws {
        let form = try bench.addForm()
        let device = DeviceIdentity.generate()
        try bench.grant(.collector, to: device.key)
        let branches = (0...UInt64(Limits.headsPerLog)).map { record($0, by: device, form) }
        try Bench.merge(Array(branches.dropLast()), into: bench.founder)
        #expect(try bench.founder.counts().records == Limits.headsPerLog)
        try Bench.merge(Array(branches.suffix(1)), into: bench.founder)
        #expect(try bench.founder.counts().records == 0)
        try expectKept(in: bench.founder)
    }

    @Test func `definitions that no device can use are refused`() throws {
        let editor = DeviceIdentity.generate()
        try bench.grant(.editor, to: editor.key)
        let faulty = Array(repeating: RawControlBody.form("twice", ["a", "a"]), count: 20)
        let batch = RawControlBody(blocks: faulty).sealed(by: editor, in: bench.founding.room)
        #expect(try Bench.merge([batch], into: bench.founder).map(\.refused) == [20])
        let database = bench.founder
        #expect(bench.founder.forms().isEmpty)
        #expect(try database.integer("SELECT count(*) FROM _refused") == 1)
        try expectKept(in: bench.founder)
    }
}
