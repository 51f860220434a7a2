/// The bounds of what passes between two devices (docs/protocol.md, "Limits").
package enum SyncLimits {
    package static let protocolVersion: UInt64 = 1
    /// Room proofs in a hello; there are always so many.
    package static let proofs = 16
    /// Time for a hello.
    package static let helloTime = Duration.seconds(10)
    /// Time for one who knows the room to show that it is a member.
    package static let unprovenTime = Duration.seconds(60)
    /// Sessions at a time with such peers.
    package static let unprovenSessions = 4
    /// Bytes of control batches that such a peer may send.
    package static let unprovenBytes = 16 << 20
    /// A session whose only rooms are such that one of the two was removed from them ends so long
    /// after that was told or found.
    package static let partingTime = Duration.seconds(5)
    /// Hellos of crossed dials lie no further apart.
    package static let crossedDials = Duration.seconds(5)
    /// Sessions of one key beside a new one that shows another instance.
    package static let duplicateSessions = 4
    /// Bytes of batches that a peer has not acknowledged.
    package static let window = 8 << 20
    /// Bytes that are loaded from the store at a time.
    package static let loadChunk = 2 << 20
    /// Logs asked for at a time from one peer.
    package static let asks = 8
    /// Requests of one peer that wait to be served: it asks for no more than `asks` in each room.
    package static let servings = asks * proofs
    /// Bytes of batches sent to one peer on one session that it did not keep.
    package static let unkeptBytes = 64 << 20
    /// How often a peer tells all its logs of a room: at once, and then again.
    package static let haves = 16
    package static let havesEvery = Duration.seconds(2)
    /// How often addresses of one peer, and names, are taken in; more are passed over.
    package static let addressMessages = 16
    package static let addressMessagesEvery = Duration.seconds(5)
    /// How often a peer is told of addresses: more seldom than it has to take.
    package static let addressTellings = 12
    package static let addressTellingsEvery = Duration.seconds(6)
    /// Members of a room of whom it is remembered how they stood when they went.
    package static let departed = 1_024
    /// Heads that are remembered as not having come.
    package static let declined = 4_096
    /// Messages with new proofs on one session.
    package static let proofMessages = 64
    /// Another state of one peer is reported no more often.
    package static let alarmEvery = Duration.seconds(60)
    /// A member that has said nothing for so long is not waited for.
    package static let wordPatience = Duration.seconds(5)
    /// Logs in one `have`, and bytes in one that is sent, by the most that an entry and each of
    /// its heads can take.
    package static let logs = 16_384
    package static let haveBytes = 1 << 20
    package static let haveEntry = 84
    package static let haveHead = 44
    /// How often a peer hears at most that another number of operations is not sealed.
    static let pendingEvery = Duration.seconds(3)
    /// Such messages in which a room is told of at a time.
    package static let haveMessages = 3
    /// How often a room is told of: more seldom than the peer has to take.
    package static let tellings = 12
    package static let tellingsEvery = Duration.milliseconds(2_500)
    /// Places of a log in one `want`.
    package static let positions = 64
    /// A batch of at most so many bytes is sent unasked, a larger one announced.
    package static let unasked = 4 << 10
    /// Peers to which a device sends such a batch of another when it passes it on; it names it to the
    /// others.
    package static let unaskedCopies = 1
    /// Another peer is asked when one has not answered for so long.
    package static let askPatience = Duration.seconds(2)
    /// A turn of one peer at a log, and what it has to bring in one that others do not get
    /// theirs.
    package static let askTurn = Duration.seconds(10)
    package static let askTurnBytes = 64 << 10
    /// Sealing waits so long after a start for a member's first telling, and then for each next
    /// batch of this device's own that the member has told of.
    package static let ownLogPatience = Duration.seconds(5)
    /// Whoever seals waits so long while sealing is paused: for the telling and for one batch.
    package static let sealingPatience = ownLogPatience * 2
    /// An identity that runs on two machines is reported once in so long.
    package static let duplicateMemory = Duration.seconds(3_600)
    /// It is shown for so long after both were seen: they may come and go.
    package static let duplicateShown = Duration.seconds(180)
    /// Joining messages in one session.
    package static let joinMessages = 64
    /// A silent session is asked for a sign of life after so long.
    package static let pingAfter = Duration.seconds(12)
    /// It is asked so much earlier where another one is asked anyway: who talks to many wakes once for
    /// all of them.
    package static let pingSlack = Duration.seconds(4)
    /// A session that shows none for so long is over.
    package static let deadAfter = Duration.seconds(25)
    /// A peer that was asked for a sign of life and has given none for so long is silent: how it
    /// stands is known as of when it was heard last.
    package static let answerTime = Duration.seconds(1)
    /// Who was heard within so long is taken to be there by whoever looks, and is waited for so
    /// long.
    package static let freshTime = Duration.seconds(3)
    package static let briefly = Duration.milliseconds(250)
    /// Vectors that stay unlike for so long without anything under way: tell them again, and
    /// ask again for what did not come.
    package static let repeatAfter = Duration.seconds(10)
    /// A member that has told nothing for so long is shown the way to this device's grant, and no
    /// device more often than that.
    package static let pathPatience = Duration.seconds(1)
    package static let grantProofEvery = Duration.seconds(30)
    /// Bytes of a device's name.
    package static let deviceName = 63
    /// Addresses remembered of one member, and members in one message.
    package static let addresses = 4
    package static let addressEntries = 64
    package static let addressText = 64
    /// Bytes of a release, and names in one message.
    package static let release = 32
    package static let namesEntries = 1_024
    /// Acknowledgements in one message.
    package static let acknowledgements = 4_096
}

/// How often a peer may do what costs this device something: so many times at once, and then
/// again as time passes.
struct RateLimit: Sendable {
    private let most: Int
    private let every: Duration
    private var left: Int
    private var since: Duration = .zero

    init(_ most: Int, every: Duration) {
        self.most = most
        self.every = every
        left = most
    }

    /// Takes one; false if none is left.
    mutating func take(now: Duration) -> Bool {
        let earned = Int(clamping: Int64((now - since) / every))
        if earned > 0 {
            left = left < most - earned ? left + earned : most
            since = now
        }
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}
