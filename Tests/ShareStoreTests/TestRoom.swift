import ShareCore
import ShareCrypto

@testable import ShareStore

/// A room's file as tests use it: everything that changes a room, without a wait, and the looks
/// at it that tests need.
final class TestRoom {
    let writer: RoomWriter

    init(
        path: String, identity: DeviceIdentity, founding: Batch? = nil, vfs: String? = nil
    ) throws {
        writer = try RoomWriter(path: path, identity: identity, founding: founding, vfs: vfs)
    }

    var path: String { writer.path }
    var room: RoomID { writer.room }
    var identity: DeviceIdentity { writer.identity }

    /// Operations that one transaction judges anew at most.
    static let settledAtOnce = RoomWriter.settledAtOnce

    var settledAtOnce: Int {
        get { writer.settledAtOnce }
        set { writer.settledAtOnce = newValue }
    }

    var isSealingBlocked: Bool {
        get { writer.isSealingBlocked }
        set { writer.isSealingBlocked = newValue }
    }

    // MARK: Looks

    var authority: Authority { writer.state.judgement.authority }
    var members: [Member] { writer.state.judgement.members }
    /// Control batches that are held, as they were judged.
    var controls: [ControlRecord] { writer.state.controls }
    /// Form definitions that are held, and what the accepted ones come to.
    var catalog: FormCatalog { writer.state.catalog }
    var digest: StateDigest { writer.state.digest }
    /// The records' share of the digest.
    var recordSum: StateDigest { writer.state.recordSum }
    var clock: HybridClock { writer.state.clock }
    /// Whether records are still to follow a change of authority.
    var isSettling: Bool { !writer.state.settling.isEmpty }

    /// Whether a removal of the device is in force.
    func isRemoved(_ device: DeviceKey) -> Bool { writer.state.judgement.isRemoved(device) }

    /// Whether a batch lies behind all that counts of its log.
    func isPastCutoff(_ head: LogHead, of log: LogName) throws -> Bool {
        let isKnown = writer.state.judgement.isKnown(log.author)
        guard let cut = isKnown ? authority.cut(of: log) : [] else { return false }
        let author = try writer.devices.number(of: log.author)
        return try !writer.isCovered(head, by: cut, in: writer.ancestry(of: author, log.kind))
    }

    /// The role of its author at a batch of records that is held.
    func role(at batch: Int64) throws -> Role? {
        try writer.heldBatches("WHERE b.batch = ?1", .integer(batch)).first.flatMap {
            try writer.standing(of: $0).role
        }
    }

    /// What a record's versions come to; nil for a record that is only a row.
    func outcome(of name: RecordName, in form: FormTable) throws -> RecordOutcome? {
        let creator = try writer.devices.number(of: name.creator)
        return try writer.sideRecord(name.id, creator, form).map {
            try RecordOutcome(try writer.versions(of: $0), in: writer)
        }
    }

    /// The row of a record that is only that, with the name of its one operation.
    func row(
        of name: RecordName, in form: FormTable
    ) throws -> (version: OperationName, values: [VersionContent.Entry])? {
        guard let row = try writer.plainRow(name, in: form),
            let version = try writer.sealedName(row.local)
        else { return nil }
        return (version, row.values)
    }

    func key(of device: Int64) throws -> DeviceKey { try writer.devices.key(of: device) }
    func number(of device: DeviceKey) throws -> Int64 { try writer.devices.number(of: device) }
    func row(of batch: BatchID) throws -> Int64? { try writer.row(of: batch) }

    /// Calls `emit` with the state in words, line by line.
    func dump(_ emit: (String, [SQLValue]) throws -> Void) throws {
        try RoomDump.lines(of: writer, emit)
    }

    // MARK: The file itself

    func rows(_ sql: String, _ values: SQLValue...) throws -> [[SQLValue]] {
        try all(sql, values)
    }

    private func all(_ sql: String, _ values: [SQLValue]) throws -> [[SQLValue]] {
        let statement = try writer.database.prepare(sql)
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

    func execute(_ sql: String) throws { try writer.database.execute(sql) }

    /// Reads anew what is in memory, where the file was changed behind its back.
    func reload() throws { try writer.load() }

    /// The version of the schema that the file has.
    func schemaVersion() throws -> Int { try Schema.room.check(writer.database) }

    // MARK: As the store does it

    @discardableResult
    func append(_ changes: [LocalChange], wall: UInt64) throws -> [RecordName] {
        try writer.append(changes, wall: wall)
    }

    func append(wall: UInt64, next: () throws -> [LocalChange]?) throws -> Int {
        try writer.append(wall: wall, next: next)
    }

    func seal(wall: UInt64) throws -> [Batch] { try writer.seal(wall: wall) }

    func decide(
        _ operations: [ControlOperation], as recovery: DeviceIdentity? = nil, wall: UInt64
    ) throws -> [Batch] {
        try writer.decide(operations, as: recovery, wall: wall)
    }

    /// Seals control operations that one batch holds.
    @discardableResult
    func sealControl(_ operations: [ControlOperation], wall: UInt64) throws -> Batch {
        precondition(operations.count <= Limits.operationsPerControlBatch, "one batch")
        return try decide(operations, wall: wall)[0]
    }

    @discardableResult
    func merge(_ batches: [IncomingBatch]) throws -> MergeReport { try writer.merge(batches) }

    func settle(tell: (RoomNews) -> Void = { _ in }) throws -> Bool {
        try writer.settle(tell: tell)
    }

    func rebuild() throws { try writer.rebuild() }
    func view() throws -> RoomView { try writer.view() }

    func load(
        _ log: LogName, after: [LogHead], cursor: LogHead?, bytes: Int
    ) throws -> SyncEngine.LoadedBatches {
        try writer.load(log, after: after, cursor: cursor, bytes: bytes)
    }

    func find(
        _ log: LogName, _ heads: [LogHead]
    ) throws -> (missing: [LogHead], places: [LogHead]) {
        try writer.find(log, heads)
    }

    func archive(for reader: DeviceKey?, isWhole: Bool) throws -> RoomArchive {
        try writer.archive(for: reader, isWhole: isWhole)
    }

    func path(to key: DeviceKey) throws -> [Batch] { try writer.path(to: key) }
    func removal(of key: DeviceKey) throws -> [Batch] { try writer.removal(of: key) }

    func noteDelivered(_ acknowledgement: Acknowledgement, by peer: DeviceKey) throws {
        try writer.noteDelivered(acknowledgement, by: peer)
    }

    func delivered(_ log: LogName) throws -> [DeviceKey: LogHead] { try writer.delivered(log) }
    func counts() throws -> RoomCounts { try writer.counts() }
    func counts(of id: BatchID) throws -> VerdictCounts { try writer.counts(of: id) }
    func forks() throws -> [LogFork] { try writer.forks() }
    func settings() -> RoomSettings { writer.settings() }
    func heads(ofSetting key: String) -> [OperationName] { writer.heads(ofSetting: key) }
    func heads(of formID: String) -> [OperationName] { writer.heads(of: formID) }
    func heads(of device: DeviceKey) -> CoveredHeads { writer.heads(of: device) }
    func forms() -> [FormInfo] { writer.forms() }
    func form(_ formID: String) -> FormInfo? { writer.form(formID) }
    func definitions() -> [OperationName: FormDefinition] { writer.definitions() }
    func ownHead(_ kind: LogKind) throws -> LogHead? { try writer.ownHead(kind) }
    func isMissingOwn(_ kind: LogKind) throws -> Bool { try writer.isMissingOwn(kind) }

    func history(of name: RecordName, limit: Int = 1_000) throws -> [RecordHistory] {
        try writer.history(of: name, limit: limit)
    }

    func detail(of name: RecordName) throws -> RecordDetail { try writer.detail(of: name) }

    func conflicts(after: RecordName?, limit: Int) throws -> RecordPage<RecordConflict> {
        try writer.conflicts(after: after, limit: limit)
    }

    func parallelUpdates(after: RecordName?, limit: Int) throws -> RecordPage<ParallelUpdate> {
        try writer.parallelUpdates(after: after, limit: limit)
    }

    func refusedPlaces() throws -> [Int64] { try writer.refusedPlaces() }

    func refused(at places: some Sequence<Int64>) throws -> [RefusedOperation] {
        try writer.refused(at: places)
    }

    func refusals(
        of device: DeviceKey, under authority: Authority? = nil, upTo ends: [LogHead]? = nil
    ) throws -> DeviceRefusals {
        try writer.refusals(of: device, under: authority, upTo: ends)
    }

    func extent(of device: DeviceKey, before moment: Timestamp? = nil) throws -> DeviceExtent {
        try writer.extent(of: device, before: moment)
    }
}
