import ShareCore
import ShareCrypto

/// Copies what is true of a room's file, the batches and what is pending, into a new one, and
/// notes what it does not find as it should be.
///
/// Nothing is taken over unseen: a batch by its signature, its place by its own bytes, numbers and
/// heads by counting. The new file holds no derived table yet; `Rebuild` makes them.
final class RoomSalvage {
    let source: Database
    let target: Database
    var findings = FindingList()
    /// The room that the batches must be of; nil where the file does not tell.
    private(set) var room: RoomID?
    let devices: DeviceTable
    let own: DeviceKey
    let earlier: Set<DeviceKey>?
    let founding: Batch?
    /// The keys that the file has for device numbers.
    private(set) var noted: [Int64: DeviceKey] = [:]
    /// The batches that were being filled in the file.
    var open: Set<Int64> = []
    /// Those of them that are another device's.
    var foreign: Set<Int64> = []
    /// What was made here and not sent, and cannot be read any more.
    private(set) var lost = LostEntries()
    let progress: (Int, Int) throws -> Void

    /// - Parameters:
    ///   - source: a connection that is on one unchanging view.
    ///   - target: a connection to a new, empty file.
    ///   - room: what the device knows the room by; nil to believe the file.
    ///   - own: the device whose file it is.
    ///   - earlier: the identities that it had before; what others have made and not sealed is
    ///     left out. Nil to take all of it.
    ///   - founding: takes the place of the batch that founded the room, where that is lost.
    init(
        from source: Database, into target: Database, room: RoomID?, own: DeviceKey,
        earlier: Set<DeviceKey>? = nil, founding: Batch? = nil,
        progress: @escaping (Int, Int) throws -> Void
    ) {
        self.source = source
        self.target = target
        self.room = room
        self.own = own
        self.earlier = earlier
        self.founding = founding
        self.progress = progress
        devices = DeviceTable(target)
    }

    func run() throws {
        try Schema.room.migrate(target)
        try target.transaction {
            try copyMeta()
            try copyDevices()
            try copyBatches()
            try addFounding()
            try setBrokenChainsAside()
            try lookForHeads()
            try copyPending()
            try noteLost()
            try copyQuarantine()
            try copyDelivered()
            try target.execute(
                """
                INSERT INTO _head SELECT id, author, kind, number FROM _batch b
                WHERE state = 0 AND NOT EXISTS(
                    SELECT 1 FROM _batch n WHERE n.author = b.author AND n.kind = b.kind
                    AND n.number = b.number + 1 AND n.previous = b.id);
                INSERT INTO _log SELECT author, kind, sum(operations) FROM _batch
                WHERE state = 0 GROUP BY author, kind
                """)
        }
    }

    // MARK: Small tables

    private func copyMeta() throws {
        var clock: Int64 = 0
        var hasRoom = false
        for row in try readable("SELECT key, value FROM _meta", of: "_meta") {
            switch (row[0], row[1]) {
            case (.text("room"), .blob(let bytes)):
                let found = Digest(bytes).map { RoomID($0) }
                if room == nil { room = found }
                hasRoom = true
                if found != room { findings.add("_meta", "the file names another room", .rebuild) }
            case (.text("clock"), .integer(let value)):
                if Timestamp(rawValue: UInt64(max(value, 0))) != nil, value >= 0 {
                    clock = value
                } else {
                    findings.add("_meta", "the clock in the file is none", .rebuild)
                }
            default: break
            }
        }
        guard let room else { throw StoreError.notARoom }
        // The next start would find no room's file.
        if !hasRoom {
            findings.add("_meta", "the file does not say which room's it is", .rebuild)
        }
        try target.run("INSERT INTO _meta VALUES('room', ?1)", .blob(room.bytes))
        try target.run("INSERT INTO _meta VALUES('clock', ?1)", .integer(clock))
    }

    private func copyDevices() throws {
        for row in try readable("SELECT device, key, name FROM _device", of: "_device") {
            guard case .integer(let number) = row[0], case .blob(let bytes) = row[1],
                let key = DeviceKey(bytes), try devices.find(key) == nil
            else {
                findings.add(
                    "_device", "a device in the file is none, or stands twice", .rebuild)
                continue
            }
            // The number is kept, as the order of batches and what is pending hang on none.
            try target.run(
                "INSERT INTO _device VALUES(?1, ?2, ?3, ?4)", .integer(number), .blob(bytes),
                .text(key.text), row[2])
            noted[number] = key
        }
    }

    // MARK: Pending and quarantined

    /// A file of an earlier release has none.
    private func hasChecksums() throws -> Bool {
        do {
            _ = try source.prepare("SELECT checksum FROM _pending")
            return true
        } catch {
            if error.lacksSchema { return false }
            // Whoever reads the rows finds the same, and looks again: nothing is believed unseen.
            if error.isDamage { return true }
            throw error
        }
    }

    private func copyPending() throws {
        let columns = "operation, count, block, " + (try hasChecksums() ? "checksum" : "NULL")
        try eachRow(of: "_pending", columns, .reenter) { row in
            let operation = row.integer(0)
            let count = row.integer(1)
            let bytes = row.blob(2)
            let local = LocalName(rawValue: operation)
            guard !foreign.contains(local.batch) else { return }
            let block = try? PendingBlock.decode(bytes, firstIndex: local.index)
            let state = try target.integer(
                "SELECT state FROM _batch WHERE batch = ?1", .integer(local.batch))
            guard let block, Int64(block.rows.count) == count, state ?? 1 == 1,
                Self.rows.contains(local.batch),
                row.isNull(3) || row.integer(3) == PendingEntries.checksum(bytes, local)
            else {
                lost.unread += Int(clamping: min(max(count, 1), Int64(Limits.operationsPerBatch)))
                findings.add(
                    "_pending \(operation)", "an entry that was made here cannot be read any more",
                    .reenter)
                return
            }
            if state == nil {
                findings.add(
                    "_batch \(local.batch)", "entries that were made here stand in no batch",
                    .rebuild)
                try addOpenBatch(local.batch, by: own)
            }
            try PendingEntries.insert(block, bytes, local, into: target)
        }
    }

    /// Names what was made here and not sent and stands in tables alone by now: its block is gone.
    private func noteLost() throws {
        guard !open.isEmpty else { return }
        let batches = open.map { String($0) }.joined(separator: ",")
        var queries = [
            """
            SELECT f.form_id, r.id, v.version FROM _version v JOIN _record r USING(record)
            JOIN _form f USING(form) WHERE v.version / 8192 IN (\(batches))
            """
        ]
        for row in (try? source.rows("SELECT form, table_name FROM _form")) ?? [] {
            guard case .integer(let form) = row[0], case .text(let table) = row[1] else { continue }
            queries.append(
                """
                SELECT (SELECT form_id FROM _form WHERE form = \(form)), _id, _version
                FROM \(SQLName.quote(table))
                WHERE _version > 0 AND _version / 8192 IN (\(batches))
                """)
        }
        // One of which several versions are lost is one.
        var named: Set<LostEntries.Entry> = []
        // What of the tables cannot be read names nothing; the count is what it is at least.
        for sql in queries {
            guard let statement = try? source.prepare(sql) else { continue }
            while (try? statement.step()) == true {
                let held = try target.integer(
                    """
                    SELECT operation + count FROM _pending WHERE operation <= ?1
                    ORDER BY operation DESC LIMIT 1
                    """,
                    .integer(statement.integer(2)))
                if let held, statement.integer(2) < held { continue }
                let id =
                    if case .blob(let bytes) = statement.value(1) {
                        RecordID(bytes)?.text ?? ""
                    } else {
                        statement.text(1)
                    }
                named.insert(LostEntries.Entry(form: statement.text(0), id: id))
            }
        }
        lost.add(named)
        guard lost.named > lost.unread else { return }
        findings.add("_pending", lost.words, .reenter)
    }

    private func copyQuarantine() throws {
        for row in try readable(
            "SELECT quarantine, id, author, kind, number, bytes FROM _quarantine", of: "_quarantine"
        ) {
            guard case .blob(let bytes) = row[5], let batch = try? Batch(verifying: bytes),
                batch.room == room, row[1] == .blob(batch.id.bytes),
                row[2] == .blob(batch.author.bytes),
                row[3] == .integer(Int64(batch.kind.rawValue)),
                row[4] == .integer(Int64(batch.number))
            else {
                findings.add("_quarantine", "a batch that is held apart is damaged", .rebuild)
                continue
            }
            try target.run(
                "INSERT OR IGNORE INTO _quarantine VALUES(?1, ?2, ?3, ?4, ?5, ?6)", row[0], row[1],
                row[2], row[3], row[4], row[5])
        }
        try eachRow(of: "_orphan", "orphan, id, bytes", .rebuildFetch) { row in
            guard let batch = try? Batch(verifying: row.blob(2)), batch.room == room,
                row.blob(1) == batch.id.bytes
            else {
                findings.add("_orphan", "a batch that waits for another is damaged", .rebuild)
                return
            }
            findings.add(
                "log of \(batch.author.short)",
                "waits for the one before it, which was damaged", .fetch,
                of: FindingList.place(batch))
            try setAside(batch)
        }
    }

    private func copyDelivered() throws {
        for row in try readable(
            "SELECT peer, author, kind, number, id FROM _delivered", of: "_delivered")
        {
            guard case .integer(let author) = row[1], case .blob(let id) = row[4],
                let key = noted[author]
            else {
                findings.add(
                    "_delivered", "a note of what was delivered is about no device", .rebuild)
                continue
            }
            let held = try target.row(
                "SELECT author, kind, number FROM _batch WHERE id = ?1", .blob(id))
            let number = SQLValue.integer(try devices.number(of: key))
            guard held == nil || held == [number, row[2], row[3]] else {
                findings.add(
                    "_delivered", "a note of what was delivered names another batch", .rebuild)
                continue
            }
            try target.run(
                "INSERT OR IGNORE INTO _delivered VALUES(?1, ?2, ?3, ?4, ?5)", row[0], number,
                row[2], row[3], row[4])
        }
    }

    // MARK: Reading

    /// Goes through a table whose rows have a number, its first column, as far as pages can be
    /// read from both ends.
    func eachRow(
        of table: String, _ columns: String, _ remedy: FindingList.Remedy,
        _ body: (Statement) throws -> Void
    ) throws {
        let key = columns.prefix { $0 != "," }
        let ahead = "SELECT \(columns) FROM \(table) WHERE \(key) > ?1 ORDER BY 1"
        var last: Int64 = .min
        var looks = Self.looks
        while true {
            do {
                let statement = try source.prepare(ahead)
                try statement.bind([.integer(last)])
                while try statement.step() {
                    last = statement.integer(0)
                    looks = Self.looks
                    try body(statement)
                }
                return
            } catch let error as SQLiteError where error.isUnreadable && looks > 1 {
                looks -= 1
            } catch let error as SQLiteError where error.isDamage {
                findings.add(
                    table, "a part of the file cannot be read to its end: \(error.message)", remedy)
                break
            }
        }
        guard let statement = try? source.prepare(ahead + " DESC") else { return }
        try statement.bind([.integer(last)])
        while (try? statement.step()) == true { try body(statement) }
    }

    /// What the disk does not give for a moment is not lost: it is asked so often.
    private static let looks = 3

    /// Rows of a small table; none, and a finding, where it is missing or cannot be read.
    private func readable(_ sql: String, of table: String) throws -> [[SQLValue]] {
        for look in 1... {
            do {
                return try source.rows(sql)
            } catch {
                if error.isUnreadable, look < Self.looks { continue }
                guard error.isDamage else { throw error }
                findings.add(
                    table, "a part of the file cannot be read: \(error.message)", .rebuild)
                break
            }
        }
        return []
    }
}
