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
}
