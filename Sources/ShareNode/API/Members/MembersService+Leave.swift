import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Leaving a room.
extension MembersWork {
    /// Gives what was entered here to a member in reach, says in the room's log that this device
    /// leaves, and shares the room no more; the file stays. Where nobody can hear of it that is
    /// done when somebody can, unless it is asked for again: then the room is let go of, unheard.
    /// The last owner does not leave others behind.
    func leave() async throws -> LeftAnswer {
        if await node.isLastOwner(of: room) { throw Self.lastOwner(of: room) }
        var heard: [NamedDevice] = []
        var notHeard: [NamedDevice] = []
        var isPending = false
        if room.isLeaving {
            notHeard = await others()
        } else if let departure = try await node.depart(from: room) {
            switch departure {
            case .alone: break
            case .said(let batch): (heard, notHeard) = await hearing(of: batch)
            }
            let isOwed = await node.owesLeave(room)
            isPending = isOwed && heard.isEmpty && !notHeard.isEmpty
        } else {
            notHeard = await others()
            isPending = true
        }
        let isSaid = await node.rooms.role(in: room.id) == nil
        let onlyHere =
            try await room.store.counts().pending + (await node.sealedOnlyHere(in: room))
        if isPending {
            try await node.rooms.setStay(.leaving, room)
        } else {
            try await node.letGo(of: room)
        }
        return LeftAnswer(
            room: room.named, current: await node.rooms.currentOpen?.named, heard: heard,
            notHeard: notHeard, isPending: isPending, isSaid: isSaid, onlyHere: onlyHere)
    }

    private func others() async -> [NamedDevice] {
        let own = node.ownKeys
        var others: [NamedDevice] = []
        for member in await room.store.authority().members where !own.contains(member.device) {
            others.append(await node.named(member.device))
        }
        return others
    }
}
