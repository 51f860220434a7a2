import ShareCore
import ShareCrypto

/// Takes some batches out of the tables, judges them and applies them again.
extension Reindex {
    /// Batches looked up at a time.
    private static let page = 256

    /// Judges as many operations anew as one transaction may.
    static func step(_ room: inout Room) throws {
        var left = room.reindex.operationsAtOnce
        while left > 0, let job = room.reindex.jobs.first {
            switch job.subject {
            case .quarantined(let author): try takeIn(author, &left, in: &room)
            case .definition, .pending, .log: try goOn(job, &left, in: &room)
            }
        }
    }

    private static func goOn(
        _ job: ReindexJob, _ left: inout Int, in room: inout Room
    ) throws {
        var job = job
        var log: Ancestry?
        if case .log(let device) = job.subject, let author = try room.devices.find(device) {
            log = try room.log.ancestry(of: author, .records)
        }
        while left > 0 {
            let page = try batches(of: job, in: room)
            guard !page.isEmpty else { return try finish(job, in: &room) }
            for item in page {
                var cost = 1
                let standing = try log.map { try room.policy.standing(of: item.held, in: $0) }
                if standing == nil || standing?.note != item.note {
                    cost = max(item.operations, 1)
                    guard cost <= left || left == room.reindex.operationsAtOnce else {
                        left = 0
                        break
                    }
                    let body = try room.body(of: item.held)
                    try room.retract(item.held, body)
                    try room.apply(item.held, body, standing: standing)
                    job.done = min(job.done + item.operations, job.total)
                }
                left -= cost
                job.number = item.number
                job.row = item.held.batch
                if left <= 0 { break }
            }
        }
        try room.reindex.keep(job)
    }

    /// A job is done: a form that no accepted definition is left of has lost its last rows.
    private static func finish(_ job: ReindexJob, in room: inout Room) throws {
        try room.reindex.strike(job.subject)
        guard case .definition(let name) = job.subject,
            room.forms.catalog.definitions[name]?.isAccepted != true
        else { return }
        try room.installForms()
    }

    private struct Item {
        let held: HeldBatch
        let number: Int64
        let operations: Int
        /// Its author's standing when it was judged last.
        let note: String?
    }

    private static func batches(of job: ReindexJob, in room: Room) throws -> [Item] {
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
            guard let author = try room.devices.find(device) else { return [] }
            sql = """
                FROM _batch b LEFT JOIN _judged j ON j.batch = b.batch
                WHERE b.author = ?1 AND b.kind = 1 AND b.number BETWEEN ?2 AND ?3
                AND b.state = 0 AND (b.number, b.batch) > (?2, ?4) ORDER BY b.number, b.batch
                """
            values = [
                .integer(author), .integer(job.number), .integer(job.last), .integer(job.row),
            ]
        case .quarantined: return []
        }
        let statement = try room.database.prepare(
            """
            SELECT \(BatchLog.heldColumns), b.number, j.standing,
            \(BatchLog.operationsInBatch) \(sql) LIMIT \(page)
            """)
        try statement.bind(values)
        var items: [Item] = []
        while try statement.step() {
            items.append(
                Item(
                    held: try room.log.heldBatch(statement), number: statement.integer(5),
                    operations: Int(statement.integer(7)), note: statement.optionalText(6)))
        }
        return items
    }

    /// Merges batches of an author who has got a grant, as many as fit. What lies past a
    /// cutoff stays: the removal may turn out to count for nothing, and nobody else may have it.
    private static func takeIn(
        _ author: DeviceKey, _ left: inout Int, in room: inout Room
    ) throws {
        // The grant may have fallen since: what is merged now would be quarantined again.
        guard room.policy.judgement.isKnown(author) else {
            return try room.reindex.strike(.quarantined(author))
        }
        var group: [IncomingBatch] = []
        var rows: [Int64] = []
        var isFull = false
        let definitions = room.forms.definitions()
        let atOnce = room.reindex.operationsAtOnce
        try room.log.quarantine.each(of: author) { row, kind, head, bytes in
            guard left > 0 else { return false }
            if let kind, let head,
                try room.policy.isPastCutoff(
                    head, of: LogName(author: author, kind: kind), in: room.log)
            {
                return true
            }
            let batch = IncomingBatch(
                try room.log.readBatch(bytes, at: row), definitions: definitions)
            let cost = max(batch.body?.operationCount ?? 0, 1)
            isFull = cost > left && left < atOnce
            guard !isFull else { return false }
            left -= cost
            group.append(batch)
            rows.append(row)
            return true
        }
        for row in rows { try room.log.quarantine.remove(row) }
        if !group.isEmpty { _ = try room.merge(group) }
        if isFull { left = 0 }
        if group.isEmpty, !isFull { try room.reindex.strike(.quarantined(author)) }
    }
}
