import ShareCore
import ShareCrypto

/// Two devices that join over a made-up connection, with what each has on disk.
///
/// Every action is a step after which the play can be cut; what is on disk then is all that is
/// left for the next exchange.
final class JoinPlay {
    static let exporter = Bytes32([UInt8](repeating: 0xe0, count: 32)) ?? .zero
    static let made: UInt64 = 1_700_000_000_000

    let inviter = TestBatches.identity(1)
    let joiner: DeviceIdentity
    let founding: Batch
    var now = made

    // On the inviter's disk.
    var stored: [JoinSelector: [UInt8]] = [:]
    var grants: [JoinGrantRequest] = []
    // On the joiner's disk.
    var joining: JoinWelcome?
    var heads = CoveredHeads(control: [], records: [])

    /// The joiner's role in the room, if it is in it.
    var held: Role?

    // In memory.
    var book = InviteBook()
    var messages: [JoinMessage] = []
    var trace: [String] = []
    var ended: [JoinSelector] = []

    init(joiner: DeviceIdentity = TestBatches.identity(2)) {
        self.joiner = joiner
        founding = TestBatches.founding(by: inviter)
    }

    /// Another play that goes on from the same disks and memories.
    func copy() -> JoinPlay {
        let other = JoinPlay(joiner: joiner)
        other.now = now
        other.stored = stored
        other.grants = grants
        other.joining = joining
        other.heads = heads
        other.book = book
        return other
    }

    struct Ending: Equatable {
        var joiner: JoinJoiner.Outcome?
        var inviter: JoinInviter.Outcome?
    }

    func invite(role: Role = .collector, uses: Int = 1) throws -> JoinCode {
        let invite = try book.make(
            room: founding.room, role: role, uses: uses, now: now,
            random: [7, 8, 1, 2, 3, 4, 5, 6])
        stored[invite.code.selector] = invite.encoded
        return invite.code
    }

    /// Both devices lose their memory.
    func restart() throws {
        book = InviteBook(try stored.values.map { try Invite(encoded: $0) })
    }

    func name(of index: Int) -> OperationName { OperationName(batch: founding.id, index: index) }

    private enum Step {
        case joiner(JoinJoiner.Event)
        case inviter(JoinInviter.Event)
    }

    /// One exchange; nil outcomes where it was cut.
    ///
    /// - Parameters:
    ///   - cut: After how many actions everything stops.
    ///   - change: What becomes of a message on its way; nil loses it and the connection.
    func exchange(
        _ code: JoinCode, cut: Int = .max, expecting: RoomID? = nil,
        change: (JoinMessage) -> JoinMessage? = { $0 }
    ) throws -> Ending {
        let channel = try JoinChannel(
            exporter: JoinPlay.exporter, joiner: joiner.key, inviter: inviter.key)
        var left = JoinJoiner(
            code: code, channel: channel, identity: joiner, scalar: .random(),
            expecting: expecting)
        var right = JoinInviter(channel: channel, scalar: .random())
        var ending = Ending()
        var steps: [Step] = [.joiner(.connected)]
        var count = 0
        messages = []
        trace = []
        while !steps.isEmpty {
            switch steps.removeFirst() {
            case .joiner(let event):
                for action in left.handle(event) {
                    trace.append("J \(JoinPlay.label(action))")
                    steps += try perform(action, &ending, change)
                    count += 1
                    if count == cut { return ending }
                }
            case .inviter(let event):
                for action in right.handle(event) {
                    trace.append("I \(JoinPlay.label(action))")
                    steps += try perform(action, &ending, change)
                    count += 1
                    if count == cut { return ending }
                }
            }
        }
        return ending
    }

    /// The name of a case without what it holds.
    static func label(_ action: some Any) -> String {
        String("\(action)".prefix { $0 != "(" })
    }

    private func carry(
        _ message: JoinMessage, _ change: (JoinMessage) -> JoinMessage?
    ) throws -> JoinMessage? {
        messages.append(message)
        guard let changed = change(message) else { return nil }
        return try JoinMessage(encoded: changed.encoded)
    }

    private func perform(
        _ action: JoinJoiner.Action, _ ending: inout Ending,
        _ change: (JoinMessage) -> JoinMessage?
    ) throws -> [Step] {
        switch action {
        case .setDeadline, .expectControlLogs: return []
        case .send(let message):
            guard let carried = try carry(message, change) else {
                return [.joiner(.closed), .inviter(.closed)]
            }
            return [.inviter(.received(carried))]
        case .commitJoining(let welcome):
            if let held = held, held >= welcome.role {
                return [.joiner(.declined(.alreadyMember(welcome.room, welcome.name, held)))]
            }
            joining = welcome
            return [.joiner(.joiningCommitted(heads))]
        case .finish(let outcome):
            ending.joiner = outcome
            return []
        }
    }

    private func perform(
        _ action: JoinInviter.Action, _ ending: inout Ending,
        _ change: (JoinMessage) -> JoinMessage?
    ) throws -> [Step] {
        switch action {
        case .setDeadline: return []
        case .open(let selector):
            switch book.open(selector, for: joiner.key, now: now) {
            case .none: return [.inviter(.notOpened(.noInvite))]
            case .busy: return [.inviter(.notOpened(.busy))]
            case .invite(let invite):
                guard
                    let offer = JoinOffer(
                        invite, for: joiner.key, founding: founding.bytes, name: "clinic")
                else { return [.inviter(.notOpened(.unavailable))] }
                return [.inviter(.opened(offer))]
            }
        case .send(let message):
            guard let carried = try carry(message, change) else {
                return [.joiner(.closed), .inviter(.closed)]
            }
            return [.joiner(.received(carried))]
        case .recordFailedAttempt(let selector):
            guard let invite = book.countFailure(selector, now: now) else {
                return [.inviter(.inviteGone)]
            }
            stored[selector] = invite.encoded
            return [.inviter(.attemptRecorded(left: invite.attemptsLeft))]
        case .reportEnded(let selector):
            ended.append(selector)
            return []
        case .recordUse(let selector):
            guard let invite = book.use(selector, by: joiner.key, now: now) else {
                return [.inviter(.inviteGone)]
            }
            stored[selector] = invite.encoded
            return [.inviter(.useRecorded)]
        case .commitGrant(let request):
            // As the action says: a role that holds is not granted again.
            if let index = grants.firstIndex(where: {
                $0.subject == request.subject && $0.role == request.role
            }) {
                return [.inviter(.grantCommitted(name(of: index)))]
            }
            grants.append(request)
            return [.inviter(.grantCommitted(name(of: grants.count - 1)))]
        case .recordGrant(let name, let selector):
            stored[selector] = book.note(name, to: joiner.key, from: selector)?.encoded
            return []
        case .sendControlLogs: return grants.isEmpty ? [] : [.joiner(.granted)]
        case .close(let selector):
            book.close(selector)
            return []
        case .finish(let outcome):
            ending.inviter = outcome
            return []
        }
    }
}
