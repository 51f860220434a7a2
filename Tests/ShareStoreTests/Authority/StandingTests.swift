import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// What changes of members do to records that are held, or on their way.
struct StandingTests {
    private func heads(_ writer: TestRoom, of key: DeviceKey) throws -> CoveredHeads {
        let logs = try writer.view().logs
        return CoveredHeads(
            control: logs[LogName(author: key, kind: .control)]?.heads ?? [],
            records: logs[LogName(author: key, kind: .records)]?.heads ?? [])
    }

    private func remove(_ device: TestRoom, in bench: Bench) throws -> Batch {
        let key = device.identity.key
        return try bench.remove(key, heads: try heads(bench.founder, of: key), reason: "lost")
    }

    @Test func `what is pending when its author is removed waits until it is admitted again`()
        throws
    {
        let bench = try Bench()
        let form = try bench.addForm()
        let device = try bench.device(.collector)
        try Bench.merge(Bench.batches(of: bench.founder), into: device)
        let kept = try device.append([bench.row(form, "Ann", 1)], wall: bench.wall)
        try Bench.merge(try device.seal(wall: bench.wall), into: bench.founder)
        try device.append(
            [
                bench.row(form, "Eve", 2), .delete(kept[0]),
            ], wall: bench.wall)
        #expect(try device.counts().records == 1)
        try Bench.merge([remove(device, in: bench)], into: device)
        #expect(try device.seal(wall: bench.wall).isEmpty)
        #expect(try device.counts().refused == 0)
        #expect(try device.counts().pending == 2 && device.counts().withheld == 2)
        #expect(
            try device.rows("SELECT name FROM visit") == [["Ann"]])
        #expect(try device.view().digest == bench.founder.view().digest)
        #expect(try device.view().vector == bench.founder.view().vector)
        #expect(throws: StoreError.refused(.removed)) {
            try device.append([bench.row(form, "Eve", 2)], wall: bench.wall)
        }
        try Bench.merge([bench.grant(.collector, to: device.identity.key)], into: device)
        let sealed = try device.seal(wall: bench.wall)
        #expect(try Bench.merge(sealed, into: bench.founder).map(\.accepted) == [2])
        #expect(try device.rows("SELECT name FROM visit") == [["Eve"]])
        #expect(try Bench.dump(device) == Bench.dump(bench.founder))
    }

    @Test func `what its role did not allow does not go on counting after a removal`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let device = try bench.device(.collector)
        let key = device.identity.key
        try Bench.merge(Bench.batches(of: bench.founder), into: device)
        try device.append([bench.row(form, "Ann", 1)], wall: bench.wall)
        try Bench.merge(try device.seal(wall: bench.wall), into: bench.founder)
        let authority = bench.founder.authority
        _ = try bench.founder.sealControl(
            [
                .roleChange(
                    RoleChange(
                        subject: key, role: .viewer, heads: bench.founder.heads(of: key),
                        supersedes: authority.latest(about: key)))
            ], wall: bench.wall)
        // It has not heard of that yet.
        try device.append(
            [bench.row(form, "Eve", 2), bench.row(form, "Ida", 3)], wall: bench.wall)
        let late = try Bench.merge(try device.seal(wall: bench.wall), into: bench.founder)
        #expect(late.map(\.refused) == [2])
        let extent = try bench.founder.extent(of: key, before: nil)
        #expect(extent.operations == 1 && extent.pastHeads == 0)
    }

    @Test func `before its own log is back a device takes entries, and seals them behind it`()
        throws
    {
        let bench = try Bench()
        let form = try bench.addForm()
        let lost = try bench.device(.collector)
        try Bench.merge(Bench.batches(of: bench.founder), into: lost)
        for age in 1...4 {
            try lost.append([bench.row(form, "Ann", Int64(age))], wall: bench.wall)
            try Bench.merge(try lost.seal(wall: bench.wall), into: bench.founder)
        }
        // It was removed, and is invited again once its files are gone.
        try Bench.merge([remove(lost, in: bench)], into: bench.founder)
        let key = lost.identity.key
        _ = try bench.founder.sealControl(
            [
                .grant(
                    Grant(
                        subject: key, role: .collector, firstControl: 1, firstRecords: 5,
                        supersedes: bench.founder.authority.latest(about: key)))
            ], wall: bench.wall)
        let device = try bench.store(lost.identity)
        let all = try Bench.batches(of: bench.founder)
        try Bench.merge(all.filter { $0.author != key }, into: device)

        let entered = try device.append([bench.row(form, "Eve", 5)], wall: bench.wall)
        #expect(try device.isMissingOwn(.records))
        try device.append([.delete(entered[0]), bench.row(form, "Zoe", 6)], wall: bench.wall)
        #expect(throws: StoreError.sealingBlocked(hasLost: false)) {
            try device.seal(wall: bench.wall)
        }
        #expect(try device.rows("SELECT name FROM visit") == [["Zoe"]])
        #expect(try device.counts().refused == 0)

        try Bench.merge(all.filter { $0.author == key }, into: device)
        #expect(try !device.isMissingOwn(.records))
        let sealed = try device.seal(wall: bench.wall)
        #expect(sealed.map(\.number) == [5])
        #expect(try Bench.merge(sealed, into: bench.founder).map(\.accepted) == [3])
        #expect(try Bench.dump(device) == Bench.dump(bench.founder))
        #expect(try device.counts().records == 5)
    }

    /// Numbers that an owner may write beside the id of a batch that has the number 5.
    @Test(arguments: [3, 5, 7, 100] as [UInt64])
    func `heads named with a number of another batch draw one line in any order`(
        number: UInt64
    ) throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let editor = try bench.device(.editor)
        let common = try Bench.batches(of: bench.founder)
        try Bench.merge(common, into: editor)
        // The grant is known to its subject alone, so that the role change is all there is.
        let member = try bench.store()
        let key = member.identity.key
        let grant = try editor.sealControl(
            [
                .grant(
                    Grant(
                        subject: key, role: .collector, firstControl: 1, firstRecords: 1,
                        supersedes: [])
                )
            ], wall: bench.wall)
        try Bench.merge(common + [grant], into: member)
        var batches: [Batch] = []
        for age in 1...10 as ClosedRange<Int64> {
            _ = try member.append([bench.row(form, "Ann", age)], wall: bench.wall)
            batches += try member.seal(wall: bench.wall)
        }
        let change = try bench.founder.sealControl(
            [
                .roleChange(
                    RoleChange(
                        subject: key, role: .collector,
                        heads: CoveredHeads(
                            control: [],
                            records: [LogHead(number: number, batch: batches[4].id)]),
                        supersedes: []))
            ], wall: bench.wall)
        let (oneByOne, atOnce, late) = (try bench.store(), try bench.store(), try bench.store())
        for batch in common + [change] + batches { try Bench.merge([batch], into: oneByOne) }
        try Bench.merge(common + [change], into: atOnce)
        try Bench.merge(batches, into: atOnce)
        try Bench.merge(common, into: late)
        for batch in batches.reversed() + batches { try Bench.merge([batch], into: late) }
        try Bench.merge([change], into: late)
        for batch in batches { try Bench.merge([batch], into: late) }
        while try late.reapply() {}
        let dump = try Bench.dump(oneByOne)
        let refused = try oneByOne.refused(at: oneByOne.refusedPlaces())
        #expect(try late.refused(at: late.refusedPlaces()) == refused)
        #expect(try Bench.dump(atOnce) == dump)
        #expect(try Bench.dump(late) == dump)
        try atOnce.rebuild()
        #expect(try Bench.dump(atOnce) == dump)
        #expect(try oneByOne.counts().records == [3: 8, 5: 5, 7: 4, 100: 0][number])
        #expect(try oneByOne.view().digest == late.view().digest)
    }

    @Test func `a log that ends at a head which is not held is told of as far as it counts`() throws
    {
        let bench = try Bench()
        let form = try bench.addForm()
        let device = try bench.device(.collector)
        let key = device.identity.key
        let common = try Bench.batches(of: bench.founder)
        try Bench.merge(common, into: device)
        var batches: [Batch] = []
        for age in 1...6 as ClosedRange<Int64> {
            _ = try device.append([bench.row(form, "Ann", age)], wall: bench.wall)
            batches += try device.seal(wall: bench.wall)
        }
        try Bench.merge(batches, into: bench.founder)
        let named = LogHead(number: 3, batch: batches[5].id)
        let removal = try bench.remove(
            key, heads: CoveredHeads(control: [], records: [named]), reason: "lost")
        let log = LogName(author: key, kind: .records)
        #expect(try bench.founder.view().logs[log]?.heads == [batches[1].head])
        #expect(try bench.founder.counts().records == 2)
        let other = try bench.store()
        try Bench.merge(common + [removal] + batches[..<2], into: other)
        #expect(try other.view().vector == bench.founder.view().vector)
        #expect(try other.view().digest == bench.founder.view().digest)
    }

    @Test func `what was merged past a cutoff is taken out again`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let device = try bench.device(.editor)
        let other = try bench.device(.collector)
        try Bench.merge(Bench.batches(of: bench.founder), into: device)
        let names = try bench.founder.append([bench.row(form, "Sara", 30)], wall: bench.wall)
        let first = try bench.founder.seal(wall: bench.wall)
        try Bench.merge(first, into: device)
        try device.append(
            [
                .edit(names[0], definition: form, values: [.init(field: 0, value: .text("X"))]),
                bench.row(form, "Eve", 2),
            ], wall: bench.wall)
        let beyond = try device.seal(wall: bench.wall)
        try Bench.merge(Bench.batches(of: bench.founder) + beyond, into: other)
        #expect(try other.counts().records == 2)
        let removal = try remove(device, in: bench)
        try Bench.merge([removal], into: other)
        #expect(
            try other.rows("SELECT name FROM visit") == [["Sara"]])
        #expect(try other.view().digest == bench.founder.view().digest)
        #expect(try other.view().vector == bench.founder.view().vector)
        #expect(
            try other.refused(at: other.refusedPlaces()).map(\.refusal) == [.removed, .removed])
        let before = try Bench.dump(other)
        try other.rebuild()
        #expect(try Bench.dump(other) == before)
    }

    @Test func `what is refused of a device names the heads to accept it by`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let device = try bench.device(.editor)
        try Bench.merge(Bench.batches(of: bench.founder), into: device)
        try device.append([bench.row(form, "Ann", 1)], wall: bench.wall)
        try Bench.merge(try device.seal(wall: bench.wall), into: bench.founder)
        let key = device.identity.key
        let known = bench.founder.heads(of: key)
        #expect(known.records.count == 1 && known.control.isEmpty)
        let guest = DeviceIdentity.generate().key
        let granted = try device.sealControl(
            [
                .grant(
                    Grant(
                        subject: guest, role: .viewer, firstControl: 1, firstRecords: 1,
                        supersedes: []))
            ],
            wall: bench.wall)
        try device.append([bench.row(form, "Eve", 2)], wall: bench.wall)
        try device.append([bench.row(form, "Bob", 3)], wall: bench.wall)
        let beyond = try device.seal(wall: bench.wall)
        try Bench.merge([granted] + beyond, into: bench.founder)
        let held = bench.founder.heads(of: key)
        #expect(try bench.founder.refusals(of: key).isEmpty)

        try bench.remove(key, heads: known, reason: "lost")
        let refusals = try bench.founder.refusals(of: key)
        #expect(refusals.operations == 2 && refusals.heads == held.records)
        let list = try bench.founder.refused(at: bench.founder.refusedPlaces())
        #expect(list.map(\.author) == [key, key])
        #expect(list.compactMap(\.batch?.batch) == [granted.id, beyond[0].id])
        #expect(try bench.founder.counts().records == 1)

        _ = try bench.founder.sealControl(
            [.accept(Acceptance(subject: key, heads: held))], wall: bench.wall)
        #expect(try bench.founder.refusals(of: key).isEmpty)
        #expect(try bench.founder.counts().records == 3)
        // What it decided past its cutoff is void for good.
        #expect(!bench.founder.members.contains { $0.device == guest })
    }

    @Test func `records wait for their form, edits for their record`() throws {
        let bench = try Bench()
        let device = try bench.device(.editor)
        try Bench.merge(Bench.batches(of: bench.founder), into: device)
        let form = try bench.addForm()
        let control = try Bench.batches(of: bench.founder)
        try Bench.merge(control, into: device)
        let names = try bench.founder.append([bench.row(form, "Sara", 30)], wall: bench.wall)
        let first = try bench.founder.seal(wall: bench.wall)
        try Bench.merge(first, into: device)
        try device.append([.delete(names[0])], wall: bench.wall)
        let second = try device.seal(wall: bench.wall)

        let late = try bench.store()
        try Bench.merge(control.dropLast(), into: late)
        let early = try Bench.merge(second, into: late)
        #expect(early.map(\.waiting) == [1])
        try Bench.merge(control, into: late)
        #expect(try late.counts().waiting == 1)
        #expect(try late.counts().records == 0)
        let outcome = try Bench.merge(first, into: late)
        #expect(outcome.map(\.accepted) == [1])
        #expect(try late.counts().waiting == 0)
        #expect(try late.counts().records == 0)
        #expect(try Bench.dump(late) == Bench.dump(device))
    }
}
