import ShareCore
import ShareCrypto

/// Members, forms, and what a change of either does to records that are held.
extension RoomWriter {
    /// Judges all control batches anew, with these among them. Members and forms are at once as
    /// the result says; records follow (`settle`).
    func judge(adding new: [ControlRecord], as judgement: Judgement) throws {
        let controls = state.controls + new
        let old = (judgement: state.judgement, catalog: state.catalog)
        let accepted = FormCatalog(controls, judgement, lingering: [])
        for name in Set(accepted.definitions.keys).union(old.catalog.definitions.keys) {
            let isAccepted = accepted.definitions[name]?.isAccepted ?? false
            guard isAccepted != (old.catalog.definitions[name]?.isAccepted ?? false) else {
                continue
            }
            try beginDefinition(name, isAccepted: isAccepted)
        }
        // Rows go by the old tables, so records must be settled before the tables change.
        try recomputeDirty()
        state.controls = controls
        state.judgement = judgement
        let lingering = lingering
        try install(
            lingering.isEmpty
                ? accepted : FormCatalog(controls, judgement, lingering: lingering))
        try noteControl()
        state.roomSum = computeRoomSum()
        for author in judgement.authority.devicesJudgedAnew(since: old.judgement.authority) {
            if author == identity.key { try beginPending() }
            try beginLog(of: author)
        }
        try beginApart()
    }

    /// Makes the tables what a catalog says.
    func install(_ catalog: FormCatalog) throws {
        try recomputeDirty()
        var catalog = catalog
        catalog.forms =
            try state.catalog.forms(under: catalog) ?? installTables(catalog)
        state.catalog = catalog
    }

    /// The definitions that may have records in the tables though they are not accepted any
    /// more: their tables and columns stay until these are out.
    var lingering: Set<OperationName> {
        Set(
            state.settling.compactMap { job in
                if case .definition(let name) = job.subject { name } else { nil }
            })
    }

    /// Judges again what an author's new batches may have put into another light: a head that a
    /// removal names has arrived, or the log has forked.
    func judgeAgain(_ arrived: [DeviceKey: [BatchID]], forked: Set<DeviceKey>) throws {
        for (author, batches) in arrived {
            let hasLine = batches.contains { state.judgement.namedHeads.contains($0) }
            if hasLine || forked.contains(author) { try beginLog(of: author) }
        }
    }

    /// Batches of records in the order of their rows, open ones with the number that they will
    /// get at the least.
    func heldBatches(
        _ condition: String, limit: Int = .max, _ values: SQLValue...
    ) throws -> [HeldBatch] {
        let statement = try database.prepare(
            """
            SELECT batch, id, author, number, state FROM _batch \(condition)
            ORDER BY batch LIMIT \(limit)
            """)
        try statement.bind(values)
        var batches: [HeldBatch] = []
        while try statement.step() {
            let batch = statement.integer(0)
            if statement.integer(4) == 1 {
                batches.append(try openHeld(batch))
                continue
            }
            guard let id = Digest(statement.blob(1)) else {
                throw StoreError.damaged("batch \(batch)")
            }
            let author = statement.integer(2)
            batches.append(
                HeldBatch(
                    batch: batch, id: BatchID(id), number: UInt64(max(statement.integer(3), 0)),
                    author: try devices.key(of: author), authorNumber: author, isOpen: false))
        }
        return batches
    }

    /// The body of a batch, from its bytes or from the pending operations; nil if malformed.
    func body(of held: HeldBatch) throws -> Body? {
        if held.isOpen {
            return Body(
                blocks: try pendingBlocks(of: held.batch).map { .records($0) }, operationCount: 0)
        }
        guard
            case .blob(let bytes)? = try database.row(
                "SELECT bytes FROM _batch WHERE batch = ?1", .integer(held.batch))?.first
        else { throw StoreError.damaged("batch \(held.batch)") }
        return try? readBatch(bytes, at: held.batch).openBody()
    }

    /// The digest's share of members and forms in force.
    func computeRoomSum() -> StateDigest {
        var sum = StateDigest.zero
        for member in state.judgement.members {
            items.removeAll()
            items.array(3)
            items.write(text: "member")
            items.write(member.device.value)
            items.write(Int(member.role.rawValue))
            sum += items.digest()
        }
        for (formID, plan) in state.catalog.plans where plan.inForce.isAccepted {
            items.removeAll()
            items.array(3)
            items.write(text: "form")
            items.write(text: formID)
            items.array(2)
            items.write(plan.inForce.name.batch.digest.value)
            items.write(plan.inForce.name.index)
            sum += items.digest()
        }
        return sum
    }
}
