import ShareCore
import ShareCrypto

/// Turning pending operations into batches.
extension RoomWriter {
    /// Seals all that is pending and allowed; on return the batches are on the disk and may be
    /// offered. What this device's role does not allow stays pending, and counts once it does.
    ///
    /// - Throws: `StoreError.sealingBlocked` while batches of our own are missing here.
    func seal(wall: UInt64) throws -> [Batch] {
        try requireSealing(.records)
        let pending = try heldBatches("WHERE b.state = 1")
        guard let first = pending.first, try standing(of: first).role != nil else { return [] }
        return try change {
            var batches: [Batch] = []
            var split = PendingSplit(own: identity.key)
            for open in pending {
                let batch = try sealAllowed(of: open, &split, wall: wall)
                if let batch { batches.append(batch) }
            }
            state.open = nil
            return batches
        }
    }

    /// Whether batches of this device's own are missing here that owners have told of.
    func isMissingOwn(_ kind: LogKind) throws -> Bool {
        isMissing(kind, before: (try ownHead(kind)?.number ?? 0) + 1)
    }

    func requireSealing(_ kind: LogKind) throws {
        guard !isSealingBlocked, !isRefilling, try !isMissingOwn(kind) else {
            throw StoreError.sealingBlocked
        }
    }

    /// Seals an open batch as it is; nil if nothing is in it.
    ///
    /// - Parameter blocks: what is in it, where the caller knows.
    func seal(
        _ open: HeldBatch, _ blocks: [RecordsBlock]? = nil, wall: UInt64
    ) throws -> Batch? {
        let pending = try blocks ?? pendingBlocks(of: open.batch)
        guard !pending.isEmpty else {
            try database.run("DELETE FROM _batch WHERE batch = ?1", .integer(open.batch))
            return nil
        }
        let blocks = try PendingBlock.joined(pending).map { try settled($0, in: open.batch) }
        let operations = blocks.reduce(0) { $0 + $1.rows.count }
        let clock = state.clock.issue(wall: wall)
        let raw = BodyEncoder.encode(
            blocks.map { .records($0) }, author: identity.key, clock: clock)
        guard raw.count <= Limits.rawBody else { throw StoreError.tooLarge }
        let last = try ownHead(.records)
        let batch = Batch.seal(
            room: room, kind: .records, number: (last?.number ?? 0) + 1,
            previous: last?.batch ?? BatchID(room.digest), clock: clock, rawBody: raw,
            by: identity)
        let sealed = HeldBatch(
            batch: open.batch, id: batch.id, number: batch.number, author: identity.key,
            authorNumber: open.authorNumber, isOpen: false)

        let isPlain = try !isUnsettled(blocks) && isAccepted(blocks, as: sealed)
        // What is no longer allowed leaves the tables while it is still known as pending.
        if !isPlain {
            try retract(open, Body(blocks: pending.map { .records($0) }, operationCount: 0))
        }
        try database.run(
            """
            UPDATE _batch SET id = ?2, number = ?3, previous = ?4, clock = ?5, operations = ?6,
            state = 0, bytes = ?7 WHERE batch = ?1
            """, .integer(open.batch), .blob(batch.id.bytes), .integer(Int64(batch.number)),
            .blob(batch.previous.bytes), .integer(Int64(clock.rawValue)),
            .integer(Int64(operations)), .blob(batch.bytes))
        try moveHead(
            batch.head, from: batch.previous, of: open.authorNumber, batch.log,
            operations: operations)
        let range = LocalName.range(of: open.batch)
        try database.run(
            "DELETE FROM _pending WHERE operation BETWEEN ?1 AND ?2", .integer(range.first),
            .integer(range.last))
        if isPlain {
            try database.run(
                "INSERT OR REPLACE INTO _judged(batch, standing) VALUES(?1, ?2)",
                .integer(sealed.batch), .text(try standing(of: sealed).note))
            try addToDigest(blocks, of: sealed)
        } else {
            try apply(sealed, try body(of: sealed))
        }
        return batch
    }

    /// The longest branch of our own log, the lesser id among equals.
    func ownHead(_ kind: LogKind) throws -> LogHead? { try longestHead(kind, of: identity.key) }

    /// The longest branch of a device's log, the lesser id among equals.
    func longestHead(_ kind: LogKind, of device: DeviceKey) throws -> LogHead? {
        guard let author = try devices.find(device) else { return nil }
        let row = try database.row(
            """
            SELECT number, id FROM _head WHERE author = ?1 AND kind = ?2
            ORDER BY number DESC, id LIMIT 1
            """, .integer(author), .integer(Int64(kind.rawValue)))
        return row.flatMap { LogHead($0[0], $0[1]) }
    }

    /// The block with the names that open batches have got meanwhile.
    private func settled(_ block: RecordsBlock, in batch: Int64) throws -> RecordsBlock {
        var block = block
        block.parents = try block.parents.map { parent in
            guard let open = parent.batch.openBatch else { return parent }
            if open == batch { return OperationName(batch: .thisBatch, index: parent.index) }
            guard let name = try sealedName(LocalName(batch: open, index: parent.index)) else {
                throw StoreError.damaged("a parent that is not sealed")
            }
            return name
        }
        return block
    }

    /// Whether the tables may not have yet what is allowed, or have still what is not.
    private func isUnsettled(_ blocks: [RecordsBlock]) -> Bool {
        state.settling.contains { job in
            switch job.subject {
            case .pending: true
            case .definition(let name): blocks.contains { $0.form == name }
            case .log, .apart: false
            }
        }
    }

    /// Whether everyone will accept all of the batch, as they nearly always will.
    private func isAccepted(_ blocks: [RecordsBlock], as held: HeldBatch) throws -> Bool {
        guard case .member(let role) = try standing(of: held) else { return false }
        return blocks.allSatisfy { block in
            state.catalog.definitions[block.form]?.isAccepted == true
                && block.rows.allSatisfy {
                    RecordPermission.allows(
                        role, block.kind,
                        own: block.kind == .put || block.creators[Int($0.creator)] == identity.key)
                }
        }
    }

    /// Counts rows in the digest that have been in the tables since they were entered.
    private func addToDigest(_ blocks: [RecordsBlock], of held: HeldBatch) throws {
        let range = LocalName.range(of: held.batch)
        var versions: Set<Int> = []
        for row in try database.rows(
            "SELECT version, record FROM _version WHERE version BETWEEN ?1 AND ?2",
            .integer(range.first), .integer(range.last))
        {
            guard case .integer(let version) = row[0], case .integer(let record) = row[1] else {
                continue
            }
            versions.insert(LocalName(rawValue: version).index)
            state.dirty.insert(record)
        }
        for block in blocks where block.kind == .put {
            guard let definition = state.catalog.definitions[block.form] else { continue }
            let fields = block.fields.map { definition.form.fields[$0] }
            let item = PutItem(
                items, form: definition.form.formID, author: held.author, fields, batch: held.id)
            let width = fields.count
            block.storage.withUnsafeBufferPointer { storage in
                block.cells.withUnsafeBufferPointer { cells in
                    for (place, row) in block.rows.enumerated() {
                        let index = block.firstIndex + place
                        if versions.contains(index) { continue }
                        state.recordSum += item.digest(
                            row.id, at: index,
                            UnsafeBufferPointer(
                                rebasing: cells[place * width..<(place + 1) * width]), storage)
                    }
                }
            }
        }
    }
}
