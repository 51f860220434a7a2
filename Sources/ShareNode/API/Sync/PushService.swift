import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Seals what is pending in a room, offers it, and says who has it.
struct PushService: Sendable {
    let own: OwnDevice
    let names: DeviceNames
    let sealing: Sealing
    let sync: SyncService
    let peers: Peers

    /// Seals and offers; waits so long for the answers of those connected.
    func push(_ room: OpenRoom, within time: Duration) async throws -> PushAnswer {
        let pending = try await room.store.counts().inEntries
        let batches = try await sealing.records(in: room)
        let left = try await room.store.counts().inEntries
        let withheld = left.withheld
        // Contributors are sent nothing of what others enter.
        let own = own.keys
        let others = await room.store.authority().members.filter { !own.contains($0.device) }
        let members = others.filter(\.role.readsAll).map(\.device)
        let before = await sync.progress(in: room.id)
        // Who stays silent is then known to be when the wait is over.
        await sync.ask(in: room.id, within: .zero)
        let deliveries = try await deliveries(of: batches, in: room, within: time)
        let after = await sync.progress(in: room.id)
        let departed = await sync.lastProgress(in: room.id)
        let alone = try await peers.sealedOnlyHere(in: room)
        var answer = PushAnswer(
            outcome: "",
            entries: batches.isEmpty ? 0 : max(pending.pending - withheld - left.aboveQuota, 0),
            newEntries: batches.isEmpty
                ? 0 : max(pending.pendingEntries - left.pendingEntries, 0),
            batches: batches.count, withheld: withheld, aboveQuota: left.aboveQuota,
            onlyHere: alone.all, onlyHereEntries: alone.new,
            contributors: others.count - members.count, delivered: [], notConnected: [],
            unconfirmed: [], refusing: [], interrupted: [])
        for key in members {
            let named = await names.named(key)
            switch deliveries[key] {
            case .delivered: answer.delivered.append(named)
            case .pending: answer.unconfirmed.append(named)
            case .refusing(let count):
                answer.refusing.append(
                    RefusingPeer(
                        id: named.id, name: named.name, refused: Int(clamping: count),
                        reason: "its copy of the room does not allow "
                            + (count == 1 ? "it" : "them")))
            case .cannotStore(let storing):
                answer.refusing.append(
                    RefusingPeer(
                        id: named.id, name: named.name, refused: 0,
                        reason: "it cannot store anything: \(storing.reason)"))
            case nil: answer.notConnected.append(named)
            }
            // Who went while it was under way has not told whether it has it.
            let isGone = deliveries[key] == nil && before[key] != nil
            if isGone || deliveries[key] == .pending {
                let missing = (after[key] ?? departed[key])?.behind ?? 0
                answer.interrupted.append(
                    InterruptedPeer(
                        id: named.id, name: named.name, missing: Int(clamping: missing),
                        isGone: isGone))
            }
        }
        answer.outcome = Self.outcome(of: answer)
        return answer
    }

    /// What was made here and has not gone out, or is with nobody else: what is on its way to a
    /// device that seems to be connected is given a moment to get there.
    func unsent(in room: OpenRoom) async throws -> UnsentAnswer {
        let deadline = ContinuousClock.now + Self.underWay
        while true {
            let answer = try await unsentNow(in: room)
            let isMoving = answer.goingOut > 0 && .now < deadline
            guard isMoving, await isConnected(room) else { return answer }
            try await Task.sleep(for: Self.lookAgain)
        }
    }

    /// So long an entry may take to a device that is connected, before it is said that nobody has it.
    private static let underWay = Duration.seconds(1)
    private static let lookAgain = Duration.milliseconds(20)

    private func isConnected(_ room: OpenRoom) async -> Bool {
        await sync.meetings(in: room.id).values.contains(where: \.isConnected)
    }

    func unsentNow(in room: OpenRoom) async throws -> UnsentAnswer {
        let counts = try await room.store.counts().inEntries
        let pending = room.autopush ? 0 : counts.unsealed
        let sealed = try await peers.sealedOnlyHere(in: room)
        let own = own.keys
        let members = await room.store.authority().members
        let isMember = members.contains { own.contains($0.device) }
        let hasReaders = members.contains { $0.role.readsAll && !own.contains($0.device) }
        let isGoingOut = isMember && hasReaders
        return UnsentAnswer(
            room: room.named, pending: pending, entries: min(counts.pendingEntries, pending),
            onlyHere: counts.pending + sealed.all,
            goingOut: isGoingOut ? sealed.all + counts.unsealed - pending : 0,
            goingOutEntries: isGoingOut
                ? sealed.new + (pending == 0 ? min(counts.pendingEntries, counts.unsealed) : 0) : 0)
    }

    /// What the user should know beside the answer.
    func notices(about room: OpenRoom) async -> [String] {
        var notices = await peers.aloneNotice(room).map { [$0] } ?? []
        if let above = try? await room.store.aboveQuota() { notices.append(above) }
        return notices
    }

    private static func outcome(of answer: PushAnswer) -> String {
        if !answer.interrupted.isEmpty { return "interrupted" }
        if answer.entries == 0 { return "nothing_new" }
        return answer.delivered.isEmpty && answer.refusing.isEmpty ? "waiting" : "done"
    }

    /// Who has what was sealed now; without anything new, who has all that this device has made,
    /// forms and decisions too, which go out by themselves.
    private func deliveries(
        of batches: [BatchID], in room: OpenRoom, within time: Duration
    ) async throws -> [DeviceKey: SyncService.Delivery] {
        if !batches.isEmpty {
            return await sync.delivery(of: batches, in: room.id, within: time)
        }
        return await sync.holders(
            of: LogKind.allCases.map { LogName(author: own.key, kind: $0) }, in: room.id,
            within: time)
    }
}

extension Acknowledgement.Storing {
    /// Why a peer does not store what it is sent, at the end of a sentence.
    var reason: String {
        switch self {
        case .stored, .notKept: "it does not want it"
        case .diskFull: "its disk is full"
        case .diskFails: "its disk, or the room's file on it, fails"
        }
    }
}
