import ShareCore
import ShareCrypto

/// The logs of a room as they lie in its file: each batch with a right envelope whose predecessor
/// is held, its log's heads, and how many operations are in each log.
///
/// Its tables are `_batch`, `_head` and `_log`. A head is a batch that no other one of its log
/// follows; `logs` says the same as `_head` and `_log`. It knows no roles: whoever asks for what
/// counts hands in the cutoff.
struct BatchLog {
    let room: RoomID
    let database: Database
    let devices: DeviceTable
    let quarantine: Quarantine
    let orphans: Orphans
    var delivery: Delivery
    let names: BatchNames
    let cache = LogCache()
    /// Every log with its heads, as far as it is held.
    private(set) var logs: [LogName: LogState] = [:]

    init(room: RoomID, _ database: Database, _ devices: DeviceTable) {
        self.room = room
        self.database = database
        self.devices = devices
        quarantine = Quarantine(database: database)
        orphans = Orphans(database: database)
        delivery = Delivery(database: database, devices: devices)
        names = BatchNames(database: database, devices: devices)
    }

    /// Reads the logs as the file has them.
    mutating func load() throws {
        cache.forget()
        var logs: [LogName: LogState] = [:]
        for row in try database.rows("SELECT author, kind, number, id FROM _head") {
            guard case .integer(let author) = row[0], case .integer(let raw) = row[1],
                let head = LogHead(row[2], row[3]),
                let kind = LogKind(rawValue: UInt8(truncatingIfNeeded: raw))
            else { continue }
            let name = LogName(author: try devices.key(of: author), kind: kind)
            logs[name, default: LogState(heads: [], operations: 0)].heads.append(head)
        }
        for row in try database.rows("SELECT author, kind, operations FROM _log") {
            guard case .integer(let author) = row[0], case .integer(let raw) = row[1],
                case .integer(let operations) = row[2],
                let kind = LogKind(rawValue: UInt8(truncatingIfNeeded: raw))
            else { continue }
            let name = LogName(author: try devices.key(of: author), kind: kind)
            logs[name]?.operations = UInt64(max(operations, 0))
            logs[name]?.heads.sort()
        }
        self.logs = logs
    }

    // MARK: Batches in

    /// The row of a batch that is held and counts.
    func row(of id: BatchID) throws -> Int64? {
        try database.integer("SELECT batch FROM _batch WHERE id = ?1", .blob(id.bytes))
    }

    func holdsPrevious(of batch: Batch) throws -> Bool {
        // A first batch names the room, which its envelope has been checked for.
        if batch.number == 1 { return true }
        guard let author = try devices.find(batch.author) else { return false }
        return try database.integer(
            "SELECT 1 FROM _batch WHERE id = ?1 AND author = ?2 AND kind = ?3 AND number = ?4",
            .blob(batch.previous.bytes), .integer(author), .integer(Int64(batch.kind.rawValue)),
            .integer(Int64(batch.number) - 1)) != nil
    }

    /// Stores a batch whose predecessor is held.
    mutating func store(_ item: IncomingBatch) throws -> HeldBatch {
        let batch = item.batch
        let author = try devices.number(of: batch.author)
        let statement = try database.cached(
            """
            INSERT INTO _batch(
                id, author, kind, number, previous, clock, wall, operations, state, bytes)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, ?9)
            """)
        defer { statement.clear() }
        try statement.bind([
            .blob(batch.id.bytes), .integer(author), .integer(Int64(batch.kind.rawValue)),
            .integer(Int64(batch.number)), .blob(batch.previous.bytes),
            .integer(Int64(batch.clock.rawValue)), .integer(Int64(batch.wall.milliseconds)),
            .integer(Int64(item.body?.operationCount ?? 0)),
        ])
        try batch.slice.withUnsafeBytes { bytes in
            try statement.bindStatic(bytes, at: 9)
            while try statement.step() {}
        }
        let row = database.lastRowID
        try moveHead(
            batch.head, from: batch.previous, of: author, batch.log,
            operations: item.body?.operationCount ?? 0)
        return HeldBatch(
            batch: row, id: batch.id, number: batch.number, author: batch.author,
            authorNumber: author, isOpen: false)
    }

    private mutating func moveHead(
        _ head: LogHead, from previous: BatchID, of author: Int64, _ log: LogName,
        operations: Int
    ) throws {
        let kind = log.kind
        if cache.forked?.log == log { cache.forked?.graph.insert(head, previous: previous) }
        logs[log, default: LogState(heads: [], operations: 0)].heads.removeAll {
            $0.batch == previous && $0.number + 1 == head.number
        }
        logs[log]?.heads.append(head)
        logs[log]?.heads.sort()
        logs[log]?.operations += UInt64(operations)
        try database.run(
            "DELETE FROM _head WHERE id = ?1 AND author = ?2 AND kind = ?3 AND number = ?4",
            .blob(previous.bytes), .integer(author), .integer(Int64(kind.rawValue)),
            .integer(Int64(head.number) - 1))
        try database.run(
            "INSERT INTO _head(id, author, kind, number) VALUES(?1, ?2, ?3, ?4)",
            .blob(head.batch.bytes), .integer(author), .integer(Int64(kind.rawValue)),
            .integer(Int64(head.number)))
        try database.run(
            """
            INSERT INTO _log(author, kind, operations) VALUES(?1, ?2, ?3)
            ON CONFLICT(author, kind) DO UPDATE SET operations = operations + ?3
            """, .integer(author), .integer(Int64(kind.rawValue)), .integer(Int64(operations)))
    }

    /// Makes a batch that was being filled a sealed one, the next of its log.
    mutating func seal(_ open: HeldBatch, as batch: Batch, operations: Int) throws -> HeldBatch {
        try database.run(
            """
            UPDATE _batch SET id = ?2, number = ?3, previous = ?4, clock = ?5, wall = ?6,
            operations = ?7, state = 0, bytes = ?8 WHERE batch = ?1
            """, .integer(open.batch), .blob(batch.id.bytes), .integer(Int64(batch.number)),
            .blob(batch.previous.bytes), .integer(Int64(batch.clock.rawValue)),
            .integer(Int64(batch.wall.milliseconds)), .integer(Int64(operations)),
            .blob(batch.bytes))
        try moveHead(
            batch.head, from: batch.previous, of: open.authorNumber, batch.log,
            operations: operations)
        return HeldBatch(
            batch: open.batch, id: batch.id, number: batch.number, author: batch.author,
            authorNumber: open.authorNumber, isOpen: false)
    }

    // MARK: Heads

    func hasTooManyHeads(_ log: LogName) -> Bool {
        (logs[log]?.heads.count ?? 0) > Limits.headsPerLog
    }

    /// The longest branch of a device's log, the lesser id among equals.
    func longestHead(_ kind: LogKind, of device: DeviceKey) throws -> LogHead? {
        guard let author = try devices.find(device) else { return nil }
        let row = try database.row(
            """
            SELECT number, id FROM _head WHERE author = ?1 AND kind = ?2
            ORDER BY number DESC, id LIMIT 1
            """, .integer(author), .integer(Int64(kind.rawValue)))
        return row.flatMap { LogHead($0[0], $0[1]) }
    }

    /// The head that the next batch of a log follows that is written here.
    ///
    /// - Throws: `StoreError.needsRebuild` where a batch stands behind it: heads and batches do not
    ///   belong together, and anything written there would be a fork.
    func lastOwn(_ kind: LogKind, of device: DeviceKey) throws -> LogHead? {
        let last = try longestHead(kind, of: device)
        guard let author = try devices.find(device) else { return last }
        let behind = try database.row(
            "SELECT 1 FROM _batch WHERE author = ?1 AND kind = ?2 AND number > ?3 LIMIT 1",
            .integer(author), .integer(Int64(kind.rawValue)),
            .integer(Int64(clamping: last?.number ?? 0)))
        guard behind == nil else { throw StoreError.needsRebuild }
        return last
    }

    /// The heads that are held of a device's two logs, also where they do not count.
    func heads(of device: DeviceKey) -> CoveredHeads {
        CoveredHeads(
            control: logs[LogName(author: device, kind: .control)]?.heads ?? [],
            records: logs[LogName(author: device, kind: .records)]?.heads ?? [])
    }

    /// The logs that have forked, by their names, with the first numbers that are taken twice.
    ///
    /// - Complexity: nothing where no log has; O(batches of a log) for one whose heads are new.
    func forks() throws -> [(log: LogName, heads: [LogHead], numbers: [UInt64])] {
        let forked = logs.filter { $0.value.heads.count > 1 }
        cache.forks = cache.forks.filter { forked[$0.key]?.heads == $0.value.heads }
        for (name, log) in forked where cache.forks[name] == nil {
            cache.forks[name] = (log.heads, try numbersTakenTwice(in: name))
        }
        return cache.forks.sorted { $0.key < $1.key }.map { ($0, $1.heads, $1.numbers) }
    }

    private func numbersTakenTwice(in log: LogName) throws -> [UInt64] {
        guard let author = try devices.find(log.author) else {
            throw StoreError.damaged("a log without its author")
        }
        let rows = try database.rows(
            """
            SELECT DISTINCT number FROM _batch WHERE author = ?1 AND kind = ?2 AND state = 0
            GROUP BY number, previous HAVING count(*) > 1 ORDER BY number LIMIT ?3
            """, .integer(author), .integer(Int64(log.kind.rawValue)),
            .integer(Int64(LogFork.mostPlaces)))
        return rows.compactMap {
            if case .integer(let number) = $0[0] { UInt64(exactly: number) } else { nil }
        }
    }

}

/// Facts about logs that hold as long as their heads stay; no part of a transaction.
final class LogCache {
    /// The forked log that was asked for last: reading one takes time in proportion to it.
    var forked: (log: LogName, graph: LogGraph)?
    /// Logs that count up to a cutoff, as others see them.
    var counted: [LogName: CountedLog] = [:]
    /// Logs with very many branches, as others see them.
    var shortened: [LogName: ShortenedLog] = [:]
    var forks: [LogName: (heads: [LogHead], numbers: [UInt64])] = [:]

    func forget() {
        forked = nil
        counted = [:]
        shortened = [:]
        forks = [:]
    }
}

/// A log of which others are sent what lies up to its cutoff, and its state as they are sent it.
struct CountedLog {
    let heads: [LogHead]
    let cutoff: [LogHead]
    /// Nil where nothing of it counts.
    let state: LogState?
}

/// A log with more branches than others are sent, and its state as they are sent it.
struct ShortenedLog {
    let heads: [LogHead]
    let named: Set<LogHead>
    let state: LogState
}
