import ShareCore
import ShareCrypto
import Testing

@testable import ShareNode

/// Who is sought for a room, where its members change while they are looked at.
@Suite(.timeLimit(.minutes(1))) struct MembershipTests {
    private let old = DeviceIdentity.generate().key
    private let new = DeviceIdentity.generate().key

    @Test func `what an earlier look has shown does not undo what a later one has`() async throws {
        let node = try await TestNode("looks")
        let (reach, room) = (node.node.reach, RoomID(Hash.digest([1])))
        await reach.setMembers([new: .collector], former: [old], of: room, look: 2)
        await reach.setMembers([old: .collector], former: [], admitted: [new], of: room, look: 1)
        #expect(await reach.members[room] == [new: .collector])
        #expect(await reach.former[room] == [old])
        // Whom this device has admitted it has, whichever look shows it.
        #expect(await reach.admitted[room] == [new])

        // A look that began before the room was left does not bring it back.
        await reach.forget(room, look: 4)
        await reach.setMembers([new: .collector], former: [], of: room, look: 3)
        #expect(await reach.members[room] == nil)
        #expect(await reach.former[room] == nil)
        await reach.setMembers([new: .collector], former: [], of: room, look: 5)
        #expect(await reach.members[room] == [new: .collector])
        await reach.forget(room, look: 4)
        #expect(await reach.members[room] == [new: .collector])
        await node.stop()
    }

    @Test func `a room that was forgotten is known again by the next look`() async throws {
        let node = try await TestNode("next-look")
        try await node.create("clinic")
        let room = try await node.room("clinic")
        let (membership, reach) = (node.node.membership, node.node.reach)
        await membership.refresh(room)
        #expect(await reach.members[room.id] == [node.node.own.key: .owner])
        await membership.forget(room.id)
        await membership.refresh(room)
        #expect(await reach.members[room.id] == [node.node.own.key: .owner])
        await node.stop()
    }
}
