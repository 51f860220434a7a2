import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Lets this device leave rooms.
struct LeaveService: Sendable {
    let own: OwnDevice
    let names: DeviceNames
    let rooms: RoomBook
    let leaving: Leaving
    let members: MembersService
    let peers: Peers

    /// Gives what was entered here to a member in reach, says in the room's log that this device
    /// leaves, and shares the room no more; the file stays. Where nobody can hear of it that is
    /// done when somebody can, unless it is asked for again: then the room is let go of, unheard.
    /// The last owner does not leave others behind.
    func leave(_ room: OpenRoom) async throws -> LeftAnswer {
        if await leaving.isLastOwner(of: room) { throw Leaving.lastOwner(of: room) }
        var heard: [NamedDevice] = []
        var notHeard: [NamedDevice] = []
        var isPending = false
        if room.isLeaving {
            notHeard = await others(in: room)
        } else if let saying = try await leaving.say(in: room) {
            switch saying {
            case .nobodyElse: break
            case .said(let batch): (heard, notHeard) = await members.hearing(of: batch, in: room)
            }
            let isOwed = await leaving.owesLeave(room)
            isPending = isOwed && heard.isEmpty && !notHeard.isEmpty
        } else {
            notHeard = await others(in: room)
            isPending = true
        }
        let isSaid = await rooms.role(in: room.id) == nil
        let onlyHere =
            try await room.store.counts().inEntries.pending
            + (try await peers.sealedOnlyHere(in: room).all)
        if isPending {
            try await rooms.setStay(.leaving, room)
        } else {
            try await leaving.letGo(of: room)
        }
        return LeftAnswer(
            room: room.named, current: await rooms.currentOpen?.named, heard: heard,
            notHeard: notHeard, isPending: isPending, isSaid: isSaid, onlyHere: onlyHere)
    }

    private func others(in room: OpenRoom) async -> [NamedDevice] {
        let selves = own.keys
        var others: [NamedDevice] = []
        for member in await room.store.authority().members where !selves.contains(member.device) {
            others.append(await names.named(member.device))
        }
        return others
    }

    /// Lets go of a room whose file cannot be opened: nobody can be told.
    func forget(_ room: DamagedRoom) async throws -> LeftAnswer {
        try await rooms.forget(room)
        return LeftAnswer(
            room: NamedRoom(name: room.entry.name, id: room.entry.id.text),
            current: await rooms.currentOpen?.named, heard: [], notHeard: [], isPending: false,
            isSaid: false, onlyHere: 0)
    }
}
