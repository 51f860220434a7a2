import Foundation
import ShareCore
import Testing

@testable import ShareStore

/// A room's file that is copied, or put in the place of another.
struct LiveFileTests {
    /// What another program does that looks at the file: it opens it for writing, and closes it.
    private func lookFromOutside(_ path: String) throws {
        let script = """
            import sqlite3, sys
            database = sqlite3.connect(sys.argv[1])
            database.execute("SELECT count(*) FROM _batch").fetchall()
            database.close()
            """
        let process = try Process.run(
            URL(filePath: "/usr/bin/python3"), arguments: ["-c", script, path])
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test func `what is entered after a rebuild with a loss is in the file, whoever looks at it`()
        async throws
    {
        let bench = try Bench()
        let form = try bench.addForm()
        for name in ["Ann", "Bo"] {
            try bench.founder.append([bench.row(form, name, 1)], wall: bench.wall)
        }
        let path = bench.founder.path
        let store = try RoomStore(path: path, identity: bench.founder.identity)
        try Database(path: path).execute(
            "DELETE FROM _pending WHERE operation = (SELECT max(operation) FROM _pending)")
        let kept = try #require(try await store.rebuild().kept)
        #expect(try Database(path: kept).rows("SELECT name FROM visit") == [["Ann"], ["Bo"]])
        try lookFromOutside(path)
        try await store.append([bench.row(form, "Cy", 1)], wall: bench.wall)
        #expect(try Database(path: path).rows("SELECT name FROM visit") == [["Ann"], ["Cy"]])
    }

    /// A copy of a room's file with an entry that is in its log alone.
    private func fileWithLog(_ bench: Bench) throws -> String {
        let form = try bench.addForm()
        try bench.founder.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try bench.founder.append([bench.row(form, "Ann", 1)], wall: bench.wall)
        let path = bench.scratch.path("copy.sqlite")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: bench.founder.path + suffix, toPath: path + suffix)
        }
        return path
    }

    @Test(arguments: [[], ["-wal"]])
    func `a file that was being replaced when the power went is as it was`(gone: [String])
        async throws
    {
        let bench = try Bench()
        let path = try fileWithLog(bench)
        let name = try RoomFiles.keep(path)
        #expect(name == path + ".damaged-1")
        for suffix in gone { #expect(unlink(path + suffix) == 0) }
        let room = try RoomStore(path: path, identity: bench.founder.identity)
        #expect(try await room.counts().records == 1)
        for suffix in RoomFiles.companions { #expect(!RoomFiles.exists(name + suffix)) }
    }

    @Test func `a file that makes way takes its log along, and no other's name`() throws {
        let bench = try Bench()
        let path = try fileWithLog(bench)
        try Data("left over".utf8).write(to: URL(filePath: path + ".damaged-1-wal"))
        let made = bench.scratch.path("made.sqlite")
        try Database(path: made).execute("CREATE TABLE made(x)")
        let kept = try #require(try RoomFiles.replace(path, with: made))
        #expect(kept == path + ".damaged-2")
        #expect(try Database(path: kept).rows("SELECT name FROM visit") == [["Ann"]])
        #expect(try Database(path: path).rows("SELECT count(*) FROM made") == [[0]])
        #expect(try RoomFiles.moveAside(path) == path + ".damaged-3")
        for suffix in RoomFiles.companions { #expect(!RoomFiles.exists(path + suffix)) }
    }
}
