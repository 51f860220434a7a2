/// The answer to `push`.
package struct PushAnswer: Codable, Hashable, Sendable {
    /// `done`: everybody in reach has it. `nothing_new`: nothing was sealed, and everybody in reach
    /// has all of ours, forms and decisions too. `interrupted`: somebody in reach has not confirmed.
    /// `waiting`: nobody is in reach; it goes out when somebody is met.
    package var outcome: String
    /// Entries and changes sealed by this push; an entry with the rows of its repeats is one.
    package var entries: Int
    /// New entries among them; the others are changes of entries.
    package var newEntries: Int
    package var batches: Int
    /// Pending operations that this device's role does not allow: they are not sealed.
    package var withheld: Int
    /// Pending operations that would be above the room's quota: they are not sealed either.
    package var aboveQuota: Int
    /// Entries and changes sealed here, now or before, that no other device is known to have.
    package var onlyHere: Int
    /// New entries among them; the others are changes of entries.
    package var onlyHereEntries: Int
    /// How many other members are contributors, who are sent nothing of what others enter.
    package var contributors: Int
    /// Those who say that they have stored all of ours.
    package var delivered: [NamedDevice]
    /// Members who are not connected.
    package var notConnected: [NamedDevice]
    /// Connected ones who had not confirmed when the time was up.
    package var unconfirmed: [NamedDevice]
    /// Those who stored it and refused operations in it.
    package var refusing: [RefusingPeer]
    /// Those who were connected and have not confirmed: at the end of the time, or before they
    /// went.
    package var interrupted: [InterruptedPeer]

    package init(
        outcome: String, entries: Int, newEntries: Int = 0, batches: Int, withheld: Int,
        aboveQuota: Int = 0, onlyHere: Int = 0, onlyHereEntries: Int = 0,
        contributors: Int = 0, delivered: [NamedDevice], notConnected: [NamedDevice],
        unconfirmed: [NamedDevice], refusing: [RefusingPeer],
        interrupted: [InterruptedPeer]
    ) {
        self.outcome = outcome
        self.interrupted = interrupted
        self.entries = entries
        self.newEntries = newEntries
        self.batches = batches
        self.withheld = withheld
        self.aboveQuota = aboveQuota
        self.onlyHere = onlyHere
        self.onlyHereEntries = onlyHereEntries
        self.contributors = contributors
        self.delivered = delivered
        self.notConnected = notConnected
        self.unconfirmed = unconfirmed
        self.refusing = refusing
    }
}

/// A peer that refused operations of ours.
package struct RefusingPeer: Codable, Hashable, Sendable {
    package var id: String
    package var name: String
    package var refused: Int
    package var reason: String

    package init(id: String, name: String, refused: Int, reason: String) {
        self.id = id
        self.name = name
        self.refused = refused
        self.reason = reason
    }
}

/// A peer that was connected during a push and has not confirmed all of it.
package struct InterruptedPeer: Codable, Hashable, Sendable {
    package var id: String
    package var name: String
    /// Operations of the room that it is not known to have.
    package var missing: Int
    /// Whether it went away before it confirmed; else it had not confirmed when the time was up.
    package var isGone: Bool

    package init(id: String, name: String, missing: Int, isGone: Bool) {
        self.id = id
        self.name = name
        self.missing = missing
        self.isGone = isGone
    }
}

/// The answer to `sync`.
package struct SyncAnswer: Codable, Hashable, Sendable {
    /// Whether every connected peer that answers and has told what it holds is identical with this
    /// device, there is one, and none went or fell silent before it was.
    package var identical: Bool
    /// `nothing_new`: identical from the beginning. `done`: identical now. `interrupted`: the time
    /// was up, or a peer went, with something missing. `digest_differs`: the same entries, another
    /// state.
    package var outcome: String
    /// Operations of others that came in meanwhile.
    package var received: Int
    /// Operations that this device is known to lack still.
    package var missing: Int
    /// The connected ones, and those that went meanwhile.
    package var peers: [SyncPeer]
    /// The members that were not in reach, or gave no sign of life.
    package var absent: [MemberProgress]
    /// The members that have made something and not sent it, by their own last word; in reach or
    /// not.
    package var withUnsent: [MemberProgress]
    /// Entries and changes made here and not sent, and new entries among them.
    package var pending: Int
    package var pendingEntries: Int
    /// Those made here that this device's role does not allow: they stay, and are not in `pending`.
    package var withheld: Int
    /// Whether this device is a contributor: it is up to date without what others enter.
    package var isContributor: Bool

    private enum CodingKeys: String, CodingKey {
        case identical, outcome, received, missing, peers, absent, withUnsent, pending
        case pendingEntries, withheld
        case isContributor = "contributor"
    }

    package init(
        identical: Bool, outcome: String, received: Int, missing: Int, peers: [SyncPeer],
        absent: [MemberProgress] = [], withUnsent: [MemberProgress] = [], pending: Int = 0,
        pendingEntries: Int = 0, withheld: Int = 0, isContributor: Bool = false
    ) {
        self.isContributor = isContributor
        self.withheld = withheld
        self.withUnsent = withUnsent
        self.pendingEntries = pendingEntries
        self.absent = absent
        self.pending = pending
        self.identical = identical
        self.outcome = outcome
        self.received = received
        self.missing = missing
        self.peers = peers
    }
}

/// A peer at the end of `sync`.
package struct SyncPeer: Codable, Hashable, Sendable {
    package var id: String
    package var name: String
    package var identical: Bool
    /// `identical`, `comparing`, `differs`, `unheard` (it has not told what it holds),
    /// `digest_differs`, `silent`: it gives no sign of life and was not identical, or `gone`: it was
    /// connected when it began, and is no more.
    package var state: String
    /// Operations that they lack.
    package var behind: Int
    /// Operations that we lack.
    package var ahead: Int

    package init(id: String, name: String, state: String, behind: Int, ahead: Int) {
        identical = state == "identical"
        self.state = state
        self.id = id
        self.name = name
        self.behind = behind
        self.ahead = ahead
    }
}

/// The body of `POST /v1/push`.
package struct PushRequest: Codable, Hashable, Sendable {
    /// Nil for 5 s.
    package var timeoutMilliseconds: Int?

    package init(timeoutMilliseconds: Int? = nil) {
        self.timeoutMilliseconds = timeoutMilliseconds
    }
}

/// The body of `POST /v1/sync`.
package struct SyncRequest: Codable, Hashable, Sendable {
    /// Nil for 10 s.
    package var waitMilliseconds: Int?

    package init(waitMilliseconds: Int? = nil) {
        self.waitMilliseconds = waitMilliseconds
    }
}

/// The answer of `GET /v1/unsent`.
package struct UnsentAnswer: Codable, Hashable, Sendable {
    package var room: NamedRoom
    /// Operations made here and not sent, which this device's role allows.
    package var pending: Int
    /// New entries among them; the others are changes of entries.
    package var entries: Int
    /// Operations made here that no other device is known to have, sent or not; also those that
    /// this device's role keeps from being sent.
    package var onlyHere: Int
    /// Those of them that go out by themselves when another member is near; 0 where one is
    /// connected.
    package var goingOut: Int
    /// New entries among the latter.
    package var goingOutEntries: Int

    package init(
        room: NamedRoom, pending: Int, entries: Int, onlyHere: Int = 0, goingOut: Int = 0,
        goingOutEntries: Int = 0
    ) {
        self.goingOutEntries = goingOutEntries
        self.room = room
        self.pending = pending
        self.entries = entries
        self.onlyHere = onlyHere
        self.goingOut = goingOut
    }
}
