import ShareControl
import ShareCore
import ShareCrypto
import ShareStore
import ShareTestKit
import Testing

@testable import ShareNode

/// Taking back that a device leaves, in all states that the leave can be in.
@Suite struct LeavingNodeTests {
    private func leave(_ room: String, on node: TestNode) async throws -> LeftAnswer {
        try await node.post("/v1/leave", RoomRequest(room: room))
    }

    @Test(.timeLimit(.minutes(1)))
    func `a leave that waits is taken back, and nobody hears of it`() async throws {
        let a = try await TestNode("a")
        let b = try await TestNode("b", peers: [a])
        try await a.create("clinic")
        try await b.join("clinic", code: try await a.invite())
        try await TestNode.untilAlike([a, b], in: "clinic")
        await a.stop(keeping: true)
        await b.untilParted(from: a)
        let left = try await leave("clinic", on: b)
        #expect(left.isPending && !left.isSaid && left.current == nil)
        let back = try await b.join("clinic", code: nil)
        #expect(back.stays && back.role == "collector" && back.state == "member")
        let again = try await TestNode.problem { try await b.join("clinic", code: nil) }
        #expect(again?.code == .alreadySo)
        let room = try await b.room("clinic")
        let a2 = try await TestNode("a", peers: [b], folder: a.folder)
        let synced = await eventually {
            await a2.node.sync.linkedKeys(in: room.id).count == 1
        }
        #expect(synced)
        // A leave that was under way meanwhile says nothing any more.
        #expect(try await b.node.leaving.say(in: room, unless: { !room.isLeaving }) == nil)
        try await TestNode.untilAlike([a2, b], in: "clinic")
        #expect(try await a2.members().count == 2)
        for node in [a2, b] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a leave that is in the log is not taken back, and joining says what helps`()
        async throws
    {
        let a = try await TestNode("a")
        let b = try await TestNode("b", peers: [a])
        try await a.create("clinic")
        try await b.join("clinic", code: try await a.invite())
        try await TestNode.untilAlike([a, b], in: "clinic")
        await a.stop(keeping: true)
        // As if the connection had broken before anybody answered.
        let room = try await b.room("clinic")
        _ = try await room.leave(b.node.identity.key, through: b.node.sealing) { _ in }
        try await b.node.rooms.setStay(.leaving, room)
        #expect(try await b.status("clinic").activity?.contains("shared join") == false)
        let problem = try await TestNode.problem { try await b.join("clinic", code: nil) }
        #expect(problem?.code == .codeNeeded, "\(String(describing: problem))")
        #expect(problem?.detail.contains("has left clinic") == true)
        #expect(problem?.hint?.contains("shared join CODE") == true)
        #expect(try await b.status("clinic").role == "leaving")
        // No other room has been made in its place.
        #expect(await b.node.rooms.all().map(\.id) == [room.id])
        // Once others have heard, a code lets it in again.
        let a2 = try await TestNode("a", peers: [b], folder: a.folder)
        let isOut = await eventually {
            let members = try? await a2.members().count
            return await b.node.rooms.all().isEmpty && members == 1
        }
        #expect(isOut)
        // Who was heard is not taken up again without one.
        #expect(try await b.node.rooms.takeUp("clinic") == nil)
        #expect(await b.node.rooms.all().isEmpty)
        let joined = try await b.join("clinic", code: try await a2.invite())
        #expect(joined.state == "member" && joined.role == "collector" && !joined.stays)
        try await TestNode.untilAlike([a2, b], in: "clinic")
        #expect(try await a2.members().count == 2)
        for node in [a2, b] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a room that had lost batches still waits for them when it is taken up again`()
        async throws
    {
        let a = try await TestNode("a")
        let b = try await TestNode("b", peers: [a])
        try await a.create("clinic")
        try await b.join("clinic", code: try await a.invite())
        try await TestNode.untilAlike([a, b], in: "clinic")
        await a.stop(keeping: true)
        let room = try await b.room("clinic")
        try await b.node.rooms.withhold(room.store, hasLost: true)
        try await b.node.rooms.forget(room)
        let again = try await b.node.rooms.takeUp("clinic")
        #expect(await again?.store.isRefilling == true)
        // Nobody has to write down what members have given back but once.
        #expect(try await b.node.rooms.noteRefilled(room.id))
        #expect(try await !b.node.rooms.noteRefilled(room.id))
        #expect(await again?.store.isRefilling == false)
        await b.stop()
    }
}
