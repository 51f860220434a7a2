import Foundation
import ShareCore
import ShareCrypto

@testable import ShareStore

/// A folder of its own for a test, gone with it.
final class Scratch {
    let folder: String

    init() {
        folder = NSTemporaryDirectory() + "store-" + UUID().uuidString
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func path(_ name: String) -> String { folder + "/" + name }
}

/// Rooms of several devices in one process, each in its own file.
final class Bench {
    let scratch = Scratch()
    let founding: Batch
    let founder: TestRoom
    let recovery = RecoveryCode.generate()
    var wall: UInt64 = 1_700_000_000_000
    private var count = 0

    init() throws {
        let identity = DeviceIdentity.generate()
        founding = RoomStore.found(
            name: "clinic", isOpen: false, recovery: recovery, wall: 1_699_999_999_000,
            by: identity)
        founder = try TestRoom(
            path: scratch.path("founder.sqlite"), identity: identity, founding: founding)
    }

    /// A device with a role, whose file holds the founding batch and nothing else.
    func device(_ role: Role? = .collector) throws -> TestRoom {
        let identity = DeviceIdentity.generate()
        if let role { try grant(role, to: identity.key) }
        return try store(identity)
    }

    func store(_ identity: DeviceIdentity = .generate()) throws -> TestRoom {
        count += 1
        return try TestRoom(
            path: scratch.path("device\(count).sqlite"), identity: identity, founding: founding)
    }

    @discardableResult
    func grant(_ role: Role, to key: DeviceKey) throws -> Batch {
        wall += 1
        return try founder.sealControl(
            [
                .grant(
                    Grant(
                        subject: key, role: role, firstControl: 1, firstRecords: 1,
                        supersedes: founder.authority.latest(about: key)))
            ], wall: wall)
    }

    /// The founder's removal of a device.
    @discardableResult
    func remove(
        _ key: DeviceKey, heads: CoveredHeads = CoveredHeads(control: [], records: []),
        reason: String = ""
    ) throws -> Batch {
        let after = founder.authority.latest(about: key)
        return try founder.sealControl(
            [.removal(Removal(subject: key, heads: heads, supersedes: after, reason: reason))],
            wall: wall)
    }

    /// A batch of records as no honest program may make it; without a predecessor the first.
    func sealed(
        _ blocks: [RecordsBlock], number: UInt64 = 1, after previous: BatchID? = nil,
        clock: Timestamp = .latest, by identity: DeviceIdentity
    ) -> Batch {
        Batch.seal(
            room: founding.room, kind: .records, number: number,
            previous: previous ?? BatchID(founding.room.digest), clock: clock,
            blocks: blocks.map { .records($0) }, by: identity)
    }

    static let fields = [
        FormField(name: "name", type: .text), FormField(name: "age", type: .integer),
        FormField(name: "weight", type: .decimal), FormField(name: "seen", type: .date),
    ]

    /// Adds a form, or a new version of it.
    @discardableResult
    func addForm(
        _ formID: String = "visit", _ fields: [FormField] = Bench.fields,
        by writer: TestRoom? = nil, version: String = "1", json: String = "{}"
    ) throws -> OperationName {
        let writer = writer ?? founder
        wall += 1
        let batch = try writer.sealControl(
            [
                .form(
                    FormDefinition(
                        formID: formID, version: version, parents: writer.heads(of: formID),
                        fields: fields, json: json))
            ], wall: wall)
        return OperationName(batch: batch.id, index: 0)
    }

    /// Every batch that a store counts, control logs first.
    static func batches(of writer: TestRoom) throws -> [Batch] {
        try writer.rows(
            "SELECT bytes FROM _batch WHERE state = 0 ORDER BY kind, batch"
        ).compactMap { row in
            guard case .blob(let bytes) = row[0] else { return nil }
            return try Batch(verifying: bytes)
        }
    }

    @discardableResult
    static func merge(
        _ batches: [Batch], into writer: TestRoom, reapplying: Bool = true
    ) throws -> [MergeOutcome] {
        // With and without what can be computed beforehand.
        let definitions = batches.count.isMultiple(of: 2) ? [:] : writer.definitions()
        let report = try writer.merge(
            batches.map { IncomingBatch($0, definitions: definitions) })
        if reapplying { while try writer.reapply() {} }
        return report.outcomes
    }

    /// The state in words, alike for stores in the same state.
    static func dump(_ writer: TestRoom) throws -> [String] {
        var lines: [String] = []
        try writer.dump { lines.append("\($0): \($1)") }
        return lines
    }

    func row(_ form: OperationName, _ name: String, _ age: Int64) -> LocalChange {
        .put(NewRows(definition: form, fields: [0, 1], rows: [[.text(name), .integer(age)]]))
    }
}
