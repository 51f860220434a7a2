import ShareCore
import ShareCrypto

/// A room as its file has it: six parts with tables of their own that know nothing of each other,
/// and the steps that take several of them.
///
/// It is a value: a transaction that is undone puts it back.
struct Room {
    let id: RoomID
    let identity: DeviceIdentity
    let database: Database
    let devices: DeviceTable
    var log: BatchLog
    var policy: RoomPolicy
    var forms: FormTables
    var lists: ListTables
    var records: RecordTables
    var pending: PendingEntries
    var reindex: Reindex
    /// The part of the digest that members, forms and lists make.
    var roomSum = StateDigest.zero
    /// Batches that were stored and judged, while change events are gathered.
    var stored: [(held: HeldBatch, body: Body?)]?

    /// - Parameter listed: where forms look up lists: over a connection of their own.
    init(
        _ id: RoomID, identity: DeviceIdentity, _ database: Database, _ devices: DeviceTable,
        listed: RoomLists
    ) {
        self.id = id
        self.identity = identity
        self.database = database
        self.devices = devices
        log = BatchLog(room: id, database, devices)
        policy = RoomPolicy(room: id, own: identity.key, database, devices)
        forms = FormTables(database, listed)
        lists = ListTables(database)
        records = RecordTables(database, devices, log.names)
        pending = PendingEntries(own: identity.key, database)
        reindex = Reindex(database, devices)
    }

    /// Reads what is in memory from the file.
    mutating func load() throws {
        try log.load()
        try policy.load(log)
        try reindex.load()
        try forms.load(try catalogWithLingering())
        lists.load(ListCatalog(policy.controls))
        try records.load()
        try pending.load()
        roomSum =
            RoomItems.sum(members: policy.members) + RoomItems.sum(forms: forms.catalog.plans)
            + RoomItems.sum(lists: lists.catalog)
    }

    /// Brings the file up to date, at the end of a transaction.
    mutating func persist() throws {
        try recompute()
        try records.persist()
        try forms.persist()
        try pending.persist()
        try log.delivery.persist()
    }

    var digest: StateDigest { records.sum + roomSum }

    // MARK: A batch in the tables

    /// Judges a batch of records and applies what is accepted; its traces, if it had left any,
    /// have been taken out.
    ///
    /// - Parameters:
    ///   - standing: what its author may do at it, where the caller knows.
    ///   - sums: what blocks of new records add to the digest, by their first operation.
    mutating func apply(
        _ held: HeldBatch, _ body: Body?, standing: Standing? = nil, sums: [Int: StateDigest] = [:]
    ) throws {
        let standing = try standing ?? policy.standing(of: held, in: log)
        try policy.note(standing, at: held)
        guard let body else {
            return try policy.refusals.refuse(
                held.local(0), count: 1, .malformed, what: "batch")
        }
        for block in body.blocks {
            guard case .records(let block) = block else {
                try policy.judge(block, of: held)
                continue
            }
            guard
                let (member, definition, table) = try policy.judge(block, of: held, standing, forms)
            else { continue }
            if block.kind == .put {
                let outside = try policy.refuseOutside(
                    block, of: held, as: member, definition.form)
                guard outside.count < block.rows.count else { continue }
                let put = try records.addPuts(
                    block, of: held, as: member.role, definition, table, &forms, without: outside,
                    sum: sums[block.firstIndex])
                for (row, refusal, what) in put.refused {
                    try policy.refusals.refuse(
                        held.local(block.firstIndex + row), count: 1, refusal, what: what)
                }
                pending.clock.observe(put.latest)
                continue
            }
            for row in block.rows.indices
            where try policy.allows(
                row, of: block, in: held, as: member, definition.form, forms.catalog)
            {
                try records.addVersion(row, of: block, in: held, definition.form, table)
                pending.clock.observe(block.rows[row].clock)
            }
        }
    }

    /// Takes out every trace of a batch but the batch; its body as it was applied.
    mutating func retract(_ held: HeldBatch, _ body: Body?) throws {
        try policy.refusals.remove(of: held.batch)
        try records.remove(held, body, &forms)
    }

    /// Brings all records that were touched up to date.
    mutating func recompute() throws { try records.recompute(&forms) }

    /// The body of a batch, from its bytes or from the pending operations; nil if malformed.
    func body(of held: HeldBatch) throws -> Body? {
        held.isOpen ? Body(try pending.blocks(of: held.batch)) : try log.body(of: held)
    }
}

extension Body {
    /// Blocks of records as a batch that is being filled has them.
    init(_ blocks: [RecordsBlock]) {
        self.init(blocks: blocks.map { .records($0) }, operationCount: 0)
    }
}
