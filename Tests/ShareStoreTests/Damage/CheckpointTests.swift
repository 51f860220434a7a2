import Foundation
import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareStore

/// The write-ahead log is copied into the file beside the writer, and by it where it has to be.
struct CheckpointTests {
    private let scratch = Scratch()

    private static func size(_ path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }

    @Test func `a commit copies nothing before the bound`() throws {
        let path = scratch.path("a")
        let database = try Database(path: path)
        try database.makeDurable()
        var started = 0
        database.leavesLog(from: 20, to: 200) { started += 1 }
        try database.execute("CREATE TABLE t(v BLOB) STRICT")
        func write(pages: Int) throws {
            for _ in 0..<pages { try database.run("INSERT INTO t VALUES(zeroblob(4000))") }
        }
        try database.transaction { try write(pages: 10) }
        #expect(started == 0)
        try database.transaction { try write(pages: 100) }
        #expect(started == 1)
        #expect(Self.size(path) < 20 * 4_096)
        try database.transaction { try write(pages: 100) }
        #expect(started == 1)
        #expect(Self.size(path) > 200 * 4_096)
        #expect(try database.integer("SELECT count(*) FROM t") == 210)
    }

    @Test func `a log that a kill has left is emptied at the next start, and each one at the end`()
        async throws
    {
        let identity = DeviceIdentity.generate()
        let found = RoomStore.found(
            name: "a", isOpen: false, wall: 1_700_000_000_000, by: identity)
        let paths = ["room.sqlite", "node.sqlite"].map { scratch.path($0) }
        let room = try RoomStore(path: paths[0], identity: identity, founding: found)
        let node = try NodeStore(path: paths[1])
        // Another program's connection would have SQLite leave the log where it is.
        let readers = try paths.map { try Database(path: $0, access: .readOnly) }
        for reader in readers { _ = try reader.integer("PRAGMA user_version") }
        try await node.setPort(1)
        let definition = FormDefinition(
            formID: "note", version: "1", parents: [],
            fields: [FormField(name: "text", type: .text)], json: "{}")
        _ = try await room.decide([.form(definition)], wall: 1_700_000_000_000)
        for path in paths {
            #expect(Self.size(path + "-wal") > 0)
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(
                    atPath: path + suffix, toPath: path + ".killed" + suffix)
            }
        }
        await room.finish()
        await node.finish()
        for path in paths { #expect(Self.size(path + "-wal") == 0, "\(path)") }

        let roomAgain = try RoomStore(path: paths[0] + ".killed", identity: identity)
        let nodeAgain = try NodeStore(path: paths[1] + ".killed")
        for path in paths { #expect(Self.size(path + ".killed-wal") == 0, "\(path)") }
        #expect(try await roomAgain.founding() != nil)
        #expect(try await nodeAgain.port() == 1)
        withExtendedLifetime(readers) {}
    }

    @Test func `a room's log is copied while the room is used, and gone when it is closed`()
        async throws
    {
        let path = scratch.path("room.sqlite")
        let identity = DeviceIdentity.generate()
        let wall: UInt64 = 1_700_000_000_000
        let text = String(repeating: "x", count: 200_000)
        do {
            let store = try RoomStore(
                path: path, identity: identity,
                founding: RoomStore.found(name: "a", isOpen: false, wall: wall, by: identity))
            let definition = FormDefinition(
                formID: "note", version: "1", parents: [],
                fields: [FormField(name: "text", type: .text)], json: "{}")
            let batch = try await store.decide([.form(definition)], wall: wall)[0]
            let rows = NewRows(
                definition: OperationName(batch: batch.id, index: 0), fields: [0],
                rows: Array(repeating: [.text(text)], count: 120))
            try await store.append([.put(rows)], wall: wall)
            #expect(await eventually { Self.size(path) > 16 << 20 })
            try await store.append([.put(rows)], wall: wall)
            #expect(try await store.counts().records == 240)
        }
        #expect(Self.size(path + "-wal") == 0)
        let again = try RoomStore(path: path, identity: identity)
        #expect(try await again.counts().records == 240)
    }
}
