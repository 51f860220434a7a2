import ShareCore
import ShareCrypto

/// Compares the tables of a file with those that were made anew from its batches, row by row, in
/// step: no table is ever in memory.
struct TableComparison {
    let source: Database
    let made: Database
    private(set) var findings = FindingList()

    init(_ source: Database, with made: Database) {
        self.source = source
        self.made = made
    }

    /// All derived tables, their columns and indexes.
    mutating func run() throws {
        try compareSchema()
        for table in Self.bookkeeping + Self.derived { try compare(table) }
        try compareForms()
        try compareMeta()
    }

    /// Only what a rebuild of the tables leaves alone: indexes, internal tables, heads.
    mutating func runOverBookkeeping() throws {
        try compareSchema()
        for table in Self.bookkeeping { try compare(table) }
    }

    /// A table, or what of it is compared, in a form that is alike in both files.
    struct Table {
        let name: String
        /// How many of the columns are the key, first of all, that both sides are ordered by.
        let keys: Int
        let columns: [String]
        let sql: String
        /// The column that names operations, also by the open batch that they were made in.
        var parents: Int? = nil
    }

    private mutating func compareForms() throws {
        let forms = try made.rows(
            "SELECT form, table_name FROM _form WHERE table_name IS NOT NULL ORDER BY 2")
        for row in forms {
            guard case .integer(let form) = row[0], case .text(let table) = row[1] else { continue }
            let fields = try made.rows(
                "SELECT DISTINCT column_name FROM _field WHERE form = ?1 ORDER BY 1", .integer(form)
            ).compactMap { row -> String? in
                if case .text(let name) = row[0] { name } else { nil }
            }
            let names = ["_id", "_author", "_created", "_updated", "_state", "_clock"] + fields
            let columns = names.map { $0 == "_author" ? DeviceTable.authorID : SQLName.quote($0) }
                .joined(separator: ",")
            // A version that stands alone is named by its row; one with a past by its record's
            // number, which is each file's own, also where the others have gone again.
            let version = """
                CASE WHEN t._version > 0 THEN t._version ELSE coalesce((
                    SELECT CASE WHEN count(*) = 1 THEN max(v.version) ELSE -1 END
                    FROM _version v WHERE v.record = -t._version), -1) END
                """
            try compare(
                Table(
                    name: table, keys: 2, columns: names + ["_version"],
                    sql: "SELECT \(columns), \(version) FROM \(SQLName.quote(table)) t"
                        + " ORDER BY 1, 2"))
        }
    }

    private mutating func compareMeta() throws {
        let sum = "SELECT value FROM _meta WHERE key = 'records_digest'"
        if try source.row(sum)?.first != made.row(sum)?.first {
            findings.add(
                "_meta", "the digest is not that of the records that the batches come to", .rebuild,
                follows: true)
        }
        let clock = "SELECT value FROM _meta WHERE key = 'clock'"
        if let noted = try source.integer(clock), let reached = try made.integer(clock),
            noted < reached
        {
            findings.add(
                "_meta", "the clock is behind the operations that are held", .rebuild,
                follows: true)
        }
    }

    /// Indexes and internal tables by their text; nothing but those may act on the file.
    private mutating func compareSchema() throws {
        let sql = """
            SELECT type, name, sql FROM sqlite_schema
            WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND (type <> 'table' OR name LIKE '\\_%' ESCAPE '\\')
            """
        var expected: [String: SQLValue] = [:]
        for row in try made.rows(sql) {
            if case .text(let name) = row[1] { expected[name] = row[2] }
        }
        for row in try source.rows(sql) {
            guard case .text(let kind) = row[0], case .text(let name) = row[1] else { continue }
            if let text = expected.removeValue(forKey: name) {
                if text != row[2] {
                    findings.add(
                        "\(kind) \(name)", "the \(kind) is made otherwise than it should", .rebuild,
                        follows: true)
                }
            } else if kind == "index" || kind == "view" {
                // Somebody's own index only costs space. Views of forms come with their tables.
                continue
            } else {
                findings.add(
                    "\(kind) \(name)", "a \(kind) does not belong into this file: \(name)", .rebuild
                )
            }
        }
        for name in expected.keys.sorted() {
            findings.add(name, "it is missing", .rebuild, follows: true)
        }
    }

    // MARK: Rows in step

    /// Nil where the file has no such table.
    private func rows(of table: Table) throws -> Statement? {
        do {
            return try source.prepare(table.sql)
        } catch {
            if error.lacksSchema { return nil }
            throw error
        }
    }

    private mutating func compare(_ table: Table) throws {
        guard let ours = try rows(of: table) else {
            findings.add(
                table.name, "it is missing, or has other columns", .rebuild, follows: true)
            return
        }
        let theirs = try made.prepare(table.sql)
        var one = try next(ours)
        var other = try next(theirs)
        while one != nil || other != nil {
            try Task.checkCancellation()
            let order = Self.order(one, other, table.keys)
            if order == 0, let row = one, let wanted = other {
                for column in row.indices where row[column] != wanted[column] {
                    if column == table.parents, try sealed(row[column]) == wanted[column] {
                        continue
                    }
                    findings.add(
                        table.position(of: row),
                        "\(table.columns[column]) is not what the batches come to", .rebuild,
                        follows: true)
                }
            } else if order < 0, let row = one {
                findings.add(
                    table.position(of: row), "no batch comes to that row", .rebuild, follows: true)
            } else if let row = other {
                findings.add(table.position(of: row), "the row is missing", .rebuild, follows: true)
            }
            if order <= 0 { one = try next(ours) }
            if order >= 0 { other = try next(theirs) }
        }
    }

    /// Parents with the names that batches got since, as an entry that was made here keeps naming
    /// the batch that was open then.
    private func sealed(_ parents: SQLValue) throws -> SQLValue {
        guard case .blob(let bytes) = parents else { return parents }
        let names = try bytes.withUnsafeBytes { OperationName.names($0) }.map { name in
            guard let open = name.batch.openBatch,
                case .blob(let id)? = try source.row(
                    "SELECT id FROM _batch WHERE batch = ?1", .integer(open))?.first,
                let digest = Digest(id)
            else { return name }
            return OperationName(batch: BatchID(digest), index: name.index)
        }
        return .blob(names.flatMap(\.key))
    }

    private func next(_ statement: Statement) throws -> [SQLValue]? {
        guard try statement.step() else { return nil }
        return (0..<statement.columnCount).map { statement.value($0) }
    }

    /// Below 0: the first comes first. A side that has ended comes last.
    private static func order(_ one: [SQLValue]?, _ other: [SQLValue]?, _ keys: Int) -> Int {
        guard let one else { return 1 }
        guard let other else { return -1 }
        for key in 0..<keys where one[key] != other[key] {
            return one[key].precedes(other[key]) ? -1 : 1
        }
        return 0
    }
}

extension TableComparison.Table {
    /// A row's table and key, for people.
    fileprivate func position(of row: [SQLValue]) -> String {
        let key = row.prefix(keys).map { value in
            switch value {
            case .null: "NULL"
            case .integer(let value): "\(value)"
            case .real(let value): "\(value)"
            case .text(let value): String(value.prefix(64))
            case .blob(let bytes): String(Base32.encode(bytes).prefix(8))
            }
        }
        return ([name] + key).joined(separator: " ")
    }
}

extension SQLValue {
    /// In the order in which SQLite sorts: null, numbers, text, blobs.
    fileprivate func precedes(_ other: SQLValue) -> Bool {
        switch (self, other) {
        case (.integer(let a), .integer(let b)): a < b
        case (.real(let a), .real(let b)): a < b
        case (.integer(let a), .real(let b)): Double(a) < b
        case (.real(let a), .integer(let b)): a < Double(b)
        case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        case (.blob(let a), .blob(let b)): a.lexicographicallyPrecedes(b)
        default: rank < other.rank
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }
}
