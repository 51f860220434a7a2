import ShareCore
import ShareCrypto

/// Batches that are to be judged anew since a change of authority, and how far that is: in its
/// table `_reindex`, so that it goes on whatever happens in between (docs/storage.md, "When
/// members or forms change").
///
/// Between its transactions each batch is in the tables as its note in `_judged` says: as
/// authority was, or as it is. So merges, edits and seals may come in between, and when the last
/// batch has been judged anew the tables are what the batches come to.
struct Reindex {
    let database: Database
    let devices: DeviceTable
    /// The jobs left to do, in order.
    private(set) var jobs: [ReindexJob] = []
    /// Operations that one transaction judges anew at most; one batch is judged in any case.
    var operationsAtOnce = Reindex.operationsAtOnce
    static let operationsAtOnce = 10_000

    init(_ database: Database, _ devices: DeviceTable) {
        self.database = database
        self.devices = devices
    }

    mutating func load() throws {
        jobs = try database.rows(
            """
            SELECT kind, subject, number, row, last, done, total, takes_out FROM _reindex
            ORDER BY kind, subject
            """
        ).map { row in
            guard case .integer(let kind) = row[0], case .blob(let subject) = row[1],
                case .integer(let number) = row[2], case .integer(let position) = row[3],
                case .integer(let last) = row[4], case .integer(let done) = row[5],
                case .integer(let total) = row[6],
                let subject = ReindexJob.subject(kind, subject)
            else { throw StoreError.damaged("what is left of a change of authority") }
            return ReindexJob(
                subject: subject, number: number, row: position, last: last, done: Int(done),
                total: Int(total), isTakingOut: row[7] == 1)
        }
    }

    /// Forgets all that is left: everything is judged anew.
    mutating func removeAll() throws {
        try database.execute("DELETE FROM _reindex")
        jobs = []
    }

    /// Puts a job on the list, or notes how far it is. One about the same subject gives way.
    mutating func keep(_ job: ReindexJob) throws {
        let order = job.order
        try database.run(
            """
            INSERT OR REPLACE INTO _reindex(
            kind, subject, number, row, last, done, total, takes_out)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """, .integer(order.0), .blob(order.1), .integer(job.number), .integer(job.row),
            .integer(job.last), .integer(Int64(job.done)), .integer(Int64(job.total)),
            .integer(job.isTakingOut ? 1 : 0))
        if let position = jobs.firstIndex(where: { $0.subject == job.subject }) {
            jobs[position] = job
        } else {
            jobs.append(job)
            jobs.sort {
                $0.order.0 == $1.order.0
                    ? $0.order.1.lexicographicallyPrecedes($1.order.1)
                    : $0.order.0 < $1.order.0
            }
        }
    }

    mutating func strike(_ subject: ReindexJob.Subject) throws {
        guard let position = jobs.firstIndex(where: { $0.subject == subject }) else {
            return
        }
        let order = jobs.remove(at: position).order
        try database.run(
            "DELETE FROM _reindex WHERE kind = ?1 AND subject = ?2", .integer(order.0),
            .blob(order.1))
    }

    /// The definitions that may have records in the tables though they are not accepted any
    /// more: their tables and columns stay until these are out.
    var lingering: Set<OperationName> {
        Set(
            jobs.compactMap { job in
                if case .definition(let name) = job.subject { name } else { nil }
            })
    }

    /// Whether the tables may not have yet what is allowed of a batch that is being filled, or have
    /// still what is not.
    func concerns(_ blocks: [RecordsBlock]) -> Bool {
        jobs.contains { job in
            switch job.subject {
            case .pending: true
            case .definition(let name): blocks.contains { $0.form == name }
            case .log, .quarantined: false
            }
        }
    }

    /// How far all of it is; nil when the records are as authority says.
    var progress: ReapplyProgress? {
        guard !jobs.isEmpty else { return nil }
        var progress = ReapplyProgress(done: 0, total: 0, isTakingOut: false)
        var lowered = 0
        for job in jobs {
            progress.done += job.done
            progress.total += job.total
            if job.isTakingOut { lowered += job.total }
        }
        progress.isTakingOut = lowered * 2 > progress.total
        return progress
    }

    // MARK: What is to be judged anew

    /// Begins with the batches of a device's records log whose standing is other than noted, or
    /// strikes the job where there are none any more.
    ///
    /// - Complexity: O(batches of the device), a look at each; no batch is opened.
    mutating func begin(_ device: DeviceKey, _ log: BatchLog, _ policy: RoomPolicy) throws {
        guard let author = try devices.find(device) else { return }
        let ancestry = try log.ancestry(of: author, .records)
        let statement = try database.prepare(
            """
            SELECT b.number, b.id, b.operations, j.standing, b.batch FROM _batch b
            LEFT JOIN _judged j ON j.batch = b.batch
            WHERE b.author = ?1 AND b.kind = 1 AND b.state = 0 ORDER BY b.number
            """)
        try statement.bind([.integer(author)])
        var job = ReindexJob(subject: .log(device))
        var isConcerned = false
        var lowered = 0
        while try statement.step() {
            let number = statement.integer(0)
            guard let head = LogHead(number, statement.blob(1)) else { continue }
            let held = HeldBatch(
                batch: statement.integer(4), id: head.batch, number: head.number, author: device,
                authorNumber: author, isOpen: false)
            let standing = try policy.standing(of: held, in: ancestry)
            let note = statement.text(3)
            guard note != standing.note else { continue }
            if !isConcerned { job.number = number - 1 }
            isConcerned = true
            job.last = number
            let operations = Int(statement.integer(2))
            job.total += operations
            let before = Role(name: String(note.prefix { $0 != " " }))
            if standing.role.map({ $0 < before ?? .viewer }) ?? true {
                lowered += operations
            }
        }
        job.isTakingOut = lowered * 2 > job.total
        if isConcerned { try keep(job) } else { try strike(job.subject) }
    }

    /// Begins with what this device has entered and not sealed, if anything.
    mutating func beginPending(_ total: Int, _ policy: RoomPolicy) throws {
        guard total > 0 else { return try strike(.pending) }
        let role = policy.authority.currentRole(of: policy.own)
        try keep(
            ReindexJob(
                subject: .pending, total: total,
                isTakingOut: role.map { !$0.enters } ?? true))
    }

    /// Begins with the batches that use a definition, if any.
    mutating func begin(_ name: OperationName, isAccepted: Bool) throws {
        let row = try database.row(
            """
            SELECT count(*), sum(\(BatchLog.operationsInBatch)) FROM _uses u
            JOIN _batch b ON b.batch = u.batch WHERE u.definition = ?1
            """, .blob(name.key))
        guard case .integer(let batches)? = row?[0], batches > 0,
            case .integer(let total)? = row?[1]
        else { return try strike(.definition(name)) }
        try keep(
            ReindexJob(
                subject: .definition(name), total: Int(total), isTakingOut: !isAccepted))
    }

    /// Begins with the quarantined batches of devices that have a grant.
    mutating func beginQuarantined(_ log: BatchLog, _ policy: RoomPolicy) throws {
        for author in try log.quarantine.authors() where policy.judgement.isKnown(author) {
            try keep(ReindexJob(subject: .quarantined(author)))
        }
    }
}
