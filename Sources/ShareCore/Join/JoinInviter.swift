package import ShareCrypto

/// The inviter's side of one exchange on one connection, as a value (docs/protocol/joining.md §5).
///
/// The shell performs the actions in order and reports back by events. Nothing is asked of it
/// twice, and after `finish` every event is ignored.
package struct JoinInviter: Sendable {
    package enum Event: Hashable, Sendable {
        case received(JoinMessage)
        /// Answers to `open`.
        case opened(JoinOffer)
        case notOpened(JoinRefusal)
        /// Answer to `recordFailedAttempt`, after it is durable.
        case attemptRecorded(left: Int)
        /// Answer to `recordUse`, after it is durable.
        case useRecorded
        /// Answer to `recordFailedAttempt` and `recordUse`: its maker has withdrawn the invite.
        case inviteGone
        /// Answer to `commitGrant`, after it is durable: the grant's name.
        case grantCommitted(OperationName)
        /// The last request to the store failed.
        case storageFailed
        case deadlinePassed
        /// The connection is gone.
        case closed
    }

    package enum Action: Hashable, Sendable {
        case setDeadline(Duration)
        /// Ask `InviteBook.open`; on `.none`, `.busy` and too many attempts report `notOpened`.
        case open(JoinSelector)
        case send(JoinMessage)
        /// Count a wrong code in the book and store the invite *before* reporting back.
        case recordFailedAttempt(JoinSelector)
        /// The invite has ended: tell its maker that somebody has guessed.
        case reportEnded(JoinSelector)
        /// Give the joiner one use in the book and store the invite before reporting back.
        case recordUse(JoinSelector)
        /// Write the grant, synced, and report its name; if the room's authority already gives
        /// the subject this role or a higher one, write nothing and report the grant that does.
        case commitGrant(JoinGrantRequest)
        case recordGrant(OperationName, JoinSelector)
        /// The joiner is a member: go on with the session, the control logs first.
        case sendControlLogs(RoomID)
        /// Give the invite back to the book.
        case close(JoinSelector)
        case finish(Outcome)
    }

    package enum Outcome: Hashable, Sendable {
        case granted(OperationName)
        /// This side ended the exchange, and told the other if it could.
        case refused(JoinRefusal)
        case refusedByJoiner(JoinRefusal)
        case connectionLost
    }

    private struct Run: Sendable {
        let selector: JoinSelector
        let offer: JoinOffer
        let key: CPaceKey
    }

    private enum State: Sendable {
        case idle
        case opening(JoinSelector, CPaceShare)
        case awaitingProof(Run)
        case countingFailure(Run)
        case awaitingAcceptance(Run)
        case recordingUse(Run, JoinGrantRequest)
        case committing(Run)
        case finished
    }

    private let channel: JoinChannel
    private let scalar: CPaceScalar
    private var state = State.idle
    /// Set when the exchange has ended for the joiner while storage was still at work.
    private var ending: Outcome?

    /// - Parameter scalar: Fresh, for this exchange alone.
    package init(channel: JoinChannel, scalar: CPaceScalar) {
        self.channel = channel
        self.scalar = scalar
    }

    package var isFinished: Bool { if case .finished = state { true } else { false } }

    package mutating func handle(_ event: Event) -> [Action] {
        switch (state, event) {
        case (.finished, _): []
        case (_, .received(.refused(let refusal))): leave(.refusedByJoiner(refusal))
        case (_, .closed): leave(.connectionLost)
        case (_, .deadlinePassed): leave(.refused(.late), telling: .late)

        case (.idle, .received(.start(let selector, let share))): begin(selector, share)
        case (.opening(let selector, let share), .opened(let offer)):
            reply(selector, share, offer)
        case (.opening(_, let share), .notOpened(let refusal)): decline(share, refusal)
        case (.awaitingProof(let run), .received(.proof(let tag))): check(tag, run)
        case (.countingFailure(let run), .attemptRecorded(let left)): refuseCode(run, left)
        case (.countingFailure(let run), .inviteGone), (.recordingUse(let run, _), .inviteGone):
            refuse(run, .noInvite)
        case (.awaitingAcceptance(let run), .received(.accept(let sealed))):
            take(sealed, run)
        case (.recordingUse(let run, let request), .useRecorded): commit(run, request)
        case (.committing(let run), .grantCommitted(let name)): succeed(run, name, isNew: true)

        case (_, .storageFailed): storageFailed()
        default: leave(.refused(.violation), telling: .violation)
        }
    }

    private mutating func begin(_ selector: JoinSelector, _ share: CPaceShare) -> [Action] {
        state = .opening(selector, share)
        return [.setDeadline(JoinLimits.exchange), .open(selector)]
    }

    private mutating func reply(
        _ selector: JoinSelector, _ share: CPaceShare, _ offer: JoinOffer
    ) -> [Action] {
        if let ending { return [.close(selector)] + finish(ending) }
        guard let (own, key) = compute(selector, share, secret: offer.secret) else {
            return [.close(selector), .send(.refused(.violation))] + finish(.refused(.violation))
        }
        state = .awaitingProof(Run(selector: selector, offer: offer, key: key))
        return [.send(.reply(own))]
    }

    private mutating func decline(_ share: CPaceShare, _ refusal: JoinRefusal) -> [Action] {
        if let ending { return finish(ending) }
        if case .opening(let selector, _) = state, refusal == .noInvite {
            // The same work as for an invite, so that the time tells nobody what there is.
            _ = compute(selector, share, secret: .dummy)
        }
        return [.send(.refused(refusal))] + finish(.refused(refusal))
    }

    private func compute(
        _ selector: JoinSelector, _ share: CPaceShare, secret: JoinSecret
    ) -> (CPaceShare, CPaceKey)? {
        do throws(CPaceError) {
            let cpace = try channel.cpace(
                .responder, selector: selector, secret: secret, scalar: scalar)
            let key = try cpace.key(
                with: share, associated: JoinChannel.associated(.initiator, selector))
            return (cpace.share, key)
        } catch {
            return nil
        }
    }

    private mutating func check(_ tag: CPaceTag, _ run: Run) -> [Action] {
        guard run.key.isValid(tag, of: .initiator) else {
            state = .countingFailure(run)
            return [.recordFailedAttempt(run.selector)]
        }
        state = .awaitingAcceptance(run)
        let sealed = run.key.seal(run.offer.welcome.encoded, label: JoinChannel.welcomeLabel)
        return [.send(.welcome(run.key.tag(of: .responder), sealed: sealed))]
    }

    private mutating func refuseCode(_ run: Run, _ left: Int) -> [Action] {
        let ended: [Action] = left == 0 ? [.reportEnded(run.selector)] : []
        return ended + refuse(run, .wrongCode(attemptsLeft: left))
    }

    /// Ends an exchange that storage has just answered.
    private mutating func refuse(_ run: Run, _ refusal: JoinRefusal) -> [Action] {
        let answer: [Action] = ending == nil ? [.send(.refused(refusal))] : []
        return [.close(run.selector)] + answer + finish(.refused(refusal))
    }

    private mutating func take(_ sealed: [UInt8], _ run: Run) -> [Action] {
        let room = run.offer.welcome.room
        guard let opened = run.key.open(sealed, label: JoinChannel.acceptLabel),
            let acceptance = try? JoinAcceptance(encoded: opened),
            acceptance.isSigned(by: channel.joiner, over: channel.acceptance(of: room))
        else { return leave(.refused(.violation), telling: .violation) }
        if case .granted(let name) = run.offer.use { return succeed(run, name, isNew: false) }
        state = .recordingUse(
            run,
            JoinGrantRequest(
                room: room, subject: channel.joiner, role: run.offer.welcome.role,
                scope: run.offer.scope, heads: acceptance.heads))
        return [.recordUse(run.selector)]
    }

    private mutating func commit(_ run: Run, _ request: JoinGrantRequest) -> [Action] {
        state = .committing(run)
        return [.commitGrant(request)]
    }

    private mutating func succeed(_ run: Run, _ name: OperationName, isNew: Bool) -> [Action] {
        let note: [Action] = isNew ? [.recordGrant(name, run.selector)] : []
        // The grant stands also when its answer finds nobody: the joiner will come again.
        let answer: [Action] =
            ending == nil ? [.sendControlLogs(run.offer.welcome.room)] : []
        return note + [.close(run.selector)] + answer + finish(.granted(name))
    }

    private mutating func storageFailed() -> [Action] {
        switch state {
        case .opening(_, let share): decline(share, .unavailable)
        case .countingFailure(let run), .recordingUse(let run, _), .committing(let run):
            refuse(run, .unavailable)
        default: leave(.refused(.unavailable), telling: .unavailable)
        }
    }

    /// Ends the exchange, but lets what storage has begun come to its end first.
    private mutating func leave(
        _ outcome: Outcome, telling refusal: JoinRefusal? = nil
    ) -> [Action] {
        let message: [Action] =
            if let refusal, ending == nil { [.send(.refused(refusal))] } else { [] }
        switch state {
        case .opening, .countingFailure, .recordingUse, .committing:
            ending = ending ?? outcome
            return message
        case .awaitingProof(let run), .awaitingAcceptance(let run):
            return [.close(run.selector)] + message + finish(outcome)
        case .idle, .finished: return message + finish(outcome)
        }
    }

    private mutating func finish(_ outcome: Outcome) -> [Action] {
        state = .finished
        return [.finish(outcome)]
    }
}
