import ShareCore
import ShareCrypto

/// What has no effect, for people.
extension RoomWriter {
    /// Where sealed operations stand that are refused, or wait for a form that is refused, by author, log,
    /// number and batch: in the same order on every device.
    func refusedPlaces() throws -> [Int64] {
        let statement = try database.prepare(
            """
            SELECT x.operation, x.key FROM (SELECT operation, NULL AS key FROM _refused
            UNION ALL SELECT operation, key FROM _waiting WHERE reason = '\(Waiting.form.rawValue)') x
            JOIN _batch b ON b.batch = x.operation / 8192
            JOIN _device d ON d.device = b.author WHERE b.state = 0
            ORDER BY d.key, b.kind, b.number, b.id, x.operation
            """)
        var places: [Int64] = []
        var refused: [[UInt8]: Bool] = [:]
        while try statement.step() {
            let key = statement.blob(1)
            if !key.isEmpty {
                if refused[key] == nil {
                    refused[key] =
                        try OperationName(key: key).map { try isRefusedHere($0) } ?? false
                }
                guard refused[key] == true else { continue }
            }
            places.append(statement.integer(0))
        }
        return places
    }

    /// What stands at these places, but for those that have gone since.
    ///
    /// - Complexity: that of opening the batches that they lie in.
    func refused(at places: some Sequence<Int64>) throws -> [RefusedOperation] {
        var opened: (batch: Int64, body: Body?)?
        var logs: [DeviceKey: RecordLog] = [:]
        return try places.compactMap { place in
            let row = try database.row(
                """
                SELECT b.author, x.what, x.reason, x.count, b.kind, b.number, b.id
                FROM (SELECT operation, what, reason, count FROM _refused WHERE operation = ?1
                UNION ALL SELECT operation, '', '\(Refusal.formRefused.rawValue)', count FROM _waiting
                WHERE operation = ?1 AND reason = '\(Waiting.form.rawValue)') x
                JOIN _batch b ON b.batch = x.operation / 8192
                """, .integer(place))
            guard let row, case .integer(let author) = row[0], case .text(let what) = row[1],
                case .text(let word) = row[2], let refusal = Refusal(rawValue: word),
                case .integer(let count) = row[3],
                case .integer(let raw) = row[4],
                let kind = LogKind(rawValue: UInt8(truncatingIfNeeded: raw))
            else { return nil }
            var refused = RefusedOperation(
                author: try devices.key(of: author), log: kind, batch: LogHead(row[5], row[6]),
                what: what, refusal: refusal, count: Int(count))
            let local = LocalName(rawValue: place)
            if opened?.batch != local.batch {
                let batch = try readBatch(try bytes(of: local.batch), at: local.batch)
                opened = (local.batch, try? batch.openBody())
            }
            if let body = opened?.body { describe(&refused, at: local.index, in: body) }
            if kind == .records, refusal == .role || refusal == .removed {
                refused.isAcceptable = try isAcceptable(refused, in: &logs)
            }
            return refused
        }
    }

    /// Whether an acceptance of what its author wrote would give it more.
    ///
    /// - Parameter logs: the ancestries of records logs that were asked for before.
    private func isAcceptable(
        _ refused: RefusedOperation, in logs: inout [DeviceKey: RecordLog]
    ) throws -> Bool {
        guard let head = refused.batch else { return false }
        let log =
            try logs[refused.author]
            ?? ancestry(of: try devices.number(of: refused.author), .records)
        logs[refused.author] = log
        return try log.asked {
            state.judgement.authority.gainsByAcceptance(
                refused.author, ofRecords: head, in: $0)
        }
    }

    /// Fills in what the operation at a place is about.
    private func describe(_ refused: inout RefusedOperation, at place: Int, in body: Body) {
        for block in body.blocks {
            switch block {
            case .records(let block):
                let row = place - block.firstIndex
                guard block.rows.indices.contains(row) else { continue }
                refused.form = formID(of: block.form)
                refused.record = block.rows[row].id
                refused.clock = block.rows[row].clock
                if refused.what.isEmpty { refused.what = block.kind.word }
                return
            case .control(let block):
                let index = place - block.firstIndex
                guard block.entries.indices.contains(index) else { continue }
                let entry = block.entries[index]
                refused.clock = entry.clock
                refused.subject = entry.operation.subject
                if case .form(let form) = entry.operation { refused.form = form.formID }
                return
            case .misplaced, .unknown: continue
            }
        }
    }
}
