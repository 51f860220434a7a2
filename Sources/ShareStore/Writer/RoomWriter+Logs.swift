import ShareCore
import ShareCrypto

/// What others are told of the logs held here, and batches for them.
extension RoomWriter {
    /// The room as the synchronisation sees it.
    func view() throws -> RoomView {
        var logs = state.logs
        for (name, log) in logs where state.judgement.isRemoved(name.author) {
            logs[name] = try counted(log, name).state
        }
        // Whose grant has fallen is as unknown here as to those who never stored its batches.
        for name in logs.keys where !state.judgement.isKnown(name.author) {
            logs[name] = nil
        }
        for (name, log) in logs where log.heads.count > Limits.headsTold {
            logs[name] = try told(log, name)
        }
        let digest = state.digest.bytes.withUnsafeBytes { Digest(Bytes32($0)) }
        return RoomView(
            room: room, logs: logs, standings: state.judgement.standings,
            known: state.judgement.known, vector: RoomView.vector(of: logs), digest: digest,
            isSettling: !state.settling.isEmpty)
    }

    /// The logs as the file has them.
    func loadLogs() throws -> [LogName: LogState] {
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
        return logs
    }

    /// A log with very many branches as others are told of it: first what owners say counts, and
    /// of all heads what shows whether the others have the same.
    private func told(_ log: LogState, _ name: LogName) throws -> LogState {
        let named = state.judgement.authority.namedHeads(of: name)
        if let known = toldLogs[name], known.heads == log.heads, known.named == named {
            return known.state
        }
        let author = try devices.number(of: name.author)
        let held = try named.filter {
            try database.number(of: $0.batch, author, name.kind) == $0.number
        }
        let heads = held.sorted() + log.heads.filter { !held.contains($0) }
        let told = LogState(
            heads: heads.prefix(Limits.headsTold).sorted(), all: LogState.digest(of: log.heads),
            operations: log.operations)
        toldLogs[name] = ToldLog(heads: log.heads, named: named, state: told)
        return told
    }

    /// A log as others are told of it: of a removed author nothing past the cutoff.
    private func counted(_ log: LogState, _ name: LogName) throws -> CountedLog {
        guard let cut = state.judgement.authority.cut(of: name) else {
            return CountedLog(heads: log.heads, cut: [], state: log)
        }
        if let known = countedLogs[name], known.heads == log.heads, known.cut == cut {
            return known
        }
        let author = try devices.number(of: name.author)
        let ancestry = try ancestry(of: author, name.kind)
        // The last batches that count: a head that is not held may end in the middle.
        var ends: [BatchID: LogHead] = [:]
        var operations: UInt64 = 0
        try eachBatch(of: author, name.kind) { row in
            guard try isCovered(row.head, by: cut, in: ancestry) else { return }
            operations += UInt64(row.operations)
            ends[row.previous] = nil
            ends[row.head.batch] = row.head
        }
        let counted = CountedLog(
            heads: log.heads, cut: cut,
            state: ends.isEmpty
                ? nil : LogState(heads: ends.values.sorted(), operations: operations))
        countedLogs[name] = counted
        return counted
    }

    /// Whether a batch is among the heads or before one; a head that is not held covers what has
    /// a lower number.
    func isCovered(_ batch: LogHead, by heads: [LogHead], in log: RecordLog) throws -> Bool {
        try log.asked { log in heads.contains { log.covers($0, batch) } }
    }

    /// Whether a batch that is not held lies past the cutoff of its log.
    func isPastCutoff(_ batch: LogHead, of log: LogName) throws -> Bool {
        guard state.judgement.isRemoved(log.author),
            let cut = state.judgement.authority.cut(of: log)
        else { return false }
        if cut.contains(batch) { return false }
        let author = try devices.find(log.author)
        for head in cut where batch.number < head.number {
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
        _ log: LogName, after: [LogHead], cursor: LogHead?, bytes limit: Int
    ) throws -> SyncEngine.LoadedBatches {
        guard let author = try devices.find(log.author) else {
            return SyncEngine.LoadedBatches(
                room: room, log: log, batches: [], next: nil, isLost: !after.isEmpty)
        }
        let known = try after.filter { try row(of: $0.batch) != nil }
        let covered = try ancestors(of: known, author, log.kind)
        let cut = state.judgement.authority.cut(of: log)
        let line = cut == nil ? nil : try ancestry(of: author, log.kind)
        let statement = try database.prepare(
            """
            SELECT number, id, bytes FROM _batch
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
            if let cut, let line, try !isCovered(head, by: cut, in: line) { continue }
            guard size < limit else {
                return SyncEngine.LoadedBatches(
                    room: room, log: log, batches: batches, next: batches.last?.head,
                    isLost: false)
            }
            let batch = try readBatch(statement.blob(2), at: statement.integer(0))
            size += batch.bytes.count
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
    ) throws -> (missing: [LogHead], places: [LogHead]) {
        let missing = try heads.filter { try row(of: $0.batch) == nil }
        guard !missing.isEmpty, let author = try devices.find(log.author) else {
            return (missing, [])
        }
        var places: [LogHead] = []
        places += try database.rows(
            "SELECT number, id FROM _head WHERE author = ?1 AND kind = ?2", .integer(author),
            .integer(Int64(log.kind.rawValue))
        ).compactMap { LogHead($0[0], $0[1]) }
        let last = places.map(\.number).max() ?? 0
        var step: UInt64 = 1
        while step < last {
            places += try database.rows(
                """
                SELECT number, id FROM _batch
                WHERE author = ?1 AND kind = ?2 AND number = ?3 AND state = 0 ORDER BY id LIMIT 8
                """, .integer(author), .integer(Int64(log.kind.rawValue)),
                .integer(Int64(last - step))
            ).compactMap { LogHead($0[0], $0[1]) }
            step *= 2
        }
        return (missing, Array(places.prefix(SyncLimits.places)))
    }

    /// The control batches that lead from the founding to a device's grant, founding first, and
    /// those that came to count about owners and editors about whom there are several: what these
    /// did for or against a device may be void by them, and whoever has not heard of it takes it
    /// for a member, or for removed. Where branches are left out, these are all that count.
    func path(to key: DeviceKey) throws -> [Batch] {
        let authority = state.judgement.authority
        var path = ControlPath(state.controls, founding: BatchID(room.digest))
        var subjects: Set<DeviceKey> = []
        var left = [key] + (authority.founder.map { [$0] } ?? []) + authority.disputedAdmitters
        while let subject = left.popLast() {
            guard subjects.insert(subject).inserted else { continue }
            for operation in authority.decisions(about: subject) {
                path.add(operation.name.batch)
                left.append(operation.author)
            }
        }
        // Why a log counts for nothing shows in its branches, which are in force nowhere.
        if authority.leavesOutBranches {
            for (name, log) in state.logs
            where name.kind == .control && state.judgement.isKnown(name.author) {
                for head in try counted(log, name).state?.heads ?? [] { path.add(head.batch) }
            }
        }
        return try controlBatches(path.batches)
    }
}
