import Foundation
import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareStore

/// Entries that name a version of a form whose author was no editor any more: they count by the
/// fields that accepted versions ask (docs/protocol.md, "Verdicts").
@Suite struct RefusedVersionTests {
    private static let town = FormField(name: "town", type: .text)
    private static let wide = Bench.fields + [town]

    private let bench: Bench
    private let member: TestRoom

    /// A member who is an editor as far as it knows, and holds the form's first version.
    init() throws {
        bench = try Bench()
        try bench.addForm()
        member = try bench.device(.editor)
        try Bench.merge(Bench.batches(of: bench.founder), into: member)
    }

    /// What the member writes by its own version, and its lowering, in the founder's store.
    private func lowered() throws {
        let second = try bench.addForm("visit", Self.wide, by: member, version: "2")
        let plain = try member.append(
            [.put(NewRows(definition: second, fields: [0], rows: [[.text("plain")]]))],
            wall: bench.wall)
        _ = try member.seal(wall: bench.wall)
        bench.wall += 1
        try member.append(
            [
                .put(
                    NewRows(
                        definition: second, fields: [0, 4],
                        rows: [[.text("wide"), .text("Gulu")]]))
            ], wall: bench.wall)
        _ = try member.seal(wall: bench.wall)
        bench.wall += 1
        try member.append(
            [.edit(plain[0], definition: second, values: [.init(field: 1, value: .integer(7))])],
            wall: bench.wall)
        _ = try member.seal(wall: bench.wall)
        let key = member.identity.key
        _ = try bench.founder.sealControl(
            [
                .roleChange(
                    RoleChange(
                        subject: key, role: .collector,
                        heads: CoveredHeads(control: [], records: []),
                        supersedes: bench.founder.authority.latest(about: key)))
            ], wall: bench.wall)
        try Bench.merge(Bench.batches(of: member), into: bench.founder)
        while try bench.founder.reapply() {}
    }

    private func names() throws -> [String] {
        try bench.founder.rows("SELECT name FROM visit ORDER BY name").map { row in
            guard case .text(let name) = row[0] else { return "" }
            return name
        }
    }

    /// What is kept up is what the batches come to, in any order, and for another program.
    private func expectKept() async throws {
        while try bench.founder.reapply() {}
        let kept = try Bench.dump(bench.founder)
        try bench.founder.rebuild()
        #expect(try Bench.dump(bench.founder) == kept)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<4 {
            let other = try bench.store()
            let orders = AnyOrderTests()
            try orders.deliver(
                Bench.batches(of: bench.founder).shuffled(using: &random), to: other)
            #expect(try orders.state(of: other) == orders.state(of: bench.founder))
            #expect(try other.view().digest == bench.founder.view().digest)
        }
        let path = bench.scratch.path("room.audit")
        try Data(try await BundleFile.write(bench.founder)).write(to: URL(filePath: path))
        let run = try await Interop.run("verify_audit.py", [path, "--json"])
        let digest = bench.founder.digest.bytes.map { String(format: "%02x", $0) }.joined()
        #expect(run.code == 0 && run.output.contains(digest), "\(run.errors)")
    }

    @Test func `an entry of known fields counts, and one of new ones waits for a version`()
        async throws
    {
        try lowered()
        #expect(try names() == ["plain"])
        #expect(try bench.founder.rows("SELECT age FROM visit") == [[.integer(7)]])
        #expect(try bench.founder.counts().blocked == 1)
        #expect(
            try bench.founder.refused(at: bench.founder.refusedPlaces()).map(\.refusal) == [
                .role, .formRefused,
            ])
        try await expectKept()

        // Whoever may adds a version that asks the field, in another place.
        try bench.addForm("visit", [Self.town] + Bench.fields, version: "3")
        while try bench.founder.reapply() {}
        #expect(try names() == ["plain", "wide"])
        #expect(
            try bench.founder.rows("SELECT town FROM visit WHERE name = 'wide'") == [
                [.text("Gulu")]
            ])
        #expect(try bench.founder.counts().blocked == 0)
        try await expectKept()
    }

    @Test func `it waits again where the version that asks the field counts no more`() async throws
    {
        try lowered()
        let editor = try bench.device(.editor)
        try Bench.merge(Bench.batches(of: bench.founder), into: editor)
        try bench.addForm("visit", Self.wide, by: editor, version: "3")
        try Bench.merge(Bench.batches(of: editor), into: bench.founder)
        while try bench.founder.reapply() {}
        #expect(try names() == ["plain", "wide"])
        try await expectKept()
        try bench.remove(editor.identity.key)
        while try bench.founder.reapply() {}
        #expect(try names() == ["plain"])
        #expect(try bench.founder.counts().blocked == 1)
        try await expectKept()
    }

    @Test func `another type is another field, and a form of its own waits`() async throws {
        let collector = try bench.device(.editor)
        try await expectOfVersions(of: collector, beforeThat: true)
    }

    @Test func `a version of somebody who never was an editor is no version`() async throws {
        let collector = try bench.device(.collector)
        try await expectOfVersions(of: collector, beforeThat: false)
        // Who is made an editor was none when it wrote its version, and all hold that now.
        _ = try bench.founder.sealControl(
            [
                .roleChange(
                    RoleChange(
                        subject: collector.identity.key, role: .editor,
                        heads: bench.founder.file.room.log.heads(of: collector.identity.key),
                        supersedes: bench.founder.authority.latest(about: collector.identity.key)))
            ], wall: bench.wall)
        while try bench.founder.reapply() {}
        #expect(try bench.founder.counts().records == 1)
        #expect(try bench.founder.counts().blocked == 3)
        try await expectKept()
    }

    /// What counts by versions that a device makes as a collector.
    ///
    /// - Parameter beforeThat: whether it was an editor before.
    private func expectOfVersions(of collector: TestRoom, beforeThat: Bool) async throws {
        let other = Bench.fields.map {
            $0.name == "age" ? FormField(name: "age", type: .text) : $0
        }
        if beforeThat {
            _ = try bench.founder.sealControl(
                [
                    .roleChange(
                        RoleChange(
                            subject: collector.identity.key, role: .collector,
                            heads: CoveredHeads(control: [], records: []),
                            supersedes: bench.founder.authority.latest(
                                about: collector.identity.key)))
                ], wall: bench.wall)
        }
        try Bench.merge(Bench.batches(of: bench.founder), into: collector)
        let identity = collector.identity
        func definition(_ formID: String, _ fields: [FormField]) -> RawControlBody.Block {
            .operation(
                .form(
                    FormDefinition(
                        formID: formID, version: "9", parents: [], fields: fields, json: "{}")))
        }
        let batch = RawControlBody(blocks: [
            definition("visit", other), definition("own", Bench.fields),
            definition("visit", [Bench.fields[0], Bench.fields[0]]),
            definition("visit", Bench.fields),
        ]).sealed(by: identity, in: bench.founding.room)
        #expect(try Bench.merge([batch], into: bench.founder).map(\.refused) == [4])
        var previous: Batch?
        for (place, field) in [(0, 1), (1, 0), (2, 1), (3, 1)] {
            let row = RecordsBlock.Row(
                id: RecordID(high: 1, low: UInt64(place)), clock: .latest, creator: 0,
                parents: 0..<0)
            let cell = Cell.integer(1)
            let block = RecordsBlock(
                kind: .put, firstIndex: 0, form: OperationName(batch: batch.id, index: place),
                fields: [field], creators: [identity.key], rows: [row], parents: [],
                cells: [cell], storage: [])
            let sealed = bench.sealed(
                [block], number: (previous?.number ?? 0) + 1, after: previous?.id, by: identity)
            try Bench.merge([sealed], into: bench.founder)
            previous = sealed
        }
        // The last alone has a field that editors have asked, in a definition that is sound.
        let counted = beforeThat ? 1 : 0
        #expect(try bench.founder.counts().records == counted)
        #expect(try bench.founder.counts().blocked == 4 - counted)
        try await expectKept()
    }

    @Test func `a version of a removed device is no version, whoever names it`() async throws {
        let collector = try bench.device(.collector)
        try Bench.merge(Bench.batches(of: bench.founder), into: collector)
        let second = try bench.addForm("visit", Self.wide, by: member, version: "2")
        try Bench.merge(Bench.batches(of: member), into: collector)
        try collector.append(
            [.put(NewRows(definition: second, fields: [0], rows: [[.text("named")]]))],
            wall: bench.wall)
        _ = try collector.seal(wall: bench.wall)
        try bench.remove(member.identity.key)
        try Bench.merge(Bench.batches(of: collector), into: bench.founder)
        while try bench.founder.reapply() {}
        // Not every device holds what lies behind the removal.
        #expect(try names().isEmpty)
        try await expectKept()
    }
}
