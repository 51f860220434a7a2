import Foundation
import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// What a removal, or another role, says of a device whose log is refused for its branches.
struct ForkedRemovalTests {
    private let bench: Bench
    private let form: OperationName
    private let device: TestRoom
    private var key: DeviceKey { device.identity.key }

    init() throws {
        bench = try Bench()
        form = try bench.addForm()
        for age in 0..<12 {
            _ = try bench.founder.append([bench.row(form, "Ann", Int64(age))], wall: bench.wall)
        }
        _ = try bench.founder.seal(wall: bench.wall)
        device = try bench.device(.owner)
        try Bench.merge(Bench.batches(of: bench.founder), into: device)
        try device.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// What so many copies of the device's folder seal, each for itself.
    private func branches(
        _ count: Int, _ seal: (TestRoom, Int) throws -> [Batch]
    ) throws -> [Batch] {
        try (0..<count).flatMap { number in
            let path = bench.scratch.path("copy\(number).sqlite")
            try FileManager.default.copyItem(atPath: device.path, toPath: path)
            return try seal(TestRoom(path: path, identity: device.identity), number)
        }
    }

    /// The founder's removal of the device, or a lower role, which names what it would.
    private func decide(isRemoval: Bool) throws {
        let heads = try bench.founder.extent(of: key, before: nil).heads
        guard !isRemoval else {
            try bench.remove(key, heads: heads)
            return
        }
        let after = bench.founder.authority.latest(about: key)
        _ = try bench.founder.sealControl(
            [
                .roleChange(
                    RoleChange(subject: key, role: .viewer, heads: heads, supersedes: after))
            ], wall: bench.wall)
    }

    @Test(arguments: [true, false])
    func `entries that were refused for their branches do not count by it`(isRemoval: Bool) throws {
        let sealed = try branches(12) { copy, number in
            _ = try copy.append([bench.row(form, "Eve", Int64(number))], wall: bench.wall)
            return try copy.seal(wall: bench.wall)
        }
        try Bench.merge(sealed, into: bench.founder)
        #expect(try bench.founder.counts().records == 12)
        let extent = try bench.founder.extent(of: key, before: nil)
        #expect(extent.heads.records.isEmpty && extent.operations == 0 && extent.pastHeads == 12)
        try decide(isRemoval: isRemoval)
        #expect(try bench.founder.counts().records == 12)
        #expect(try bench.founder.counts().refused == 12)
    }

    @Test(arguments: [true, false])
    func `decisions that were refused for their branches do not count by it`(
        isRemoval: Bool
    ) throws {
        let friend = DeviceIdentity.generate().key
        let sealed = try branches(12) { copy, number in
            let grant = Grant(
                subject: friend, role: number == 7 ? .owner : .viewer, firstControl: 1,
                firstRecords: 1, supersedes: [])
            return [try copy.sealControl([.grant(grant)], wall: bench.wall + UInt64(number))]
        }
        try Bench.merge(sealed, into: bench.founder)
        #expect(bench.founder.authority.currentRole(of: friend) == nil)
        try decide(isRemoval: isRemoval)
        #expect(bench.founder.authority.currentRole(of: friend) == nil)
        #expect(
            bench.founder.authority.currentRole(of: key)
                == (isRemoval ? nil : .viewer))
    }

    @Test func `branches that an owner has let count go on counting`() throws {
        let sealed = try branches(12) { copy, number in
            _ = try copy.append([bench.row(form, "Eve", Int64(number))], wall: bench.wall)
            return try copy.seal(wall: bench.wall)
        }
        try Bench.merge(sealed, into: bench.founder)
        try accept(sealed.prefix(5))
        #expect(try bench.founder.counts().records == 17)
        let extent = try bench.founder.extent(of: key, before: nil)
        #expect(extent.operations == 5 && extent.pastHeads == 7)
        try decide(isRemoval: true)
        #expect(try bench.founder.counts().records == 17)
    }

    @Test func `no more branches go on counting than one removal can name`() throws {
        let sealed = try branches(70) { copy, number in
            _ = try copy.append([bench.row(form, "Eve", Int64(number))], wall: bench.wall)
            return try copy.seal(wall: bench.wall)
        }
        try Bench.merge(sealed, into: bench.founder)
        try accept(sealed.prefix(64))
        try accept(sealed.dropFirst(64))
        #expect(try bench.founder.counts().records == 12 + 70)
        let extent = try bench.founder.extent(of: key, before: nil)
        #expect(extent.operations == 64 && extent.pastHeads == 6)
        try decide(isRemoval: true)
        #expect(try bench.founder.counts().records == 12 + 64)
    }

    private func accept(_ batches: some Sequence<Batch>) throws {
        let heads = CoveredHeads(control: [], records: batches.map(\.head).sorted())
        _ = try bench.founder.sealControl(
            [.accept(Acceptance(subject: key, heads: heads))], wall: bench.wall)
    }
}
