import ShareCore
import ShareCrypto

/// The list of what is left to do after a change of authority. It is in the file, so that it is
/// gone on with whatever happens in between.
extension RoomWriter {
    func loadJobs() throws -> [SettlingJob] {
        try database.rows(
            """
            SELECT kind, subject, number, row, last, done, total, takes_out FROM _settling
            ORDER BY kind, subject
            """
        ).map { row in
            guard case .integer(let kind) = row[0], case .blob(let subject) = row[1],
                case .integer(let number) = row[2], case .integer(let place) = row[3],
                case .integer(let last) = row[4], case .integer(let done) = row[5],
                case .integer(let total) = row[6],
                let subject = SettlingJob.subject(kind, subject)
            else { throw StoreError.damaged("what is left of a change of authority") }
            return SettlingJob(
                subject: subject, number: number, row: place, last: last, done: Int(done),
                total: Int(total), isTakingOut: row[7] == 1)
        }
    }

    /// Puts a job on the list, or notes how far it is. One about the same subject gives way.
    func keep(_ job: SettlingJob) throws {
        let order = job.order
        try database.run(
            """
            INSERT OR REPLACE INTO _settling(
            kind, subject, number, row, last, done, total, takes_out)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """, .integer(order.0), .blob(order.1), .integer(job.number), .integer(job.row),
            .integer(job.last), .integer(Int64(job.done)), .integer(Int64(job.total)),
            .integer(job.isTakingOut ? 1 : 0))
        if let place = state.settling.firstIndex(where: { $0.subject == job.subject }) {
            state.settling[place] = job
        } else {
            state.settling.append(job)
            state.settling.sort {
                $0.order.0 == $1.order.0
                    ? $0.order.1.lexicographicallyPrecedes($1.order.1)
                    : $0.order.0 < $1.order.0
            }
        }
    }

    func strike(_ subject: SettlingJob.Subject) throws {
        guard let place = state.settling.firstIndex(where: { $0.subject == subject }) else {
            return
        }
        let order = state.settling.remove(at: place).order
        try database.run(
            "DELETE FROM _settling WHERE kind = ?1 AND subject = ?2", .integer(order.0),
            .blob(order.1))
    }

    // MARK: What is to be judged anew

    /// Begins with the batches of a device's records log whose standing is other than noted, or
    /// strikes the job where there are none any more.
    ///
    /// - Complexity: O(batches of the device), a look at each; no batch is opened.
    func beginLog(of device: DeviceKey) throws {
        guard let author = try devices.find(device) else { return }
        let log = try ancestry(of: author, .records)
        let authority = state.judgement.authority
        let statement = try database.prepare(
            """
            SELECT b.number, b.id, b.operations, j.standing FROM _batch b
            LEFT JOIN _judged j ON j.batch = b.batch
            WHERE b.author = ?1 AND b.kind = 1 AND b.state = 0 ORDER BY b.number
            """)
        try statement.bind([.integer(author)])
        var job = SettlingJob(subject: .log(device))
        var isConcerned = false
        var lowered = 0
        while try statement.step() {
            let number = statement.integer(0)
            guard let head = LogHead(number, statement.blob(1)) else { continue }
            let standing = try log.asked {
                authority.standing(of: device, kind: .records, at: head, in: $0)
            }
            let note = statement.text(3)
            guard note != standing.note else { continue }
            if !isConcerned { job.number = number - 1 }
            isConcerned = true
            job.last = number
            let operations = Int(statement.integer(2))
            job.total += operations
            if standing.role.map({ $0 < Role(name: note) ?? .viewer }) ?? true {
                lowered += operations
            }
        }
        job.isTakingOut = lowered * 2 > job.total
        if isConcerned { try keep(job) } else { try strike(job.subject) }
    }

    /// Begins with what this device has entered and not sealed, if anything.
    func beginPending() throws {
        let total = try database.integer("SELECT sum(count) FROM _pending") ?? 0
        guard total > 0 else { return try strike(.pending) }
        let role = state.judgement.authority.currentRole(of: identity.key)
        try keep(
            SettlingJob(
                subject: .pending, total: Int(total),
                isTakingOut: role.map { !$0.enters } ?? true))
    }

    /// Begins with the batches that use a definition, if any.
    func beginDefinition(_ name: OperationName, isAccepted: Bool) throws {
        let row = try database.row(
            """
            SELECT count(*), sum(\(RoomWriter.operationsInBatch)) FROM _uses u
            JOIN _batch b ON b.batch = u.batch WHERE u.definition = ?1
            """, .blob(name.key))
        guard case .integer(let batches)? = row?[0], batches > 0,
            case .integer(let total)? = row?[1]
        else { return try strike(.definition(name)) }
        try keep(
            SettlingJob(
                subject: .definition(name), total: Int(total), isTakingOut: !isAccepted))
    }

    /// Begins with what is held apart of devices that have a grant.
    func beginApart() throws {
        for row in try database.rows("SELECT DISTINCT author FROM _apart") {
            guard case .blob(let bytes) = row[0], let author = DeviceKey(bytes),
                state.judgement.isKnown(author)
            else { continue }
            try keep(SettlingJob(subject: .apart(author)))
        }
    }

    /// The local names of the operations of a batch `b`.
    static let namesInBatch = "BETWEEN b.batch * 8192 AND b.batch * 8192 + 8191"

    /// How many operations are in a batch `b`, also in one that is being filled.
    static let operationsInBatch = """
        CASE b.state WHEN 0 THEN b.operations ELSE (SELECT coalesce(sum(p.count), 0)
        FROM _pending p WHERE p.operation \(namesInBatch)) END
        """

    /// How far all of it is; nil when the records are as authority says.
    var progress: SettlingProgress? {
        guard !state.settling.isEmpty else { return nil }
        var progress = SettlingProgress(done: 0, total: 0, isTakingOut: false)
        var lowered = 0
        for job in state.settling {
            progress.done += job.done
            progress.total += job.total
            if job.isTakingOut { lowered += job.total }
        }
        progress.isTakingOut = lowered * 2 > progress.total
        return progress
    }
}
