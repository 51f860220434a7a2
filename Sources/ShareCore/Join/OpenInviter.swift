import ShareCrypto

/// The member's side of letting a device into an open room, on one connection, as a value
/// (docs/protocol/joining.md §9).
///
/// The shell performs the actions in order and reports back by events. Nothing is asked of it
/// twice, and after `finish` every event is ignored.
package struct OpenInviter: Sendable {
    package enum Event: Hashable, Sendable {
        case received(JoinMessage)
        /// Answers to `look`.
        case found(OpenOffer)
        case notFound(JoinRefusal)
        /// Answers to `admit`, the first after it is durable: the grant's name.
        case admitted(OperationName)
        case notAdmitted(JoinRefusal)
        case deadlinePassed
        /// The connection is gone.
        case closed
    }

    package enum Action: Hashable, Sendable {
        case setDeadline(Duration)
        /// Look for an open room of that name or short id; report `notOpen` where there is none,
        /// also where there is one that is closed.
        case look(String)
        case send(JoinMessage)
        /// If the room is open still and this device may, write the grant, synced, and report its
        /// name; where the subject has a role already, write nothing and report what gave it.
        case admit(JoinGrantRequest)
        /// The joiner is a member: go on with the session, the control logs first.
        case sendControlLogs(RoomID)
        case finish(JoinInviter.Outcome)
    }

    private enum State: Sendable {
        case idle
        case looking
        case offered(RoomID)
        case admitting(RoomID)
        case finished
    }

    private let channel: JoinChannel
    private var state = State.idle
    /// Set when the exchange has ended for the joiner while the shell was still at work.
    private var ending: JoinInviter.Outcome?

    package init(channel: JoinChannel) { self.channel = channel }

    package var isFinished: Bool { if case .finished = state { true } else { false } }

    package mutating func handle(_ event: Event) -> [Action] {
        switch (state, event) {
        case (.finished, _): []
        case (_, .received(.refused(let refusal))): leave(.refusedByJoiner(refusal))
        case (_, .closed): leave(.connectionLost)
        case (_, .deadlinePassed): leave(.refused(.late), telling: .late)

        case (.idle, .received(.ask(let wanted))): begin(wanted)
        case (.looking, .found(let offer)): show(offer)
        case (.looking, .notFound(let refusal)): refuse(refusal)
        case (.offered(let room), .received(.enter(let entered, let acceptance))):
            take(acceptance, entered, room)
        case (.admitting(let room), .admitted(let name)): succeed(room, name)
        case (.admitting, .notAdmitted(let refusal)): refuse(refusal)

        default: leave(.refused(.violation), telling: .violation)
        }
    }

    private mutating func begin(_ wanted: String) -> [Action] {
        state = .looking
        return [.setDeadline(JoinLimits.exchange), .look(wanted)]
    }

    private mutating func show(_ offer: OpenOffer) -> [Action] {
        if let ending { return finish(ending) }
        state = .offered(offer.welcome.room)
        return [.send(.offer(offer))]
    }

    private mutating func take(
        _ encoded: [UInt8], _ entered: RoomID, _ room: RoomID
    ) -> [Action] {
        guard entered == room, let acceptance = try? JoinAcceptance(encoded: encoded),
            acceptance.isSigned(by: channel.joiner, over: channel.acceptance(of: room))
        else { return leave(.refused(.violation), telling: .violation) }
        state = .admitting(room)
        return [
            .admit(
                JoinGrantRequest(
                    room: room, subject: channel.joiner, role: OpenOffer.role,
                    heads: acceptance.heads))
        ]
    }

    private mutating func succeed(_ room: RoomID, _ name: OperationName) -> [Action] {
        // The grant stands also when its answer finds nobody: the joiner will come again.
        (ending == nil ? [.sendControlLogs(room)] : []) + finish(.granted(name))
    }

    private mutating func refuse(_ refusal: JoinRefusal) -> [Action] {
        let answer: [Action] = ending == nil ? [.send(.refused(refusal))] : []
        return answer + finish(ending ?? .refused(refusal))
    }

    /// Ends the exchange, but lets what the shell has begun come to its end first.
    private mutating func leave(
        _ outcome: JoinInviter.Outcome, telling refusal: JoinRefusal? = nil
    ) -> [Action] {
        let message: [Action] =
            if let refusal, ending == nil { [.send(.refused(refusal))] } else { [] }
        switch state {
        case .looking, .admitting:
            ending = ending ?? outcome
            return message
        case .idle, .offered, .finished: return message + finish(outcome)
        }
    }

    private mutating func finish(_ outcome: JoinInviter.Outcome) -> [Action] {
        state = .finished
        return [.finish(outcome)]
    }
}
