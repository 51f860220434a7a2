import ShareCore
import ShareCrypto

/// The room as others see it.
extension Room {
    /// The room as the synchronisation sees it.
    func view() throws -> RoomView {
        var logs = log.logs
        for (name, held) in logs where policy.judgement.isRemoved(name.author) {
            logs[name] = try log.counted(held, name, upTo: policy.cutoff(of: name)).state
        }
        // Whose grant has fallen is as unknown here as to those who never stored its batches.
        for name in logs.keys where !policy.judgement.isKnown(name.author) {
            logs[name] = nil
        }
        for (name, held) in logs where held.heads.count > Limits.headsTold {
            logs[name] = try log.shortened(
                held, name, naming: policy.authority.namedHeads(of: name))
        }
        let digest = digest.bytes.withUnsafeBytes { Digest(Bytes32($0)) }
        return RoomView(
            room: id, logs: logs, standings: policy.judgement.standings,
            known: policy.judgement.known, vector: RoomView.vector(of: logs), digest: digest,
            isReapplying: !reindex.jobs.isEmpty, founder: policy.authority.founder,
            isHidden: policy.settings.isHidden)
    }

    /// Batches of a log that are neither among nor before `after` and that count, in order from
    /// behind `cursor`, until `limit` bytes are exceeded.
    func load(
        _ name: LogName, after: [LogHead], cursor: LogHead?, bytes limit: Int
    ) throws -> SyncEngine.LoadedBatches {
        try log.load(
            name, after: after, cursor: cursor, bytes: limit, upTo: policy.cutoff(of: name))
    }

    /// The rows of batches whose author has no grant any more, and, but in a whole file, of those
    /// past a cutoff.
    func rowsLeftOut(isWhole: Bool) throws -> Set<Int64> {
        var rows: Set<Int64> = []
        for name in log.logs.keys {
            guard let author = try devices.find(name.author) else { continue }
            let isKnown = policy.judgement.isKnown(name.author)
            if isKnown, isWhole { continue }
            let cutoff = isKnown ? policy.cutoff(of: name) : []
            guard let cutoff else { continue }
            let line = try log.ancestry(of: author, name.kind)
            try log.eachBatch(of: author, name.kind) {
                if try !log.isCovered($0.head, by: cutoff, in: line) { rows.insert($0.row) }
            }
        }
        return rows
    }

    /// The number of the one device whose records `reader` may have; nil where it may have all.
    func recordsAlone(for reader: DeviceKey?) throws -> Int64? {
        guard let reader, policy.authority.currentRole(of: reader) == .contributor else {
            return nil
        }
        // Without a record of its own it has no number, and no batch has this one.
        return try devices.find(reader) ?? 0
    }
}

extension RoomFile {
    /// The batches as they are now, for a file.
    ///
    /// - Parameters:
    ///   - reader: whom the file is for, by the rules for a session with it; nil: any member.
    ///   - isWhole: whether what is passed on to owners alone comes along too.
    func archive(for reader: DeviceKey?, isWhole: Bool) throws -> RoomArchive {
        let records = try room.recordsAlone(for: reader)
        let view = try view()
        // While records follow a change of authority the state is on its way to another one.
        let isComparable = records == nil && !view.isReapplying
        return try RoomArchive(
            path: path, state: isComparable ? (view.vector, view.digest) : nil,
            excluded: try room.rowsLeftOut(isWhole: isWhole), records: records, vfs: vfs)
    }
}
