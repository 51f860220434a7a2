/// The bounds of joining (docs/protocol/joining.md §8).
package enum JoinLimits {
    /// Bytes of any message: with what it is wrapped in, it fits in a frame of 4 KiB, the most
    /// that is read before a peer has proven itself.
    package static let message = 4_064
    /// Bytes of a founding batch, so that it fits in a message.
    package static let foundingBatch = 3_584
    /// How long one exchange may take on either side.
    package static let exchange = Duration.seconds(10)
    /// Wrong codes that an invite survives, and the one that ends it.
    package static let attemptsPerInvite = 5
    /// How long an invite lives, in milliseconds of the wall clock.
    package static let inviteLifetime: UInt64 = 10 * 60 * 1_000
    /// Bytes of the name that people give an invite.
    package static let inviteName = 63
    /// Live invites of one device.
    package static let liveInvites = 64
    /// How long an ended invite is still shown to its maker, in milliseconds, and how many.
    package static let endedInviteKept: UInt64 = 24 * 3_600 * 1_000
    package static let endedInvites = 64
    /// Keys that one invite may admit.
    package static let usesPerInvite = 1_000
    /// Exchanges of one address that may come to nothing within `attemptWindow`, and grants in an
    /// open room.
    package static let attemptsPerAddress = 10
    package static let attemptWindow = Duration.seconds(60)
    /// Addresses that are counted at a time.
    package static let countedAddresses = 1_024
}

/// Bounds how often something may happen for an address: `JoinLimits.attemptsPerAddress` times in any
/// `JoinLimits.attemptWindow`.
package struct JoinRateLimiter<Address: Hashable & Sendable>: Sendable {
    private var counted: [Address: [ContinuousClock.Instant]] = [:]

    package init() {}

    /// The number of addresses that are remembered just now.
    package var count: Int { counted.count }

    /// In how many seconds `address` may go on; 0 where it may now.
    package func wait(for address: Address, now: ContinuousClock.Instant) -> Int {
        let start = now - JoinLimits.attemptWindow
        let times = counted[address, default: []].filter { $0 > start }
        guard times.count >= JoinLimits.attemptsPerAddress else { return 0 }
        let last = times[times.count - JoinLimits.attemptsPerAddress]
        return max(1, Int(((last - start) / .seconds(1)).rounded(.up)))
    }

    /// Counts one more for an address.
    ///
    /// When too many addresses are known, the one that has been quiet longest is forgotten: who
    /// has many addresses gets round this limit anyway, and every invite has its own.
    /// - Complexity: O(addresses) only when they are at their bound.
    package mutating func note(_ address: Address, now: ContinuousClock.Instant) {
        let start = now - JoinLimits.attemptWindow
        if counted[address] == nil, counted.count >= JoinLimits.countedAddresses { makeRoom(start) }
        let times = counted[address, default: []].filter { $0 > start }
        counted[address] = times.suffix(JoinLimits.attemptsPerAddress - 1) + [now]
    }

    private mutating func makeRoom(_ start: ContinuousClock.Instant) {
        counted = counted.filter { ($0.value.last ?? start) > start }
        guard counted.count >= JoinLimits.countedAddresses else { return }
        let quietest = counted.min { ($0.value.last ?? start) < ($1.value.last ?? start) }
        if let quietest { counted[quietest.key] = nil }
    }
}
