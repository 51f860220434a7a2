import ShareCore
import ShareCrypto

/// Batches, each by its own bytes.
extension RoomSalvage {
    func copyBatches() throws {
        let total = Int(
            (try? source.integer("SELECT count(*) FROM _batch")) ?? nil ?? 0)
        var done = 0
        try eachRow(
            of: "_batch",
            "batch, id, author, kind, number, previous, clock, wall, operations, state, bytes",
            .rebuildFetch
        ) { row in
            try copyBatch(row)
            done += 1
            try progress(done, total)
        }
        // Part of the table cannot be read: of whatever kind that was.
        if findings.hasLoss, findings.all.contains(where: { $0.place == "_batch" }) {
            findings.mayLackMembers = true
        }
    }

    private func copyBatch(_ row: Statement) throws {
        let number = row.integer(0)
        // What has bytes says itself what it is, whatever stands beside them.
        if row.isNull(10), row.integer(9) != 0 { return try copyOpenBatch(row) }
        let batch: Batch
        do throws(EnvelopeError) {
            batch = try Batch(verifying: row.blob(10))
        } catch {
            if row.integer(3) != Int64(LogKind.records.rawValue) { findings.mayLackMembers = true }
            findings.add(
                "_batch \(number)", "is damaged: \(error.explanation)", .rebuildFetch,
                of: StoreFinding.BatchPosition(
                    author: noted[row.integer(2)], kind: row.integer(3) == 0 ? .control : .records,
                    number: UInt64(clamping: row.integer(4))))
            return
        }
        let position = FindingList.place(batch, row: number)
        guard batch.room == room else {
            findings.add(position, "is of another room", .rebuild, of: FindingList.place(batch))
            return
        }
        guard
            try target.integer("SELECT 1 FROM _batch WHERE id = ?1", .blob(batch.id.bytes)) == nil
        else {
            findings.add(position, "stands twice", .rebuild, of: FindingList.place(batch))
            return
        }
        let operations = Int64((try? batch.openBody())?.operationCount ?? 0)
        let isNoted =
            row.blob(1) == batch.id.bytes && noted[row.integer(2)] == batch.author
            && row.integer(3) == Int64(batch.kind.rawValue)
            && row.integer(4) == Int64(batch.number) && row.blob(5) == batch.previous.bytes
            && row.integer(6) == Int64(batch.clock.rawValue)
            && row.integer(7) == Int64(batch.wall.milliseconds) && row.integer(8) == operations
            && row.integer(9) == 0
        if !isNoted {
            findings.add(
                position, "is noted as another than it is", .rebuild, of: FindingList.place(batch))
        }
        guard Self.rows.contains(number) else {
            findings.add(
                position, "stands where no batch can stand", .rebuild, of: FindingList.place(batch))
            return try setAside(batch)
        }
        try insert(batch, operations: Int(operations), at: number)
    }

    private func insert(_ batch: Batch, operations: Int, at row: Int64) throws {
        try target.run(
            """
            INSERT INTO _batch(
                batch, id, author, kind, number, previous, clock, wall, operations, state, bytes)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0, ?10)
            """, .integer(row), .blob(batch.id.bytes),
            .integer(try devices.number(of: batch.author)),
            .integer(Int64(batch.kind.rawValue)), .integer(Int64(batch.number)),
            .blob(batch.previous.bytes), .integer(Int64(batch.clock.rawValue)),
            .integer(Int64(batch.wall.milliseconds)), .integer(Int64(operations)),
            .blob(batch.bytes))
    }

    /// A batch that is being filled is its row and nothing else. Its author is this device, or
    /// the identity that it had before.
    private func copyOpenBatch(_ row: Statement) throws {
        guard row.integer(9) == 1, row.integer(3) == 1, Self.rows.contains(row.integer(0)) else {
            findings.add("_batch \(row.integer(0))", "a row is no batch of any kind", .rebuild)
            return
        }
        let author = noted[row.integer(2)]
        if let author, let earlier, author != own, !earlier.contains(author) {
            foreign.insert(row.integer(0))
            findings.add(
                "_batch \(row.integer(0))", "entries that \(author.short) has made and not sent",
                .rebuild)
            return
        }
        open.insert(row.integer(0))
        if author == nil {
            findings.add(
                "_batch \(row.integer(0))", "entries that were made here have no known author",
                .rebuild)
        }
        try addOpenBatch(row.integer(0), by: author ?? own)
    }

    func addOpenBatch(_ batch: Int64, by author: DeviceKey) throws {
        try target.run(
            "INSERT INTO _batch(batch, author, kind, operations, state) VALUES(?1, ?2, 1, 0, 1)",
            .integer(batch), .integer(try devices.number(of: author)))
    }

    /// Puts back the batch that founded the room, where it is lost: without it nothing else counts.
    func addFounding() throws {
        guard let founding, founding.room == room,
            try target.integer("SELECT 1 FROM _batch WHERE id = ?1", .blob(founding.id.bytes))
                == nil
        else { return }
        findings.add("_batch", "the batch that founded the room is missing", .rebuildFetch)
        findings.mayLackMembers = true
        // Behind what is pending, which keeps its places.
        let taken = try? source.integer("SELECT max(operation) / 8192 FROM _pending")
        let last = try target.integer("SELECT max(batch) FROM _batch")
        try insert(
            founding, operations: (try? founding.openBody())?.operationCount ?? 0,
            at: max(taken ?? 0, last ?? 0) + 1)
    }

    /// Looks whether the heads of control logs that the file notes are held.
    func lookForHeads() throws {
        // Where they cannot be read, the batches themselves say what is missing between them.
        let heads = (try? source.rows("SELECT id FROM _head WHERE kind = 0")) ?? []
        for head in heads
        where try target.row("SELECT 1 FROM _batch WHERE id = ?1", head[0]) == nil {
            findings.mayLackMembers = true
        }
    }

    /// The rows that batches can have.
    static let rows = 1..<Int64(LocalName.batchLimit)

    /// Keeps a sound batch outside the logs until it can be merged.
    func setAside(_ batch: Batch) throws {
        try target.run(
            "INSERT OR IGNORE INTO _orphan(id, bytes) VALUES(?1, ?2)", .blob(batch.id.bytes),
            .blob(batch.bytes))
    }

    /// Batches without the one before them leave the logs and wait for it.
    func setBrokenChainsAside() throws {
        let orphans = """
            SELECT batch FROM _batch b WHERE state = 0 AND number > 1 AND NOT EXISTS(
                SELECT 1 FROM _batch p WHERE p.id = b.previous AND p.author = b.author
                AND p.kind = b.kind AND p.number = b.number - 1)
            """
        let broken = try target.rows("SELECT bytes, batch FROM _batch WHERE batch IN (\(orphans))")
        guard !broken.isEmpty else { return }
        for row in broken {
            guard case .blob(let bytes) = row[0], case .integer(let number) = row[1],
                let batch = try? Batch(trusted: bytes)
            else { continue }
            if batch.kind == .control { findings.mayLackMembers = true }
            let before = StoreFinding.BatchPosition(
                author: batch.author, kind: batch.kind, number: batch.number - 1)
            findings.add(
                FindingList.place(batch, row: number), "lacks the batch before it",
                .rebuildFetch, of: FindingList.place(batch),
                follows: findings.all.contains { $0.batch == before })
        }
        try target.execute(
            """
            CREATE INDEX _salvage ON _batch(previous);
            CREATE TEMP TABLE sound(batch INTEGER PRIMARY KEY);
            INSERT INTO sound
            WITH RECURSIVE line(batch, id, author, kind, number) AS (
                SELECT batch, id, author, kind, number FROM _batch WHERE state = 0 AND number = 1
                UNION ALL
                SELECT b.batch, b.id, b.author, b.kind, b.number FROM line JOIN _batch b
                ON b.previous = line.id AND b.author = line.author AND b.kind = line.kind
                AND b.number = line.number + 1 AND b.state = 0)
            SELECT batch FROM line;
            INSERT INTO _orphan(id, bytes)
            SELECT id, bytes FROM _batch WHERE state = 0 AND batch NOT IN sound ORDER BY number;
            DELETE FROM _batch WHERE state = 0 AND batch NOT IN sound;
            DROP TABLE sound;
            DROP INDEX _salvage
            """)
    }
}
