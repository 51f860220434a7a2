import ShareCore
import ShareCrypto

/// Everything that changes a room's file, on one thread, one transaction at a time.
final class RoomWriter {
    let path: String
    /// SQLite's file system layer; nil for its own.
    let vfs: String?
    let room: RoomID
    let identity: DeviceIdentity
    let database: Database
    let devices: DeviceTable
    let items = ItemWriter()
    var state: RoomState
    /// Operations that one transaction judges anew at most; one batch is judged in any case.
    var settledAtOnce = RoomWriter.settledAtOnce
    static let settledAtOnce = 10_000
    /// A forked log that was asked for, as reading one takes time in proportion to it.
    var forked: (log: LogName, graph: LogGraph)?
    /// What others are told of logs that count up to a line only.
    var countedLogs: [LogName: CountedLog] = [:]
    /// What they are told of logs with very many branches.
    var toldLogs: [LogName: ToldLog] = [:]
    /// Set while a member gives our own batches back after a start (docs/storage.md).
    var isSealingBlocked = false
    /// Set while the file, or batches of our own in it, were lost and members fill it again: our
    /// own logs go on elsewhere.
    var isRefilling = false
    /// Set when another identity is to go on with this file.
    var isRetired = false
    /// What was found out about forked logs, as long as their heads stay.
    var knownForks: [LogName: (heads: [LogHead], numbers: [UInt64])] = [:]

    /// Opens a room's file; with a founding batch it makes it, where there is none yet.
    init(
        path: String, identity: DeviceIdentity, founding: Batch? = nil, vfs: String? = nil
    ) throws {
        self.path = path
        self.vfs = vfs
        self.identity = identity
        // SQLite would make the file.
        guard founding != nil || vfs != nil || RoomFiles.exists(path) else {
            throw StoreError.missing
        }
        database = try Database(path: path, vfs: vfs)
        let version = try Schema.room.check(database)
        let held = try RoomWriter.room(in: database)
        // What is no room's file is not made one, nor changed.
        if founding == nil, held == nil { throw StoreError.notARoom }
        try database.makeDurable()
        devices = DeviceTable(database)
        guard let room = held ?? founding?.room else { throw StoreError.notARoom }
        self.room = room
        state = RoomState(room: room)
        if let founding, founding.room != room { throw StoreError.otherRoom }
        if held == nil, let founding {
            try Schema.room.migrate(database)
            try change {
                try database.run(
                    "INSERT INTO _meta(key, value) VALUES('room', ?1)",
                    .blob(founding.room.bytes))
                _ = try mergeGroup([IncomingBatch(founding)])
            }
        } else if version < Schema.room.steps.count {
            // What a step has added is empty: all that is derived is made anew, with the step or
            // not at all.
            try database.transaction {
                try Schema.room.migrate(database)
                try load()
                try adoptPending()
                try rebuild()
            }
        } else {
            try load()
            try adoptPending()
        }
    }

    /// The room that a file is of; nil for none.
    static func room(in database: Database) throws -> RoomID? {
        guard
            try database.integer("SELECT 1 FROM sqlite_schema WHERE name = '_meta'") != nil,
            case .blob(let bytes)? = try database.row(
                "SELECT value FROM _meta WHERE key = 'room'")?.first
        else { return nil }
        return Digest(bytes).map { RoomID($0) }
    }

    /// Reads back what `RoomState` holds.
    func load() throws {
        state = RoomState(room: room)
        forked = nil
        countedLogs = [:]
        toldLogs = [:]
        knownForks = [:]
        if let raw = try database.integer("SELECT value FROM _meta WHERE key = 'clock'") {
            state.clock = HybridClock(last: Timestamp(rawValue: UInt64(max(raw, 0))) ?? .latest)
        }
        if case .blob(let bytes)? = try database.row(
            "SELECT value FROM _meta WHERE key = 'records_digest'")?.first,
            let sum = StateDigest(bytes)
        {
            state.recordSum = sum
        }
        for row in try database.rows("SELECT form, records FROM _form") {
            guard case .integer(let form) = row[0], case .integer(let records) = row[1] else {
                continue
            }
            state.shown[form] = Int(records)
        }
        state.controls = try loadControls()
        state.judgement = Judgement(state.controls, room: room)
        judgeAll()
        state.settling = try loadJobs()
        state.catalog = FormCatalog(state.controls, lingering: lingering)
        state.catalog.forms = try loadForms(state.catalog)
        state.roomSum = computeRoomSum()
        state.open = try loadOpenBatch()
        state.logs = try loadLogs()
    }

    private func loadControls() throws -> [ControlRecord] {
        let statement = try database.prepare(
            "SELECT batch, bytes FROM _batch WHERE kind = 0 AND state = 0 ORDER BY batch")
        var controls: [ControlRecord] = []
        while try statement.step() {
            let batch = try readBatch(statement.blob(1), at: statement.integer(0))
            controls.append(
                ControlRecord(batch: statement.integer(0), batch, try? batch.openBody()))
        }
        return controls
    }

    func loadOpenBatch() throws -> RoomState.OpenBatch? {
        guard
            let batch = try database.integer("SELECT max(batch) FROM _batch WHERE state = 1")
        else { return nil }
        let range = LocalName.range(of: batch)
        let row = try database.row(
            """
            SELECT coalesce(sum(count), 0), coalesce(sum(length(block)), 0) FROM _pending
            WHERE operation BETWEEN ?1 AND ?2
            """, .integer(range.first), .integer(range.last))
        guard case .integer(let count)? = row?[0], case .integer(let size)? = row?[1] else {
            return nil
        }
        return RoomState.OpenBatch(batch: batch, count: Int(count), size: Int(size))
    }

    func readBatch(_ bytes: [UInt8], at row: Int64) throws -> Batch {
        do throws(EnvelopeError) {
            return try Batch(trusted: bytes)
        } catch {
            throw StoreError.damaged("batch \(row): \(error)")
        }
    }

    // MARK: Transactions

    /// Runs `body` in one transaction; if it throws, file and memory are as before.
    func change<R>(_ body: () throws -> R) throws -> R {
        guard !isRetired else { throw StoreError.retired }
        let saved = state
        do {
            return try database.transaction {
                let result = try body()
                try recomputeDirty()
                try persist()
                return result
            }
        } catch {
            state = saved
            forked = nil
            devices.forget()
            database.forgetStatements()
            throw error
        }
    }

    private func persist() throws {
        let set = "INSERT OR REPLACE INTO _meta(key, value) VALUES(?1, ?2)"
        try database.run(set, "clock", .integer(Int64(state.clock.last.rawValue)))
        try database.run(set, "records_digest", .blob(state.recordSum.bytes))
        for form in state.shownChanged {
            try database.run(
                "UPDATE _form SET records = ?2 WHERE form = ?1", .integer(form),
                .integer(Int64(state.shown[form] ?? 0)))
        }
        state.shownChanged = []
    }
}
