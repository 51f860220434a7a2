import ShareCore
import ShareCrypto

/// What is held of one device, for those who decide about it.
extension RoomWriter {
    /// The heads that are held of a device's two logs, also where they do not count.
    func heads(of device: DeviceKey) -> CoveredHeads {
        CoveredHeads(
            control: state.logs[LogName(author: device, kind: .control)]?.heads ?? [],
            records: state.logs[LogName(author: device, kind: .records)]?.heads ?? [])
    }

    /// What of a device is refused for where it stands in its logs, as the room is or would be.
    ///
    /// - Parameter shown: the ends of what is looked at; nil for all that is held.
    func refusals(
        of device: DeviceKey, under other: Authority? = nil, upTo shown: CoveredHeads? = nil
    ) throws -> DeviceRefusals {
        guard let author = try devices.find(device) else { return DeviceRefusals() }
        let authority = other ?? state.judgement.authority
        func refusals(in kind: LogKind, upTo ends: [LogHead]?) throws -> Refusals {
            let log = try ancestry(of: author, kind)
            let lowered = try refusedOperations(in: author, kind, for: "role")
            return try self.refusals(in: author, kind, upTo: ends) { batch in
                let head = batch.head
                if case .refused = authority.standing(of: device, kind: kind, at: head, in: log) {
                    return batch.operations
                }
                guard let count = lowered[batch.row] else { return nil }
                let gains =
                    kind == .control
                    ? authority.gainsByAcceptance(device, ofControl: head)
                    : authority.gainsByAcceptance(device, ofRecords: head, in: log)
                return gains ? count : nil
            }
        }
        let records = try refusals(in: .records, upTo: shown?.records)
        let control = try refusals(in: .control, upTo: shown?.control)
        return DeviceRefusals(
            control: control.operations, records: records.operations,
            heads: CoveredHeads(control: control.heads, records: records.heads),
            definitions: try definitions(usedIn: records.rows, by: author))
    }

    /// How many operations of a log are refused, by batch.
    ///
    /// - Parameter reason: for what; nil for whatever it is.
    func refusedOperations(
        in author: Int64, _ kind: LogKind, for reason: String? = nil
    ) throws -> [Int64: Int] {
        var counts: [Int64: Int] = [:]
        for row in try database.rows(
            """
            SELECT b.batch, sum(r.count) FROM _refused r JOIN _batch b ON b.batch = r.operation / 8192
            WHERE b.author = ?1 AND b.kind = ?2 AND b.state = 0 AND r.reason = coalesce(?3, r.reason)
            GROUP BY 1
            """, .integer(author), .integer(Int64(kind.rawValue)), reason.map { .text($0) } ?? .null
        ) {
            guard case .integer(let batch) = row[0], case .integer(let count) = row[1] else {
                continue
            }
            counts[batch] = Int(count)
        }
        return counts
    }

    private func definitions(
        usedIn rows: Set<Int64>, by author: Int64
    ) throws -> Set<OperationName> {
        guard !rows.isEmpty else { return [] }
        var used: Set<OperationName> = []
        for (row, definitions) in try definitionsUsed(by: author) where rows.contains(row) {
            used.formUnion(definitions)
        }
        return used
    }

    private struct Refusals {
        var operations = 0
        var heads: [LogHead] = []
        var rows: Set<Int64> = []
    }

    /// - Parameter refused: how many operations of a batch are; nil for one that is left aside.
    private func refusals(
        in author: Int64, _ kind: LogKind, upTo ends: [LogHead]?,
        _ refused: (LogRow) -> Int?
    ) throws -> Refusals {
        var batches: [LogRow] = []
        try eachBatch(of: author, kind) { batches.append($0) }
        if let ends {
            var shown = Set(ends.map(\.batch))
            for batch in batches.reversed() where shown.contains(batch.head.batch) {
                shown.insert(batch.previous)
            }
            batches.removeAll { !shown.contains($0.head.batch) }
        }
        var refusals = Refusals()
        // The last one that is refused of what ends in a batch.
        var last: [BatchID: LogHead] = [:]
        for batch in batches {
            last[batch.head.batch] = last.removeValue(forKey: batch.previous)
            guard let operations = refused(batch) else { continue }
            refusals.operations += operations
            refusals.rows.insert(batch.row)
            last[batch.head.batch] = batch.head
        }
        refusals.heads = Array(last.values.sorted().prefix(Limits.basesPerOperation))
        return refusals
    }
}
