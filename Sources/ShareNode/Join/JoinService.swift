package import ShareCore
package import ShareCrypto
import ShareNet
package import ShareStore

/// Invites and joins: the shell around `JoinInviter`, `JoinJoiner`, `OpenInviter` and
/// `OpenJoiner`. A session has one exchange at a time.
package actor JoinService {
    let identity: DeviceIdentity
    let sync: SyncService
    let sealing: Sealing
    let rooms: RoomBook
    let store: NodeStore
    let log: Log
    let watch: WatchHub
    let wall: @Sendable () -> UInt64
    var book = InviteBook()
    /// Attempts of addresses with a code and at open rooms, and devices that open rooms admit.
    var attempts = JoinRateLimiter<String>()
    var questions = JoinRateLimiter<String>()
    var admissions = JoinRateLimiter<RoomID>()
    var inviters: [SessionID: Inviting] = [:]
    var joiners: [SessionID: Joining] = [:]
    var openInviters: [SessionID: OpenInviting] = [:]
    var openJoiners: [SessionID: OpenJoining] = [:]
    /// Open rooms that somebody is just being asked for, in the background.
    var seeking: Set<RoomID> = []
    var seeker: Task<Void, Never>?
    private let arrivals: AsyncStream<Arrival>
    private let arrival: AsyncStream<Arrival>.Continuation

    /// What a session brings, in its order.
    private enum Arrival {
        case message(JoinMessage, SessionID, Connection, exporter: [UInt8])
        case end(SessionID)
    }

    /// What waits to be taken in: sessions say little, so only a fault of our own fills this.
    private static let backlog = 4_096

    package init(
        identity: DeviceIdentity, sync: SyncService, sealing: Sealing, rooms: RoomBook,
        store: NodeStore, log: Log, watch: WatchHub, wall: @escaping @Sendable () -> UInt64
    ) {
        self.watch = watch
        self.identity = identity
        self.sync = sync
        self.sealing = sealing
        self.rooms = rooms
        self.store = store
        self.log = log
        self.wall = wall
        (arrivals, arrival) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(Self.backlog))
    }

    /// Takes in the invites that were there when the daemon stopped, and goes on asking for open
    /// rooms that nobody has admitted this device to yet.
    package func recall() async throws {
        book = InviteBook(try await store.invites())
        await seekAdmission()
    }

    /// Takes in what sessions bring, until the task is cancelled: beside all else, as rooms may keep
    /// a join waiting.
    func run() async {
        for await arrival in arrivals {
            switch arrival {
            case .message(let message, let id, let connection, let exporter):
                await receive(message, on: id, connection, exporter)
            case .end(let id): await ended(id)
            }
        }
    }

    package func stop() {
        seeker?.cancel()
        arrival.finish()
    }

    // MARK: Invites

    /// Makes an invite; it is on the disk when this returns.
    package func invite(
        to room: RoomID, role: Role, scope: Scope? = nil, name: String? = nil, uses: Int = 1,
        lifetime: UInt64 = JoinLimits.inviteLifetime
    ) async throws -> Invite {
        await removeForgotten()
        let invite = try book.make(
            room: room, role: role, scope: scope, name: name, uses: uses, lifetime: lifetime,
            now: wall(), random: SecureRandom.bytes(InviteBook.randomBytes))
        do {
            try await store.saveInvite(invite)
        } catch {
            // One that a restart would forget is none.
            _ = book.remove(invite.code.selector)
            throw error
        }
        return invite
    }

    /// Ends an invite; nil if there is none. One that had ended before stays as it was.
    func withdraw(_ selector: JoinSelector) async throws -> Invite? {
        guard let invite = book.withdraw(selector, now: wall()) else { return nil }
        try await store.saveInvite(invite)
        return invite
    }

    /// The invites of this device, those that have ended lately included, the oldest first.
    package func invites() async -> [Invite] {
        await removeForgotten()
        return book.all
    }

    /// Ends the invites of a room that this device leaves.
    func dropAll(to room: RoomID) async throws {
        for invite in book.all where invite.room == room {
            _ = book.remove(invite.code.selector)
            try await store.removeInvite(invite.code.selector)
        }
    }

    func removeForgotten() async {
        for invite in book.removeForgotten(now: wall()) {
            try? await store.removeInvite(invite.code.selector)
        }
    }

    // MARK: Messages

    /// A message has come in on a session.
    nonisolated func note(
        _ message: JoinMessage, on id: SessionID, _ connection: Connection, exporter: [UInt8]
    ) {
        arrival.yield(.message(message, id, connection, exporter: exporter))
    }

    /// A session has ended.
    nonisolated func noteEnd(of id: SessionID) { arrival.yield(.end(id)) }

    private func receive(
        _ message: JoinMessage, on id: SessionID, _ connection: Connection, _ exporter: [UInt8]
    ) async {
        if joiners[id] != nil { return await drive(joiner: id, .received(message)) }
        if openJoiners[id] != nil { return await drive(openJoiner: id, .received(message)) }
        if inviters[id] != nil { return await drive(inviter: id, .received(message)) }
        if openInviters[id] != nil { return await drive(openInviter: id, .received(message)) }
        // An exchange that has ended here may be ended over there at the same time.
        if case .refused = message { return }
        guard let bound = Bytes32(exporter),
            let channel = try? JoinChannel(
                exporter: bound, joiner: connection.peerKey, inviter: identity.key)
        else { return await sync.send(.refused(.violation), to: id) }
        let address = connection.remote.host
        switch message {
        case .start:
            inviters[id] = Inviting(
                exchange: JoinInviter(channel: channel, scalar: .random()),
                peer: connection.peerKey, address: address)
            await sync.setJoining(true, on: id)
            await drive(inviter: id, .received(message))
        case .ask:
            openInviters[id] = OpenInviting(
                exchange: OpenInviter(channel: channel), peer: connection.peerKey,
                address: address)
            await sync.setJoining(true, on: id)
            await drive(openInviter: id, .received(message))
        default: await sync.send(.refused(.violation), to: id)
        }
    }

    private func ended(_ id: SessionID) async {
        if inviters[id] != nil { await drive(inviter: id, .closed) }
        if openInviters[id] != nil { await drive(openInviter: id, .closed) }
        if joiners[id] != nil { await drive(joiner: id, .closed) }
        if openJoiners[id] != nil { await drive(openJoiner: id, .closed) }
    }

    /// The binding of an exchange that this device begins to a session; nil where the session has
    /// ended, or has an exchange already.
    func channel(on id: SessionID) async -> JoinChannel? {
        guard !isBusy(id), let live = await sync.joinable(id), let bound = Bytes32(live.exporter),
            !isBusy(id)
        else { return nil }
        return try? JoinChannel(exporter: bound, joiner: identity.key, inviter: live.peer)
    }

    /// Does something once an exchange has taken so long.
    func after(
        _ time: Duration, _ drive: @escaping @Sendable (JoinService) async -> Void
    ) -> Task<Void, Never> {
        Task {
            try? await Task.sleep(for: time)
            if !Task.isCancelled { await drive(self) }
        }
    }

    /// Whether a session has an exchange.
    func isBusy(_ id: SessionID) -> Bool {
        joiners[id] != nil || openJoiners[id] != nil || inviters[id] != nil
            || openInviters[id] != nil
    }

    /// A room has changed: joins that waited for their grant may be done.
    func noteChange(of room: RoomID) async {
        let waiting = joiners.filter { $0.value.welcome?.room == room }.map(\.key)
        let waitingOpen = openJoiners.filter { $0.value.room == room }.map(\.key)
        guard !waiting.isEmpty || !waitingOpen.isEmpty,
            let role = await rooms.role(in: room)
        else { return }
        for id in waiting {
            guard let welcome = joiners[id]?.welcome, role >= welcome.role else { continue }
            await drive(joiner: id, .granted)
        }
        for id in waitingOpen { await drive(openJoiner: id, .granted) }
    }

    // MARK: What both doors share

    /// Whether a grant of this device would make the peer a member: an editor cannot bring back
    /// whom an owner removed.
    func mayAdmit(_ peer: DeviceKey, as role: Role, to room: OpenRoom) async throws -> Bool {
        let authority = await room.store.authority()
        guard let former = authority.formerMember(peer), !former.leftByItself else { return true }
        func next(_ kind: LogKind) -> UInt64 {
            authority.nextNumber(in: LogName(author: peer, kind: kind))
        }
        // From here on: with a lesser role in all that it ever did, an owner would undo itself.
        let grant = Grant(
            subject: peer, role: role, firstControl: next(.control), firstRecords: next(.records),
            supersedes: authority.superseded(about: peer))
        let last = try await room.store.ownHead(.control)
        let after = authority.adding([.grant(grant)], by: identity.key, after: last)
        guard after.currentRole(of: peer) == nil else { return true }
        log.notice("only an owner can admit a device again", ["device": peer.short])
        watch.tell(
            "invite_refused", in: room.name, peer: peer, named: peer.short,
            "\(peer.short) was removed from \(room.name): only an owner can admit it again")
        return false
    }

    /// Within what the joiner waits for an answer.
    private static let ownLogTime = Duration.seconds(5)

    /// Writes a grant and offers it to everybody.
    ///
    /// - Throws: `StoreError`, `SQLiteError`.
    func grant(_ request: JoinGrantRequest, in room: OpenRoom) async throws -> OperationName {
        try await room.admit(
            request.subject, as: request.role, in: request.scope,
            firstControl: request.firstControl,
            firstRecords: request.firstRecords, through: sealing, within: Self.ownLogTime)
    }
}

extension JoinInviter.Outcome {
    var word: String {
        switch self {
        case .granted: "granted"
        case .refused(let refusal): refusal.name
        case .refusedByJoiner(let refusal): "joiner ended it: \(refusal.name)"
        case .connectionLost: "connection lost"
        }
    }

    /// Whether somebody has tried a code or a name, or might have: a class behind one address joins
    /// at once, asks devices that have not made the code, and loses connections that cross.
    var isAttempt: Bool {
        switch self {
        case .refused(.wrongCode), .refused(.notOpen), .refused(.violation), .refused(.late): true
        default: false
        }
    }
}
