import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// Parent names are free bytes until somebody looks: another device may write any.
struct FalseNameTests {
    /// Names that look like those of a batch which is being filled in somebody's file.
    static let rows: [Int64] = [1, 2, 3, 4, 5, 6, 7, 1 << 40, 1 << 50, .max]

    @Test(arguments: FalseNameTests.rows)
    func `a parent that looks like a row of this file names nothing`(row: Int64) throws {
        let scene = try RoleScene(.member(.editor))
        let bench = scene.bench
        let parent = OperationName(batch: BatchID.open(row), index: 0)
        let edit = scene.member.records(
            .edit, scene.member.other, [.integer(8)], fields: [1], parents: [parent])
        try scene.send(edit)
        let founder = bench.founder
        #expect(try founder.counts(of: edit.id).accepted == 1)

        // Another device has the same batches in other rows.
        let other = try bench.store()
        let batches = try Bench.batches(of: founder)
        for batch in batches.filter({ $0.kind == .control }) {
            try Bench.merge([batch], into: other)
        }
        for batch in batches.filter({ $0.kind == .records }).reversed() {
            try Bench.merge([batch], into: other)
        }
        for batch in batches.filter({ $0.kind == .records }) {
            try Bench.merge([batch], into: other)
        }
        #expect(try Bench.dump(founder) == Bench.dump(other))
        #expect(try founder.view().digest == other.view().digest)
    }
}

/// Devices whose grant falls after their batches were stored.
struct FallenGrantTests {
    private struct Scene {
        let bench: Bench
        let editor: TestRoom
        let member: TestRoom
        var batches: [Batch] = []

        /// A room in which an editor let a member in that has written an entry.
        init() throws {
            bench = try Bench()
            let form = try bench.addForm()
            editor = try bench.device(.editor)
            try Bench.merge(try Bench.batches(of: bench.founder), into: editor)
            member = try bench.store()
            let grant = try editor.sealControl(
                [
                    .grant(
                        Grant(
                            subject: member.identity.key, role: .collector, firstControl: 1,
                            firstRecords: 1, supersedes: []))
                ], wall: bench.wall)
            try Bench.merge(try Bench.batches(of: bench.founder) + [grant], into: member)
            batches = [grant]
            for name in ["Ann", "Bo", "Cy"] {
                _ = try member.append([bench.row(form, name, 3)], wall: bench.wall)
                batches += try member.seal(wall: bench.wall)
            }
        }

        /// The editor was never one: its grants fall with it.
        func removeEditor() throws -> Batch {
            bench.wall += 1
            return try bench.remove(editor.identity.key)
        }
    }

    @Test func `who stored a member's batches and who never did tell of the same logs`() throws {
        let scene = try Scene()
        let early = scene.bench.founder
        try Bench.merge(scene.batches, into: early)
        #expect(try early.view().logs.keys.contains { $0.author == scene.member.identity.key })
        let removal = try scene.removeEditor()
        while try early.reapply() {}

        let late = try scene.bench.store()
        let control = try Bench.batches(of: early).filter {
            $0.kind == .control && $0.author == scene.bench.founder.identity.key
        }
        #expect(control.contains { $0.id == removal.id })
        try Bench.merge(control, into: late)
        try Bench.merge(scene.batches, into: late)
        #expect(try early.view().vector == late.view().vector)
        #expect(try early.view().digest == late.view().digest)
    }

    @Test func `what is held apart of a member whose grant has fallen keeps nobody busy`() throws {
        let scene = try Scene()
        let founder = scene.bench.founder
        // Its records come before the grant, and are judged in steps.
        founder.reappliedAtOnce = 1
        try Bench.merge(Array(scene.batches.dropFirst()), into: founder, reapplying: false)
        try Bench.merge([scene.batches[0]], into: founder, reapplying: false)
        #expect(try founder.view().isReapplying)
        _ = try scene.removeEditor()
        var steps = 0
        while try founder.reapply(), steps < 100 { steps += 1 }
        #expect(steps < 100)
        #expect(try !founder.view().isReapplying)
    }
}
