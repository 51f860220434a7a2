import Foundation
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
        let batches = Self.batches(
            flood, of: identity, in: bench.founding.room, count: 100, each: each)
        let outcomes = try Bench.merge(batches, into: other)
        #expect(outcomes.allSatisfy { $0.fate == .stored })
        let refused = Int64(outcomes.reduce(0) { $0 + $1.refused })
        #expect(refused >= Int64(100 * each - Limits.leavesInForce))
        #expect(try other.integer("SELECT sum(count) FROM _refused") == refused)
        // One line for what comes to the same.
        let lines = flood == .mixed ? refused : 110
        #expect(try other.integer("SELECT count(*) FROM _refused") ?? 0 <= lines)
        #expect(other.forms().isEmpty)
        #expect(other.authority.operationsLookedAt < 250)
        // What they say is left to the file, but for the leaves that came into force.
        let open = flood == .leaves ? Limits.leavesInForce : 0
        func atHand(_ room: TestRoom) -> Int {
            room.controls.filter { $0.author == identity.key }.reduce(0) { $0 + $1.entries.count }
        }
        #expect(other.controls.count { $0.author == identity.key } == 100)
        #expect(atHand(other) <= open)

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
        #expect(atHand(other) <= open)
        let again = try TestRoom(path: other.path, identity: other.identity)
        #expect(atHand(again) <= open)
        #expect(again.authority.verdicts == other.authority.verdicts)
        #expect(try await CheckTests.check(other).isEmpty)
    }

    @Test func `leaves on branches keep nothing else of their batches`() async throws {
        let bench = try Bench()
        let identity = DeviceIdentity.generate()
        try bench.grant(.collector, to: identity.key)
        let other = try bench.device()
        try Bench.merge(try Bench.batches(of: bench.founder), into: other)
        let clock = Timestamp(milliseconds: 1_700_000_500_000, counter: 0)
        let leave = ControlOperation.removal(
            Removal(
                subject: identity.key, heads: CoveredHeads(control: [], records: []),
                supersedes: [], reason: ""))
        let batches = (0..<120).map { number in
            let entries = (0..<20).map { place in
                ControlBlock.Entry(
                    clock: clock,
                    operation: .form(
                        FormDefinition(
                            formID: "f\(number).\(place)", version: "1", parents: [],
                            fields: [FormField(name: "a", type: .text)], json: "{}")))
            }
            return Batch.seal(
                room: bench.founding.room, kind: .control, number: 1,
                previous: BatchID(bench.founding.room.digest), clock: clock,
                blocks: [
                    .control(
                        ControlBlock(
                            firstIndex: 0,
                            entries: [ControlBlock.Entry(clock: clock, operation: leave)])),
                    .control(ControlBlock(firstIndex: 1, entries: entries)),
                ], by: identity)
        }
        for first in stride(from: 0, to: batches.count, by: 6) {
            try Bench.merge(Array(batches[first..<first + 6]), into: other)
        }
        let entries = other.controls.filter { $0.author == identity.key }.flatMap(\.entries)
        #expect(!entries.isEmpty && entries.count <= Limits.leavesInForce)
        #expect(entries.allSatisfy { OperationSort($0.entry.operation) == .removal })
        let kept = try Bench.dump(other)
        let again = try TestRoom(path: other.path, identity: other.identity)
        #expect(again.authority.verdicts == other.authority.verdicts)
        #expect(again.authority.operationsLookedAt < 30)
        try again.rebuild()
        #expect(try Bench.dump(again) == kept)
    }

    @Test func `what counts is found behind much that does not`() async throws {
        let bench = try Bench()
        let identity = DeviceIdentity.generate()
        try bench.grant(.collector, to: identity.key)
        let other = try bench.device()
        try Bench.merge(try Bench.batches(of: bench.founder), into: other)
        // Some 20 MiB of bodies, and behind them what the owner says next.
        let clock = Timestamp(milliseconds: 1_700_000_500_000, counter: 0)
        var last: Batch?
        for number in 1...UInt64(30) {
            let entries = (0..<64).map { _ in
                let value = SecureRandom.bytes(400).map { String(format: "%02x", $0) }.joined()
                return ControlBlock.Entry(
                    clock: clock,
                    operation: .set(
                        Setting(
                            key: "name", value: value + String(repeating: "x", count: 10_000),
                            parents: [])))
            }
            let batch = Batch.seal(
                room: bench.founding.room, kind: .control, number: number,
                previous: last?.id ?? BatchID(bench.founding.room.digest), clock: clock,
                blocks: [.control(ControlBlock(firstIndex: 0, entries: entries))], by: identity)
            #expect(try Bench.merge([batch], into: other).first?.fate == .stored)
            last = batch
        }
        let editor = DeviceIdentity.generate().key
        try Bench.merge([try bench.grant(.editor, to: editor)], into: other)
        try bench.addForm()
        try Bench.merge(try Bench.batches(of: bench.founder), into: other)
        #expect(other.forms().map(\.form.formID) == ["visit"])
        let kept = try Bench.dump(other)
        let again = try TestRoom(path: other.path, identity: other.identity)
        #expect(again.authority.currentRole(of: editor) == .editor)
        #expect(again.controls.allSatisfy { $0.isOpen == ($0.author != identity.key) })
        #expect(again.authority.verdicts == other.authority.verdicts)
        #expect(again.forms().map(\.form.formID) == other.forms().map(\.form.formID))
        #expect(try Bench.dump(again) == kept)
        try again.rebuild()
        #expect(try Bench.dump(again) == kept)
        #expect(try await CheckTests.check(again).isEmpty)
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
        #expect(other.controls.filter { !$0.isOpen }.isEmpty)
        #expect(try other.integer("SELECT count(*) FROM _definition") == 40)
        try Bench.merge([try bench.remove(identity.key)], into: bench.founder)
        try Bench.merge(try Bench.batches(of: bench.founder), into: other)
        #expect(other.forms().isEmpty)
        let kept = try Bench.dump(other)
        try other.rebuild()
        #expect(try Bench.dump(other) == kept)
    }
}
