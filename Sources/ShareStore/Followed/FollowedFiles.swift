import ShareCore

/// A room's file and, beside it, what was derived from its rows, with how far that goes.
package final class FollowedFiles {
    /// The room's file, to be read.
    let room: Database
    let devices: DeviceTable
    /// The file with the derived data.
    let derived: Database
    /// Whether rows are read with the version of their form under which they were made.
    private let readsOrigins: Bool

    /// Where the derived data of a room's file is.
    static func path(besides room: String, _ suffix: String) -> String {
        (room.hasSuffix(".sqlite") ? String(room.dropLast(7)) : room) + "." + suffix
    }

    /// Whether a file is one with derived data, by its name.
    package static func isDerived(_ path: String) -> Bool {
        [FlagDerivation.ending, SearchDerivation.ending].contains { path.hasSuffix("." + $0) }
    }

    init(room path: String, _ derivation: some RowDerivation) throws {
        room = try Database(path: path, access: .readOnly)
        try Schema.room.check(room)
        devices = DeviceTable(room)
        readsOrigins = derivation.readsOrigins
        let name = FollowedFiles.path(besides: path, derivation.suffix)
        let tables = FollowedFiles.tables + derivation.tables
        if let found = try FollowedFiles.open(name, with: tables) {
            derived = found
            try FollowedFiles.prepare(derived)
        } else {
            RoomFiles.remove(name)
            derived = try Database(path: name)
            try FollowedFiles.prepare(derived)
            try derived.transaction {
                try derived.execute(tables)
                try derived.run("INSERT INTO _tables VALUES(?1)", .text(tables))
            }
        }
    }

    /// What a power cut takes is derived again: no commit waits for the disk.
    private static func prepare(_ file: Database) throws {
        try file.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL")
    }

    /// How far the data goes: the last line of `_touched`, and for each form the last row.
    private static let tables = """
        CREATE TABLE _tables(text TEXT NOT NULL) STRICT;
        CREATE TABLE _cursor(touch INTEGER NOT NULL) STRICT;
        INSERT INTO _cursor VALUES(-1);
        CREATE TABLE _followed(
            form INTEGER PRIMARY KEY, basis TEXT NOT NULL, row INTEGER NOT NULL) STRICT;

        """

    /// The file, if it has these tables; another one is closed when this returns, and may go.
    private static func open(_ path: String, with tables: String) throws -> Database? {
        do {
            let found = try Database(path: path)
            return try self.tables(of: found) == tables ? found : nil
        } catch let error as SQLiteError where error.isCorrupt {
            return nil
        }
    }

    /// Nil for a file without any.
    private static func tables(of file: Database) throws -> String? {
        do {
            let row = try file.row("SELECT text FROM _tables")
            return if case .text(let text)? = row?.first { text } else { nil }
        } catch  where error.lacksSchema {
            return nil
        }
    }

    // MARK: Steps

    /// Takes some rows.
    ///
    /// - Returns: whether more is left.
    func step(_ forms: [FormInfo], _ derivation: some RowDerivation) throws -> Bool {
        try room.snapshot {
            try derived.transaction {
                try begin(forms, derivation)
                return try takeTouched(forms, derivation) || takeNew(forms, derivation)
                    || derivation.finish(forms, in: self)
            }
        }
    }

    /// Rows taken in one step.
    static let rowsAtOnce = 1_000
    /// Rows that are in memory at once, and about so many bytes of their values.
    static let rowsInMemory = 256
    static let bytesInMemory = 4 << 20

    /// Drops what does not hold any more: all, where lines of `_touched` were missed; forms that
    /// are gone, or whose data would now be other.
    private func begin(_ forms: [FormInfo], _ derivation: some RowDerivation) throws {
        let range = try room.row("SELECT min(touch), max(touch) FROM _touched")
        guard case .integer(let first)? = range?[0], case .integer(let last)? = range?[1] else {
            throw StoreError.damaged("the changed rows of a room")
        }
        var followed = try bases()
        let cursor = try touch
        if cursor < first - 1 || cursor > last {
            for form in followed.keys { try forget(form, derivation) }
            followed = [:]
            try derived.run("UPDATE _cursor SET touch = ?1", .integer(last))
        }
        for form in forms {
            let basis = try derivation.basis(of: form)
            if let known = followed.removeValue(forKey: form.number) {
                if known == basis { continue }
                try forget(form.number, derivation)
            }
            try derived.run(
                "INSERT INTO _followed VALUES(?1, ?2, 0)", .integer(form.number), .text(basis))
        }
        for form in followed.keys { try forget(form, derivation) }
    }

    private func forget(_ form: Int64, _ derivation: some RowDerivation) throws {
        try derivation.removeAll(of: form, from: derived)
        try derived.run("DELETE FROM _followed WHERE form = ?1", .integer(form))
    }

    /// Takes anew what has changed since it was taken: all of it, as from then on the numbers of
    /// last rows that have gone are free for new ones.
    ///
    /// - Returns: whether there was anything.
    private func takeTouched(
        _ forms: [FormInfo], _ derivation: some RowDerivation
    ) throws -> Bool {
        let lines = try room.rows(
            "SELECT touch, form, row FROM _touched WHERE touch > ?1 ORDER BY touch",
            .integer(try touch))
        guard case .integer(let last)? = lines.last?[0] else { return false }
        var touched: [Int64: Set<Int64>] = [:]
        for line in lines {
            guard case .integer(let form) = line[1], case .integer(let row) = line[2] else {
                continue
            }
            touched[form, default: []].insert(row)
        }
        for form in forms {
            guard let lines = touched[form.number] else { continue }
            // Where last rows have gone, those behind them are new.
            let passed = try position(in: form)
            let kept = lines.filter { $0 < 0 }.map { -1 - $0 }.min().map { min($0, passed) }
            let rows = lines.filter { $0 > 0 && $0 <= passed }.sorted()
            try derivation.remove(rows, of: form.number, from: derived)
            let there = rows.filter { $0 <= kept ?? passed }
            try each(there, of: form) { try derivation.add($0, of: form, to: derived) }
            if let kept { try setPosition(kept, in: form) }
        }
        try derived.run("UPDATE _cursor SET touch = ?1", .integer(last))
        return true
    }

    /// Takes the next new rows of the first form that has some.
    ///
    /// - Returns: whether there may be more.
    private func takeNew(_ forms: [FormInfo], _ derivation: some RowDerivation) throws -> Bool {
        for form in forms where try takeNew(form, derivation) { return true }
        return false
    }

    private func takeNew(_ form: FormInfo, _ derivation: some RowDerivation) throws -> Bool {
        let (rows, isCut) = try unfollowed(
            form, after: try position(in: form), limit: Self.rowsAtOnce, bytes: Self.bytesInMemory)
        guard let last = rows.last else { return false }
        try derivation.add(rows, of: form, to: derived)
        try setPosition(last.row, in: form)
        return isCut
    }

    // MARK: How far it goes

    private var touch: Int64 {
        get throws { try derived.integer("SELECT touch FROM _cursor") ?? -1 }
    }

    private func bases() throws -> [Int64: String] {
        var bases: [Int64: String] = [:]
        for row in try derived.rows("SELECT form, basis FROM _followed") {
            if case .integer(let form) = row[0], case .text(let basis) = row[1] {
                bases[form] = basis
            }
        }
        return bases
    }

    func position(in form: FormInfo) throws -> Int64 {
        try derived.integer(
            "SELECT row FROM _followed WHERE form = ?1", .integer(form.number)) ?? 0
    }

    private func setPosition(_ row: Int64, in form: FormInfo) throws {
        try derived.run(
            "UPDATE _followed SET row = ?2 WHERE form = ?1", .integer(form.number), .integer(row))
    }

    /// How many rows of a form are not followed yet, those that have changed since among them.
    func behind(_ form: FormInfo) throws -> Int {
        let new = try room.integer(
            "SELECT count(*) FROM \(SQLName.quote(form.table)) WHERE rowid > ?1",
            .integer(try position(in: form)))
        return Int(new ?? 0) + (try stale(form).count)
    }

    /// The rows of a form that were taken and have changed since.
    func stale(_ form: FormInfo) throws -> [Int64] {
        try room.rows(
            """
            SELECT DISTINCT row FROM _touched
            WHERE touch > ?1 AND form = ?2 AND row BETWEEN 1 AND ?3
            """,
            .integer(try touch), .integer(form.number), .integer(try position(in: form))
        ).compactMap { if case .integer(let row) = $0[0] { row } else { nil } }
    }

    // MARK: Rows

    /// New rows of a form that are not followed yet, by number, and whether there may be more.
    func unfollowed(
        _ form: FormInfo, after row: Int64, limit: Int, bytes: Int = .max
    ) throws -> (rows: [FollowedRow], isCut: Bool) {
        try rows(of: form, "rowid > ?1 ORDER BY rowid", [row], limit: limit, bytes: bytes)
    }

    /// The last new rows of a form that are not followed yet, the newest first.
    ///
    /// - Parameter before: where to go on; nil for the newest.
    func newest(_ form: FormInfo, before: Int64?, limit: Int) throws -> [FollowedRow] {
        try rows(
            of: form, "rowid > ?1 AND rowid < ?2 ORDER BY rowid DESC",
            [try position(in: form), before ?? .max], limit: limit
        ).rows
    }

    /// - Returns: also whether there may be more.
    private func rows(
        of form: FormInfo, _ wanted: String, _ values: [Int64], limit: Int, bytes most: Int = .max
    ) throws -> (rows: [FollowedRow], isCut: Bool) {
        var columns = columns(of: form, from: 1)
        let statement = try room.prepare(
            """
            SELECT rowid, \(columns.sql) FROM \(SQLName.quote(form.table))
            WHERE \(wanted) LIMIT \(limit)
            """)
        try statement.bind(values.map { .integer($0) })
        var rows: [FollowedRow] = []
        var bytes = 0
        while bytes < most, try statement.step() {
            rows.append(
                FollowedRow(row: statement.integer(0), record: try columns.row(statement)))
            bytes += rows[rows.count - 1].bytes
        }
        return (rows, rows.count == limit || bytes >= most)
    }

    private func columns(of form: FormInfo, from first: Int32 = 0) -> RecordColumns {
        // Of one version all were made.
        RecordColumns(
            form, devices, from: first, hasOrigins: readsOrigins && form.accepted.count > 1)
    }

    /// Gives those of some rows of a form that are there, in parts.
    func each(
        _ numbers: [Int64], of form: FormInfo, _ body: ([FollowedRow]) throws -> Void
    ) throws {
        var columns = columns(of: form)
        let statement = try room.prepare(
            "SELECT \(columns.sql) FROM \(SQLName.quote(form.table)) WHERE rowid = ?1")
        var rows: [FollowedRow] = []
        var bytes = 0
        for number in numbers {
            try statement.bind([.integer(number)])
            if try statement.step() {
                rows.append(FollowedRow(row: number, record: try columns.row(statement)))
                bytes += rows[rows.count - 1].bytes
            }
            statement.clear()
            if rows.count == Self.rowsInMemory || bytes >= Self.bytesInMemory {
                try body(rows)
                (rows, bytes) = ([], 0)
            }
        }
        if !rows.isEmpty { try body(rows) }
    }

    /// Those of a few rows of a form that are there.
    func rows(_ numbers: [Int64], of form: FormInfo) throws -> [FollowedRow] {
        var rows: [FollowedRow] = []
        try each(numbers, of: form) { rows += $0 }
        return rows
    }
}
