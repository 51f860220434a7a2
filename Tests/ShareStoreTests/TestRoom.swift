import ShareCore
import ShareCrypto

@testable import ShareStore

/// A room's file as tests use it: everything that changes a room, without a wait, and the looks
/// at it that tests need.
final class TestRoom {
    let file: RoomFile

    init(
        path: String, identity: DeviceIdentity, founding: Batch? = nil, vfs: String? = nil,
        schema: Schema = .room
    ) throws {
        file = try RoomFile(
            path: path, identity: identity, founding: founding, vfs: vfs, schema: schema)
    }

    var path: String { file.path }
    var room: RoomID { file.room.id }
    var identity: DeviceIdentity { file.room.identity }

    /// Operations that one transaction judges anew at most.
    static let reappliedAtOnce = Reindex.operationsAtOnce

    var reappliedAtOnce: Int {
        get { file.room.reindex.operationsAtOnce }
        set { file.room.reindex.operationsAtOnce = newValue }
    }

    var isSealingBlocked: Bool {
        get { file.committer.isSealingBlocked }
        set { file.committer.isSealingBlocked = newValue }
    }

    // MARK: Looks

    var authority: Authority { file.room.policy.authority }
    var members: [Member] { file.room.policy.members }
    /// Control batches that are held, as they were judged.
    var controls: [ControlRecord] { file.room.policy.controls }

    /// Its control batches with what all their operations say.
    func openControls() throws -> [ControlRecord] {
        try controls.map { record in
            var record = record
            try record.open(from: file.room.log)
            return record
        }
    }
    /// Form definitions that are held, and what the accepted ones come to.
    var catalog: FormCatalog { file.room.forms.catalog }
    var digest: StateDigest { file.room.digest }
    /// The records' share of the digest.
    var recordSum: StateDigest { file.room.records.sum }
    var clock: HybridClock { file.room.pending.clock }
    /// Whether records are still to follow a change of authority.
    var isReapplying: Bool { !file.room.reindex.jobs.isEmpty }

    /// Whether a removal of the device is in force.
    func isRemoved(_ device: DeviceKey) -> Bool { file.room.policy.judgement.isRemoved(device) }

    /// Whether a batch lies behind all that counts of its log.
    func isPastCutoff(_ head: LogHead, of log: LogName) throws -> Bool {
        let isKnown = file.room.policy.judgement.isKnown(log.author)
        guard let cut = isKnown ? authority.cut(of: log) : [] else { return false }
        let author = try file.room.devices.number(of: log.author)
        return try !file.room.log.isCovered(
            head, by: cut, in: file.room.log.ancestry(of: author, log.kind))
    }

    /// The role of its author at a batch of records that is held.
    func role(at batch: Int64) throws -> Role? {
        try file.room.log.heldBatches("WHERE b.batch = ?1", .integer(batch)).first.flatMap {
            try file.room.policy.standing(of: $0, in: file.room.log).role
        }
    }

    /// What a record's versions come to; nil for a record that is only a row.
    func outcome(of name: RecordName, in form: FormTable) throws -> RecordOutcome? {
        let creator = try file.room.devices.number(of: name.creator)
        return try file.room.records.sideRecord(name.id, creator, form).map {
            try RecordOutcome(
                try file.room.records.versions.all(of: $0), in: file.room.records.versions)
        }
    }

    /// When a record was changed last, as people see it.
    func lastChange(_ outcome: RecordOutcome) throws -> WallTime? {
        try outcome.latest.map { try file.room.records.versions.wall(of: $0, in: outcome.stored) }
    }

    /// The row of a record that is only that, with the name of its one operation.
    func row(
        of name: RecordName, in form: FormTable
    ) throws -> (version: OperationName, values: [VersionContent.Entry])? {
        guard let row = try file.room.records.plainRow(name, in: form),
            let version = try file.room.log.names.sealedName(row.local)
        else { return nil }
        return (version, row.values)
    }

    func key(of device: Int64) throws -> DeviceKey { try file.room.devices.key(of: device) }
    func number(of device: DeviceKey) throws -> Int64 { try file.room.devices.number(of: device) }
    func row(of batch: BatchID) throws -> Int64? { try file.room.log.row(of: batch) }

    /// Calls `emit` with the state in words, line by line.
    func dump(_ emit: (String, [SQLValue]) throws -> Void) throws {
        for (heading, sql) in RoomDump.forms(of: file.room) {
            let statement = try file.database.prepare(sql + " ORDER BY 1, 2")
            try emit(heading, (6..<statement.columnCount).map { .text(statement.name($0)) })
            while try statement.step() {
                try emit(heading, (0..<statement.columnCount).map { statement.value($0) })
            }
        }
        try RoomDump.notes(of: file.room, emit)
    }

    // MARK: The file itself

    func rows(_ sql: String, _ values: SQLValue...) throws -> [[SQLValue]] {
        try all(sql, values)
    }

    private func all(_ sql: String, _ values: [SQLValue]) throws -> [[SQLValue]] {
        let statement = try file.database.prepare(sql)
        try statement.bind(values)
        var rows: [[SQLValue]] = []
        while try statement.step() {
            rows.append((0..<statement.columnCount).map { statement.value($0) })
        }
        return rows
    }

    func row(_ sql: String, _ values: SQLValue...) throws -> [SQLValue]? {
        try all(sql, values).first
    }

    func integer(_ sql: String, _ values: SQLValue...) throws -> Int64? {
        guard case .integer(let value)? = try all(sql, values).first?.first else { return nil }
        return value
    }

    func execute(_ sql: String) throws { try file.database.execute(sql) }

    /// Reads anew what is in memory, where the file was changed behind its back.
    func reload() throws { try file.load() }

    /// The version of the schema that the file has.
    func schemaVersion() throws -> Int {
        Int(try file.database.integer("PRAGMA user_version") ?? 0)
    }

    // MARK: As the store does it

    @discardableResult
    func append(_ changes: [LocalChange], wall: UInt64) throws -> [RecordName] {
        try file.append(changes, wall: wall)
    }

    func append(wall: UInt64, next: () throws -> [LocalChange]?) throws -> Int {
        try file.append(wall: wall, next: next)
    }

    func seal(wall: UInt64) throws -> [Batch] { try file.seal(wall: wall) }

    func enter(
        _ changes: [LocalChange], wall: UInt64
    ) throws -> (records: [RecordName], batches: [Batch]) {
        try file.enter(changes, wall: wall)
    }

    func decide(
        _ operations: [ControlOperation], as recovery: DeviceIdentity? = nil, wall: UInt64
    ) throws -> [Batch] {
        try file.decide(operations, as: recovery, wall: wall)
    }

    /// Seals control operations that one batch holds.
    @discardableResult
    func sealControl(_ operations: [ControlOperation], wall: UInt64) throws -> Batch {
        precondition(operations.count <= Limits.operationsPerControlBatch, "one batch")
        return try decide(operations, wall: wall)[0]
    }

    @discardableResult
    func merge(_ batches: [IncomingBatch]) throws -> MergeReport { try file.merge(batches) }

    func reapply(notify: (RoomChanges) -> Void = { _ in }) throws -> Bool {
        try file.reapply(notify: notify)
    }

    func rebuild() throws { try file.rebuild() }
    func view() throws -> RoomView { try file.view() }

    func load(
        _ log: LogName, after: [LogHead], cursor: LogHead?, bytes: Int
    ) throws -> SyncEngine.LoadedBatches {
        try file.room.load(log, after: after, cursor: cursor, bytes: bytes)
    }

    func find(
        _ log: LogName, _ heads: [LogHead]
    ) throws -> (missing: [LogHead], positions: [LogHead]) {
        try file.room.log.find(log, heads)
    }

    func archive(for reader: DeviceKey?, isWhole: Bool) throws -> RoomArchive {
        try file.archive(for: reader, isWhole: isWhole)
    }

    func grantProof(of key: DeviceKey) throws -> [Batch] {
        try file.room.policy.grantProof(of: key, in: file.room.log)
    }
    func removal(of key: DeviceKey) throws -> [Batch] {
        try file.room.policy.removal(of: key, in: file.room.log)
    }

    func noteDelivered(_ acknowledgement: Acknowledgement, by peer: DeviceKey) {
        file.noteDelivered(acknowledgement, by: peer)
    }

    func writeDeliveries() throws { try file.writeDeliveries() }
    func delivered(_ log: LogName) throws -> [DeviceKey: LogHead] {
        try file.room.log.delivery.delivered(log)
    }
    func counts() throws -> RoomCounts { try file.room.counts() }
    func counts(of id: BatchID) throws -> VerdictCounts { try file.room.counts(of: id) }
    func forks() throws -> [LogFork] { try file.room.review.forks() }
    func settings() -> RoomSettings { file.room.policy.settings }
    func heads(ofSetting key: String) -> [OperationName] { file.room.policy.heads(ofSetting: key) }
    func heads(of formID: String) -> [OperationName] { file.room.forms.heads(of: formID) }
    func heads(of device: DeviceKey) -> CoveredHeads { file.room.log.heads(of: device) }
    func forms() -> [FormInfo] { file.room.forms.forms() }
    func form(_ formID: String) -> FormInfo? { file.room.forms.form(formID) }
    func definitions() -> [OperationName: FormDefinition] { file.room.forms.definitions() }
    func ownHead(_ kind: LogKind) throws -> LogHead? {
        try file.room.log.longestHead(kind, of: identity.key)
    }
    func isMissingOwn(_ kind: LogKind) throws -> Bool {
        try file.room.policy.isMissingOwn(kind, in: file.room.log)
    }

    func history(of name: RecordName, limit: Int = 1_000) throws -> [RecordHistory] {
        try file.room.history(of: name, limit: limit)
    }

    func detail(of name: RecordName) throws -> RecordDetail {
        try file.room.records.detail(of: name, in: file.room.forms)
    }

    func conflicts(after: RecordName?, limit: Int) throws -> RecordPage<RecordConflict> {
        try file.room.records.conflicts.conflicts(after: after, limit: limit)
    }

    func parallelUpdates(after: RecordName?, limit: Int) throws -> RecordPage<ParallelUpdate> {
        try file.room.records.conflicts.parallelUpdates(after: after, limit: limit)
    }

    func refusedPlaces() throws -> [Int64] {
        try file.room.review.refusedPlaces()
    }

    func refused(at places: some Sequence<Int64>) throws -> [RefusedOperation] {
        try file.room.review.refused(at: places)
    }

    func refusals(
        of device: DeviceKey, under authority: Authority? = nil, upTo ends: [LogHead]? = nil
    ) throws -> DeviceRefusals {
        try file.room.review.refusals(of: device, under: authority, upTo: ends)
    }

    func extent(of device: DeviceKey, before time: WallTime? = nil) throws -> DeviceExtent {
        try file.room.review.extent(of: device, before: time)
    }
}
