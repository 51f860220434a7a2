import ShareControl
import ShareCore
import ShareCrypto
import ShareStore
import ShareTestKit
import Testing

@testable import ShareNode

/// An editor whose control log is refused for its branches: somebody else may have its key.
@Suite struct ForkedMemberTests {
    /// A member of a room of `owner`, whose key has written nine batches at one place.
    private func editor(_ owner: TestNode) async throws -> TestNode {
        try await owner.create("clinic")
        let editor = try await TestNode("ward-2", peers: [owner])
        try await editor.join("clinic", code: try await owner.invite("editor"))
        let rooms = [try await owner.room("clinic"), try await editor.room("clinic")]
        let branches = (0..<9).map { branch in
            Batch.seal(
                room: rooms[0].id, kind: .control, number: 1,
                previous: BatchID(rooms[0].id.digest),
                clock: Timestamp(milliseconds: 5, counter: UInt16(branch)), rawBody: [0x80],
                by: editor.node.identity)
        }
        for room in rooms { _ = try await room.store.merge(branches.map { IncomingBatch($0) }) }
        return editor
    }

    @Test(.timeLimit(.minutes(1)))
    func `it takes another identity, without a role by itself`() async throws {
        let a = try await TestNode("ward-1")
        let b = try await editor(a)
        let answer = try await b.node.rotation.run()
        #expect(answer.former.id == b.id)
        #expect(answer.rooms.map(\.formerRole) == ["editor"])
        #expect(answer.rooms.map(\.role) == [nil])
        for node in [a, b] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `it can leave, though nothing else that it says counts`() async throws {
        let a = try await TestNode("ward-1")
        let b = try await editor(a)
        let answer: LeftAnswer = try await b.post("/v1/leave", RoomRequest(room: "clinic"))
        #expect(!answer.isPending && answer.isSaid && answer.heard.map(\.id) == [a.id])
        #expect(await b.node.rooms.all().isEmpty)
        #expect(try await a.members().count == 1)
        for node in [a, b] { await node.stop() }
    }
}
