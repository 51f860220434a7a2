import ShareCore
import ShareCrypto

/// Verdicts on operations on records, before their rows are looked at.
extension RoomPolicy {
    /// Judges a block, and notes it as a whole where it is refused or waits.
    ///
    /// - Returns: nil where nothing of it is to be applied.
    func judge(
        _ block: RecordsBlock, of held: HeldBatch, _ standing: Standing, _ forms: FormTables
    ) throws -> (member: Permit, definition: FormCatalog.Definition, table: FormTable)? {
        try noteUse(of: block.form, by: held)
        let first = held.local(block.firstIndex)
        let count = block.rows.count
        switch standing {
        case .unknown:
            try refusals.wait(first, count: count, for: .author, key: held.author.bytes)
            return nil
        case .refused(let refusal):
            try refuse(block, of: held, refusal)
            return nil
        case .member(let role, let scopes):
            guard let definition = forms.catalog.definition(of: block),
                let table = forms.catalog.forms[definition.form.formID]
            else {
                try refusals.wait(first, count: count, for: .form, key: block.form.key)
                return nil
            }
            guard (block.fields.last ?? -1) < definition.form.fields.count,
                !definition.form.isRepeat || block.listsRepeatFields
            else {
                try refuse(block, of: held, .type)
                return nil
            }
            if block.kind == .put, !RecordPermission.allows(role, .put, own: true) {
                try refuse(block, of: held, .role)
                return nil
            }
            return (Permit(role: role, scopes: scopes), definition, table)
        }
    }

    private func refuse(_ block: RecordsBlock, of held: HeldBatch, _ refusal: Refusal) throws {
        try refusals.refuse(
            held.local(block.firstIndex), count: block.rows.count, refusal,
            what: block.kind.word)
        // Refused creations leave no record whose history could show them.
        guard block.kind != .put else { return }
        for (index, row) in block.rows.enumerated() {
            try refusals.note(held.local(block.firstIndex + index), on: row.id)
        }
    }

    /// Refuses the rows of a block of puts that lie outside their author's scopes.
    ///
    /// - Returns: these rows.
    func refuseOutside(
        _ block: RecordsBlock, of held: HeldBatch, as member: Permit, _ form: FormDefinition
    ) throws -> Set<Int> {
        guard !member.scopes.isEmpty else { return [] }
        let outside = block.rows.indices.filter {
            block.fault(row: $0, outside: member.scopes, form) != nil
        }
        var first = outside.startIndex
        while first < outside.endIndex {
            var next = first + 1
            while next < outside.endIndex, outside[next] == outside[next - 1] + 1 { next += 1 }
            try refusals.refuse(
                held.local(block.firstIndex + outside[first]), count: next - first, .scope,
                what: block.kind.word)
            first = next
        }
        return Set(outside)
    }

    /// Whether one row of a block that is no put is allowed; noted where it is not.
    func allows(
        _ row: Int, of block: RecordsBlock, in held: HeldBatch, as member: Permit,
        _ form: FormDefinition, _ forms: FormCatalog
    ) throws -> Bool {
        let fields = block.fields.map { form.fields[$0] }
        let local = held.local(block.firstIndex + row)
        let id = block.rows[row].id
        let creator = block.creators[Int(block.rows[row].creator)]
        if !RecordPermission.allows(member.role, block.kind, own: creator == held.author) {
            try refusals.refuse(local, count: 1, .role, what: block.kind.word)
        } else if block.fault(row: row, outside: member.scopes, form) != nil {
            try refusals.refuse(local, count: 1, .scope, what: block.kind.word)
        } else if let field = block.misfit(row: row, fields)
            ?? (forms.repeats.contains(block.form) ? block.repeatMisfit(row: row) : nil)
        {
            try refusals.refuse(local, count: 1, .type, what: field)
        } else {
            return true
        }
        try refusals.note(local, on: id)
        return false
    }

    /// Judges what of a batch of records is no block of records.
    func judge(_ block: Body.Block, of held: HeldBatch) throws {
        switch block {
        case .records: break
        case .control(let block):
            try refusals.refuse(
                held.local(block.firstIndex), count: block.entries.count, .misplaced,
                what: "operation")
        case .misplaced(_, let firstIndex, let count):
            try refusals.refuse(
                held.local(firstIndex), count: count, .misplaced, what: "operation")
        case .unknown(let kind, let firstIndex, let count):
            // Odd kinds may be passed over; even ones wait for a newer release.
            guard kind.isMultiple(of: 2) else { break }
            try refusals.wait(held.local(firstIndex), count: count, for: .kind, key: [])
        }
    }

    /// Notes with which standing a sealed batch is judged.
    func note(_ standing: Standing, at held: HeldBatch) throws {
        guard !held.isOpen else { return }
        try database.run(
            "INSERT OR REPLACE INTO _judged(batch, standing) VALUES(?1, ?2)",
            .integer(held.batch), .text(standing.note))
    }

    func noteUse(of definition: OperationName, by held: HeldBatch) throws {
        try database.run(
            "INSERT OR IGNORE INTO _uses(definition, batch) VALUES(?1, ?2)",
            .blob(definition.key), .integer(held.batch))
    }

    /// Forgets which definitions a batch that is being filled uses.
    func forgetUses(by held: HeldBatch) throws {
        try database.run("DELETE FROM _uses WHERE batch = ?1", .integer(held.batch))
    }

    // MARK: Standings

    /// The author's rights at a batch.
    func standing(of held: HeldBatch, in log: Ancestry) throws -> Standing {
        let standing = try log.asked {
            judgement.authority.standing(
                of: held.author, kind: .records, at: held.head, in: $0)
        }
        guard let quota, !held.isOpen, let role = standing.role, role < .owner,
            try !quota.allows(meter.usage(upTo: held.id))
        else { return standing }
        return .refused(.quota)
    }

    /// The operations and bytes that this device puts into one batch at most: a quota bounds batches
    /// as wholes, so several make up what it allows.
    var batchSize: (operations: Int, bytes: Int) {
        var size = (operations: Limits.operationsPerBatch, bytes: PendingEntries.batchSize)
        guard let quota, judgement.authority.currentRole(of: own) != .owner else { return size }
        for case let limit? in [quota.operations, quota.operationsADay] {
            size.operations = min(size.operations, max(1, Int(clamping: limit / 4)))
        }
        for case let limit? in [quota.bytes, quota.bytesADay] {
            size.bytes = min(size.bytes, Int(clamping: limit / 4))
        }
        return size
    }

    /// Whether everybody accepts the next batch of this device's own log, as far as a quota goes.
    func quotaAllows(_ batch: Batch, operations: Int) throws -> Bool {
        guard let quota, judgement.authority.currentRole(of: own) != .owner else { return true }
        return quota.allows(
            try meter.usage(upTo: batch.previous).adding(
                operations: UInt64(operations), bytes: UInt64(batch.bytes.count), wall: batch.wall))
    }

    /// The author's rights at a batch, also at one that is being filled: while batches before it
    /// are missing, its position is unknown, and the author's role of now holds.
    func standing(of held: HeldBatch, in log: BatchLog) throws -> Standing {
        let standing = try standingAtPosition(of: held, in: log)
        guard held.isOpen, standing != .refused(.forked), isMissing(before: held),
            let role = judgement.authority.currentRole(of: held.author)
        else { return standing }
        return .member(role, scopes: judgement.authority.currentScopes(of: held.author))
    }

    /// Whether a member's batch that is being filled comes after batches that are not here, by
    /// what the room's control logs tell: it would be a branch beside them, and be refused.
    func isMissing(before open: HeldBatch) -> Bool {
        isMissing(.records, before: open.number)
    }

    /// Whether owners have named a batch of this device's own with this number, or a later one, so
    /// that what it sealed there would be refused: its grant begins later. Any owner can name
    /// batches that there never were; where it makes no difference nothing is waited for.
    func isMissing(_ kind: LogKind, before number: UInt64) -> Bool {
        let authority = judgement.authority
        let log = LogName(author: own, kind: kind)
        guard let role = authority.currentRole(of: own),
            authority.nextNumber(in: log) > number
        else { return false }
        return authority.standing(ofNext: number, in: log)
            != .member(role, scopes: authority.currentScopes(of: own))
    }

    private func standingAtPosition(
        of held: HeldBatch, in log: BatchLog
    ) throws -> Standing {
        let branches = log.logs[LogName(author: held.author, kind: .records)]?.heads.count ?? 0
        let ancestry: Ancestry =
            branches > Limits.headsPerLog || judgement.namesCutoff(of: held.author)
            ? try log.ancestry(of: held.authorNumber, .records)
            : Ancestry { _ in nil }
        return try standing(of: held, in: ancestry)
    }

    /// Whether batches of this device's own are missing here that owners have named.
    func isMissingOwn(_ kind: LogKind, in log: BatchLog) throws -> Bool {
        isMissing(kind, before: (try log.longestHead(kind, of: own)?.number ?? 0) + 1)
    }

    /// Refuses what every receiver would refuse of this device.
    ///
    /// - Returns: what it may do.
    /// - Throws: `StoreError.notAllowed` or `.refused`.
    @discardableResult
    func require(
        _ kind: RecordsBlock.Kind, own: Bool, at held: HeldBatch, in log: BatchLog
    ) throws -> Permit {
        switch try standing(of: held, in: log) {
        case .unknown: throw StoreError.notAllowed("not a member")
        case .refused(let refusal): throw StoreError.refused(refusal)
        case .member(let role, let scopes):
            guard RecordPermission.allows(role, kind, own: own) else {
                throw StoreError.notAllowed("\(role.phrase) may not \(kind.word)")
            }
            return Permit(role: role, scopes: scopes)
        }
    }

    /// Whether a batch that is not held lies past the cutoff of its log.
    func isPastCutoff(_ batch: LogHead, of name: LogName, in log: BatchLog) throws -> Bool {
        guard judgement.isRemoved(name.author), let cutoff = authority.cut(of: name) else {
            return false
        }
        return try log.isPast(cutoff, batch, of: name)
    }

    /// Whether a grant to a device is held, whatever has become of it.
    ///
    /// - Complexity: O(operations in control batches with grants).
    func isGranted(to device: DeviceKey) -> Bool {
        controls.contains { record in
            record.entries.contains { _, entry in
                guard case .grant(let grant) = entry.operation else { return false }
                return grant.subject == device
            }
        }
    }

    /// A control operation with its clocks; nil where it is not held.
    func entry(of operation: OperationName) -> ControlBlock.Entry? {
        controls.first { $0.head.batch == operation.batch }?
            .entries.first { $0.index == operation.index }?.entry
    }
}
