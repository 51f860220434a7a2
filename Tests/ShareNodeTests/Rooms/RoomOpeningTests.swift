import Foundation
import ShareCore
import ShareCrypto
import ShareStore
import ShareTestKit
import Testing

@testable import ShareNode

/// Files of rooms that several want to open at one moment.
@Suite struct RoomOpeningTests {
    private let opening = RoomOpening(
        identity: .generate(), earlier: [], folder: "/nowhere", log: Log(level: .error))

    private func room(_ number: UInt8) -> RoomID { RoomID(Hash.digest([number])) }

    /// How many are in a turn, and how many were at most.
    private actor Inside {
        var now = 0
        var most = 0

        func enter() {
            now += 1
            most = max(most, now)
        }

        func leave() { now -= 1 }
    }

    @Test func `in a room's turn nobody else has one of it`() async {
        let (opening, room, inside) = (opening, room(1), Inside())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    await opening.inTurn(of: room) {
                        await inside.enter()
                        for _ in 0..<10 { await Task.yield() }
                        await inside.leave()
                    }
                }
            }
        }
        #expect(await inside.now == 0)
        #expect(await inside.most == 1)
    }

    @Test func `other rooms go on meanwhile, and a turn that fails ends`() async {
        struct Failure: Error {}
        let inner = await opening.inTurn(of: room(1)) {
            await opening.inTurn(of: room(2)) { 2 }
        }
        #expect(inner == 2)
        await #expect(throws: Failure.self) {
            try await opening.inTurn(of: room(1)) { throw Failure() }
        }
        #expect(await opening.inTurn(of: room(1)) { 1 } == 1)
    }

    @Test func `who tries it again, makes it anew and joins at one moment gets one room`()
        async throws
    {
        let first = try await TestNode("opening")
        let made = try await first.node.rooms.create("Clinic")
        let founding = try #require(try await made.foundingBatch())
        let file = made.store.path
        await first.stop(keeping: true)
        // In the place of the file lies, for a moment, what cannot be opened.
        let files = FileManager.default
        try files.moveItem(atPath: file, toPath: file + ".away")
        try files.createDirectory(atPath: file, withIntermediateDirectories: false)
        let node = try await TestNode("opening", folder: first.folder)
        let rooms = node.node.rooms
        let damaged = try #require(await rooms.allDamaged().first)
        #expect((damaged.why as? SQLiteError)?.isPassing == true)
        try files.removeItem(atPath: file)
        try files.moveItem(atPath: file + ".away", toPath: file)
        let stores = await withTaskGroup(of: RoomStore?.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    _ = await rooms.openAgain(damaged.entry)
                    return await rooms.open(damaged.entry.id)?.store
                }
                group.addTask { try? await rooms.mend(damaged) { _, _ in }.room.store }
                group.addTask {
                    try? await rooms.keep(founding: founding, name: "Clinic", joining: nil).store
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(stores.allSatisfy { $0 != nil && $0 === stores[0] })
        #expect(await rooms.allDamaged().isEmpty)
        #expect(await rooms.role(in: damaged.entry.id) == .owner)
        await node.stop()
    }

    /// What opens a file beside `RoomOpening` would do so in the shared pool of threads, and beside
    /// who has the room's turn.
    @Test func `no other file of the module opens rooms`() throws {
        let folder = Repository.folder.path + "/Sources/ShareNode"
        let sources = try #require(FileManager.default.enumerator(atPath: folder))
        var opening: [String] = []
        for case let name as String in sources where name.hasSuffix(".swift") {
            let text = try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
            let calls = ["(", ".room(", ".mend(", ".moveAside("].map { "RoomStore" + $0 }
            if calls.contains(where: text.contains) { opening.append(name) }
        }
        #expect(opening == ["Rooms/RoomOpening.swift"])
    }
}
