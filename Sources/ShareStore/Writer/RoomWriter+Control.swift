import ShareCore
import ShareCrypto

/// Members, forms, and what a change of either does to records that are held.
extension RoomWriter {
    /// Judges all control batches anew, with these among them, and everything that hangs on them.
    func judge(adding new: [ControlRecord]) throws {
        let controls = state.controls + new
        let judgement = Judgement(controls, room: room)
        var catalog = FormCatalog(controls, judgement)
        let again = try affected(by: judgement, catalog)
        for held in again { try retract(held) }
        // Rows go by the old tables, so records must be settled before the tables change.
        try recomputeDirty()
        state.controls = controls
        state.judgement = judgement
        catalog.forms = try installTables(catalog)
        state.catalog = catalog
        try noteControl()
        state.roomSum = computeRoomSum()
        for held in again { try apply(held, try body(of: held)) }
    }

    /// The batches of records that may be judged otherwise than before.
    private func affected(
        by judgement: Judgement, _ catalog: FormCatalog
    ) throws -> [HeldBatch] {
        var batches: Set<Int64> = []
        var found: [HeldBatch] = []
        let names = Set(catalog.definitions.keys).union(state.catalog.definitions.keys)
        for name in names
        where catalog.definitions[name]?.isAccepted
            != state.catalog.definitions[name]?.isAccepted
        {
            for row in try database.rows(
                "SELECT batch FROM _uses WHERE definition = ?1", .blob(name.key))
            {
                if case .integer(let batch) = row[0] { batches.insert(batch) }
            }
        }
        let authors = judgement.authority.devicesJudgedAnew(since: state.judgement.authority)
        for author in authors {
            guard let number = try devices.find(author) else { continue }
            for held in try changed(in: number, by: judgement) { batches.insert(held.batch) }
        }
        for batch in batches.sorted() {
            found += try heldBatches("WHERE batch = ?1", .integer(batch))
        }
        return found
    }

    /// The batches of an author's records log that are to be judged otherwise than they were.
    private func changed(
        in author: Int64, by judgement: Judgement
    ) throws -> [HeldBatch] {
        let log = try ancestry(of: author, .records)
        var notes: [Int64: String] = [:]
        for row in try database.rows(
            """
            SELECT j.batch, j.standing FROM _judged j JOIN _batch b ON b.batch = j.batch
            WHERE b.author = ?1 AND b.kind = 1
            """, .integer(author))
        {
            if case .integer(let batch) = row[0], case .text(let note) = row[1] {
                notes[batch] = note
            }
        }
        return try heldBatches("WHERE author = ?1 AND kind = 1", .integer(author)).filter { held in
            let standing = judgement.authority.standing(
                of: held.author, kind: .records, at: held.head, in: log)
            return held.isOpen || notes[held.batch] != standing.note
        }
    }

    /// Judges again what an author's new batches may have put into another light: a head that a
    /// removal names has arrived, or the log has forked.
    func judgeAgain(_ arrived: [DeviceKey: [BatchID]]) throws {
        for (author, batches) in arrived {
            guard let number = try devices.find(author) else { continue }
            let hasLine = batches.contains { state.judgement.namedHeads.contains($0) }
            let branches = state.logs[LogName(author: author, kind: .records)]?.heads.count ?? 0
            guard hasLine || branches > Limits.headsPerLog else { continue }
            let again = try changed(in: number, by: state.judgement).filter { !$0.isOpen }
            for held in again { try retract(held) }
            for held in again { try apply(held, try body(of: held)) }
        }
    }

    /// Batches of records in the order of their rows, open ones with the number that they will
    /// get at the least.
    func heldBatches(_ condition: String, _ values: SQLValue...) throws -> [HeldBatch] {
        let statement = try database.prepare(
            "SELECT batch, id, author, number, state FROM _batch \(condition) ORDER BY batch")
        try statement.bind(values)
        var batches: [HeldBatch] = []
        var next: UInt64?
        while try statement.step() {
            let batch = statement.integer(0)
            let isOpen = statement.integer(4) == 1
            let id = isOpen ? BatchID.open(batch) : Digest(statement.blob(1)).map { BatchID($0) }
            guard let id else { throw StoreError.damaged("batch \(batch)") }
            var number = UInt64(max(statement.integer(3), 0))
            if isOpen {
                number = try next ?? nextNumber(.records)
                next = number + 1
            }
            let author = statement.integer(2)
            batches.append(
                HeldBatch(
                    batch: batch, id: id, number: number, author: try devices.key(of: author),
                    authorNumber: author, isOpen: isOpen))
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

    /// Takes out every trace of a batch but the batch.
    func retract(_ held: HeldBatch) throws {
        let range = LocalName.range(of: held.batch)
        let within = "operation BETWEEN ?1 AND ?2"
        let first = SQLValue.integer(range.first)
        let last = SQLValue.integer(range.last)
        try database.run("DELETE FROM _waiting WHERE \(within)", first, last)
        try database.run("DELETE FROM _refused WHERE \(within)", first, last)
        for row in try database.rows(
            "SELECT DISTINCT record FROM _version WHERE version BETWEEN ?1 AND ?2", first, last)
        {
            if case .integer(let record) = row[0] { state.dirty.insert(record) }
        }
        try database.run("DELETE FROM _version WHERE version BETWEEN ?1 AND ?2", first, last)
        for block in try body(of: held)?.blocks ?? [] {
            guard case .records(let block) = block, block.kind == .put,
                let definition = state.catalog.definitions[block.form],
                let form = state.catalog.forms[definition.form.formID]
            else { continue }
            for (place, row) in block.rows.enumerated() {
                let name = RecordName(form: form.formID, creator: held.author, id: row.id)
                let local = held.local(block.firstIndex + place)
                guard let plain = try plainRow(name, in: form), plain.local == local else {
                    continue
                }
                if let operation = try sealedName(local) {
                    state.recordSum -= plainItem(plain, name, operation)
                }
                try deleteRow(row.id, held.author, form)
            }
        }
    }

    /// Writes down the verdicts on control operations, and members, for those who look.
    func noteControl() throws {
        try database.execute("DELETE FROM _definition; DELETE FROM _member")
        for member in state.judgement.members {
            try database.run(
                "INSERT INTO _member(key, role) VALUES(?1, ?2)", .blob(member.device.bytes),
                .integer(Int64(member.role.rawValue)))
        }
        for definition in state.catalog.definitions.values {
            let form = definition.form
            let inForce = state.catalog.plans[form.formID]?.inForce.name == definition.name
            try database.run(
                """
                INSERT INTO _definition(operation, form_id, version, verdict, in_force, json)
                VALUES(?1, ?2, ?3, ?4, ?5, ?6)
                """, .integer(definition.local.rawValue), .text(form.formID),
                .text(form.version), .text(definition.refusal ?? "accepted"),
                .integer(inForce ? 1 : 0), .text(form.json))
        }
        for record in state.controls {
            let range = LocalName.range(of: record.batch)
            try database.run(
                "DELETE FROM _refused WHERE operation BETWEEN ?1 AND ?2", .integer(range.first),
                .integer(range.last))
            try database.run(
                "DELETE FROM _waiting WHERE operation BETWEEN ?1 AND ?2", .integer(range.first),
                .integer(range.last))
            guard record.body != nil else {
                try refuse(
                    LocalName(batch: record.batch, index: 0), count: 1, reason: "malformed",
                    what: "batch")
                continue
            }
            for (index, entry) in record.entries {
                let reason =
                    state.judgement.refusal(of: record.name(index))
                    ?? state.catalog.definitions[record.name(index)]?.refusal
                guard let reason else {
                    state.clock.observe(entry.clock)
                    continue
                }
                let local = LocalName(batch: record.batch, index: index)
                if state.judgement.isWaiting(record.name(index)) {
                    try wait(local, count: 1, reason: "author", key: record.author.bytes)
                } else {
                    try refuse(local, count: 1, reason: reason, what: entry.operation.word)
                }
            }
            try noteUnknown(record)
        }
    }

    /// Control operations of kinds that only a newer release knows, or that belong elsewhere.
    private func noteUnknown(_ record: ControlRecord) throws {
        for block in record.body?.blocks ?? [] {
            switch block {
            case .unknown(let kind, let first, let count) where kind.isMultiple(of: 2):
                try wait(
                    LocalName(batch: record.batch, index: first), count: count, reason: "kind",
                    key: [])
            case .misplaced(_, let first, let count):
                try refuse(
                    LocalName(batch: record.batch, index: first), count: count,
                    reason: "misplaced", what: "operation")
            case .unknown, .records, .control: continue
            }
        }
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
        for (formID, plan) in state.catalog.plans {
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

extension ControlOperation {
    /// The word for it in lists of refused operations.
    var word: String {
        switch self {
        case .found: "found"
        case .set: "set"
        case .form: "form"
        case .list: "list"
        case .grant: "grant"
        case .roleChange: "role change"
        case .removal: "removal"
        case .accept: "accept"
        }
    }
}
