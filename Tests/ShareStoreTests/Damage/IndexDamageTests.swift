import Foundation
import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// Bits that changed in what is derived: in an index, or in a table that a rebuild makes anew.
struct IndexDamageTests {
    /// Tables whose rows are the truth: what is lost there is lost.
    private static let truths = ["_batch", "_pending", "_orphan", "_meta", "_device"]

    /// The roots of all internal trees that follow from others, by name.
    private static func trees(of path: String) throws -> [(name: String, page: Int)] {
        let database = try Database(path: path)
        _ = try database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        return try database.rows(
            #"""
            SELECT name, rootpage FROM sqlite_schema
            WHERE tbl_name LIKE '\_%' ESCAPE '\' AND rootpage > 0 ORDER BY name
            """#
        ).compactMap { row in
            guard case .text(let name) = row[0], case .integer(let page) = row[1],
                !truths.contains(name)
            else { return nil }
            return (name, Int(page))
        }
    }

    private static func damage(_ path: String, page: Int, byte: Int, bit: UInt8) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        defer { try? handle.close() }
        let place = UInt64((page - 1) * 4_096 + byte)
        try handle.seek(toOffset: place)
        let old = try #require(try handle.read(upToCount: 1)?.first)
        try handle.seek(toOffset: place)
        handle.write(Data([old ^ bit]))
    }

    /// The kind of the page, the number of its cells, and what the first row of it holds.
    static let bits: [(byte: Int, bit: UInt8)] = [
        (0, 8), (0, 128), (4, 1), (4_070, 128), (4_095, 1),
    ]

    @Test(arguments: bits)
    func `a bit in what is derived is mended by one rebuild`(
        _ damage: (byte: Int, bit: UInt8)
    ) async throws {
        let ward = try CheckWard()
        let (path, identity, room) = (ward.store.path, ward.store.identity, ward.store.room)
        let (digest, records) = (ward.store.digest, try ward.store.counts().records)
        let trees = try Self.trees(of: path)
        #expect(trees.count > 25)
        for tree in trees {
            let copy = ward.bench.scratch.path("copy-\(tree.name)")
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            try Self.damage(copy, page: tree.page, byte: damage.byte, bit: damage.bit)
            let name = Comment(rawValue: tree.name)
            if let store = try? RoomStore(path: copy, identity: identity) {
                _ = try await store.rebuild()
            } else {
                let lost = try RoomStore.mend(path: copy, room: room, identity: identity).lost
                #expect(lost.isEmpty, name)
            }
            let store = try RoomStore(path: copy, identity: identity)
            let check = try await store.check()
            #expect(try await check.run(scratch: copy + ".check") { _, _ in } == [], name)
            #expect(await check.isSound, name)
            let counts = try await store.counts()
            #expect(counts.digest == digest, name)
            #expect(counts.records == records && counts.pending == 1, name)
            RoomFiles.remove(copy)
        }
    }

    @Test func `a device whose heads are damaged writes nothing at a number that it has used`()
        async throws
    {
        for tree in ["_head", "_head_log", "_batch_log"] {
            let bench = try Bench()
            let form = try bench.addForm()
            let store = bench.founder
            for number in 1...3 {
                try store.append([bench.row(form, "n\(number)", 1)], wall: bench.wall)
                _ = try store.seal(wall: bench.wall)
            }
            try store.append([bench.row(form, "pending", 1)], wall: bench.wall)
            let page = try #require(try Self.trees(of: store.path).first { $0.name == tree }).page
            // The author's number in the rows of the index.
            for byte in 4_030..<4_096 {
                let copy = bench.scratch.path("copy-\(tree)-\(byte)")
                try FileManager.default.copyItem(atPath: store.path, toPath: copy)
                try Self.damage(copy, page: page, byte: byte, bit: 128)
                defer { RoomFiles.remove(copy) }
                guard let room = try? RoomStore(path: copy, identity: store.identity) else {
                    continue
                }
                if tree == "_batch_log" {
                    // Nobody looks at the whole of the index before somebody asks for it.
                    let check = try await room.check()
                    _ = try await check.run(scratch: copy + ".check") { _, _ in }
                    await room.setDamaged(!check.isSound)
                }
                if let sealed = try? await room.seal(wall: bench.wall) {
                    #expect(sealed.map(\.number) == [4], "\(tree) \(byte)")
                }
                _ = try await room.rebuild()
                let sealed = try await room.seal(wall: bench.wall)
                #expect(sealed.allSatisfy { $0.number == 4 }, "\(tree) \(byte)")
                #expect(try await room.forks().isEmpty, "\(tree) \(byte)")
            }
        }
    }
}
