import ShareCore
import Testing

@testable import ShareNode

/// The rooms of a device where several are founded at once.
@Suite struct RoomBookTests {
    @Test func `of two rooms that are founded at once under one name there is one`() async throws {
        let node = try await TestNode("book-names")
        let rooms = node.node.rooms
        let founded = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask { (try? await rooms.create("Clinic")) != nil }
            }
            return await group.reduce(0) { $1 ? $0 + 1 : $0 }
        }
        #expect(founded == 1)
        #expect(await rooms.all().count == 1)
        await node.stop()
    }

    @Test func `no more rooms are founded at once than a hello shows`() async throws {
        let node = try await TestNode("book-many")
        let rooms = node.node.rooms
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<SyncLimits.proofs + 4 {
                group.addTask { _ = try? await rooms.create("room \(number)") }
            }
        }
        #expect(await rooms.all().count == SyncLimits.proofs)
        await node.stop()
    }
}
