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

    /// The records of a device that are refused for where they stand in its log, as the room is or
    /// would be.
    ///
    /// - Parameter ends: the last batches that are looked at; nil for all that are held.
    func refusals(
        of device: DeviceKey, under other: Authority? = nil, upTo ends: [LogHead]? = nil
    ) throws -> DeviceRefusals {
        guard let author = try devices.find(device) else { return DeviceRefusals() }
        let authority = other ?? state.judgement.authority
        let log = try ancestry(of: author, .records)
        let lowered = try refusedOperations(in: author, .records, for: .role)
        var refusals = DeviceRefusals()
        var rows: Set<Int64> = []
        // The last batch that is refused of each branch, by the branch's end.
        var last: [BatchID: LogHead] = [:]
        for batch in try batches(of: author, upTo: ends) {
            let head = batch.head
            last[head.batch] = last.removeValue(forKey: batch.previous)
            let standing = try log.asked {
                authority.standing(of: device, kind: .records, at: head, in: $0)
            }
            if case .refused = standing {
                refusals.operations += batch.operations
            } else if let count = lowered[batch.row],
                try log.asked({ authority.gainsByAcceptance(device, ofRecords: head, in: $0) })
            {
                refusals.operations += count
            } else {
                continue
            }
            rows.insert(batch.row)
            last[head.batch] = head
        }
        refusals.heads = Array(last.values.sorted().prefix(Limits.parentsPerOperation))
        refusals.definitions = try definitions(usedIn: rows, by: author)
        return refusals
    }

    /// The batches of a records log that are among `ends` or before them; without `ends` all.
    private func batches(of author: Int64, upTo ends: [LogHead]?) throws -> [LogRow] {
        var batches: [LogRow] = []
        try eachBatch(of: author, .records) { batches.append($0) }
        guard let ends else { return batches }
        var shown = Set(ends.map(\.batch))
        for batch in batches.reversed() where shown.contains(batch.head.batch) {
            shown.insert(batch.previous)
        }
        return batches.filter { shown.contains($0.head.batch) }
    }

    /// How many operations of a log are refused, by batch.
    ///
    /// - Parameter refusal: for what; nil for whatever it is.
    func refusedOperations(
        in author: Int64, _ kind: LogKind, for refusal: Refusal? = nil
    ) throws -> [Int64: Int] {
        var counts: [Int64: Int] = [:]
        for row in try database.rows(
            """
            SELECT b.batch, sum(r.count) FROM _refused r JOIN _batch b ON b.batch = r.operation / 8192
            WHERE b.author = ?1 AND b.kind = ?2 AND b.state = 0 AND r.reason = coalesce(?3, r.reason)
            GROUP BY 1
            """, .integer(author), .integer(Int64(kind.rawValue)),
            refusal.map { .text($0.rawValue) } ?? .null
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
}
