import ShareCore
import ShareCrypto

/// Operations without effect, for people to look at.
extension RoomReview {

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
        var positions: [Int64] = []
        var refused: [[UInt8]: Bool] = [:]
        while try statement.step() {
            let key = statement.blob(1)
            if !key.isEmpty {
                if refused[key] == nil {
                    refused[key] =
                        try OperationName(key: key).map { try isRefusedHere($0) }
                        ?? false
                }
                guard refused[key] == true else { continue }
            }
            positions.append(statement.integer(0))
        }
        return positions
    }

    /// Whether sealed operations on records are among what `refusedPlaces` tells.
    func hasRefusedEntries() throws -> Bool {
        let refused = try database.integer(
            """
            SELECT 1 FROM _refused r JOIN _batch b ON b.batch = r.operation / 8192
            WHERE b.state = 0 AND b.kind = \(LogKind.records.rawValue) LIMIT 1
            """)
        return try refused != nil || blockedCount() > 0
    }

    /// The operations at these positions, but for those that have gone since.
    ///
    /// - Parameter told: new records of each of which the values are told.
    /// - Complexity: that of opening the batches that they lie in.
    func refused(
        at positions: some Sequence<Int64>, told: Int = RefusedOperation.mostTold
    ) throws -> [RefusedOperation] {
        var opened: (batch: Int64, body: Body?)?
        var logs: [DeviceKey: Ancestry] = [:]
        return try positions.compactMap { position in
            let row = try database.row(
                """
                SELECT b.author, x.what, x.reason, x.count, b.kind, b.number, b.id
                FROM (SELECT operation, what, reason, count FROM _refused WHERE operation = ?1
                UNION ALL SELECT operation, '', '\(Refusal.formRefused.rawValue)', count FROM _waiting
                WHERE operation = ?1 AND reason = '\(Waiting.form.rawValue)') x
                JOIN _batch b ON b.batch = x.operation / 8192
                """, .integer(position))
            guard let row, case .integer(let author) = row[0], case .text(let what) = row[1],
                case .text(let word) = row[2], let refusal = Refusal(rawValue: word),
                case .integer(let count) = row[3],
                case .integer(let raw) = row[4],
                let kind = LogKind(rawValue: UInt8(truncatingIfNeeded: raw))
            else { return nil }
            var refused = RefusedOperation(
                author: try devices.key(of: author), log: kind, batch: LogHead(row[5], row[6]),
                what: what, refusal: refusal, count: Int(count))
            let local = LocalName(rawValue: position)
            if opened?.batch != local.batch {
                let batch = try log.readBatch(try log.bytes(of: local.batch), at: local.batch)
                opened = (local.batch, try? batch.openBody())
            }
            if let body = opened?.body {
                try describe(&refused, at: local.index, in: body, told: told)
            }
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
        _ refused: RefusedOperation, in logs: inout [DeviceKey: Ancestry]
    ) throws -> Bool {
        guard let head = refused.batch else { return false }
        let ancestry =
            try logs[refused.author]
            ?? self.log.ancestry(of: try devices.number(of: refused.author), .records)
        logs[refused.author] = ancestry
        return try ancestry.asked {
            authority.gainsByAcceptance(
                refused.author, ofRecords: head, in: $0)
        }
    }

    /// Fills in what the operation at a place is about.
    private func describe(
        _ refused: inout RefusedOperation, at position: Int, in body: Body, told: Int
    ) throws {
        for block in body.blocks {
            switch block {
            case .records(let block):
                let row = position - block.firstIndex
                guard block.rows.indices.contains(row) else { continue }
                refused.form = try formID(of: block.form)
                refused.record = block.rows[row].id
                refused.creator = block.creators[Int(block.rows[row].creator)]
                let told = min(refused.count, told)
                refused.values = block.rows.indices[row...].prefix(told).compactMap {
                    values(of: $0, in: block)
                }
                refused.wall = block.rows[row].wall
                if refused.what.isEmpty { refused.what = block.kind.word }
                if refused.refusal == .formRefused { refused.unasked = catalog.unasked(by: block) }
                return
            case .control(let block):
                let index = position - block.firstIndex
                guard block.entries.indices.contains(index) else { continue }
                let entry = block.entries[index]
                refused.wall = entry.wall
                refused.subject = entry.operation.subject
                if case .form(let form) = entry.operation { refused.form = form.formID }
                return
            case .misplaced, .unknown: continue
            }
        }
    }

    /// The values that a put writes, by the fields of its form; nil for any other operation.
    private func values(of row: Int, in block: RecordsBlock) -> [FormField: FieldValue]? {
        guard block.kind == .put, let form = catalog.definitions[block.form]?.form else {
            return nil
        }
        var values: [FormField: FieldValue] = [:]
        for (column, place) in block.fields.enumerated() where form.fields.indices.contains(place) {
            values[form.fields[place]] = block.value(row: row, column: column)
        }
        return values
    }

    /// How many operations wait for such a definition.
    ///
    /// - Complexity: O(operations that wait).
    func blockedCount() throws -> Int {
        var count = 0
        for row in try database.rows(
            "SELECT key, sum(count) FROM _waiting WHERE reason = '\(Waiting.form.rawValue)' GROUP BY key"
        ) {
            guard case .blob(let key) = row[0], case .integer(let waiting) = row[1],
                let definition = OperationName(key: key),
                try isRefusedHere(definition)
            else { continue }
            count += Int(waiting)
        }
        return count
    }

    /// The definitions that a device's entries wait for so, with how many these are.
    func blockingForms(
        of device: DeviceKey
    ) throws -> [BlockingForm] {
        guard let author = try devices.find(device) else { return [] }
        var forms: [BlockingForm] = []
        for row in try database.rows(
            """
            SELECT w.key, sum(w.count) FROM _waiting w JOIN _batch b ON b.batch = w.operation / 8192
            WHERE w.reason = '\(Waiting.form.rawValue)' AND b.author = ?1 GROUP BY w.key
            """, .integer(author))
        {
            guard case .blob(let key) = row[0], case .integer(let waiting) = row[1],
                let definition = OperationName(key: key),
                try isRefusedHere(definition)
            else { continue }
            forms.append(
                BlockingForm(
                    definition: definition, formID: try formID(of: definition),
                    entries: Int(waiting)))
        }
        return forms.sorted { $0.definition < $1.definition }
    }

    /// Whether a definition is held and does not count.
    private func isRefusedHere(
        _ definition: OperationName
    ) throws -> Bool {
        guard catalog.definitions[definition]?.isAccepted != true else { return false }
        return try log.row(of: definition.batch) != nil
    }

    /// The form that a definition held is of, whatever has become of it.
    func formID(of definition: OperationName) throws -> String? {
        if let known = catalog.definitions[definition] { return known.form.formID }
        guard
            var record = policy.controls.first(where: { $0.head.batch == definition.batch }),
            record.outline.item(at: definition.index) != nil
        else { return nil }
        try record.open(from: log)
        guard let entry = record.entries.first(where: { $0.index == definition.index }),
            case .form(let form) = entry.entry.operation
        else { return nil }
        return form.formID
    }

    /// Operations on records that have no effect, of one device or of all.
    func withoutEffect(of device: DeviceKey?) throws -> Int {
        let author = try device.map { try devices.find($0) ?? 0 } ?? -1
        return Int(
            try database.integer(
                """
                SELECT sum(x.count) FROM (SELECT operation, count FROM _refused
                UNION ALL SELECT operation, count FROM _waiting) x
                JOIN _batch b ON b.batch = x.operation / 8192
                WHERE b.kind = 1 AND (?1 < 0 OR b.author = ?1)
                """, .integer(author)) ?? 0)
    }

    /// How many pending operations are refused here.
    func refusedPending() throws -> Int {
        let sum = try database.integer(
            """
            SELECT sum(r.count) FROM _refused r JOIN _batch b ON b.batch = r.operation / 8192
            WHERE b.state = 1
            """)
        return Int(sum ?? 0)
    }
}
