/// The answer to `push`.
package struct PushAnswer: Codable, Hashable, Sendable {
    /// `done`: everybody in reach has it. `nothing_new`: nothing was sealed, and everybody in reach
    /// has all of ours. `interrupted`: somebody in reach has not confirmed. `waiting`: nobody is in
    /// reach; it goes out when somebody is met.
    package var outcome: String
    /// Operations sealed by this push.
    package var entries: Int
    package var batches: Int
    /// Pending operations that this device's role does not allow: they are not sealed.
    package var withheld: Int
    /// Operations sealed here, now or before, that no other device is known to have.
    package var onlyHere: Int
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
        outcome: String, entries: Int, batches: Int, withheld: Int, onlyHere: Int = 0,
        contributors: Int = 0, delivered: [NamedDevice], notConnected: [NamedDevice],
        unconfirmed: [NamedDevice], refusing: [RefusingPeer],
        interrupted: [InterruptedPeer]
    ) {
        self.outcome = outcome
        self.interrupted = interrupted
        self.entries = entries
        self.batches = batches
        self.withheld = withheld
        self.onlyHere = onlyHere
        self.contributors = contributors
        self.delivered = delivered
        self.notConnected = notConnected
        self.unconfirmed = unconfirmed
        self.refusing = refusing
    }
}
