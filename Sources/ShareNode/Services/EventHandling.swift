import ShareControl
import ShareCore
import ShareCrypto
import ShareNet
import ShareStore
import Synchronization

/// What the parts of the daemon tell each other.
extension Node {
    func takeEvents() async {
        for await event in events { await take(event) }
    }

    private func take(_ event: NodeEvent) async {
        switch event {
        case .learned(_, let key, let addresses): await reach.learn(addresses, of: key)
        case .join(let id, let connection, let exporter, let message):
            await joins.receive(message, on: id, connection, exporter)
        case .met(let key, let name, let address):
            await reach.met(key, name: name, address: address)
            await joins.seekAdmission()
        case .linked(let room, let key): await tellLinked(room, key)
        case .ended(let id, let key, let wasLinked):
            await joins.ended(id)
            await reach.ended(key)
            // Of strangers who come and go nobody needs to hear.
            if wasLinked { await tellGone(key) }
        case .standing(let room, let key, let isIdentical):
            await note(key, in: room, isIdentical: isIdentical)
        case .holding(let id, let key, let logs):
            guard let room = await rooms.open(id) else { break }
            try? await room.store.noteHeld(logs, by: key)
        case .changed(let room, let report): await takeChange(of: room, report)
        case .acknowledged(let room, let peer, let acknowledgement):
            await note(acknowledgement, of: room, by: peer)
        case .held(let room, let isHeld): await tellHold(of: room, isHeld)
        case .notice(let notice): await tell(notice)
        case .discovered(let snapshot):
            await tell(snapshot)
            await reach.take(snapshot)
        }
    }

    private func note(
        _ acknowledgement: Acknowledgement, of id: RoomID, by peer: DeviceKey
    ) async {
        guard let room = await rooms.open(id), acknowledgement.isStored else { return }
        let name = await reach.peerName(peer)
        try? await room.store.noteDelivered(acknowledgement, by: peer)
        guard acknowledgement.isDelivery else {
            let count = Int(clamping: acknowledgement.refused)
            return tell(
                "push_refused", in: room.name, peer: peer, named: name, count: count,
                "\(name) refused \(count == 1 ? "1 entry" : "\(count) entries")")
        }
        goOnLeaving(room)
        tell(
            "delivered", in: room.name, peer: peer, named: name,
            "\(name) has batch \(acknowledgement.head.number)")
    }

    private func tell(_ notice: SyncEngine.Notice) async {
        switch notice {
        case .digestsDiffer(let id, let peer):
            let name = await reach.peerName(peer)
            tell(
                "digest_differs", in: await rooms.open(id)?.name, peer: peer, named: name,
                "\(name) has another state although it holds the same entries:"
                    + " run shared verify on both devices")
        case .otherVersion(let peer, let version):
            await reach.noteVersion(version, of: peer)
        case .identityTwice(let peer):
            let fault = await twin(peer)
            tell("fault", peer: peer, named: fault.device.name, fault.detail)
        }
    }

    private func tellGone(_ key: DeviceKey) async {
        guard await !sync.connectedKeys().contains(key) else { return }
        await lookout.forget(key)
        let name = await reach.peerName(key)
        tell("peer_disconnected", peer: key, named: name, "\(name) is not connected any more")
    }

    private func note(_ peer: DeviceKey, in id: RoomID, isIdentical: Bool) async {
        await lookout.note(peer, in: id, isIdentical: isIdentical) { isBehind in
            guard let room = await self.rooms.open(id) else { return }
            self.goOnLeaving(room)
            let name = await self.reach.peerName(peer)
            guard isBehind else {
                return self.tell(
                    "identical", in: room.name, peer: peer, named: name, "identical with \(name)")
            }
            guard let standing = await self.sync.standings(in: id)[peer],
                standing.state == .differing
            else { return }
            self.tell(
                "behind", in: room.name, peer: peer, named: name,
                count: Int(clamping: standing.behind),
                "\(name) is \(standing.behind) behind and \(standing.ahead) ahead")
        }
    }

    private func tell(_ snapshot: DiscoverySnapshot) async {
        let change = await lookout.note(snapshot)
        if let state = change.state {
            let hint = state.hint.map { ": \($0)" } ?? ""
            tell("discovery", "discovery is \(state.word)" + hint)
        }
        for peer in change.found where peer.key != identity.key {
            tell("peer_found", peer: peer.key, named: peer.name, "\(peer.name) is nearby")
        }
        for key in change.lost where key != identity.key {
            let name = await reach.peerName(key)
            tell("peer_lost", peer: key, named: name, "\(name) is not seen nearby any more")
        }
    }

    private func takeChange(of id: RoomID, _ report: MergeReport?) async {
        await joins.noteChange(of: id)
        guard let room = await rooms.open(id) else { return }
        settleJoining(of: room)
        goOnLeaving(room)
        if report?.changedControl ?? true {
            await noteMembers(of: room)
            await advertise()
        }
        guard let report else { return }
        let own = report.outcomes.filter {
            $0.fate == .stored && $0.log.author == identity.key
        }
        if !own.isEmpty { takeBack(own, in: room) }
        if report.sealedBefore > 0 { tellSealedBefore(in: room, report.sealedBefore) }
        if watch.isWatched { await tell(report, in: room) }
    }

    /// Batches of this device's own have come back, as it was restored from an older copy or
    /// another machine uses its identity.
    private func takeBack(_ outcomes: [MergeOutcome], in room: OpenRoom) {
        let count = outcomes.reduce(0) { $0 + $1.accepted + $1.waiting + $1.refused }
        let batches = outcomes.count == 1 ? "1 batch" : "\(outcomes.count) batches"
        log.notice(
            "took back batches of this device's own",
            ["room": room.id.short, "batches": "\(outcomes.count)", "operations": "\(count)"])
        tell(
            "taken_back", in: room.name, count: count,
            "took back \(batches) of this device's own with \(count)"
                + " \(count == 1 ? "operation" : "operations")")
    }

    private func tellHold(of id: RoomID, _ isHeld: Bool) async {
        guard let room = await rooms.open(id) else { return }
        let recovery = isHeld ? await recovery(of: room) : nil
        tell(
            isHeld ? "sealing_held" : "sealing_free", in: room.name, count: recovery?.batches,
            isHeld
                ? "nothing is sealed in \(room.name) until this device has taken back its own"
                    + " batches from \(recovery?.peer.name ?? "a member")"
                : "entries are sealed in \(room.name) again")
    }

    private func tellSealedBefore(in room: OpenRoom, _ count: Int) {
        let entries = count == 1 ? "1 pending entry" : "\(count) pending entries"
        log.notice(
            "pending operations had been pushed before",
            ["room": room.id.short, "operations": "\(count)"])
        tell(
            "taken_back", in: room.name, count: count,
            "\(entries) of \(room.name) had been pushed before: not pushed again")
    }

    private func tellLinked(_ id: RoomID, _ key: DeviceKey) async {
        guard let room = await rooms.open(id) else { return }
        let name = await reach.peerName(key)
        tell(
            "peer_connected", in: room.name, peer: key, named: name,
            "\(name) shares \(room.name)")
        await noteMembers(of: room)
        await reach.trim(id)
        settleJoining(of: room)
    }

    /// Ends the joining of a room once its grant and all control logs are here. Before, this
    /// device may not have heard that the room is hidden.
    func settleJoining(of room: OpenRoom) {
        guard room.isJoining, settling.withLock({ $0.insert(room.id).inserted }) else { return }
        Task {
            if await rooms.role(in: room.id) != nil,
                await sync.controlLogs(of: room.id, within: Self.settlingTime)
            {
                await rooms.setJoined(room.id)
                await advertise()
                tell("room_changed", in: room.name, "joined \(room.name)")
            }
            _ = settling.withLock { $0.remove(room.id) }
        }
    }

    private static let settlingTime = Duration.seconds(5)
}
