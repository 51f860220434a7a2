import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Leaving a room.
extension MembersWork {
    /// Says in the room's log that this device leaves, and shares the room no more; the file
    /// stays. The last owner does not leave others behind.
    func leave() async throws -> LeftAnswer {
        let own = node.identity.key
        let authority = await room.store.authority()
        // What this device was before nobody can use: it is no owner for those who stay.
        let selves = node.ownKeys
        if selves.isSuperset(of: authority.owners), authority.owners.contains(own),
            authority.members.contains(where: { !selves.contains($0.device) })
        {
            throw Self.lastOwner(of: room)
        }
        if try await room.store.counts().pending > 0 { _ = try await node.seal(room) }
        var heard: [NamedDevice] = []
        var notHeard: [NamedDevice] = []
        if let batch = try await room.leave(own, through: node.sealing) {
            (heard, notHeard) = await hearing(of: batch)
        }
        try await node.rooms.forget(room)
        try await node.joins.dropAll(to: room.id)
        await node.sync.remove(room.id)
        await node.reach.forget(room.id)
        node.memberships.forget(room.id)
        await node.advertise()
        node.tell("room_changed", in: room.name, "left \(room.name)")
        return LeftAnswer(
            room: room.named, current: await node.rooms.currentOpen?.named, heard: heard,
            notHeard: notHeard)
    }
}
