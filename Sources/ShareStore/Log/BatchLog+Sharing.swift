import ShareCore
import ShareCrypto

/// Logs as they are sent to others, and batches for others.
extension BatchLog {

    /// A log with very many branches as others are sent it: first the heads that owners name, and
    /// of all heads what shows whether the others have the same.
    func shortened(
        _ log: LogState, _ name: LogName, naming named: Set<LogHead>
    ) throws -> LogState {
        if let known = cache.shortened[name], known.heads == log.heads, known.named == named {
            return known.state
        }
        let author = try devices.number(of: name.author)
        let held = try named.filter {
            try database.number(of: $0.batch, author, name.kind) == $0.number
        }
        let heads = held.sorted() + log.heads.filter { !held.contains($0) }
        let shortened = LogState(
            heads: heads.prefix(Limits.headsTold).sorted(), all: LogState.digest(of: log.heads),
            operations: log.operations)
        cache.shortened[name] = ShortenedLog(heads: log.heads, named: named, state: shortened)
        return shortened
    }

    /// A log as others are sent it: of a removed author nothing past the cutoff.
    func counted(
        _ log: LogState, _ name: LogName, upTo cutoff: [LogHead]?
    ) throws -> CountedLog {
        guard let cutoff else {
            return CountedLog(heads: log.heads, cutoff: [], state: log)
        }
        if let known = cache.counted[name], known.heads == log.heads, known.cutoff == cutoff {
            return known
        }
        let author = try devices.number(of: name.author)
        let ancestry = try ancestry(of: author, name.kind)
        // The last batches that count: a head that is not held may end in the middle.
        var ends: [BatchID: LogHead] = [:]
        var operations: UInt64 = 0
        try eachBatch(of: author, name.kind) { row in
            guard try isCovered(row.head, by: cutoff, in: ancestry) else { return }
            operations += UInt64(row.operations)
            ends[row.previous] = nil
            ends[row.head.batch] = row.head
        }
        let counted = CountedLog(
            heads: log.heads, cutoff: cutoff,
            state: ends.isEmpty
                ? nil : LogState(heads: ends.values.sorted(), operations: operations))
        cache.counted[name] = counted
        return counted
    }

    /// Whether a batch is among the heads or before one; a head that is not held covers what has
    /// a lower number.
    func isCovered(_ batch: LogHead, by heads: [LogHead], in log: Ancestry) throws -> Bool {
        try log.asked { log in heads.contains { log.covers($0, batch) } }
    }

    /// Whether a batch that is not held lies past the cutoff of its log.
    func isPast(
        _ cutoff: [LogHead], _ batch: LogHead, of log: LogName
    ) throws -> Bool {
        if cutoff.contains(batch) { return false }
        let author = try devices.find(log.author)
        for head in cutoff where batch.number < head.number {
            // Behind a head that is held all that counts is held as well.
            guard let author,
                try database.number(of: head.batch, author, log.kind) == head.number
            else { return false }
        }
        return true
    }

    /// Batches of a log that are neither among nor before `after`, in order from behind `cursor`,
    /// until `limit` bytes are exceeded.
    func load(
        _ log: LogName, after: [LogHead], cursor: LogHead?, bytes limit: Int,
        upTo cutoff: [LogHead]?
    ) throws -> SyncEngine.LoadedBatches {
        guard let author = try devices.find(log.author) else {
            return SyncEngine.LoadedBatches(
                room: room, log: log, batches: [], next: nil, isLost: !after.isEmpty)
        }
        let known = try after.filter { try row(of: $0.batch) != nil }
        let covered = try ancestors(of: known, author, log.kind)
        let line = cutoff == nil ? nil : try ancestry(of: author, log.kind)
        let statement = try database.prepare(
            """
            SELECT number, id, bytes, batch FROM _batch
            WHERE author = ?1 AND kind = ?2 AND state = 0 AND number >= ?3
            AND (number, id) > (?4, ?5) ORDER BY number, id
            """)
        try statement.bind([
            .integer(author), .integer(Int64(log.kind.rawValue)),
            .integer(Int64(covered.floor)), .integer(Int64(cursor?.number ?? 0)),
            .blob(cursor?.batch.bytes ?? []),
        ])
        var batches: [Batch] = []
        var size = 0
        while try statement.step() {
            guard let head = LogHead(statement.integer(0), statement.blob(1)),
                !covered.ids.contains(head.batch)
            else { continue }
            if let cutoff, let line, try !isCovered(head, by: cutoff, in: line) { continue }
            guard size < limit else {
                return SyncEngine.LoadedBatches(
                    room: room, log: log, batches: batches, next: batches.last?.head,
                    isLost: false)
            }
            let batch = try readBatch(statement.blob(2), at: statement.integer(3))
            size += batch.size
            batches.append(batch)
        }
        return SyncEngine.LoadedBatches(
            room: room, log: log, batches: batches, next: nil,
            isLost: !after.isEmpty && known.isEmpty)
    }

    /// The heads with all before them; below `floor` nothing is left out of the ids, so in a log
    /// without forks they are the heads alone.
    private func ancestors(
        of heads: [LogHead], _ author: Int64, _ kind: LogKind
    ) throws -> (ids: Set<BatchID>, floor: UInt64) {
        let branches = try database.integer(
            "SELECT count(*) FROM _head WHERE author = ?1 AND kind = ?2", .integer(author),
            .integer(Int64(kind.rawValue)))
        if branches == 1, let last = heads.map(\.number).max() {
            return ([], last + 1)
        }
        var ids: Set<BatchID> = []
        var left = heads.map(\.batch)
        while let id = left.popLast() {
            guard ids.insert(id).inserted,
                case .blob(let previous)? = try database.row(
                    "SELECT previous FROM _batch WHERE id = ?1 AND number > 1", .blob(id.bytes))?
                    .first, let digest = Digest(previous)
            else { continue }
            left.append(BatchID(digest))
        }
        return (ids, 0)
    }

    /// Which of these heads are not held, and places of the log to ask from: its heads, and ever
    /// wider steps back from them.
    func find(
        _ log: LogName, _ heads: [LogHead]
    ) throws -> (missing: [LogHead], positions: [LogHead]) {
        let missing = try heads.filter { try row(of: $0.batch) == nil }
        guard !missing.isEmpty, let author = try devices.find(log.author) else {
            return (missing, [])
        }
        var positions: [LogHead] = []
        positions += try database.rows(
            "SELECT number, id FROM _head WHERE author = ?1 AND kind = ?2", .integer(author),
            .integer(Int64(log.kind.rawValue))
        ).compactMap { LogHead($0[0], $0[1]) }
        let last = positions.map(\.number).max() ?? 0
        var step: UInt64 = 1
        while step < last {
            positions += try database.rows(
                """
                SELECT number, id FROM _batch
                WHERE author = ?1 AND kind = ?2 AND number = ?3 AND state = 0 ORDER BY id LIMIT 8
                """, .integer(author), .integer(Int64(log.kind.rawValue)),
                .integer(Int64(last - step))
            ).compactMap { LogHead($0[0], $0[1]) }
            step *= 2
        }
        return (missing, Array(positions.prefix(SyncLimits.positions)))
    }

}
