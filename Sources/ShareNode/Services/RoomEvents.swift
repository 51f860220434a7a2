import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Takes in what happens to rooms: passes it to the services that act on it, and tells those who
/// watch.
struct RoomEvents: Sendable {
    let own: OwnDevice
    let rooms: RoomBook
    let reach: ReachService
    let joins: JoinService
    let membership: Membership
    let leaving: Leaving
    let completion: JoinCompletion
    let faults: DeviceFaults
    let changes: ChangeEvents
    let advertising: Advertising
    let autopush: Autopush
    let flags: FlagService
    let watch: WatchHub
    let log: Log

    /// A member that is identical holds these logs.
    func noteHolding(_ logs: [LogName: [LogHead]], in id: RoomID, by peer: DeviceKey) async {
        guard let room = await rooms.open(id) else { return }
        await room.store.noteHeld(logs, by: peer)
    }

    /// A member has answered for a batch of this device.
    func note(_ acknowledgement: Acknowledgement, in id: RoomID, by peer: DeviceKey) async {
        guard let room = await rooms.open(id) else { return }
        let name = await reach.peerName(peer)
        guard acknowledgement.isStored else {
            guard acknowledgement.isHinderedByDisk else { return }
            return watch.tell(
                "push_refused", in: room.name, peer: peer, named: name, count: 0,
                "\(name) cannot store anything: \(acknowledgement.storing.reason)")
        }
        await room.store.noteDelivered(acknowledgement, by: peer)
        guard acknowledgement.isDelivery else {
            let count = Int(clamping: acknowledgement.refused)
            return watch.tell(
                "push_refused", in: room.name, peer: peer, named: name, count: count,
                "\(name) refused \(EntryWords.changes(count))")
        }
        leaving.goOn(room)
        watch.tell(
            "delivered", in: room.name, peer: peer, named: name,
            "\(name) has stored what was sent, part \(acknowledgement.head.number)")
    }

    /// A room has changed; nil after a change made here.
    func noteChange(of id: RoomID, _ report: MergeReport?) async {
        await joins.noteChange(of: id)
        guard let room = await rooms.open(id) else { return }
        completion.look(at: room)
        leaving.goOn(room)
        await autopush.noteReach(in: id)
        await flags.noteChange(of: id)
        if report?.changedControl ?? true {
            await membership.refresh(room)
            await advertising.refresh()
            await autopush.follow(room)
        }
        guard let report else { return }
        let outcomes = report.outcomes.filter { $0.fate == .stored && $0.log.author == own.key }
        if !outcomes.isEmpty { noteTakenBack(outcomes, in: room) }
        if report.sealedBefore > 0 { noteSealedBefore(report.sealedBefore, in: room) }
        if watch.isWatched { await changes.tell(report, in: room) }
    }

    /// Batches of this device's own have come back, as it was restored from an older copy or
    /// another machine uses its identity.
    private func noteTakenBack(_ outcomes: [MergeOutcome], in room: OpenRoom) {
        let count = outcomes.reduce(0) { $0 + $1.accepted + $1.waiting + $1.refused }
        log.notice(
            "took back batches of this device's own",
            ["room": room.id.short, "batches": "\(outcomes.count)", "operations": "\(count)"])
        watch.tell(
            "taken_back", in: room.name, count: count,
            "took back \(EntryWords.changes(count)) of this device's own")
    }

    private func noteSealedBefore(_ count: Int, in room: OpenRoom) {
        log.notice(
            "pending operations had been pushed before",
            ["room": room.id.short, "operations": "\(count)"])
        watch.tell(
            "taken_back", in: room.name, count: count,
            "\(EntryWords.changes(count)) of \(room.name) had been sent before: not sent again")
    }

    /// Sealing in a room is paused until this device has its own batches back, or goes on.
    func noteSealingPaused(_ isPaused: Bool, in id: RoomID) async {
        guard let room = await rooms.open(id) else { return }
        let recovery = isPaused ? await faults.recovery(of: room) : nil
        watch.tell(
            isPaused ? "sealing_held" : "sealing_free", in: room.name, count: recovery?.batches,
            isPaused
                ? "nothing is sent from \(room.name) until this device has taken back its own"
                    + " entries from \(recovery?.peer.name ?? "a member")"
                : "entries of \(room.name) are sent again")
    }
}
