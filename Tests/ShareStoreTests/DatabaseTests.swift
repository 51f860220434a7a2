import Testing

@testable import ShareStore

struct DatabaseTests {
    private let scratch = Scratch()

    @Test func `an error carries the statement and SQLite's words`() throws {
        let database = try Database(path: scratch.path("a"))
        let error = #expect(throws: SQLiteError.self) { try database.run("SELECT * FROM nowhere") }
        #expect(error?.sql == "SELECT * FROM nowhere")
        #expect(error?.message.contains("nowhere") == true)
    }

    @Test func `a strict table refuses another type, with the extended code`() throws {
        let database = try Database(path: scratch.path("a"))
        try database.execute("CREATE TABLE t(n INTEGER) STRICT")
        let error = #expect(throws: SQLiteError.self) {
            try database.run("INSERT INTO t VALUES(?1)", "x")
        }
        #expect(error?.primaryCode == 19)
        #expect(error?.code == 3_091)
    }

    @Test func `text keeps every byte, empty is not null`() throws {
        let database = try Database(path: scratch.path("a"))
        try database.execute("CREATE TABLE t(v ANY) STRICT")
        for text in ["", "a\0b", "\u{65}\u{301}", "\u{e9}", "🦋"] {
            try database.run("DELETE FROM t")
            try database.run("INSERT INTO t VALUES(?1)", .text(text))
            let back = try database.row("SELECT v, typeof(v) FROM t")
            #expect(back?[1] == "text")
            guard case .text(let read)? = back?[0] else { continue }
            #expect(Array(read.utf8) == Array(text.utf8))
        }
    }

    @Test func `a transaction that throws leaves nothing behind`() throws {
        struct Stop: Error {}
        let database = try Database(path: scratch.path("a"))
        try database.execute("CREATE TABLE t(n INTEGER) STRICT")
        #expect(throws: Stop.self) {
            try database.transaction {
                try database.run("INSERT INTO t VALUES(1)")
                throw Stop()
            }
        }
        #expect(try database.integer("SELECT count(*) FROM t") == 0)
        try database.transaction {
            try database.run("INSERT INTO t VALUES(1)")
            try? database.savepoint {
                try database.run("INSERT INTO t VALUES(2)")
                throw Stop()
            }
        }
        #expect(try database.integer("SELECT sum(n) FROM t") == 1)
    }

    @Test func `a mistake in a statement is no sign of a damaged file`() throws {
        let database = try Database(path: scratch.path("a"))
        try database.execute("CREATE TABLE t(n INTEGER) STRICT")
        let lacking = ["SELECT * FROM u", "SELECT m FROM t", "INSERT INTO t(m) VALUES(1)"]
        for sql in lacking {
            let error = #expect(throws: SQLiteError.self) { try database.run(sql) }
            #expect(error?.lacksSchema == true, "\(sql)")
        }
        for sql in ["SELEC 1", "SELECT abs(1, 2)", "SELECT nothing(1)"] {
            let error = #expect(throws: SQLiteError.self) { try database.run(sql) }
            #expect(error?.lacksSchema == false, "\(sql)")
        }
    }

    @Test func `a file that is in use cannot become another one, and says so`() throws {
        let (one, other) = (
            try Database(path: scratch.path("a")), try Database(path: scratch.path("b"))
        )
        for file in [one, other] { try file.execute("CREATE TABLE t(n INTEGER) STRICT") }
        let writer = try Database(path: scratch.path("a"))
        try writer.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES(1)")
        try one.execute("PRAGMA busy_timeout=10")
        let error = #expect(throws: SQLiteError.self) { try one.become(other) }
        #expect(error?.isPassing == true && error?.code != 0)
        try writer.execute("COMMIT")
        try one.become(other)
        #expect(try one.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `quotes in names stay names`() throws {
        let database = try Database(path: scratch.path("a"))
        let name = "a\"; DROP TABLE x; --"
        try database.execute("CREATE TABLE \(SQLName.quote(name))(n)")
        #expect(
            try database.row("SELECT name FROM sqlite_schema WHERE type = 'table'")
                == [.text(name)])
    }

    @Test func `steps run once and in order, and a newer file is left alone`() throws {
        let path = scratch.path("a")
        let first = Schema(steps: ["CREATE TABLE a(x)"])
        let second = Schema(steps: ["CREATE TABLE a(x)", "ALTER TABLE a ADD COLUMN y"])
        let database = try Database(path: path)
        try first.migrate(database)
        try second.migrate(database)
        try second.migrate(database)
        #expect(try database.integer("SELECT count(*) FROM pragma_table_info('a')") == 2)
        #expect(throws: StoreError.newerSchema(found: 2, known: 1)) {
            try first.migrate(database)
        }
        let third = Schema(first: 3, steps: ["CREATE TABLE a(x, y)"])
        #expect(throws: StoreError.olderSchema(found: 2, known: 3)) {
            try third.migrate(database)
        }
        let other = try Database(path: scratch.path("b"))
        try third.migrate(other)
        #expect(try third.check(other) == 3)
    }
}
