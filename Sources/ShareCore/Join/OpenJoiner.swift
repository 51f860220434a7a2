package import ShareCrypto

/// The joiner's side of joining an open room, with one device that may be in it, as a value
/// (docs/protocol/joining.md §9).
///
/// The shell performs the actions in order and reports back by events. Nothing is asked of it
/// twice, and after `finish` every event is ignored.
package struct OpenJoiner: Sendable {
    package enum Event: Hashable, Sendable {
        /// TLS is up and both keys are known.
        case connected
        case received(JoinMessage)
        /// Answers to `consider`.
        case taken
        case declined(JoinFailure)
        /// Answer to `commitJoining`, after it is durable: the heads of this device's own logs in
        /// the room, empty if it was never a member.
        case joiningCommitted(CoveredHeads)
        case storageFailed
        /// The control logs have come and they give this device a role.
        case granted
        case deadlinePassed
        /// The connection is gone.
        case closed
    }

    package enum Action: Hashable, Sendable {
        case setDeadline(Duration)
        case send(JoinMessage)
        /// Decide whether this is the room that is meant: other devices may offer another one.
        case consider(OpenOffer)
        /// Write down, synced, that this device is joining the room. Writing it again changes
        /// nothing.
        case commitJoining(JoinWelcome)
        /// Go on with the session: the control logs come by it.
        case expectControlLogs(RoomID)
        case finish(JoinJoiner.Outcome)
    }

    private enum State: Sendable {
        case idle
        case asking
        case considering(OpenOffer)
        case committing(OpenOffer)
        case awaitingGrant(RoomID)
        case finished
    }

    private let wanted: String
    private let channel: JoinChannel
    private let identity: DeviceIdentity
    private let expected: RoomID?
    private var state = State.idle
    /// Set when the connection ended while storage was still at work.
    private var isAlone = false

    /// - Parameters:
    ///   - wanted: The room's name, or its short id.
    ///   - expected: The room itself, where it is known.
    package init(
        wanted: String, channel: JoinChannel, identity: DeviceIdentity,
        expecting expected: RoomID? = nil
    ) {
        precondition(identity.key == channel.joiner)
        self.wanted = wanted
        self.channel = channel
        self.identity = identity
        self.expected = expected
    }

    package var isFinished: Bool { if case .finished = state { true } else { false } }

    package mutating func handle(_ event: Event) -> [Action] {
        switch (state, event) {
        case (.finished, _): []
        case (_, .received(.refused(let refusal))): refused(refusal)
        case (_, .closed): leave(.connectionLost)
        case (_, .deadlinePassed): leave(.late, telling: .late)
        case (_, .storageFailed): stop(.failed(.storage), telling: .unavailable)

        case (.idle, .connected): begin()
        case (.asking, .received(.offer(let offer))): consider(offer)
        case (.considering(let offer), .taken): commit(offer)
        case (.considering, .declined(let failure)):
            stop(.failed(failure), telling: .unavailable)
        case (.committing(let offer), .joiningCommitted(let heads)): enter(offer, heads)
        case (.awaitingGrant(let room), .granted): stop(.joined(room))

        default: leave(.violation, telling: .violation)
        }
    }

    private mutating func begin() -> [Action] {
        state = .asking
        return [.setDeadline(JoinLimits.exchange), .send(.ask(wanted))]
    }

    private mutating func consider(_ offer: OpenOffer) -> [Action] {
        guard offer.welcome.isGenuine else { return leave(.notARoom, telling: .violation) }
        guard expected == nil || expected == offer.welcome.room else {
            return leave(.otherRoom(offer.welcome.room, offer.welcome.name), telling: .unavailable)
        }
        state = .considering(offer)
        return [.consider(offer)]
    }

    private mutating func commit(_ offer: OpenOffer) -> [Action] {
        state = .committing(offer)
        return [.commitJoining(offer.welcome)]
    }

    private mutating func enter(_ offer: OpenOffer, _ heads: CoveredHeads) -> [Action] {
        let room = offer.welcome.room
        // Who cannot admit can still pass on the control logs, with the grant of somebody else.
        guard offer.admits, !isAlone else {
            return [.expectControlLogs(room)] + stop(.waiting(room), telling: .unavailable)
        }
        let acceptance = JoinAcceptance(
            heads: heads, signature: identity.sign(channel.acceptance(of: room)))
        state = .awaitingGrant(room)
        return [
            .send(.enter(room, acceptance: acceptance.encoded)), .expectControlLogs(room),
        ]
    }

    /// A refusal for now leaves the device waiting; one for good ends the joining.
    private mutating func refused(_ refusal: JoinRefusal) -> [Action] {
        if case .awaitingGrant(let room) = state {
            switch refusal {
            case .tooMany, .unavailable, .busy, .late: return stop(.waiting(room))
            case .noInvite, .wrongCode, .ownKey, .violation, .notOpen, .removed, .notAllowed: break
            }
        }
        return leave(.refused(refusal))
    }

    /// Ends the exchange, but lets what storage has begun come to its end first.
    private mutating func leave(
        _ failure: JoinFailure, telling refusal: JoinRefusal? = nil
    ) -> [Action] {
        switch state {
        case .committing:
            let isFirst = !isAlone
            isAlone = true
            return isFirst ? refusal.map { [.send(.refused($0))] } ?? [] : []
        case .awaitingGrant(let room) where failure == .late || failure == .connectionLost:
            return stop(.waiting(room))
        default: return stop(.failed(failure), telling: refusal)
        }
    }

    private mutating func stop(
        _ outcome: JoinJoiner.Outcome, telling refusal: JoinRefusal? = nil
    ) -> [Action] {
        state = .finished
        let message: [Action] = refusal.map { isAlone ? [] : [.send(.refused($0))] } ?? []
        return message + [.finish(outcome)]
    }
}
