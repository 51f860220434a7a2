/// The result of making a damaged `node.sqlite` anew.
package struct NodeMending: Hashable, Sendable {
    /// The path of the damaged file, which is kept.
    package let kept: String
    /// The tables of which rows are lost, or may be.
    package let lost: [String]

    /// The names of the tables for people, in the order of the schema.
    package var words: [String] {
        NodeMending.tables.filter { lost.contains($0.name) }.map(\.words)
    }

    /// All that a file holds, for people.
    package static var allWords: [String] { tables.map(\.words) }

    private static let tables = [
        (name: "setting", key: "rowid", words: "the current room and the port"),
        (name: "room", key: "rowid", words: "names of rooms, autopush, and rooms being joined"),
        (name: "device", key: "rowid", words: "addresses of other devices"),
        (name: "invite", key: "rowid", words: "invites"),
        (name: "founding", key: "rowid", words: "which rooms were being filled again"),
        (name: "meeting", key: "room, device", words: "when members were met last"),
        (name: "search", key: "rowid", words: "the last searches"),
    ]

    /// Opens `node.sqlite`, and makes it anew where it is damaged: the damaged file is moved aside,
    /// and every row that can be read is taken over.
    ///
    /// Rooms need none of it: they are found by their files. So damage in here stops no daemon.
    /// - Throws: `StoreError.newerSchema`, which changes nothing; `SQLiteError`.
    static func open(_ path: String, vfs: String? = nil) throws -> (Database, NodeMending?) {
        try RoomFiles.settle(path)
        for _ in 0..<looks {
            do {
                let database = try prepared(path, vfs)
                if try isSound(database) { return (database, nil) }
            } catch let error as SQLiteError where error.isDamage {}
        }
        let kept = try RoomFiles.moveAside(path)
        let database = try prepared(path, vfs)
        let lost = try database.transaction {
            tables.filter { !copy($0.name, by: $0.key, kept, database) }.map(\.name)
        }
        return (database, NodeMending(kept: kept, lost: lost))
    }

    /// What a disk cannot read for a moment is not damaged: it is looked at so often.
    private static let looks = 2

    private static func prepared(_ path: String, _ vfs: String?) throws -> Database {
        try Database.opening {
            let database = try Database(path: path, vfs: vfs)
            try database.makeDurable()
            try Schema.node.migrate(database)
            return (database, database)
        }
    }

    /// Whether all pages are what they should be, and all tables are there.
    private static func isSound(_ database: Database) throws -> Bool {
        guard case .text("ok")? = try database.rows("PRAGMA integrity_check(1)").first?.first else {
            return false
        }
        for table in tables { _ = try database.row("SELECT * FROM \(table.name) LIMIT 1") }
        return true
    }

    /// Takes over the rows of a table that can be read, from its beginning and from its end, up to
    /// what is damaged.
    ///
    /// - Returns: whether these are all.
    private static func copy(
        _ table: String, by key: String, _ path: String, _ target: Database
    ) -> Bool {
        guard let source = try? Database(path: path) else { return false }
        var isWhole = true
        for order in ["", "DESC"] {
            let columns = key.split(separator: ",").map { "\($0) \(order)" }
                .joined(separator: ",")
            do {
                let statement = try source.prepare(
                    "SELECT * FROM \(table) NOT INDEXED ORDER BY \(columns)")
                let marks = (1...statement.columnCount).map { "?\($0)" }.joined(separator: ", ")
                let insert = try target.prepare("INSERT OR IGNORE INTO \(table) VALUES(\(marks))")
                while try statement.step() {
                    try insert.bind((0..<statement.columnCount).map { statement.value($0) })
                    // A row that has become something else is none of the table's.
                    if (try? insert.step()) == nil { isWhole = false }
                    insert.clear()
                }
                return isWhole
            } catch {
                isWhole = false
            }
        }
        return false
    }
}
