import ShareCore
import Synchronization

/// A list of a room as it is now.
package struct RoomList: Hashable, Sendable {
    package let name: String
    package let columns: [String]
    package let rows: Int
    /// The version's number in this file.
    let number: Int64
    let parts: [Part]

    struct Part: Hashable, Sendable {
        let first: Int
        let number: Int64
    }

    /// The number of a row by its position in the list; nil behind the last.
    func row(_ position: Int) -> Int64? {
        guard (0..<rows).contains(position),
            let part = parts.last(where: { $0.first <= position })
        else { return nil }
        return ListText.row(LocalName(rawValue: part.number), position - part.first)
    }
}

/// Looks up rows of a room's lists, over a connection of its own.
///
/// Forms look up choices while they are evaluated, and cannot wait for a turn: a lookup takes
/// microseconds, and nothing here waits for the writer. Nothing of a list is kept in memory.
///
/// What cannot be read is not there for whoever looks it up: see `checked`.
package final class RoomLists: Sendable {
    private let path: String
    private let vfs: String?
    private let connection = Mutex<Connection?>(nil)
    /// For searches, which look at all rows: no lookup waits for them.
    private let searching = Mutex<Connection?>(nil)
    private let failures = Mutex(Failures())

    private struct Failures {
        var count = 0
        var last: (any Error)?
    }

    /// What is opened at the first lookup.
    // One thread at a time has it: it does not leave the lock.
    final class Connection: @unchecked Sendable {
        let database: Database
        /// The lists as they were at `version`, by the bytes of their names.
        private var known: [[UInt8]: RoomList]?
        /// The lists of entries that were looked up at `version`, by the bytes of their names.
        var forms: [[UInt8]: RoomEntries?] = [:]
        /// SQLite's number of what others have committed.
        private var version: Int64?

        init(_ database: Database) throws {
            self.database = database
            try database.define(RoomEntries.has) { RoomEntries.has($0) }
        }

        /// Forgets what is known where others have committed since.
        func refresh() throws {
            let now = try database.integer("PRAGMA data_version")
            guard now != version || now == nil else { return }
            (known, forms, version) = (nil, [:], now)
        }

        /// The lists as they are now.
        func lists() throws -> [[UInt8]: RoomList] {
            try refresh()
            if let known { return known }
            let lists = try database.snapshot {
                Dictionary(
                    try database.rows("SELECT list, name, rows FROM _list").compactMap { row in
                        try RoomLists.list(row, in: database).map { (Array($0.name.utf8), $0) }
                    }, uniquingKeysWith: { first, _ in first })
            }
            known = lists
            return lists
        }
    }

    /// The lists of the room in that file.
    package init(path: String, vfs: String? = nil) {
        self.path = path
        self.vfs = vfs
    }

    /// Nil where the file cannot be read.
    func read<R: Sendable>(_ body: (Connection) throws -> R) -> R? {
        connection.withLock { read(over: &$0, body) }
    }

    /// The same for what looks at all rows.
    func search<R: Sendable>(_ body: (Connection) throws -> R) -> R? {
        searching.withLock { read(over: &$0, body) }
    }

    private func read<R>(
        over connection: inout Connection?, _ body: (Connection) throws -> R
    ) -> R? {
        // A file that was made anew has other tables, or none; and a disk may have failed for a
        // moment: it is opened again, once.
        for isLast in [false, true] {
            do {
                let open =
                    try connection
                    ?? Connection(try Database(path: path, access: .readOnly, vfs: vfs))
                connection = open
                return try body(open)
            } catch {
                connection = nil
                if isLast {
                    failures.withLock { failures in
                        failures.count += 1
                        failures.last = error
                    }
                }
            }
        }
        return nil
    }

    /// How many lookups have failed so far.
    package var failed: Int { failures.withLock(\.count) }

    /// - Throws: The last error, where lookups have failed since there were so many.
    package func requireReading(since count: Int) throws {
        try failures.withLock { failures in
            if failures.count > count, let error = failures.last { throw error }
        }
    }

    /// The result of something that looks up rows.
    ///
    /// - Throws: The disk's error where a lookup has failed meanwhile: what has come of it says that
    ///   something is not there, and it is not known whether it is. Else what `body` throws.
    package func checked<R>(_ body: () throws -> R) throws -> R {
        let before = failed
        let result = Result { try body() }
        try requireReading(since: before)
        return try result.get()
    }

    /// All lists, by name.
    package func all() -> [RoomList] {
        let lists = read { try $0.lists() } ?? [:]
        return lists.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }

    /// The list of exactly that name; nil where there is none.
    package func list(_ name: String) -> RoomList? {
        read { try $0.lists()[Array(name.utf8)] } ?? nil
    }

    private static func list(_ row: [SQLValue], in database: Database) throws -> RoomList? {
        guard case .integer(let number) = row[0], case .text(let name) = row[1],
            case .integer(let rows) = row[2]
        else { return nil }
        let columns = try database.rows(
            "SELECT name FROM _list_column WHERE list = ?1 ORDER BY place", row[0]
        ).compactMap { row in if case .text(let name) = row[0] { name } else { nil } }
        let parts = try database.rows(
            "SELECT first, part FROM _list_part WHERE list = ?1 ORDER BY first", row[0]
        ).compactMap { row -> RoomList.Part? in
            guard case .integer(let first) = row[0], case .integer(let part) = row[1] else {
                return nil
            }
            return RoomList.Part(first: Int(first), number: part)
        }
        return RoomList(
            name: name, columns: columns, rows: Int(rows), number: number, parts: parts)
    }

    /// The cells of a row, in the order of the columns; nil where the list is another one by now.
    package func cells(of list: RoomList, row position: Int) -> [[UInt8]]? {
        guard let row = list.row(position) else { return nil }
        return read { connection in
            let statement = try connection.database.cached(
                "SELECT cells FROM _list_row WHERE row = ?1")
            try statement.bind([.integer(row)])
            defer { statement.reset() }
            return try statement.step() ? ListText.cells(statement.blob(0)) : nil
        } ?? nil
    }

    /// The positions of the rows with exactly this in a column, in order; at most `limit`.
    ///
    /// - Complexity: O(parts of the list + rows found).
    package func rows(
        of list: RoomList, where column: Int, equals text: [UInt8], limit: Int = .max
    ) -> [Int] {
        read { connection in
            let statement = try connection.database.cached(Self.lookup)
            try statement.bind([
                .integer(list.number), .integer(Int64(column)), .integer(ListText.hash(text)),
            ])
            defer { statement.reset() }
            var positions: [Int] = []
            while positions.count < limit, try statement.step() {
                // Other texts may have the same hash.
                guard ListText.hasCell(text, at: column, in: statement.blob(1)) else { continue }
                positions.append(Int(statement.integer(0)))
            }
            return positions
        } ?? []
    }

    /// A lookup in each part of the list, in the order of the rows.
    static let lookup = """
        SELECT p.first + (c.row - p.part * \(Limits.cellsPerPart)), r.cells
        FROM _list_part p CROSS JOIN _list_cell c CROSS JOIN _list_row r
        WHERE p.list = ?1 AND c.part = p.part AND c.place = ?2 AND c.hash = ?3 AND r.row = c.row
        ORDER BY p.first
        """

    /// The positions of the rows whose name or labels contain a text, whatever its case and marks;
    /// those that begin with it first.
    ///
    /// - Returns: At most `limit` of them, and how many there are in all.
    /// - Complexity: O(rows of the list).
    package func search(
        _ list: RoomList, _ text: String, limit: Int
    ) -> (positions: [Int], count: Int) {
        let wanted = FoldedText.fold(text)
        guard !wanted.isEmpty else {
            return (Array(0..<min(max(limit, 0), list.rows)), list.rows)
        }
        return search { connection in
            let statement = try connection.database.cached(Self.searching)
            try statement.bind([.integer(list.number), .text(wanted)])
            defer { statement.reset() }
            var (leading, others): ([Int], [Int]) = ([], [])
            var count = 0
            while try statement.step() {
                count += 1
                let position = Int(statement.integer(0))
                if statement.integer(1) == 1 {
                    if leading.count < limit { leading.append(position) }
                } else if others.count < limit {
                    others.append(position)
                }
            }
            return (Array((leading + others).prefix(limit)), count)
        } ?? ([], 0)
    }

    /// The rows of each part with a text in them, and whether a line begins with it.
    private static let searching = """
        SELECT p.first + (r.row - p.part * \(Limits.cellsPerPart)),
        substr(r.found, 1, length(?2)) = ?2 OR instr(r.found, char(10) || ?2) > 0
        FROM _list_part p CROSS JOIN _list_row r
        WHERE p.list = ?1
        AND r.row BETWEEN p.part * \(Limits.cellsPerPart)
        AND p.part * \(Limits.cellsPerPart) + p.rows - 1
        AND instr(r.found, ?2) > 0 ORDER BY p.first, r.row
        """
}
