import Foundation
import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// One after another: the call that fails is the process's.
@Suite(.serialized) struct FailingDiskTests {
    @Test(arguments: [FailingDisk.code, FailingDisk.codeOfSystem])
    func `a call that fails while a room is opened leaves it neither closed nor read-only`(
        code: Int32
    ) async throws {
        try #require(FailingDisk.register())
        let bench = try Bench()
        let form = try bench.addForm()
        try bench.founder.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        var calls = 0
        while true {
            let (opened, hasFailed) = try FailingDisk.failing(after: calls, with: code) {
                try RoomStore(
                    path: bench.founder.path, identity: bench.founder.identity,
                    vfs: FailingDisk.name)
            }
            guard hasFailed else { break }
            try await opened.append([bench.row(form, "Ann", Int64(calls))], wall: bench.wall)
            calls += 1
        }
        #expect(calls > 10)
    }

    @Test(arguments: [FailingDisk.code, FailingDisk.codeOfSystem])
    func `a call that fails while node.sqlite is opened makes nothing anew`(code: Int32) throws {
        try #require(FailingDisk.register())
        let scratch = Scratch()
        let path = scratch.path("node.sqlite")
        _ = try NodeMending.open(path)
        var calls = 0
        while true {
            let (opened, hasFailed) = try FailingDisk.failing(after: calls, with: code) {
                try NodeMending.open(path, vfs: FailingDisk.name)
            }
            #expect(opened.1 == nil, "after \(calls) calls")
            guard hasFailed else { break }
            calls += 1
        }
        #expect(calls > 10)
    }

    @Test func `a head that cannot be looked up is no verdict`() throws {
        try #require(FailingDisk.register())
        let bench = try Bench()
        let form = try bench.addForm()
        let device = try bench.device()
        try Bench.merge(Bench.batches(of: bench.founder), into: device)
        for age in 1...2 {
            try device.append([bench.row(form, "Ann", Int64(age))], wall: bench.wall)
            try Bench.merge(device.seal(wall: bench.wall), into: bench.founder)
        }
        let key = device.identity.key
        try bench.remove(key, heads: bench.founder.heads(of: key))
        try bench.founder.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let page = try #require(
            try bench.founder.integer(
                "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex__batch_1'"))

        let opened = try TestRoom(
            path: bench.founder.path, identity: bench.founder.identity, vfs: FailingDisk.name)
        let error = FailingDisk.failing(page: page) {
            #expect(throws: SQLiteError.self) { try opened.refusals(of: key) }
        }
        #expect(error?.code == FailingDisk.code)
        // All that was written lies before the head that the removal names.
        #expect(try opened.refusals(of: key).isEmpty)
    }

    @Test func `what the system cannot read is told as that, and what is damaged as damage`() throws
    {
        let bench = try Bench()
        try bench.addForm()
        try bench.founder.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let path = bench.scratch.path("copy.sqlite")
        try FileManager.default.copyItem(atPath: bench.founder.path, toPath: path)
        let page = try #require(
            try bench.founder.integer("SELECT rootpage FROM sqlite_schema WHERE name = '_batch'"))
        let look = "SELECT count(*) FROM _batch NOT INDEXED"

        let database = try Database(path: path)
        #expect(try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0 > 0)
        let error = FailingDisk.failingSystem {
            #expect(throws: SQLiteError.self) { try database.integer(look) }
        }
        #expect(error?.isUnreadable == true && error?.isPassing == true, "\(error as Any)")
        #expect(error?.isCorrupt == false)
        #expect(try database.integer(look) ?? 0 > 0)

        var bytes = try Data(contentsOf: URL(filePath: path))
        let start = Int(page - 1) * 4_096
        bytes.replaceSubrange(start..<start + 4_096, with: Data(repeating: 0xa5, count: 4_096))
        try bytes.write(to: URL(filePath: path))
        let damaged = try Database(path: path)
        _ = FailingDisk.failingSystem {
            #expect(throws: SQLiteError.self) { try damaged.integer(look) }
        }
        // The failure before is no excuse for what is found now.
        let found = #expect(throws: SQLiteError.self) { try damaged.integer(look) }
        #expect(found?.isCorrupt == true && found?.isUnreadable == false)
    }

    @Test func `a row of a list that cannot be read is not taken for one that is not there`() throws
    {
        try #require(FailingDisk.register())
        let bench = try Bench()
        var content = try ListContent(columns: ["name", "label"])
        try content.append(["v", "Village"])
        _ = try bench.founder.decide(
            try bench.founder.file.room.version(ofList: "l", content), wall: bench.wall)
        try bench.founder.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let page = try #require(
            try bench.founder.integer(
                "SELECT rootpage FROM sqlite_schema WHERE name = '_list_cell'"))
        let lists = RoomLists(path: bench.founder.path, vfs: FailingDisk.name)
        let list = try #require(lists.list("l"))
        func look() throws -> [Int] {
            try lists.checked { lists.rows(of: list, where: 0, equals: Array("v".utf8)) }
        }
        let error = FailingDisk.failing(page: page) {
            #expect(throws: SQLiteError.self) { try look() }
        }
        #expect(error?.code == FailingDisk.code)
        #expect(try look() == [0])
    }
}
