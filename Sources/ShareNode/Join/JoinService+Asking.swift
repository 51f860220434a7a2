import ShareCore
import ShareCrypto
import ShareNet
import ShareStore

/// Joining open rooms.
extension JoinService {
    struct OpenJoining {
        var exchange: OpenJoiner
        var deadline: Task<Void, Never>?
        /// The room, once this device has written down that it joins.
        var room: RoomID?
        /// Whether the room was not here before.
        var isNew = false
        var answer: Waiter

        /// The task that waits for a peer's answer.
        enum Waiter {
            case forOffer(CheckedContinuation<OpenReply, Never>)
            case nobody
            case forOutcome(CheckedContinuation<JoinJoiner.Outcome, Never>)
        }
    }

    /// The answer of a device that is asked for an open room.
    enum OpenReply: Sendable {
        case offered(OpenOffer)
        case failed(JoinFailure)
    }

    /// Asks the device at the other end of a session for an open room. An offer has to be taken
    /// or declined.
    ///
    /// - Parameter wanted: the room's name or short id.
    func ask(
        for wanted: String, on id: SessionID, expecting room: RoomID? = nil
    ) async -> OpenReply {
        guard let channel = await channel(on: id) else { return .failed(.connectionLost) }
        let exchange = OpenJoiner(
            wanted: wanted, channel: channel, identity: identity, expecting: room)
        return await withCheckedContinuation { answer in
            openJoiners[id] = OpenJoining(exchange: exchange, answer: .forOffer(answer))
            Task {
                // The session may have ended before its end could reach this exchange.
                let isOpen = await self.sync.setJoining(true, on: id)
                await self.drive(openJoiner: id, isOpen ? .connected : .closed)
            }
        }
    }

    /// Joins the room that was offered.
    func take(offerOn id: SessionID) async -> JoinJoiner.Outcome {
        guard case .nobody? = openJoiners[id]?.answer else { return .failed(.connectionLost) }
        return await withCheckedContinuation { answer in
            openJoiners[id]?.answer = .forOutcome(answer)
            Task { await self.drive(openJoiner: id, .taken) }
        }
    }

    func decline(offerOn id: SessionID) async {
        await drive(openJoiner: id, .declined(.violation))
    }

    func drive(openJoiner id: SessionID, _ event: OpenJoiner.Event) async {
        guard let actions = openJoiners[id]?.exchange.handle(event) else { return }
        for action in actions { await perform(action, openJoiner: id) }
    }

    private func perform(_ action: OpenJoiner.Action, openJoiner id: SessionID) async {
        guard let joining = openJoiners[id] else { return }
        switch action {
        case .setDeadline(let time):
            openJoiners[id]?.deadline?.cancel()
            openJoiners[id]?.deadline = after(time) {
                await $0.drive(openJoiner: id, .deadlinePassed)
            }
        case .send(let message): await sync.send(message, to: id)
        case .consider(let offer):
            guard case .forOffer(let waiter) = joining.answer else { return }
            openJoiners[id]?.answer = .nobody
            waiter.resume(returning: .offered(offer))
        case .commitJoining(let welcome):
            do {
                let (heads, isNew) = try await rooms.beginJoining(welcome, by: .open)
                openJoiners[id]?.room = welcome.room
                openJoiners[id]?.isNew = isNew
                await drive(openJoiner: id, .joiningCommitted(heads))
            } catch {
                log.error("writing down a join failed", ["error": "\(error)"])
                await drive(openJoiner: id, .storageFailed)
            }
        case .expectControlLogs(let room):
            await rooms.startJoined(room)
            await noteChange(of: room)
        case .finish(let outcome):
            joining.deadline?.cancel()
            openJoiners[id] = nil
            await sync.setJoining(false, on: id)
            if case .failed(.refused) = outcome, joining.isNew, let room = joining.room {
                await abandon(room)
            }
            switch joining.answer {
            case .forOffer(let waiter): waiter.resume(returning: .failed(outcome.failure))
            case .forOutcome(let waiter): waiter.resume(returning: outcome)
            case .nobody: break
            }
        }
    }

    // MARK: In the background

    /// How often members in reach are asked again to be let into an open room.
    private static let seekEvery = Duration.seconds(20)

    /// Asks members in reach for the grants of open rooms that this device waits for, now and
    /// from time to time until all have come.
    func seekAdmission() async {
        var waiting: [OpenRoom] = []
        for room in await rooms.all() where room.joining == .open {
            if await rooms.role(in: room.id) == nil { waiting.append(room) }
        }
        for room in waiting where seeking.insert(room.id).inserted {
            Task {
                await self.seekAdmission(to: room.id)
                self.seeking.remove(room.id)
            }
        }
        seeker?.cancel()
        guard !waiting.isEmpty else { return }
        seeker = Task {
            try? await Task.sleep(for: Self.seekEvery)
            if !Task.isCancelled { await self.seekAdmission() }
        }
    }

    /// Only who has shown that it knows the room is asked, so that nobody else hears of it.
    private func seekAdmission(to room: RoomID) async {
        for id in await sync.sessions(knowing: room) {
            guard case .offered(let offer) = await ask(for: room.short, on: id, expecting: room)
            else { continue }
            guard offer.admits else {
                await decline(offerOn: id)
                continue
            }
            if case .joined = await take(offerOn: id) { return }
        }
    }
}

extension JoinJoiner.Outcome {
    fileprivate var failure: JoinFailure {
        if case .failed(let failure) = self { failure } else { .connectionLost }
    }
}
