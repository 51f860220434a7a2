import ShareCore

/// What a search finds in one form.
package struct SearchGroup: Sendable {
    package let form: FormInfo
    /// The best first; at most as many as were asked for.
    package let hits: [RecordRow]
    /// How many there are; of very many only so many are counted.
    package let count: Int
    /// Whether there are more than `count`.
    package let hasMore: Bool
    /// Records that are not in the index yet: of these `scanned` were read one by one.
    package let unindexed: Int
    package let scanned: Int
}

extension RowFollower where Derivation == SearchDerivation {
    /// Finds the records of some forms that have a text, without regard to case and marks.
    ///
    /// What the index does not have yet is read from the room's file, the newest first.
    ///
    /// - Parameter limit: records that are given of each form.
    package func search(
        _ text: SearchText, in forms: [FormInfo], limit: Int
    ) throws -> [SearchGroup] {
        try read { files in
            try forms.map { try SearchScan(files, derivation, text, $0).group(limit: limit) }
        }
    }
}

/// One search in one form.
private struct SearchScan {
    let files: FollowedFiles
    let derivation: SearchDerivation
    let text: SearchText
    let form: FormInfo

    /// Records that are ranked, and those that are read one by one, at most.
    private static let mostFound = 1_000
    private static let mostScanned = 200_000
    private static let scannedAtOnce = 5_000

    init(
        _ files: FollowedFiles, _ derivation: SearchDerivation, _ text: SearchText,
        _ form: FormInfo
    ) {
        self.files = files
        self.derivation = derivation
        self.text = text
        self.form = form
    }

    private struct Found {
        let rank: Int
        let row: Int64
        /// Where it was read already.
        var record: RecordRow?
    }

    func group(limit: Int) throws -> SearchGroup {
        let stale = Set(try files.stale(form))
        var found = try indexed(besides: stale)
        let (more, unindexed, scanned) = try scan(stale)
        found += try inEntries(more)
        let hasMore = found.count > Self.mostFound
        found.sort { ($0.rank, $1.row) < ($1.rank, $0.row) }
        let best = found.prefix(limit)
        let missing = best.filter { $0.record == nil }.map(\.row)
        let read = Dictionary(
            try files.rows(missing, of: form).map { ($0.row, $0.record) },
            uniquingKeysWith: { first, _ in first })
        return SearchGroup(
            form: form, hits: best.compactMap { $0.record ?? read[$0.row] },
            count: min(found.count, Self.mostFound), hasMore: hasMore, unindexed: unindexed,
            scanned: scanned)
    }

    /// Without rows that are left in an entry that is deleted.
    private func inEntries(_ found: [Found]) throws -> [Found] {
        guard form.form.isRepeat, !found.isEmpty else { return found }
        var sql = try RecordSQL(form, RowFunctions(), in: files.room)
        let condition = try sql.whereClause([])
        guard !condition.isEmpty else { return found }
        let numbers = found.map { String($0.row) }.joined(separator: ",")
        let statement = try files.room.prepare(
            """
            SELECT rowid FROM \(SQLName.quote(form.table))\(condition)
            AND rowid IN (SELECT value FROM json_each(?1))
            """)
        try statement.bind([.text("[\(numbers)]")])
        // What is on this device alone is in no table.
        var shown: Set<Int64> = [.max]
        while try statement.step() { shown.insert(statement.integer(0)) }
        return found.filter { shown.contains($0.row) }
    }

    /// What the index has and shows, of very many the latest: at least one more than are counted.
    ///
    /// - Parameter stale: rows that are not as they were.
    private func indexed(besides stale: Set<Int64>) throws -> [Found] {
        guard try SearchDerivation.hasTables(form.number, files.derived) else { return [] }
        var found: [Found] = []
        var before = Int64.max
        var limit = Self.mostFound + 1
        while found.count <= Self.mostFound {
            let page = try indexed(before: before, limit: limit)
            found += try inEntries(page.filter { !stale.contains($0.row) })
            guard let last = page.last, page.count == limit else { break }
            before = last.row
            // Each look goes through what is deleted: where very much is, there are few of them.
            limit = min(limit * 4, Self.mostScanned)
        }
        return found
    }

    /// The latest entries that fit, as they are most likely meant.
    private func indexed(before row: Int64, limit: Int) throws -> [Found] {
        let entry = SearchDerivation.entries(form.number)
        let words = SearchDerivation.words(form.number)
        let statement: Statement
        if let query = text.query {
            statement = try files.derived.prepare(
                """
                SELECT e.row, e.text FROM \(words) w JOIN \(entry) e ON e.row = w.rowid
                WHERE w.\(words) MATCH ?3 AND w.rowid < ?2 AND instr(e.text, ?1) > 0
                ORDER BY w.rowid DESC LIMIT \(limit)
                """)
            try statement.bind([.text(text.folded), .integer(row), .text(query)])
        } else {
            statement = try files.derived.prepare(
                """
                SELECT row, text FROM \(entry) WHERE row < ?2 AND instr(text, ?1) > 0
                ORDER BY row DESC LIMIT \(limit)
                """)
            try statement.bind([.text(text.folded), .integer(row)])
        }
        var found: [Found] = []
        while try statement.step() {
            let rank = text.rank(statement.text(1)) ?? 3
            found.append(Found(rank: rank, row: statement.integer(0)))
        }
        return found
    }

    /// Records that are not in the index, or not as they are now; and entries of this device that
    /// are in no table.
    private func scan(
        _ stale: Set<Int64>
    ) throws -> (found: [Found], unindexed: Int, scanned: Int) {
        let texts = derivation.texts(of: form)
        var found: [Found] = []
        var scanned = 0
        func look(_ row: Int64, _ record: RecordRow) {
            scanned += 1
            guard found.count <= Self.mostFound,
                let rank = text.rank(SearchText.entry(texts(record)))
            else { return }
            found.append(Found(rank: rank, row: row, record: record))
        }
        try files.each(stale.sorted(), of: form) { rows in
            for row in rows { look(row.row, row.record) }
        }
        let unindexed = try files.behind(form)
        var before: Int64?
        while scanned < Self.mostScanned {
            let page = try files.newest(form, before: before, limit: Self.scannedAtOnce)
            for row in page { look(row.row, row.record) }
            guard let last = page.last, page.count == Self.scannedAtOnce else { break }
            before = last.row
        }
        let read = scanned
        for record in try WithheldEntries(database: files.room).rows(of: form) {
            look(.max, record)
        }
        return (found, unindexed, read)
    }
}
