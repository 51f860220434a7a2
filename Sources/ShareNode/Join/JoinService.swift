package import ShareCore
package import ShareCrypto
import ShareNet
package import ShareStore

/// Invites and joins: the shell around `JoinInviter` and `JoinJoiner`.
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
    private var limiter = JoinRateLimiter<String>()
    private var inviters: [SessionID: Inviting] = [:]
    private var joiners: [SessionID: Joining] = [:]

    private struct Inviting {
        var exchange: JoinInviter
        let peer: DeviceKey
        let address: String
        var deadline: Task<Void, Never>?
    }

    private struct Joining {
        var exchange: JoinJoiner
        var deadline: Task<Void, Never>?
        var room: RoomID?
        let accepts: @Sendable (JoinWelcome) -> Bool
        /// The room that the code led to, where it is not the one that was asked for.
        var otherRoom: RoomID?
        let answer: CheckedContinuation<JoinJoiner.Outcome, Never>
    }

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
    }

    /// Takes in the invites that were live when the daemon stopped.
    package func recall() async throws {
        book = InviteBook(try await store.invites())
    }

    /// Makes an invite; it is on the disk when this returns.
    package func invite(
        to room: RoomID, role: Role, uses: Int = 1, lifetime: UInt64 = JoinLimits.inviteLifetime
    ) async throws -> Invite {
        await removeExpired()
        let invite = try book.make(
            room: room, role: role, uses: uses, lifetime: lifetime, now: wall(),
            random: SecureRandom.bytes(JoinCode.length))
        try await store.saveInvite(invite)
        return invite
    }

    /// Ends an invite; false if there is none.
    func withdraw(_ selector: JoinSelector) async throws -> Bool {
        guard book.remove(selector) != nil else { return false }
        try await store.removeInvite(selector)
        return true
    }

    /// The invites of a room whose time is not up, those that wrong codes have ended included.
    func invites(to room: RoomID) async -> [Invite] {
        await removeExpired()
        return book.all.filter { $0.room == room && !$0.isExpired(at: wall()) }
    }

    /// Ends the invites of a room that this device leaves.
    func withdrawAll(to room: RoomID) async throws {
        for invite in book.all where invite.room == room {
            _ = try await withdraw(invite.code.selector)
        }
    }

    private func removeExpired() async {
        for invite in book.removeExpired(now: wall()) {
            try? await store.removeInvite(invite.code.selector)
        }
    }

    // MARK: Messages

    func receive(
        _ message: JoinMessage, on id: SessionID, _ connection: Connection, _ exporter: [UInt8]
    ) async {
        if joiners[id] != nil { return await drive(joiner: id, .received(message)) }
        if inviters[id] == nil {
            guard case .start = message, let bound = Bytes32(exporter),
                let channel = try? JoinChannel(
                    exporter: bound, joiner: connection.peerKey, inviter: identity.key)
            else { return await sync.send(.refused(.violation), to: id) }
            inviters[id] = Inviting(
                exchange: JoinInviter(channel: channel, scalar: .random()),
                peer: connection.peerKey, address: connection.remote.host)
            await sync.setJoining(true, on: id)
        }
        await drive(inviter: id, .received(message))
    }

    func ended(_ id: SessionID) async {
        if inviters[id] != nil { await drive(inviter: id, .closed) }
        if joiners[id] != nil { await drive(joiner: id, .closed) }
    }

    // MARK: Inviter

    private func drive(inviter id: SessionID, _ event: JoinInviter.Event) async {
        guard let actions = inviters[id]?.exchange.handle(event) else { return }
        for action in actions { await perform(action, inviter: id) }
    }

    private func perform(_ action: JoinInviter.Action, inviter id: SessionID) async {
        guard let inviting = inviters[id] else { return }
        switch action {
        case .setDeadline(let time):
            inviters[id]?.deadline?.cancel()
            inviters[id]?.deadline = Task {
                try? await Task.sleep(for: time)
                if !Task.isCancelled { await self.drive(inviter: id, .deadlinePassed) }
            }
        case .open(let selector):
            await drive(inviter: id, await open(selector, for: inviting))
        case .send(let message): await sync.send(message, to: id)
        case .recordFailedAttempt(let selector):
            let invite = book.countFailure(selector)
            await drive(
                inviter: id,
                await isKept(invite)
                    ? .attemptRecorded(left: invite?.attemptsLeft ?? 0) : .storageFailed)
        case .reportEnded(let selector):
            log.warning(
                "an invite has ended after wrong codes: somebody on this network guesses",
                ["invite": selector.text])
            watch.tell("invite_ended", "wrong codes have ended the invite \(selector.text)")
        case .recordUse(let selector):
            let invite = book.use(selector, by: inviting.peer)
            let isKept = invite != nil ? await isKept(invite) : false
            await drive(inviter: id, isKept ? .useRecorded : .storageFailed)
        case .commitGrant(let request): await drive(inviter: id, await commit(request))
        case .recordGrant(let name, let selector):
            _ = await isKept(book.note(name, to: inviting.peer, from: selector))
            watch.tell(
                "invite_used", peer: inviting.peer, named: inviting.peer.short,
                "\(inviting.peer.short) has joined with the invite \(selector.text)")
        case .sendControlLogs: break
        case .close(let selector): book.close(selector)
        case .finish(let outcome):
            inviting.deadline?.cancel()
            inviters[id] = nil
            await sync.setJoining(false, on: id)
            log.info("join exchange ended", ["peer": inviting.peer.short, "how": outcome.word])
        }
    }

    private func open(_ selector: JoinSelector, for inviting: Inviting) async -> JoinInviter.Event {
        guard limiter.admits(inviting.address, now: .now) else { return .notOpened(.tooMany) }
        await removeExpired()
        switch book.open(selector, for: inviting.peer, now: wall()) {
        case .none: return .notOpened(.noInvite)
        case .busy: return .notOpened(.busy)
        case .invite(let invite):
            guard let room = await rooms.open(invite.room),
                let founding = try? await room.foundingBatch(),
                let offer = JoinOffer(
                    invite, for: inviting.peer, founding: founding.bytes, name: room.name)
            else {
                book.close(selector)
                return .notOpened(.unavailable)
            }
            // A join that was cut goes on with its code; who has left since needs a new one.
            if case .granted = invite.usedBy[inviting.peer],
                await room.store.authority().currentRole(of: inviting.peer) == nil
            {
                book.close(selector)
                return .notOpened(.noInvite)
            }
            guard await mayAdmit(inviting.peer, as: invite.role, to: room) else {
                book.close(selector)
                return .notOpened(.unavailable)
            }
            return .opened(offer)
        }
    }

    /// Whether a grant of this device would make the peer a member: an editor cannot bring back
    /// whom an owner removed.
    private func mayAdmit(_ peer: DeviceKey, as role: Role, to room: OpenRoom) async -> Bool {
        let authority = await room.store.authority()
        guard authority.formerMembers.contains(where: { $0.device == peer && !$0.leftByItself })
        else { return true }
        let grant = Grant(
            subject: peer, role: role, firstControl: 1, firstRecords: 1,
            after: authority.latest(about: peer))
        let last = try? await room.store.ownHead(.control)
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

    private func commit(_ request: JoinGrantRequest) async -> JoinInviter.Event {
        guard let room = await rooms.open(request.room) else { return .storageFailed }
        do {
            let name = try await room.admit(
                request.subject, as: request.role, firstControl: request.firstControl,
                firstRecords: request.firstRecords, through: sealing, within: Self.ownLogTime)
            return .grantCommitted(name)
        } catch {
            log.error("writing a grant failed", ["error": "\(error)"])
            return .storageFailed
        }
    }

    private func isKept(_ invite: Invite?) async -> Bool {
        guard let invite else { return true }
        do {
            try await store.saveInvite(invite)
            return true
        } catch {
            log.error("storing an invite failed", ["error": "\(error)"])
            return false
        }
    }

    // MARK: Joiner

    /// Runs the exchange with the device at the other end of a session.
    ///
    /// - Parameter accepts: whether the room that the code leads to is the one that is meant.
    package func join(
        with code: JoinCode, on id: SessionID, expecting room: RoomID?,
        accepts: @escaping @Sendable (JoinWelcome) -> Bool = { _ in true }
    ) async -> JoinJoiner.Outcome {
        guard joiners[id] == nil, inviters[id] == nil,
            let live = await sync.joinable(id), let bound = Bytes32(live.exporter),
            let channel = try? JoinChannel(
                exporter: bound, joiner: identity.key, inviter: live.peer)
        else { return .failed(.connectionLost) }
        await sync.setJoining(true, on: id)
        let exchange = JoinJoiner(
            code: code, channel: channel, identity: identity, scalar: .random(),
            expecting: room)
        let outcome = await withCheckedContinuation { answer in
            joiners[id] = Joining(exchange: exchange, accepts: accepts, answer: answer)
            Task { await self.drive(joiner: id, .connected) }
        }
        await sync.setJoining(false, on: id)
        return outcome
    }

    private func drive(joiner id: SessionID, _ event: JoinJoiner.Event) async {
        guard let actions = joiners[id]?.exchange.handle(event) else { return }
        for action in actions { await perform(action, joiner: id) }
    }

    private func perform(_ action: JoinJoiner.Action, joiner id: SessionID) async {
        guard let joining = joiners[id] else { return }
        switch action {
        case .setDeadline(let time):
            joiners[id]?.deadline?.cancel()
            joiners[id]?.deadline = Task {
                try? await Task.sleep(for: time)
                if !Task.isCancelled { await self.drive(joiner: id, .deadlinePassed) }
            }
        case .send(let message): await sync.send(message, to: id)
        case .commitJoining(let welcome):
            guard joining.accepts(welcome) else {
                joiners[id]?.otherRoom = welcome.room
                return await drive(joiner: id, .storageFailed)
            }
            do {
                let heads = try await rooms.beginJoining(welcome)
                await drive(joiner: id, .joiningCommitted(heads))
            } catch {
                log.error("writing down a join failed", ["error": "\(error)"])
                await drive(joiner: id, .storageFailed)
            }
        case .expectControlLogs(let room):
            joiners[id]?.room = room
            await rooms.startJoined(room)
            await noteChange(of: room)
        case .finish(let outcome):
            joining.deadline?.cancel()
            joiners[id] = nil
            joining.answer.resume(
                returning: joining.otherRoom.map { .failed(.otherRoom($0)) } ?? outcome)
        }
    }

    /// A room has changed: a join that waited for its grant may be done.
    func noteChange(of room: RoomID) async {
        for (id, joining) in joiners where joining.room == room {
            if await rooms.isMember(of: room) { await drive(joiner: id, .granted) }
        }
    }
}

extension JoinInviter.Outcome {
    fileprivate var word: String {
        switch self {
        case .granted: "granted"
        case .refused(let refusal): refusal.name
        case .refusedByJoiner(let refusal): "joiner ended it: \(refusal.name)"
        case .connectionLost: "connection lost"
        }
    }
}
