import ShareCore
import ShareCrypto

/// Members, forms, and what a change of either does to records that are held.
extension RoomWriter {
    /// Takes control batches in, as judged. Members and forms are at once as the result says; records
    /// follow (`settle`).
    func judge(adding new: [ControlRecord], as judgement: Judgement) throws {
        let old = state.judgement.authority
        let authority = judgement.authority
        let authors = authority.devicesJudgedAnew(since: old)
        let decided = authority.batchesDecidedAnew(since: old, about: authors)
        let before = state.judgement.members
        let beforeForms = state.catalog.plans
        var controls = state.controls + new
        var changed: [Int] = []
        for (place, record) in controls.enumerated()
        where record.outcome == nil || authors.contains(record.author)
            || decided.contains(record.head.batch)
        {
            let outcome = ControlOutcome(of: record, by: authority)
            guard outcome != record.outcome else { continue }
            controls[place].outcome = outcome
            changed.append(place)
        }
        if changed.contains(where: { controls[$0].definesForms }) {
            try judgeForms(controls, as: judgement)
        } else {
            // Rows go by the old roles.
            try recomputeDirty()
            state.controls = controls
            state.judgement = judgement
        }
        try noteControl(changed: changed)
        state.roomSum +=
            roomSum(members: judgement.members, without: before)
            + roomSum(forms: state.catalog.plans, without: beforeForms)
        for author in authors {
            if author == identity.key { try beginPending() }
            try beginLog(of: author)
        }
        try beginApart()
    }

    /// Makes the tables what the definitions accepted now say.
    private func judgeForms(_ controls: [ControlRecord], as judgement: Judgement) throws {
        let old = state.catalog
        let accepted = FormCatalog(controls, lingering: [])
        for name in Set(accepted.definitions.keys).union(old.definitions.keys) {
            let isAccepted = accepted.definitions[name]?.isAccepted ?? false
            guard isAccepted != (old.definitions[name]?.isAccepted ?? false) else {
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
                ? accepted : FormCatalog(controls, lingering: lingering))
    }

    /// Works out what all control batches come to.
    func judgeAll() {
        for (place, record) in state.controls.enumerated() {
            state.controls[place].outcome = ControlOutcome(
                of: record, by: state.judgement.authority)
        }
    }

    /// Makes the tables what a catalog says.
    func install(_ catalog: FormCatalog) throws {
        try recomputeDirty()
        var catalog = catalog
        if let forms = state.catalog.forms(under: catalog) {
            catalog.forms = forms
        } else {
            for (formID, form) in state.catalog.forms {
                guard let plan = catalog.plans[formID] else { continue }
                try keepValues(of: plan.unplaced.intersection(form.names.keys), in: form)
            }
            catalog.forms = try installTables(catalog)
        }
        let old = state.catalog
        state.catalog = catalog
        for (formID, form) in catalog.forms {
            let unplaced = old.plans[formID]?.unplaced ?? []
            if !unplaced.isDisjoint(with: form.names.keys) { try showAgain(form) }
        }
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

    /// Batches of records in the order of their rows.
    func heldBatches(
        _ condition: String, limit: Int = .max, _ values: SQLValue...
    ) throws -> [HeldBatch] {
        let statement = try database.cached(
            """
            SELECT \(RoomWriter.heldColumns) FROM _batch b \(condition)
            ORDER BY b.batch LIMIT \(limit)
            """)
        defer { statement.clear() }
        try statement.bind(values)
        var batches: [HeldBatch] = []
        while try statement.step() { batches.append(try heldBatch(statement)) }
        return batches
    }

    /// The first columns of a statement that `heldBatch` reads a batch `b` from, an open one with
    /// the number that it will get at the least.
    static let heldColumns = """
        b.batch, b.id, b.author, b.state, CASE b.state WHEN 1 THEN 1
        + (SELECT coalesce(max(number), 0) FROM _head h WHERE h.author = b.author AND h.kind = 1)
        + (SELECT count(*) FROM _batch o WHERE o.state = 1 AND o.batch < b.batch)
        ELSE b.number END
        """

    /// The batch that a row begins with.
    func heldBatch(_ row: Statement) throws -> HeldBatch {
        let batch = row.integer(0)
        let author = row.integer(2)
        let isOpen = row.integer(3) == 1
        guard let id = isOpen ? BatchID.open(batch) : Digest(row.blob(1)).map({ BatchID($0) })
        else { throw StoreError.damaged("batch \(batch)") }
        return HeldBatch(
            batch: batch, id: id, number: UInt64(max(row.integer(4), 0)),
            author: try devices.key(of: author), authorNumber: author, isOpen: isOpen)
    }

    /// The body of a batch, from its bytes or from the pending operations; nil if malformed.
    func body(of held: HeldBatch) throws -> Body? {
        if held.isOpen {
            return Body(
                blocks: try pendingBlocks(of: held.batch).map { .records($0) }, operationCount: 0)
        }
        let bytes = try bytes(of: held.batch)
        return try? readBatch(bytes, at: held.batch).openBody()
    }

    /// A sealed batch as it is stored.
    func bytes(of batch: Int64) throws -> [UInt8] {
        guard
            case .blob(let bytes)? = try database.row(
                "SELECT bytes FROM _batch WHERE batch = ?1", .integer(batch))?.first
        else { throw StoreError.damaged("batch \(batch)") }
        return bytes
    }

    /// Some control batches, each after the one before it in its log and what admits its author.
    func controlBatches(_ needed: Set<BatchID>) throws -> [Batch] {
        // They came in an order in which each can be judged.
        try state.controls.filter { needed.contains($0.head.batch) }.map {
            try readBatch(try bytes(of: $0.batch), at: $0.batch)
        }
    }

    /// The digest's share of members and forms in force.
    func computeRoomSum() -> StateDigest {
        roomSum(members: state.judgement.members, without: [])
            + roomSum(forms: state.catalog.plans, without: [:])
    }

    /// What some members add to the digest, less what others did.
    private func roomSum(members: [Member], without others: [Member]) -> StateDigest {
        var sum = StateDigest.zero
        func digest(_ member: Member) -> StateDigest {
            items.removeAll()
            items.array(3)
            items.write(text: "member")
            items.write(member.device.value)
            items.write(Int(member.role.rawValue))
            return items.digest()
        }
        let (now, before) = Member.unlike(members, others)
        for member in now { sum += digest(member) }
        for member in before { sum -= digest(member) }
        return sum
    }

    private func roomSum(
        forms: [String: FormCatalog.Plan], without others: [String: FormCatalog.Plan]
    ) -> StateDigest {
        func digest(_ formID: String, _ plan: FormCatalog.Plan?) -> StateDigest {
            guard let plan, plan.inForce.isAccepted else { return .zero }
            items.removeAll()
            items.array(3)
            items.write(text: "form")
            items.write(text: formID)
            items.array(2)
            items.write(plan.inForce.name.batch.digest.value)
            items.write(plan.inForce.name.index)
            return items.digest()
        }
        var sum = StateDigest.zero
        for (formID, plan) in forms { sum += digest(formID, plan) }
        for (formID, plan) in others { sum -= digest(formID, plan) }
        return sum
    }
}
