import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// Batches whose author is not known yet.
struct HeldApartTests {
    @Test func `what was held apart is taken in in steps when the grant comes`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let identity = DeviceIdentity.generate()
        let stranger = try bench.store(identity)
        let control = try Bench.batches(of: bench.founder)
        let grant = try bench.grant(.collector, to: identity.key)
        try Bench.merge(control + [grant], into: stranger)
        let cells = (0..<20_000).map { Cell.integer(Int64($0)) }
        try stranger.append(
            [
                .put(
                    NewRows(
                        definition: form, fields: [1], count: cells.count, cells: cells,
                        storage: []))
            ], wall: bench.wall)
        let batches = try stranger.seal(wall: bench.wall)
        let other = try bench.store()
        try Bench.merge(control, into: other)
        let outcomes = try Bench.merge(batches, into: other)
        #expect(outcomes.allSatisfy { $0.fate == .apart })
        try Bench.merge([grant], into: other, reapplying: false)
        #expect(try other.counts().records < 10_000 && other.view().isReapplying)
        let again = try TestRoom(path: other.path, identity: other.identity)
        while try again.reapply() {}
        #expect(try again.counts().records == 20_000)
        #expect(try again.counts().apart == 0)
        #expect(try Bench.dump(again) == Bench.dump(stranger))
    }

    @Test func `what is held apart outlives a removal that turns out to be void`() throws {
        let bench = try Bench()
        let founder = bench.founder
        let remover = try bench.device(.owner)
        let early = try Bench.batches(of: founder)
        // An owner's log that is here before its grant.
        let owner = try bench.device(.owner)
        let granted = try Bench.batches(of: founder)
        try Bench.merge(granted, into: owner)
        let form = try bench.addForm(by: owner)
        _ = try owner.append([bench.row(form, "Ann", 3)], wall: bench.wall)
        _ = try owner.seal(wall: bench.wall)
        let apart = try Bench.batches(of: owner).filter { $0.author == owner.identity.key }
        // The remover had not seen the log, and was no owner any more.
        try Bench.merge(granted, into: remover)
        let removal = try remover.sealControl(
            [
                .removal(
                    Removal(
                        subject: owner.identity.key, heads: CoveredHeads(control: [], records: []),
                        supersedes: remover.authority.latest(
                            about: owner.identity.key), reason: ""))
            ], wall: bench.wall)
        for batches in [apart, [removal]] { try Bench.merge(batches, into: founder) }
        let end = try bench.remove(remover.identity.key)

        let other = try bench.store()
        try Bench.merge(early, into: other)
        let outcomes = try Bench.merge(apart, into: other)
        #expect(outcomes.map(\.fate) == [.apart, .apart])
        try Bench.merge(granted + [removal], into: other)
        #expect(other.isRemoved(owner.identity.key))
        #expect(try other.counts().apart == 2)
        #expect(try !other.view().isReapplying)
        try Bench.merge([end], into: other)
        #expect(try other.counts().apart == 0)
        #expect(try other.counts().records == 1)
        #expect(try Bench.dump(other) == Bench.dump(founder))
    }
}
