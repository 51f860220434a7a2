import ShareControl
import ShareCore
import ShareCrypto
import ShareNet
import ShareStore

/// All that the synchronisation and discovery report to the rest of the node, taken in one after
/// the other.
enum NodeEvent: Sendable {
    /// A member listens at these addresses, by its own word, or others have met it there.
    case learned([DeviceKey: [String]])
    /// A member has told which release it runs, where it had not before, and what others in the room
    /// call themselves.
    case told(DeviceKey, release: String?, [DeviceKey: String])
    /// A message of a join has come.
    case join(SessionID, Connection, exporter: [UInt8], JoinMessage)
    /// A device has said its name; with the address, where this device dialled it.
    case met(DeviceKey, name: String, address: String?)
    /// A room is open with a member.
    case linked(RoomID, DeviceKey)
    /// A session is over; the device may have said hello, and a room may have been open on it. It
    /// may have ended as nothing was heard any more.
    case ended(SessionID, DeviceKey, wasMet: Bool, wasLinked: Bool, wasSilent: Bool)
    /// A device that gave no sign of life gives one again; these rooms are open with it.
    case answering([RoomID])
    /// A member's copy of a room has become identical with this device's, or is no more.
    case progress(RoomID, DeviceKey, isIdentical: Bool)
    /// A member that has become identical holds these batches, and so all before them.
    case holding(RoomID, DeviceKey, [LogName: [LogHead]])
    /// A room has changed: with the report of a merge, an empty one after entries made here, or nil
    /// after any other change made here.
    case changed(RoomID, MergeReport?)
    /// A member has answered for a batch of this device.
    case acknowledged(RoomID, DeviceKey, Acknowledgement)
    /// Sealing in a room is paused until this device has its own batches back, or goes on.
    case sealingPaused(RoomID, Bool)
    /// Something has come up that people have to hear of.
    case notice(SyncEngine.Notice)
    /// Discovery sees other devices than before, or has another state.
    case discovered(DiscoverySnapshot)
}

/// Takes in what is heard of other devices: passes it to the services that act on it, and tells
/// those who watch.
struct PeerEvents: Sendable {
    let own: OwnDevice
    let names: DeviceNames
    let rooms: RoomBook
    let sync: SyncService
    let reach: ReachService
    let joins: JoinService
    let membership: Membership
    let leaving: Leaving
    let completion: JoinCompletion
    let faults: DeviceFaults
    let presence: Presence
    let meetings: MeetingNotes
    let watch: WatchHub

    func noteMet(_ key: DeviceKey, name: String, address: String?) async {
        await reach.met(key, name: name, address: address)
        await joins.seekAdmission()
    }

    /// A room is open with a member.
    func noteLinked(_ id: RoomID, _ key: DeviceKey) async {
        guard let room = await rooms.open(id) else { return }
        let name = await reach.peerName(key)
        watch.tell(
            "peer_connected", in: room.name, peer: key, named: name,
            "\(name) shares \(room.name)")
        await membership.refresh(room)
        await reach.trim(id)
        completion.look(at: room)
    }

    /// A session is over. Of strangers who come and go nobody needs to hear.
    func noteEnded(
        _ id: SessionID, _ key: DeviceKey, wasMet: Bool, wasLinked: Bool, wasSilent: Bool
    ) async {
        joins.noteEnd(of: id)
        await reach.ended(key, wasMet: wasMet, wasSilent: wasSilent)
        if wasLinked { await meetings.save(key) }
        guard wasLinked, await !sync.connectedKeys().contains(key) else { return }
        await presence.forget(key)
        let name = await reach.peerName(key)
        watch.tell(
            "peer_disconnected", peer: key, named: name, "\(name) is not connected any more")
    }

    /// A member's copy of a room is identical with this device's, or is no more.
    func noteProgress(_ peer: DeviceKey, in id: RoomID, isIdentical: Bool) async {
        await presence.note(peer, in: id, isIdentical: isIdentical) { isBehind in
            guard let room = await rooms.open(id) else { return }
            leaving.goOn(room)
            let name = await reach.peerName(peer)
            guard isBehind else {
                await meetings.save(peer)
                return watch.tell(
                    "identical", in: room.name, peer: peer, named: name,
                    "\(name) has the same as this device")
            }
            guard let progress = await sync.progress(in: id)[peer],
                progress.state == .differing
            else { return }
            watch.tell(
                "behind", in: room.name, peer: peer, named: name,
                count: Int(clamping: progress.behind),
                "\(name) "
                    + EntryWords.progress(
                        behind: Int(clamping: progress.behind),
                        ahead: Int(clamping: progress.ahead)))
        }
    }

    func take(_ notice: SyncEngine.Notice) async {
        switch notice {
        case .digestsDiffer(let id, let peer):
            let name = await reach.peerName(peer)
            watch.tell(
                "digest_differs", in: await rooms.open(id)?.name, peer: peer, named: name,
                "\(name) has another state although it holds the same entries:"
                    + " run shared verify on both devices")
        case .otherVersion(let peer, let version):
            await reach.noteVersion(version, of: peer)
        case .identityTwice(let peer):
            let fault = await faults.duplicate(peer)
            watch.tell("fault", peer: peer, named: fault.device.name, fault.detail)
        }
    }

    func take(_ snapshot: DiscoverySnapshot) async {
        let change = await presence.note(snapshot)
        if let state = change.state {
            let hint = state.hint.map { ": \($0)" } ?? ""
            watch.tell("discovery", "discovery is \(state.word)" + hint)
        }
        for peer in change.found where peer.key != own.key {
            watch.tell("peer_found", peer: peer.key, named: peer.name, "\(peer.name) is nearby")
        }
        for key in change.lost where key != own.key {
            let name = await reach.peerName(key)
            watch.tell("peer_lost", peer: key, named: name, "\(name) is not seen nearby any more")
        }
        await reach.take(snapshot)
    }
}
