import ShareCore
import ShareCrypto

/// What waits for a form definition that is here and does not count: it is no matter of time.
extension RoomWriter {
    /// How many operations wait for such a definition.
    ///
    /// - Complexity: O(operations that wait).
    func blockedCount() throws -> Int {
        var count = 0
        for row in try database.rows(
            "SELECT key, sum(count) FROM _waiting WHERE reason = '\(Waiting.form.rawValue)' GROUP BY key"
        ) {
            guard case .blob(let key) = row[0], case .integer(let waiting) = row[1],
                let definition = OperationName(key: key), try isRefusedHere(definition)
            else { continue }
            count += Int(waiting)
        }
        return count
    }

    /// The definitions that a device's entries wait for so, with how many these are.
    func blockingForms(of device: DeviceKey) throws -> [BlockingForm] {
        guard let author = try devices.find(device) else { return [] }
        var forms: [BlockingForm] = []
        for row in try database.rows(
            """
            SELECT w.key, sum(w.count) FROM _waiting w JOIN _batch b ON b.batch = w.operation / 8192
            WHERE w.reason = '\(Waiting.form.rawValue)' AND b.author = ?1 GROUP BY w.key
            """, .integer(author))
        {
            guard case .blob(let key) = row[0], case .integer(let waiting) = row[1],
                let definition = OperationName(key: key), try isRefusedHere(definition)
            else { continue }
            forms.append(
                BlockingForm(
                    definition: definition, formID: formID(of: definition), entries: Int(waiting)))
        }
        return forms.sorted { $0.definition < $1.definition }
    }

    /// Whether a definition is held and does not count.
    func isRefusedHere(_ definition: OperationName) throws -> Bool {
        guard state.catalog.definitions[definition]?.isAccepted != true else { return false }
        return try row(of: definition.batch) != nil
    }

    /// The form that a definition held is of, whatever has become of it.
    func formID(of definition: OperationName) -> String? {
        if let known = state.catalog.definitions[definition] { return known.form.formID }
        guard let record = state.controls.first(where: { $0.head.batch == definition.batch }),
            let entry = record.entries.first(where: { $0.index == definition.index }),
            case .form(let form) = entry.entry.operation
        else { return nil }
        return form.formID
    }

    /// Whether a grant to a device is held, whatever has become of it.
    ///
    /// - Complexity: O(operations in control batches with grants).
    func isGranted(to device: DeviceKey) -> Bool {
        state.controls.contains { record in
            record.entries.contains { _, entry in
                guard case .grant(let grant) = entry.operation else { return false }
                return grant.subject == device
            }
        }
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

    /// The definitions that a device's batches of records use, by the batches' rows.
    func definitionsUsed(by author: Int64) throws -> [Int64: Set<OperationName>] {
        var used: [Int64: Set<OperationName>] = [:]
        for row in try database.rows(
            """
            SELECT u.batch, u.definition FROM _uses u JOIN _batch b ON b.batch = u.batch
            WHERE b.author = ?1 AND b.kind = 1
            """, .integer(author))
        {
            guard case .integer(let batch) = row[0], case .blob(let key) = row[1],
                let definition = OperationName(key: key)
            else { continue }
            used[batch, default: []].insert(definition)
        }
        return used
    }

    /// How many operations of other devices use a definition.
    ///
    /// - Complexity: that of opening the batches that use it.
    func uses(of definition: OperationName, without author: DeviceKey) throws -> Int {
        let held = try heldBatches(
            "JOIN _uses u ON u.batch = b.batch WHERE u.definition = ?1 AND b.author <> ?2",
            .blob(definition.key), .integer(try devices.find(author) ?? 0))
        return try held.reduce(0) { sum, batch in
            guard let body = try body(of: batch) else { return sum }
            return body.blocks.reduce(sum) { sum, block in
                guard case .records(let block) = block, block.form == definition else {
                    return sum
                }
                return sum + block.rows.count
            }
        }
    }
}

extension OperationName {
    /// Reads a name that `key` wrote; nil where the bytes are none.
    init?(key: [UInt8]) {
        guard key.count == OperationName.keyLength,
            let name = key.withUnsafeBytes({ OperationName.names($0).first })
        else { return nil }
        self = name
    }
}
