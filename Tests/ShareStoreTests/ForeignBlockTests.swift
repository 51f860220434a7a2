import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// Control batches in which blocks lie that this release passes over: those around them count as
/// they would without, and cost the others no more.
@Suite struct ForeignBlockTests {
    private static let foreign: [[RawControlBody.Block]] = [
        [], [.foreign(kind: RawControlBody.ignoredKind, count: 20)],
        [.foreign(kind: RawControlBody.awaitedKind, count: 20)],
        [.foreign(kind: UInt8(RecordsBlock.Kind.delete.rawValue), count: 20)],
    ]

    /// A form, what lies behind it, and twenty settings and forms of which one is of no use.
    private static func batch(_ foreign: [RawControlBody.Block]) -> RawControlBody {
        let rest = (0..<20).flatMap { place in
            [
                RawControlBody.set("key\(place)"),
                RawControlBody.form("form\(place)", place == 7 ? ["a", "a\0"] : ["a"]),
            ]
        }
        return RawControlBody(blocks: [RawControlBody.form("first")] + foreign + rest)
    }

    @Test(arguments: foreign.indices)
    func `what stands behind a block that is passed over counts as what stands before it`(
        place: Int
    ) async throws {
        let bench = try Bench()
        let editor = DeviceIdentity.generate()
        try bench.grant(.editor, to: editor.key)
        let batch = Self.batch(Self.foreign[place]).sealed(by: editor, in: bench.founding.room)
        let store = bench.founder
        try Bench.merge([batch], into: store)
        #expect(store.forms().count == 20)
        #expect(store.settings().values.count == 20)
        let refused = try store.refused(at: store.refusedPlaces())
        #expect(refused.filter { $0.what == "form" }.map(\.refusal) == [.definition])

        let device = try bench.device()
        try Bench.merge(try Bench.batches(of: store), into: device)
        for definition in device.catalog.definitions.values where definition.isAccepted {
            try device.append(
                [.put(NewRows(definition: definition.name, fields: [0], rows: [[.text("x")]]))],
                wall: bench.wall)
        }
        try Bench.merge(try device.seal(wall: bench.wall), into: store)
        #expect(try store.counts().records == 20)

        // Records leave one by one, and the tables with the last of them.
        store.reappliedAtOnce = 1
        try bench.remove(editor.key)
        #expect(store.forms().isEmpty)
        while try store.reapply() { #expect(store.forms().isEmpty) }
        #expect(store.catalog.plans.isEmpty)
        let kept = try Bench.dump(store)
        try store.rebuild()
        #expect(try Bench.dump(store) == kept)
        #expect(try await CheckTests.check(store).isEmpty)
    }

    @Test func `blocks that are passed over wait or are refused`() throws {
        let bench = try Bench()
        let viewer = DeviceIdentity.generate()
        try bench.grant(.viewer, to: viewer.key)
        let misplaced = UInt8(RecordsBlock.Kind.delete.rawValue)
        let blocks = (0..<16).flatMap { _ -> [RawControlBody.Block] in
            [
                .foreign(kind: RawControlBody.awaitedKind, count: 2), RawControlBody.set("a"),
                .foreign(kind: misplaced, count: 1),
            ]
        }
        let outcome = try Bench.merge(
            [RawControlBody(blocks: blocks).sealed(by: viewer, in: bench.founding.room)],
            into: bench.founder)
        #expect(outcome.map(\.waiting) == [32] && outcome.map(\.refused) == [32])
        let database = bench.founder
        #expect(try database.rows("SELECT reason, count FROM _waiting") == [["kind", 32]])
        #expect(
            try database.rows("SELECT reason, sum(count) FROM _refused GROUP BY 1 ORDER BY 1")
                == [["misplaced", 16], ["role", 16]])
    }

    @Test func `great definitions that would be packed small are stored as they are`() throws {
        let bench = try Bench()
        let identity = DeviceIdentity.generate()
        try bench.grant(.viewer, to: identity.key)
        let json = String(repeating: " ", count: Limits.definitionText)
        let batch = RawControlBody(blocks: [RawControlBody.form("great", json: json)])
            .sealed(by: identity, in: bench.founding.room)
        #expect(batch.bytes.count * Limits.controlExpansion >= json.utf8.count)
        let other = try bench.store()
        try Bench.merge(try Bench.batches(of: bench.founder) + [batch], into: other)
        #expect(other.catalog.plans.isEmpty)
        #expect(try other.integer("SELECT count(*) FROM _refused") == 1)

        let seen = bench.founder.authority.latest(about: identity.key)
        let none = CoveredHeads(control: [], records: [])
        let change = try bench.founder.sealControl(
            [
                .roleChange(
                    RoleChange(subject: identity.key, role: .editor, heads: none, supersedes: seen))
            ],
            wall: bench.wall)
        try Bench.merge([change], into: other)
        #expect(other.forms().map(\.form.json) == [json])
        #expect(try other.integer("SELECT count(*) FROM _definition") == 1)
        #expect(try other.integer("SELECT count(*) FROM _refused") == 0)
        let kept = try Bench.dump(other)
        try other.rebuild()
        #expect(try Bench.dump(other) == kept)
    }

    /// Answers have these names beside those of the fields: a usual reader of JSON would take the
    /// field for the entry's author.
    @Test(arguments: [
        "_id", "_author", "_created", "_updated", "_state", "_review", "_deleted", "_", "_new",
        "", "a\0b", "\0",
    ])
    func `a definition with a field name of the system's is refused`(name: String) throws {
        let bench = try Bench()
        let editor = DeviceIdentity.generate()
        try bench.grant(.editor, to: editor.key)
        let store = bench.founder
        let batch = RawControlBody(blocks: [
            RawControlBody.form("sound", ["a", "a_", "a_b"]),
            RawControlBody.form("false", ["a", name]),
        ]).sealed(by: editor, in: bench.founding.room)
        try Bench.merge([batch], into: store)
        #expect(store.forms().map(\.formID) == ["sound"])
        let refused = try store.refused(at: store.refusedPlaces())
        #expect(refused.map(\.refusal) == [.definition] && refused.map(\.form) == ["false"])
    }
}
