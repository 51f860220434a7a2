import ShareCore
import ShareCrypto

/// Makes signed batches of what is pending, and of decisions. A device seals nothing while it may
/// lack batches of its own: what it wrote beside them would be a branch.
struct Committer {
    /// Set while a member gives our own batches back after a start (docs/storage.md).
    var isSealingBlocked = false
    /// Set while the file, or batches of our own in it, were lost and members fill it again: our
    /// own logs go on elsewhere.
    var isRefilling = false
    /// Set while the file is known to be damaged, until a rebuild: what our own log comes to may
    /// not be found in it.
    var isDamaged = false

    /// Whether no batches of our own are missing here.
    func mayCommit(_ kind: LogKind, in room: Room) throws -> Bool {
        try !isSealingBlocked && !isRefilling && !isDamaged
            && !room.policy.isMissingOwn(kind, in: room.log)
    }

    /// - Throws: `StoreError.sealingBlocked` while batches of our own are missing here,
    ///   `StoreError.needsRebuild` while the file is known to be damaged.
    func require(_ kind: LogKind, in room: Room) throws {
        if isDamaged { throw StoreError.needsRebuild }
        guard try mayCommit(kind, in: room) else {
            throw StoreError.sealingBlocked(hasLost: isRefilling)
        }
    }

    /// Whether anything is pending that may be allowed.
    static func hasWork(in room: Room) throws -> Bool {
        guard let first = try room.log.firstOpen() else { return false }
        return try room.policy.standing(of: first, in: room.log).role != nil
    }

    // MARK: Entries

    /// Seals what is pending and allowed, all of it or so many batches.
    static func seal(
        _ room: inout Room, atMost limit: Int = .max, wall: UInt64
    ) throws -> [Batch] {
        var batches: [Batch] = []
        var split = PendingSplit(own: room.identity.key)
        for open in try room.log.open() where batches.count < limit && !split.isAboveQuota {
            let batch = try sealAllowed(of: open, &split, in: &room, wall: wall)
            if let batch { batches.append(batch) }
        }
        room.pending.open = nil
        room.pending.isAboveQuota = split.isAboveQuota
        return batches
    }

    /// Seals what is allowed of an open batch, and leaves the rest of it open.
    ///
    /// - Parameter split: what was found of the open batches before it.
    /// - Returns: nil if there is nothing to seal.
    private static func sealAllowed(
        of open: HeldBatch, _ split: inout PendingSplit, in room: inout Room, wall: UInt64
    ) throws -> Batch? {
        // Batches before it that stay open take no number.
        let held = HeldBatch(
            batch: open.batch, id: open.id,
            number: (try room.log.longestHead(.records, of: room.identity.key)?.number ?? 0) + 1,
            author: open.author, authorNumber: open.authorNumber, isOpen: true)
        let permit = try room.policy.standing(of: held, in: room.log).permit
        if split.isEmpty, let permit, permit.role >= .editor {
            return try seal(held, in: &room, wall: wall, &split)
        }
        let blocks = try room.pending.blocks(of: held.batch)
        let (catalog, own) = (room.forms.catalog, room.identity.key)
        let part = split.note(blocks, of: held) { block, row in
            permit?.allows(block, row: row, by: own, catalog.definitions[block.form]?.form) == true
        }
        switch part {
        case .all: return try seal(held, blocks, in: &room, wall: wall, &split)
        case .none:
            try keep(blocks, back: held, in: &room)
            return nil
        case .some:
            let rest = try room.log.addOpen(by: room.identity.key)
            try room.retract(held, Body(blocks))
            try room.recompute()
            try removePending(of: held, in: &room)
            for block in split.allowed(blocks, of: held) {
                try room.keepPending(block, held)
            }
            try room.apply(held, try room.body(of: held))
            let batch = try seal(held, in: &room, wall: wall, &split)
            let left = split.rest(blocks, of: held, in: rest)
            if left.isEmpty {
                try room.log.removeOpen(rest)
            } else {
                try keep(left, back: rest, in: &room)
                try room.apply(rest, try room.body(of: rest))
            }
            return batch
        }
    }

    /// Seals an open batch as it is; nil if nothing is in it, or it would be above the quota.
    ///
    /// - Parameter blocks: what is in it, where the caller knows.
    private static func seal(
        _ open: HeldBatch, _ blocks: [RecordsBlock]? = nil, in room: inout Room, wall: UInt64,
        _ split: inout PendingSplit
    ) throws -> Batch? {
        let pending = try blocks ?? room.pending.blocks(of: open.batch)
        guard !pending.isEmpty else {
            try room.log.removeOpen(open)
            return nil
        }
        let blocks = try PendingBlock.joined(pending).map {
            try named($0, in: open.batch, of: room)
        }
        let operations = blocks.reduce(0) { $0 + $1.rows.count }
        let clock = room.pending.clock.issue(wall: wall)
        let raw = BodyEncoder.encode(
            blocks.map { .records($0) }, author: room.identity.key, clock: clock)
        guard raw.count <= Limits.rawBody else { throw StoreError.tooLarge }
        let last = try room.log.lastOwn(.records, of: room.identity.key)
        let batch = Batch.seal(
            room: room.id, kind: .records, number: (last?.number ?? 0) + 1,
            previous: last?.batch ?? BatchID(room.id.digest), clock: clock,
            wall: WallTime(milliseconds: wall), rawBody: raw, by: room.identity)
        guard try room.policy.quotaAllows(batch, operations: operations) else {
            split.isAboveQuota = true
            return nil
        }
        let sealed = HeldBatch(
            batch: open.batch, id: batch.id, number: batch.number, author: batch.author,
            authorNumber: open.authorNumber, isOpen: false)
        let isPlain = try !room.reindex.concerns(blocks) && isAccepted(blocks, as: sealed, in: room)
        // What is no longer allowed leaves the tables while it is still known as pending.
        if !isPlain { try room.retract(open, Body(pending)) }
        _ = try room.log.seal(open, as: batch, operations: operations)
        try room.pending.remove(of: open)
        if isPlain {
            try room.policy.note(try room.policy.standing(of: sealed, in: room.log), at: sealed)
            try room.records.seal(blocks, of: sealed, room.forms)
        } else {
            try room.apply(sealed, try room.body(of: sealed))
        }
        return batch
    }

    /// The block with the names that open batches have got meanwhile.
    private static func named(
        _ block: RecordsBlock, in batch: Int64, of room: Room
    ) throws -> RecordsBlock {
        var block = block
        block.parents = try block.parents.map { parent in
            guard let open = parent.batch.openBatch else { return parent }
            if open == batch { return OperationName(batch: .thisBatch, index: parent.index) }
            guard
                let name = try room.log.names.sealedName(
                    LocalName(batch: open, index: parent.index))
            else {
                throw StoreError.damaged("a parent that is not sealed")
            }
            return name
        }
        return block
    }

    /// Whether everyone will accept all of the batch, as they nearly always will.
    private static func isAccepted(
        _ blocks: [RecordsBlock], as held: HeldBatch, in room: Room
    ) throws -> Bool {
        guard let permit = try room.policy.standing(of: held, in: room.log).permit else {
            return false
        }
        return blocks.allSatisfy { block in
            guard let definition = room.forms.catalog.definition(of: block) else { return false }
            return block.rows.indices.allSatisfy {
                permit.allows(block, row: $0, by: room.identity.key, definition.form)
            }
        }
    }

    /// Writes down what stays pending, under the names that its parents have by now.
    private static func keep(
        _ blocks: [RecordsBlock], back held: HeldBatch, in room: inout Room
    ) throws {
        try removePending(of: held, in: &room)
        for var block in blocks {
            block.parents = try block.parents.map { parent in
                guard let open = parent.batch.openBatch else { return parent }
                return try room.log.names.sealedName(LocalName(batch: open, index: parent.index))
                    ?? parent
            }
            try room.keepPending(block, held)
        }
    }

    private static func removePending(of held: HeldBatch, in room: inout Room) throws {
        try room.pending.remove(of: held)
        try room.policy.forgetUses(by: held)
    }

    // MARK: Decisions

    /// Seals control operations, in as many batches as they take.
    ///
    /// - Throws: `StoreError.refused` for what would be refused.
    static func decide(
        _ operations: [ControlOperation], by author: DeviceIdentity, in room: inout Room,
        wall: UInt64
    ) throws -> [Batch] {
        var batches: [Batch] = []
        let wasDone = room.reindex.jobs.isEmpty
        // What each operation is called once it is sealed.
        var sealed: [OperationName] = []
        while sealed.count < operations.count {
            let start = sealed.count
            let part = part(of: operations[start...]).map {
                $0.renaming { name in
                    guard name.batch == .thisBatch else { return name }
                    return name.index < start
                        ? sealed[name.index]
                        : OperationName(batch: .thisBatch, index: name.index - start)
                }
            }
            let batch = try sealPart(part, by: author, in: &room, wall: wall)
            sealed += part.indices.map { OperationName(batch: batch.id, index: $0) }
            batches.append(batch)
        }
        if wasDone { try Reindex.step(&room) }
        return batches
    }

    /// Bytes of definitions and lists in one batch; the rest of a body is for names and heads.
    private static let bytesOfDecisions = Limits.rawBody * 3 / 4

    /// The first operations, as many as one batch holds.
    private static func part(
        of operations: ArraySlice<ControlOperation>
    ) -> ArraySlice<ControlOperation> {
        var (names, bytes) = (0, 0)
        var isFirst = true
        return operations.prefix(Limits.operationsPerControlBatch).prefix { operation in
            names += operation.names.count
            bytes += operation.textBytes
            defer { isFirst = false }
            return isFirst || names <= Limits.namesPerControlBatch && bytes <= bytesOfDecisions
        }
    }

    private static func sealPart(
        _ operations: [ControlOperation], by author: DeviceIdentity, in room: inout Room,
        wall: UInt64
    ) throws -> Batch {
        var blocks: [Body.Block] = []
        var entries: [ControlBlock.Entry] = []
        var first = 0
        for operation in operations {
            if let last = entries.last, last.operation.word != operation.word {
                blocks.append(.control(ControlBlock(firstIndex: first, entries: entries)))
                first += entries.count
                entries = []
            }
            entries.append(
                ControlBlock.Entry(
                    clock: room.pending.clock.issue(wall: wall),
                    wall: WallTime(milliseconds: wall), operation: operation))
        }
        blocks.append(.control(ControlBlock(firstIndex: first, entries: entries)))
        let last = try room.log.lastOwn(.control, of: author.key)
        let clock = room.pending.clock.issue(wall: wall)
        let raw = BodyEncoder.encode(blocks, author: author.key, clock: clock)
        guard raw.count <= Limits.rawBody else { throw StoreError.tooLarge }
        let batch = Batch.seal(
            room: room.id, kind: .control, number: (last?.number ?? 0) + 1,
            previous: last?.batch ?? BatchID(room.id.digest), clock: clock,
            wall: WallTime(milliseconds: wall), rawBody: raw, by: author)
        _ = try room.merge([IncomingBatch(batch)])
        let record = room.policy.controls.last { $0.head.batch == batch.id }
        switch record?.notes.first?.verdict {
        case .refused(let refusal, _): throw StoreError.refused(refusal)
        case .waiting(let waiting, _): throw StoreError.notAllowed(waiting.rawValue)
        case nil: break
        }
        return batch
    }

    /// The founding batch of a new room.
    ///
    /// - Parameter recovery: what is written on paper; its key is named in the founding.
    static func found(
        name: String, isOpen: Bool, isHidden: Bool = false,
        recovery: RecoveryCode = .generate(), wall: UInt64, by identity: DeviceIdentity
    ) -> Batch {
        var clock = HybridClock()
        let nonce = SecureRandom.bytes(16)
        var operations: [ControlOperation] = [
            .found(
                Founding(
                    name: name, nonce: nonce, isOpen: isOpen,
                    recovery: recovery.identity(nonce: nonce).key))
        ]
        // In the founding batch itself, so that nobody ever knows the room without it.
        if isHidden {
            operations.append(
                .set(Setting(key: Authority.hiddenSetting, value: "true", parents: [])))
        }
        let blocks = operations.enumerated().map { index, operation in
            let entry = ControlBlock.Entry(clock: clock.issue(wall: wall), operation: operation)
            return Body.Block.control(ControlBlock(firstIndex: index, entries: [entry]))
        }
        return Batch.seal(
            room: .unfounded, kind: .control, number: 1, previous: BatchID(.zero),
            clock: clock.issue(wall: wall), blocks: blocks, by: identity)
    }

}

extension ControlOperation {
    /// The bytes of what can be long in it.
    fileprivate var textBytes: Int {
        switch self {
        case .form(let form): form.json.utf8.count + form.fields.count * 64
        case .part(let part): part.cells.count
        case .set(let setting): setting.value.utf8.count
        default: 0
        }
    }
}
