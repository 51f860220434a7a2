import ShareCore
import ShareCrypto

/// Records that follow a change of authority, in transactions of a bounded size
/// (docs/storage.md, "When members or forms change").
///
/// Between these transactions each batch is in the tables as its note in `_judged` says: as
/// authority was, or as it is. So merges, edits and seals may come in between, and when the last
/// batch has been judged anew the tables are what the batches come to.
extension RoomWriter {
    /// Batches looked up at a time.
    private static let page = 256

    /// Goes on with what is left, in one transaction.
    ///
    /// - Parameter tell: called with what has come of it, after the commit.
    /// - Returns: whether more is left.
    func settle(tell: (RoomNews) -> Void = { _ in }) throws -> Bool {
        guard !state.settling.isEmpty else { return false }
        let (_, news) = try change { try telling { try settleSome() } }
        tell(news)
        return !state.settling.isEmpty
    }

    /// The same inside a transaction.
    func settleSome() throws {
        var left = settledAtOnce
        while left > 0, let job = state.settling.first {
            switch job.subject {
            case .apart(let author): try takeIn(apart: author, &left)
            case .definition, .pending, .log: try goOn(job, &left)
            }
        }
    }

    private func goOn(_ job: SettlingJob, _ left: inout Int) throws {
        var job = job
        var log: RecordLog?
        if case .log(let device) = job.subject, let author = try devices.find(device) {
            log = try ancestry(of: author, .records)
        }
        while left > 0 {
            let page = try batches(of: job)
            guard !page.isEmpty else { return try finish(job) }
            for item in page {
                var cost = 1
                let standing = try log.map { try self.standing(of: item.held, in: $0) }
                if standing == nil || standing?.note != item.note {
                    cost = max(item.operations, 1)
                    guard cost <= left || left == settledAtOnce else {
                        left = 0
                        break
                    }
                    let body = try body(of: item.held)
                    try retract(item.held, body)
                    try apply(item.held, body, standing: standing)
                    job.done = min(job.done + item.operations, job.total)
                }
                left -= cost
                job.number = item.number
                job.row = item.held.batch
                if left <= 0 { break }
            }
        }
        try keep(job)
    }

    /// A job is done: a form that no accepted definition is left of has lost its last rows.
    private func finish(_ job: SettlingJob) throws {
        try strike(job.subject)
        guard case .definition(let name) = job.subject,
            state.catalog.definitions[name]?.isAccepted == false
        else { return }
        try install(FormCatalog(state.controls, lingering: lingering))
    }

    private struct Item {
        let held: HeldBatch
        let number: Int64
        let operations: Int
        /// Its author's standing when it was judged last.
        let note: String?
    }

    private func batches(of job: SettlingJob) throws -> [Item] {
        let (sql, values): (String, [SQLValue])
        switch job.subject {
        case .definition(let name):
            sql = """
                FROM _uses u JOIN _batch b ON b.batch = u.batch
                LEFT JOIN _judged j ON j.batch = b.batch
                WHERE u.definition = ?1 AND u.batch > ?2 ORDER BY u.batch
                """
            values = [.blob(name.key), .integer(job.row)]
        case .pending:
            sql = """
                FROM _batch b LEFT JOIN _judged j ON j.batch = b.batch
                WHERE b.state = 1 AND b.batch > ?1 ORDER BY b.batch
                """
            values = [.integer(job.row)]
        case .log(let device):
            guard let author = try devices.find(device) else { return [] }
            sql = """
                FROM _batch b LEFT JOIN _judged j ON j.batch = b.batch
                WHERE b.author = ?1 AND b.kind = 1 AND b.number BETWEEN ?2 AND ?3
                AND b.state = 0 AND (b.number, b.batch) > (?2, ?4) ORDER BY b.number, b.batch
                """
            values = [
                .integer(author), .integer(job.number), .integer(job.last), .integer(job.row),
            ]
        case .apart: return []
        }
        let statement = try database.prepare(
            """
            SELECT \(RoomWriter.heldColumns), b.number, j.standing,
            \(RoomWriter.operationsInBatch) \(sql) LIMIT \(RoomWriter.page)
            """)
        try statement.bind(values)
        var items: [Item] = []
        while try statement.step() {
            items.append(
                Item(
                    held: try heldBatch(statement), number: statement.integer(5),
                    operations: Int(statement.integer(7)), note: statement.optionalText(6)))
        }
        return items
    }

    /// Merges batches of an author who has got a grant, as many as fit. What lies past a
    /// cutoff stays apart: the removal may turn out to be void, and nobody else may have it.
    private func takeIn(apart author: DeviceKey, _ left: inout Int) throws {
        // The grant may have fallen since: what is merged now would be set apart again.
        guard state.judgement.isKnown(author) else { return try strike(.apart(author)) }
        var group: [IncomingBatch] = []
        var rows: [Int64] = []
        var isFull = false
        let definitions = definitions()
        let statement = try database.prepare(
            "SELECT apart, kind, number, id, bytes FROM _apart WHERE author = ?1 ORDER BY kind, number"
        )
        try statement.bind([.blob(author.bytes)])
        while !isFull, left > 0, try statement.step() {
            let row = statement.integer(0)
            if let kind = LogKind(rawValue: UInt8(truncatingIfNeeded: statement.integer(1))),
                let head = LogHead(statement.integer(2), statement.blob(3)),
                try isPastCutoff(head, of: LogName(author: author, kind: kind))
            {
                continue
            }
            let batch = IncomingBatch(
                try readBatch(statement.blob(4), at: row), definitions: definitions)
            let cost = max(batch.body?.operationCount ?? 0, 1)
            isFull = cost > left && left < settledAtOnce
            guard !isFull else { break }
            left -= cost
            group.append(batch)
            rows.append(row)
        }
        statement.clear()
        for row in rows { try database.run("DELETE FROM _apart WHERE apart = ?1", .integer(row)) }
        if !group.isEmpty { _ = try mergeGroup(group) }
        if isFull { left = 0 }
        if group.isEmpty, !isFull { try strike(.apart(author)) }
    }
}
