import Foundation
import ShareCore
import Testing

@testable import ShareStore

/// Entries that nobody else has yet, in a file whose pages are damaged.
struct SalvageTests {
    /// Makes the pages unreadable that hold these bytes.
    private func breakPages(of path: String, holding text: String) throws {
        let database = try Database(path: path)
        _ = try database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        let size = Int(try database.integer("PRAGMA page_size") ?? 4_096)
        var file = try Data(contentsOf: URL(fileURLWithPath: path))
        var start = 0
        while let found = file.range(of: Data(text.utf8), in: start..<file.count) {
            let page = found.lowerBound / size * size
            file.replaceSubrange(page..<page + 8, with: Data(count: 8))
            start = page + size
        }
        #expect(start > 0)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        handle.write(file)
        try handle.close()
    }

    @Test func `entries on sound pages outlive a page between them`() async throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let path = bench.founder.path
        let count = 400
        for number in 1...count {
            let name = "entry-\(number)-" + String(repeating: "x", count: 200)
            try bench.founder.append([bench.row(form, name, 1)], wall: bench.wall)
        }
        // The form's own table goes with it, which a rebuild makes anew.
        let store = try RoomStore(path: path, identity: bench.founder.identity)
        try breakPages(of: path, holding: "entry-200-")
        let report = try await store.rebuild()
        let kept = try #require(report.kept)
        #expect(FileManager.default.fileExists(atPath: kept))
        let counts = try await store.counts()
        #expect(counts.pending > count * 9 / 10 && counts.pending < count, "\(counts.pending)")
        let check = try await store.check()
        let findings = try await check.run(scratch: path + ".check") { _, _ in }
        #expect(findings == [])
        #expect(try await store.seal(wall: bench.wall).isEmpty == false)
    }

    @Test(arguments: [
        "DELETE FROM _batch WHERE state = 1",
        "DELETE FROM _device WHERE device = (SELECT author FROM _batch WHERE state = 1)",
    ])
    func `entries outlive the rows that they belong to`(damage: String) async throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let device = try bench.device()
        try Bench.merge(try Bench.batches(of: bench.founder), into: device)
        for name in ["Ann", "Bo"] {
            try device.append([bench.row(form, name, 1)], wall: bench.wall)
        }
        let store = try RoomStore(path: device.path, identity: device.identity)
        try Database(path: device.path).execute(damage)
        #expect(try await store.rebuild().kept == nil)
        #expect(try await store.counts().pending == 2)
        let sealed = try await store.seal(wall: bench.wall)
        try Bench.merge(sealed, into: bench.founder)
        #expect(
            try bench.founder.rows("SELECT name FROM visit ORDER BY 1") == [
                ["Ann"], ["Bo"],
            ])
    }

    @Test func `what a rebuild that was killed has left is cleared at the next start`() async throws
    {
        let bench = try Bench()
        let form = try bench.addForm()
        try bench.founder.append([bench.row(form, "Ann", 1)], wall: bench.wall)
        // In the middle of a transaction, with its journal.
        let half = bench.scratch.path("half")
        let database = try Database(path: half)
        try database.execute("CREATE TABLE t(x); BEGIN; INSERT INTO t VALUES(zeroblob(100000))")
        let left = bench.founder.path + ".remade"
        for suffix in ["", "-journal"] {
            try FileManager.default.copyItem(atPath: half + suffix, toPath: left + suffix)
        }
        let store = try RoomStore(path: bench.founder.path, identity: bench.founder.identity)
        for suffix in ["", "-journal"] {
            #expect(!FileManager.default.fileExists(atPath: left + suffix))
        }
        #expect(try await store.counts().records == 1)
    }
}
