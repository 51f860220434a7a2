package import ShareCore
import ShareCrypto
import ShareNet
import ShareStore

/// The joiner's side of joining with a code.
extension JoinService {
    struct Joining {
        var exchange: JoinJoiner
        var deadline: Task<Void, Never>?
        /// The room that the code led to, once this device has written down that it joins.
        var welcome: JoinWelcome?
        /// Whether the room was not here before.
        var isNew = false
        let judge: @Sendable (JoinWelcome) -> JoinFailure?
        let answer: CheckedContinuation<JoinJoiner.Outcome, Never>
    }

    /// Runs the exchange with the device at the other end of a session.
    ///
    /// - Parameter judge: what speaks against the room that the code leads to; nil if nothing.
    package func join(
        with code: JoinCode, on id: SessionID, expecting room: RoomID?,
        judge: @escaping @Sendable (JoinWelcome) -> JoinFailure? = { _ in nil }
    ) async -> JoinJoiner.Outcome {
        // One that somebody has given up waiting for goes on, and ends soon.
        guard !isBusy(id) else { return .failed(.refused(.busy)) }
        guard let channel = await channel(on: id) else { return .failed(.connectionLost) }
        let exchange = JoinJoiner(
            code: code, channel: channel, identity: identity, scalar: .random(),
            expecting: room)
        let outcome = await withCheckedContinuation { answer in
            joiners[id] = Joining(exchange: exchange, judge: judge, answer: answer)
            Task {
                // The session may have ended before its end could reach this exchange.
                let isOpen = await self.sync.setJoining(true, on: id)
                await self.drive(joiner: id, isOpen ? .connected : .closed)
            }
        }
        return outcome
    }

    func drive(joiner id: SessionID, _ event: JoinJoiner.Event) async {
        guard let actions = joiners[id]?.exchange.handle(event) else { return }
        for action in actions { await perform(action, joiner: id) }
    }

    private func perform(_ action: JoinJoiner.Action, joiner id: SessionID) async {
        guard let joining = joiners[id] else { return }
        switch action {
        case .setDeadline(let time):
            joiners[id]?.deadline?.cancel()
            joiners[id]?.deadline = after(time) { await $0.drive(joiner: id, .deadlinePassed) }
        case .send(let message): await sync.send(message, to: id)
        case .commitJoining(let welcome):
            if let failure = joining.judge(welcome) {
                return await drive(joiner: id, .declined(failure))
            }
            do {
                let (heads, isNew) = try await rooms.beginJoining(welcome, by: .invited)
                joiners[id]?.welcome = welcome
                joiners[id]?.isNew = isNew
                await drive(joiner: id, .joiningCommitted(heads))
            } catch {
                log.error("writing down a join failed", ["error": "\(error)"])
                await drive(joiner: id, .storageFailed)
            }
        case .expectControlLogs(let room):
            await rooms.startJoined(room)
            await noteChange(of: room)
        case .finish(let outcome):
            joining.deadline?.cancel()
            joiners[id] = nil
            await sync.setJoining(false, on: id)
            // Refused by who has proven to know the code: no grant is to be waited for.
            if case .failed(.refused) = outcome, joining.isNew, let welcome = joining.welcome {
                await abandon(welcome.room)
            }
            joining.answer.resume(returning: outcome)
        }
    }

    func abandon(_ room: RoomID) async {
        do {
            try await rooms.abandonJoining(room)
        } catch {
            log.error("giving up a join failed", ["error": "\(error)"])
        }
    }
}
