package import ShareCrypto

/// The joiner's side of one exchange on one connection, as a value (docs/protocol/joining.md §5).
///
/// The shell performs the actions in order and reports back by events. Nothing is asked of it
/// twice, and after `finish` every event is ignored.
package struct JoinJoiner: Sendable {
    package enum Event: Hashable, Sendable {
        /// TLS is up and both keys are known.
        case connected
        case received(JoinMessage)
        /// Answer to `commitJoining`, after it is durable: the heads of this device's own logs in
        /// the room, empty if it was never a member.
        case joiningCommitted(CoveredHeads)
        /// Another answer to `commitJoining`: nothing was written, as this room is not wanted.
        case declined(JoinFailure)
        case storageFailed
        /// The control logs have come and they give this device the role of the welcome, or more.
        case granted
        case deadlinePassed
        /// The connection is gone.
        case closed
    }

    package enum Action: Hashable, Sendable {
        case setDeadline(Duration)
        case send(JoinMessage)
        /// Write down, synced, that this device is joining the room: its founding batch, its name
        /// and the inviter. Writing it again changes nothing.
        case commitJoining(JoinWelcome)
        /// Go on with the session: the inviter sends the control logs next.
        case expectControlLogs(RoomID)
        case finish(Outcome)
    }

    package enum Outcome: Hashable, Sendable {
        case joined(RoomID)
        /// Accepted, but no grant has come yet: this device stays "joining" and repeats the
        /// exchange, or proves itself to any member.
        case waiting(RoomID)
        case failed(JoinFailure)
    }

    private enum State: Sendable {
        case idle
        case awaitingReply(CPace)
        case awaitingWelcome(CPaceKey)
        case committing(CPaceKey, JoinWelcome)
        case awaitingGrant(RoomID)
        case finished
    }

    private let code: JoinCode
    private let channel: JoinChannel
    private let identity: DeviceIdentity
    private let scalar: CPaceScalar
    private let expected: RoomID?
    private var state = State.idle
    /// Set when the connection ended while storage was still at work.
    private var isAlone = false

    /// - Parameters:
    ///   - identity: The one whose key is the channel's joiner.
    ///   - scalar: Fresh, for this exchange alone.
    ///   - expected: The room that the user named by its id, if so.
    package init(
        code: JoinCode, channel: JoinChannel, identity: DeviceIdentity, scalar: CPaceScalar,
        expecting expected: RoomID? = nil
    ) {
        precondition(identity.key == channel.joiner)
        self.code = code
        self.channel = channel
        self.identity = identity
        self.scalar = scalar
        self.expected = expected
    }

    package var isFinished: Bool { if case .finished = state { true } else { false } }

    package mutating func handle(_ event: Event) -> [Action] {
        switch (state, event) {
        case (.finished, _): []
        case (_, .received(.refused(let refusal))): leave(.refused(refusal))
        case (_, .closed): leave(.connectionLost)
        case (_, .deadlinePassed): leave(.late, telling: .late)
        case (_, .storageFailed): stop(.failed(.storage), telling: .unavailable)

        case (.idle, .connected): begin()
        case (.awaitingReply(let cpace), .received(.reply(let share))): prove(cpace, share)
        case (.awaitingWelcome(let key), .received(.welcome(let tag, let sealed))):
            consider(key, tag, sealed)
        case (.committing(let key, let welcome), .joiningCommitted(let heads)):
            accept(key, welcome, heads)
        case (.committing, .declined(let failure)): stop(.failed(failure), telling: .unavailable)
        case (.awaitingGrant(let room), .granted): stop(.joined(room))

        default: leave(.violation, telling: .violation)
        }
    }

    private mutating func begin() -> [Action] {
        do throws(CPaceError) {
            let cpace = try channel.cpace(
                .initiator, selector: code.selector, secret: code.secret, scalar: scalar)
            state = .awaitingReply(cpace)
            return [
                .setDeadline(JoinLimits.exchange), .send(.start(code.selector, cpace.share)),
            ]
        } catch {
            return stop(.failed(.violation))
        }
    }

    private mutating func prove(_ cpace: CPace, _ share: CPaceShare) -> [Action] {
        do throws(CPaceError) {
            let key = try cpace.key(
                with: share, associated: JoinChannel.associated(.responder, code.selector))
            state = .awaitingWelcome(key)
            return [.send(.proof(key.tag(of: .initiator)))]
        } catch {
            return leave(.violation, telling: .violation)
        }
    }

    private mutating func consider(
        _ key: CPaceKey, _ tag: CPaceTag, _ sealed: [UInt8]
    ) -> [Action] {
        guard key.isValid(tag, of: .responder) else {
            return leave(.unproven, telling: .violation)
        }
        guard let opened = key.open(sealed, label: JoinChannel.welcomeLabel),
            let welcome = try? JoinWelcome(encoded: opened), welcome.isGenuine
        else { return leave(.notARoom, telling: .violation) }
        guard expected == nil || expected == welcome.room else {
            return leave(.otherRoom(welcome.room, welcome.name), telling: .unavailable)
        }
        state = .committing(key, welcome)
        return [.commitJoining(welcome)]
    }

    private mutating func accept(
        _ key: CPaceKey, _ welcome: JoinWelcome, _ heads: CoveredHeads
    ) -> [Action] {
        guard !isAlone else { return stop(.waiting(welcome.room)) }
        let acceptance = JoinAcceptance(
            heads: heads, signature: identity.sign(channel.acceptance(of: welcome.room)))
        let sealed = key.seal(acceptance.encoded, label: JoinChannel.acceptLabel)
        state = .awaitingGrant(welcome.room)
        return [.send(.accept(sealed: sealed)), .expectControlLogs(welcome.room)]
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
        _ outcome: Outcome, telling refusal: JoinRefusal? = nil
    ) -> [Action] {
        state = .finished
        let message: [Action] = refusal.map { isAlone ? [] : [.send(.refused($0))] } ?? []
        return message + [.finish(outcome)]
    }
}
