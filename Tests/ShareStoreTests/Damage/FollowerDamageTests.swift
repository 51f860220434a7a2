import Foundation
import ShareCore
import Testing

@testable import ShareStore

/// Damaged pages in the file of a room, or in one with what was derived from it.
struct FollowerDamageTests {
    private func add(_ count: Int, to form: OperationName, in bench: Bench) throws {
        let rows: [[FieldValue]] = (0..<count).map { [.text("entry \($0)"), .integer(Int64($0))] }
        try bench.founder.append(
            [.put(NewRows(definition: form, fields: [0, 1], rows: rows))], wall: bench.wall)
    }

    /// Overwrites bytes of a file that nobody here has open.
    private func overwrite(_ path: String, from start: UInt64, to end: UInt64? = nil) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        let size = try file.seekToEnd()
        try file.seek(toOffset: start)
        try file.write(contentsOf: Data(repeating: 0xa5, count: Int((end ?? size) - start)))
        try file.close()
    }

    @Test func `a damaged page in the room's file is told, and what is derived stays`() async throws
    {
        let bench = try Bench()
        let form = try bench.addForm()
        try add(3_000, to: form, in: bench)
        try bench.founder.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let page = try #require(
            try bench.founder.integer(
                """
                SELECT pageno FROM dbstat WHERE name = 'visit' AND pagetype = 'leaf'
                ORDER BY path DESC LIMIT 1
                """))
        let copy = bench.scratch.path("damaged.sqlite")
        try FileManager.default.copyItem(atPath: bench.founder.path, toPath: copy)
        try overwrite(copy, from: UInt64(page - 1) * 4_096, to: UInt64(page) * 4_096)
        let follower = RowFollower(path: copy, NamesDerivation())
        let forms = bench.founder.forms()
        var steps = 0
        do {
            while steps < 50, try await follower.step(forms) { steps += 1 }
            Issue.record("nothing was told in \(steps) steps")
        } catch let error as SQLiteError {
            #expect(error.isCorrupt)
            #expect(error.file == copy)
        }
        let taken = try await follower.read {
            try $0.derived.integer("SELECT count(*) FROM name")
        }
        #expect(taken == 2_000)
    }

    @Test func `damage in one of two files that are read together is none of the room's file`()
        async throws
    {
        let bench = try Bench()
        let form = try bench.addForm()
        try add(2_000, to: form, in: bench)
        let path = bench.founder.path
        let derivation = FlagDerivation { _ in { _ in EntryFlag(problems: "bad", warnings: nil) } }
        let follower = RowFollower(path: path, derivation)
        while try await follower.step(bench.founder.forms()) {}
        await follower.close()
        let flags = FollowedFiles.path(besides: path, derivation.suffix)
        try overwrite(flags, from: 4_096)
        let info = try #require(bench.founder.form("visit"))
        let query = RecordQuery(where: [.init(.valid, equals: .text("no"))])
        let reader = try RoomReader(path: path, hasFlags: true)
        do {
            _ = try await reader.records(info, query)
            Issue.record("nothing was told")
        } catch let error as SQLiteError {
            #expect(error.isCorrupt)
            #expect(error.file == nil)
        }
        try overwrite(flags, from: 0)
        do {
            _ = try RoomReader(path: path, hasFlags: true)
            Issue.record("nothing was told")
        } catch let error as SQLiteError {
            #expect(error.isCorrupt)
            #expect(error.file == flags)
        }
        while try await follower.step(bench.founder.forms()) {}
        await follower.close()
        #expect(
            try await RoomReader(path: path, hasFlags: true).records(info, query).count == 2_000)
    }
}
