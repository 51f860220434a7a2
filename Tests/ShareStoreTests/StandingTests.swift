import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// What changes of members do to records that are held, or on their way.
struct StandingTests {
    private func heads(_ writer: RoomWriter, of key: DeviceKey) throws -> CoveredHeads {
        let logs = try writer.view().logs
        return CoveredHeads(
            control: logs[LogName(author: key, kind: .control)]?.heads ?? [],
            records: logs[LogName(author: key, kind: .records)]?.heads ?? [])
    }

    private func remove(_ device: RoomWriter, in bench: Bench) throws -> Batch {
        let key = device.identity.key
        return try bench.founder.sealControl(
            [
                .removal(
                    Removal(
                        subject: key, heads: try heads(bench.founder, of: key),
                        after: bench.founder.state.judgement.authority.operations(about: key),
                        reason: "lost"))
            ], wall: bench.wall)
    }

    @Test func `what is pending when its author is removed is in nobody's tables`() throws {
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
        let sealed = try device.seal(wall: bench.wall)
        #expect(try device.counts().refused == 2)
        #expect(
            try device.database.rows("SELECT name FROM visit") == [["Ann"]])
        #expect(try device.view().digest == bench.founder.view().digest)
        #expect(try device.view().vector == bench.founder.view().vector)
        #expect(try Bench.merge(sealed, into: bench.founder).map(\.fate) == [.dropped])
        #expect(throws: StoreError.notAllowed("removed")) {
            try device.append([bench.row(form, "Eve", 2)], wall: bench.wall)
        }
    }

    @Test func `what was merged beyond a removal is taken out again`() throws {
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
            try other.database.rows("SELECT name FROM visit") == [["Sara"]])
        #expect(try other.view().digest == bench.founder.view().digest)
        #expect(try other.view().vector == bench.founder.view().vector)
        #expect(try other.refused(limit: 10).map(\.reason) == ["removed", "removed"])
        let before = try Bench.dump(other)
        try other.rebuild()
        #expect(try Bench.dump(other) == before)
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
