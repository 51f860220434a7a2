import ShareCrypto

/// A room that both ends of a session know.
package struct RoomLink: Sendable {
    /// Whether the peer is a member as far as this device knows, so that records may flow.
    package internal(set) var isOpen = false
    /// Whether this device was removed from the room, as it knows: it says and takes nothing more,
    /// but asks for control logs, as it may be admitted again.
    package internal(set) var isControlOnly = false
    /// How far the peer's logs go, as it told and as batches and acknowledgements showed.
    package var peerLogs: [LogName: LogState] { logs.states }
    var logs = PeerLogs()
    /// The summary of the peer's copy that it sent last.
    package internal(set) var peerState: RoomSummary?
    /// How many operations the peer has made and not sealed, as it last said.
    package internal(set) var peerPending: UInt64?
    /// The number that the peer was told of this device, and when.
    var toldPending: UInt64?
    var pendingToldAt: Duration = .zero
    /// The summary of this device's copy, as it is compared with this peer's.
    var own: RoomSummary?
    /// Whether the two were alike, and whether they contradicted each other, at the last look.
    var wasIdentical = false
    var wasContradicted = false
    /// When the way to this device's own grant was shown last.
    var grantProofAt: Duration?
    /// Control batches that show the peer something, and are not sent yet.
    var unaskedBatches: ArraySlice<Batch> = []
    /// The batches that show the peer its removal, and that it has not said to hold.
    var removal: Set<BatchID> = []
    var isTellingRemoval = false
    var hasTold = false
    /// The logs that the peer was told of, and the last one where there are more to tell of.
    var told: Set<LogName> = []
    var toldUpTo: LogName?
    var tellings = RateLimit(SyncLimits.tellings, every: SyncLimits.tellingsEvery)
    var hasHeard = false
    /// When the room was opened on this session.
    package internal(set) var openedAt: Duration = .zero
    /// Whether the peer is a member and has told how far its logs go.
    package var hasToldUs: Bool { isOpen && hasHeard }
    var lastTold: Duration = .zero
    var lastState: RoomSummary?
    /// Wants that wait for their end.
    var asked: [LogName: LogAsk] = [:]
    /// When this peer was last asked for a log and did not bring what it had told of, or too
    /// little, so that others come first.
    private(set) var fruitless: [LogName: Duration] = [:]
    private var allFruitless: Duration?
    /// Logs of which the peer knew none of the places named to it.
    var lost: Set<LogName> = []
    /// Heads of the peer that this device has looked up and holds.
    var held: Set<BatchID> = []
    /// Heads that are being looked up in the store.
    var checking: [LogName: [LogHead]] = [:]
    var declined = DeclinedHeads()
    /// How often the peer may tell all its logs, and where it met others.
    var haves = RateLimit(SyncLimits.haves, every: SyncLimits.havesEvery)
    var addresses = RateLimit(SyncLimits.addressMessages, every: SyncLimits.addressMessagesEvery)
    var addressTellings = RateLimit(
        SyncLimits.addressTellings, every: SyncLimits.addressTellingsEvery)
    /// True while news of addresses waits, as others had just been told.
    var owesAddresses = false
    /// Whether the peer was told what members call themselves, once it had said that the room is
    /// open there too; and what it told of devices of which this one has no grant yet.
    var hasNamed = false
    var unplaced: [DeviceKey: String] = [:]
    var names = RateLimit(SyncLimits.addressMessages, every: SyncLimits.addressMessagesEvery)

    /// Whether the peer may be asked for one more log.
    var mayAsk: Bool { asked.count + checking.count < SyncLimits.asks }

    /// Whether the two are not known to hold the same, or one of them has not told.
    var isUnlike: Bool { !hasHeard || peerState == nil || peerState?.vector != own?.vector }

    /// Whether the peer is to hear of a number of operations that are not sealed.
    func isPendingDue(_ pending: UInt64) -> Bool {
        isOpen && !isControlOnly && hasTold && toldPending != pending
    }

    /// When this peer last had its turn at a log for nothing; nil if never.
    func lastFruitless(_ log: LogName) -> Duration? { fruitless[log] ?? allFruitless }

    mutating func noteFruitless(_ log: LogName, now: Duration) {
        if fruitless.count >= SyncLimits.declined, fruitless[log] == nil {
            // Whoever fails in so many is behind the others in all.
            allFruitless = now
            fruitless = [:]
        }
        fruitless[log] = now
    }

    mutating func forgetFruitless(_ log: LogName) { fruitless[log] = nil }

    /// The same link, closed: of what was under way nothing is left. What the peer has told stays:
    /// it does not know that the room was closed here, so it does not tell again.
    var closed: RoomLink {
        var link = RoomLink()
        link.logs = logs
        link.peerState = peerState
        link.peerPending = peerPending
        link.hasHeard = hasHeard
        link.lastTold = lastTold
        link.told = told
        link.tellings = tellings
        link.grantProofAt = grantProofAt
        link.haves = haves
        link.addresses = addresses
        link.addressTellings = addressTellings
        link.names = names
        link.unplaced = unplaced
        return link
    }
}

/// Heads of a peer that did not come although they were asked for, or that were not kept: they are
/// not asked for again before `SyncLimits.repeatAfter` has passed.
struct DeclinedHeads: Sendable {
    private var heads: Set<BatchID> = []
    private var areAll = false
    /// When the first of them was declined.
    private(set) var since: Duration = .zero

    var isEmpty: Bool { heads.isEmpty }

    func contains(_ batch: BatchID) -> Bool { areAll || heads.contains(batch) }

    mutating func insert(_ batch: BatchID, now: Duration) {
        if heads.isEmpty { since = now }
        guard heads.count < SyncLimits.declined else {
            // A peer that has so many of which nothing comes is asked for nothing: what is not
            // remembered would be asked for at once again, and again.
            areAll = areAll || !heads.contains(batch)
            return
        }
        heads.insert(batch)
    }

    mutating func removeAll() {
        heads = []
        areAll = false
    }
}
