import Foundation
import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareStore

/// `node.sqlite` with each of its pages damaged in turn.
struct NodeMendingTests {
    private static let pageSize = 4_096
    private static let devices = 150
    private static let rooms = 40

    /// A file with several pages in each large table.
    private func written(_ path: String) async throws {
        let store = try NodeStore(path: path)
        try await store.setPort(5_001)
        for number in 0..<Self.devices {
            let key = try #require(DeviceKey((0..<32).map { UInt8((number &* 7 &+ $0) & 255) }))
            try await store.saveDevice(
                NodeDevice(
                    key: key, name: "device \(number)", addresses: ["10.0.0.\(number):47117"],
                    lastSeen: 1))
        }
        for number in 0..<Self.rooms {
            let id = try #require(Digest((0..<32).map { UInt8((number &* 5 &+ $0) & 255) }))
            try await store.addRoom(
                RoomID(id), name: "room \(number)", file: "room-\(number).sqlite", joining: nil)
        }
    }

    private func damage(_ file: Data, page: Int, with byte: UInt8) -> Data {
        var bytes = file
        let start = page * Self.pageSize
        bytes.replaceSubrange(
            start..<start + Self.pageSize, with: Data(repeating: byte, count: Self.pageSize))
        return bytes
    }

    @Test(arguments: [0, 0xa5, 0xff] as [UInt8])
    func `what can be read of a damaged file is kept, and the file itself`(
        _ byte: UInt8
    ) async throws {
        let scratch = try ScratchFolder()
        let sound = scratch.path + "/sound.sqlite"
        try await written(sound)
        let whole = try Data(contentsOf: URL(filePath: sound))
        let pages = whole.count / Self.pageSize
        #expect(pages > 12)
        for page in 0..<pages {
            let path = "\(scratch.path)/\(page).sqlite"
            let damaged = damage(whole, page: page, with: byte)
            try damaged.write(to: URL(filePath: path))
            let store = try NodeStore(path: path)
            let mending = try #require(store.mending, "page \(page)")
            #expect(mending.kept == path + ".damaged-1")
            #expect(try Data(contentsOf: URL(filePath: mending.kept)) == damaged)
            let devices = try await store.devices().count
            let rooms = try await store.rooms().count
            #expect((devices < Self.devices) == mending.lost.contains("device") || devices == 0)
            #expect(rooms == Self.rooms || mending.lost.contains("room"))
            #expect(try await store.port() == 5_001 || mending.lost.contains("setting"))
            // But for the first page, which says where all others are, most of it is there.
            if page > 0 {
                #expect(mending.lost.count < 2, "page \(page)")
                #expect(devices + rooms > 30, "page \(page)")
            }
            try await store.setPort(6_000)
            #expect(try NodeStore(path: path).mending == nil)
        }
    }

    @Test func `a file that lacks a table, or is none, is made anew`() async throws {
        let scratch = try ScratchFolder()
        let path = scratch.path + "/node.sqlite"
        try await written(path)
        try Database(path: path).execute("DROP TABLE invite")
        let store = try NodeStore(path: path)
        #expect(store.mending?.lost == ["invite"])
        #expect(try await store.rooms().count == Self.rooms)
        let other = scratch.path + "/other.sqlite"
        try Data("this is a shopping list".utf8).write(to: URL(filePath: other))
        #expect(try NodeStore(path: other).mending?.lost.count == 7)
    }

    @Test func `when members were met last is taken over`() async throws {
        let scratch = try ScratchFolder()
        let path = scratch.path + "/node.sqlite"
        try await written(path)
        let store = try NodeStore(path: path)
        let key = try #require(DeviceKey((0..<32).map { UInt8($0) }))
        let room = RoomID(Hash.digest([1]))
        let met = LastKnownStatus(
            progress: PeerProgress(.identical), own: 1, others: 2, theirs: 1, pending: nil,
            at: 3)
        try await store.save([key: met], in: room)
        try Database(path: path).execute("DROP TABLE invite")
        let mended = try NodeStore(path: path)
        #expect(mended.mending?.lost == ["invite"])
        #expect(try await mended.meetings()[room]?[key]?.at == 3)
    }

    @Test func `a file of a newer release is not touched`() throws {
        let scratch = try ScratchFolder()
        let path = scratch.path + "/node.sqlite"
        _ = try NodeStore(path: path)
        try Database(path: path).execute("PRAGMA user_version = 99")
        #expect(throws: StoreError.self) { try NodeStore(path: path) }
        #expect(!FileManager.default.fileExists(atPath: path + ".damaged-1"))
    }
}
