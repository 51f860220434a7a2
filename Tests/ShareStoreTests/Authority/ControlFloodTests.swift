import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// Members that write thousands of control operations that cannot count: the others keep little of
/// them, and look at none of them again when something else comes.
@Suite struct ControlFloodTests {
    enum Flood: CaseIterable {
        case grants, leaves, settings, forms, mixed
    }

    /// Batches of a member, each with as many operations as one may hold.
    private static func batches(
        _ flood: Flood, of identity: DeviceIdentity, in room: RoomID, count: Int, each: Int
    ) -> [Batch] {
        let clock = Timestamp(milliseconds: 1_700_000_500_000, counter: 0)
        let far = LogHead(number: 1 << 52, batch: BatchID(Hash.digest([7])))
        let victim = DeviceKey(Hash.digest([9]).value)
        let grant = ControlOperation.grant(
            Grant(
                subject: victim, role: .collector, firstControl: 1, firstRecords: 1, supersedes: [])
        )
        let leave = ControlOperation.removal(
            Removal(
                subject: identity.key, heads: CoveredHeads(control: [far], records: [far]),
                supersedes: [], reason: ""))
        let setting = ControlOperation.set(Setting(key: "name", value: "x", parents: []))
        let form = ControlOperation.form(
            FormDefinition(
                formID: "forged", version: "1", parents: [],
                fields: [FormField(name: "a", type: .text)], json: "{}"))
        func operation(_ place: Int) -> ControlOperation {
            switch flood {
            case .grants: grant
            case .leaves: leave
            case .settings: setting
            case .forms: form
            case .mixed: place.isMultiple(of: 2) ? grant : setting
            }
        }
        var head = BatchID(room.digest)
        return (1...count).map { number in
            let entries = (0..<each).map {
                ControlBlock.Entry(clock: clock, operation: operation($0))
            }
            let blocks: [Body.Block] =
                flood == .mixed
                ? entries.enumerated().map {
                    .control(ControlBlock(firstIndex: $0, entries: [$1]))
                } : [.control(ControlBlock(firstIndex: 0, entries: entries))]
            let batch = Batch.seal(
                room: room, kind: .control, number: UInt64(number), previous: head, clock: clock,
                blocks: blocks, by: identity)
            head = batch.id
            return batch
        }
    }

    @Test(arguments: Flood.allCases)
    func `a flood of what cannot count costs later control batches nothing`(
        flood: Flood
    ) async throws {
        let bench = try Bench()
        let identity = DeviceIdentity.generate()
        try bench.grant(.viewer, to: identity.key)
        let other = try bench.device()
        try Bench.merge(try Bench.batches(of: bench.founder), into: other)
        let each = Limits.operationsPerControlBatch
        let count = 18
        let batches = Self.batches(
            flood, of: identity, in: bench.founding.room, count: count, each: each)
        let outcomes = try Bench.merge(batches, into: other)
        #expect(outcomes.allSatisfy { $0.fate == .stored })
        let refused = Int64(outcomes.reduce(0) { $0 + $1.refused })
        #expect(refused >= Int64(count * each - Limits.leavesInForce))
        #expect(try other.integer("SELECT sum(count) FROM _refused") == refused)
        // One line for what comes to the same.
        let lines = flood == .mixed ? refused : 30
        #expect(try other.integer("SELECT count(*) FROM _refused") ?? 0 <= lines)
        #expect(other.forms().isEmpty)
        #expect(other.authority.operationsLookedAt < 250)

        let before = try other.integer("SELECT total_changes()") ?? 0
        let grant = try bench.grant(.collector, to: DeviceIdentity.generate().key)
        try Bench.merge([grant], into: other)
        let written = (try other.integer("SELECT total_changes()") ?? 0) - before
        #expect(written < 40)
        #expect(other.authority.operationsLookedAt < 250)

        try Bench.merge([try bench.remove(identity.key)], into: other)
        #expect(try other.integer("SELECT sum(count) FROM _refused") ?? 0 >= refused)
        #expect(other.authority.operationsLookedAt < 250)
        // What was kept up is what the batches come to.
        let kept = try Bench.dump(other)
        try other.rebuild()
        #expect(try Bench.dump(other) == kept)
        #expect(try await CheckTests.check(other).isEmpty)
    }

    /// Batches of a log that follow each other, each with one setting of so many bytes.
    private static func settings(
        of identity: DeviceIdentity, in room: RoomID, count: Int, bytes: Int, after: Batch? = nil
    ) -> [Batch] {
        let clock = Timestamp(milliseconds: 1_700_000_500_000, counter: 0)
        var last = after
        return (0..<count).map { _ in
            let value = String(
                decoding: SecureRandom.bytes(bytes).map { 32 + $0 % 64 }, as: UTF8.self)
            let setting = ControlOperation.set(Setting(key: "name", value: value, parents: []))
            let batch = Batch.seal(
                room: room, kind: .control, number: (last?.number ?? 0) + 1,
                previous: last?.id ?? BatchID(room.digest), clock: clock,
                blocks: [
                    .control(
                        ControlBlock(
                            firstIndex: 0,
                            entries: [ControlBlock.Entry(clock: clock, operation: setting)]))
                ], by: identity)
            last = batch
            return batch
        }
    }

    /// The fates of batches that come ten at a time.
    private static func fates(
        of batches: [Batch], in room: TestRoom
    ) throws -> [MergeOutcome.Fate] {
        try stride(from: 0, to: batches.count, by: 10).flatMap { first in
            try Bench.merge(Array(batches[first..<min(first + 10, batches.count)]), into: room)
                .map(\.fate)
        }
    }

    @Test(arguments: [Role.viewer, .collector, .reviewer])
    func `of a log in which leaves alone can count so much is kept`(role: Role) async throws {
        let bench = try Bench()
        let identity = DeviceIdentity.generate()
        try bench.grant(role, to: identity.key)
        let other = try bench.device()
        try Bench.merge(try Bench.batches(of: bench.founder), into: other)
        let room = bench.founding.room
        let batches = Self.settings(of: identity, in: room, count: 172, bytes: 8)
        var fates = try Self.fates(of: batches, in: other)
        #expect(fates.count { $0 == .stored } == Limits.controlBatchesOfOthers)
        #expect(fates.prefix(128).allSatisfy { $0 == .stored })
        // Branches of it are no way round.
        fates = try Self.fates(
            of: Self.settings(of: identity, in: room, count: 20, bytes: 8), in: other)
        #expect(fates.first == .aboveLimit && !fates.contains(.stored))
        // Other logs have their own.
        let next = DeviceIdentity.generate()
        try Bench.merge([try bench.grant(.collector, to: next.key)], into: other)
        let others = Self.settings(of: next, in: room, count: 2, bytes: 8)
        #expect(try Self.fates(of: others, in: other) == [.stored, .stored])
        #expect(try await CheckTests.check(other).isEmpty)

        // Once more than leaves can count in it, all of it is taken.
        let change = try bench.founder.sealControl(
            [
                .roleChange(
                    RoleChange(
                        subject: identity.key, role: .editor,
                        heads: CoveredHeads(control: [batches[127].head], records: []),
                        supersedes: bench.founder.authority.latest(about: identity.key)))
            ], wall: bench.wall)
        try Bench.merge([change], into: other)
        fates = try Self.fates(of: batches, in: other)
        #expect(fates.suffix(44).allSatisfy { $0 == .stored })
        #expect(try other.integer("SELECT sum(count) FROM _refused") == 130)
        let kept = try Bench.dump(other)
        try other.rebuild()
        #expect(try Bench.dump(other) == kept)
    }

    @Test func `its batches are few where they are large`() throws {
        let bench = try Bench()
        let identity = DeviceIdentity.generate()
        try bench.grant(.collector, to: identity.key)
        let batches = Self.settings(
            of: identity, in: bench.founding.room, count: 24, bytes: 8_000)
        let fates = try Self.fates(of: batches, in: bench.founder)
        let stored = fates.prefix { $0 == .stored }.count
        #expect(fates.count { $0 == .stored } == stored)
        let sizes = batches.prefix(stored + 1).map(\.size)
        #expect(sizes.dropLast().reduce(0, +) <= Limits.controlBytesOfOthers)
        #expect(sizes.reduce(0, +) > Limits.controlBytesOfOthers)
        #expect(fates.count { $0 == .aboveLimit } >= 1)
        #expect(fates.last == .gap)
    }

    @Test func `what a removal names is taken beside branches that are held`() throws {
        let bench = try Bench()
        let identity = DeviceIdentity.generate()
        try bench.grant(.collector, to: identity.key)
        let other = try bench.device()
        try Bench.merge(try Bench.batches(of: bench.founder), into: other)
        let room = bench.founding.room
        let (one, two) = (
            Self.settings(of: identity, in: room, count: 128, bytes: 8),
            Self.settings(of: identity, in: room, count: 128, bytes: 8)
        )
        #expect(try Self.fates(of: one, in: bench.founder).allSatisfy { $0 == .stored })
        #expect(try Self.fates(of: two, in: other).allSatisfy { $0 == .stored })
        let removal = try bench.remove(
            identity.key, heads: CoveredHeads(control: [one[127].head], records: []))
        try Bench.merge([removal], into: other)
        #expect(try Self.fates(of: one, in: other).allSatisfy { $0 == .stored })
        #expect(other.digest == bench.founder.digest)
        #expect(try other.view().vector == bench.founder.view().vector)
    }

    @Test func `definitions count once their author may write them`() throws {
        let bench = try Bench()
        let identity = DeviceIdentity.generate()
        try bench.grant(.viewer, to: identity.key)
        let other = try bench.device()
        try Bench.merge(try Bench.batches(of: bench.founder), into: other)
        let batches = Self.batches(
            .forms, of: identity, in: bench.founding.room, count: 1, each: 40)
        try Bench.merge(batches, into: other)
        #expect(other.forms().isEmpty)
        let seen = bench.founder.authority.latest(about: identity.key)
        let change = try bench.founder.sealControl(
            [
                .roleChange(
                    RoleChange(
                        subject: identity.key, role: .editor,
                        heads: CoveredHeads(control: [], records: []), supersedes: seen))
            ], wall: bench.wall)
        try Bench.merge([change], into: other)
        #expect(other.forms().map(\.form.formID) == ["forged"])
        #expect(try other.integer("SELECT count(*) FROM _definition") == 40)
        try Bench.merge([try bench.remove(identity.key)], into: bench.founder)
        try Bench.merge(try Bench.batches(of: bench.founder), into: other)
        #expect(other.forms().isEmpty)
        let kept = try Bench.dump(other)
        try other.rebuild()
        #expect(try Bench.dump(other) == kept)
    }
}
