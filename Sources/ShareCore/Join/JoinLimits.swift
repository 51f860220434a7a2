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
    /// Exchanges that one address may begin within `attemptWindow` without letting a device in.
    package static let attemptsPerAddress = 10
    package static let attemptWindow = Duration.seconds(60)
    /// Addresses that are counted at a time.
    package static let countedAddresses = 1_024
}

/// Bounds how many exchanges an address may begin: `JoinLimits.attemptsPerAddress` in any
/// `JoinLimits.attemptWindow`.
package struct JoinRateLimiter<Address: Hashable & Sendable>: Sendable {
    private var begun: [Address: [ContinuousClock.Instant]] = [:]

    package init() {}

    /// The number of addresses that are remembered just now.
    package var count: Int { begun.count }

    /// Whether an exchange from `address` may begin now; if so it is counted.
    ///
    /// When too many addresses are known, the one that has been quiet longest is forgotten: who
    /// has many addresses gets round this limit anyway, and every invite has its own.
    /// - Complexity: O(addresses) only when they are at their bound.
    package mutating func admits(_ address: Address, now: ContinuousClock.Instant) -> Bool {
        let start = now - JoinLimits.attemptWindow
        var times = begun[address, default: []].filter { $0 > start }
        guard times.count < JoinLimits.attemptsPerAddress else {
            begun[address] = times
            return false
        }
        times.append(now)
        if begun[address] == nil, begun.count >= JoinLimits.countedAddresses { makeRoom(start) }
        begun[address] = times
        return true
    }

    /// In how many seconds an exchange from `address` may begin, where none may now.
    package func wait(for address: Address, now: ContinuousClock.Instant) -> Int {
        let start = now - JoinLimits.attemptWindow
        guard let first = begun[address]?.first(where: { $0 > start }) else { return 0 }
        return Int(((first - start) / .seconds(1)).rounded(.up))
    }

    /// Does not count the exchange that was counted last: it let a device in, or has not begun.
    package mutating func forgive(_ address: Address) { _ = begun[address]?.popLast() }

    private mutating func makeRoom(_ start: ContinuousClock.Instant) {
        begun = begun.filter { ($0.value.last ?? start) > start }
        guard begun.count >= JoinLimits.countedAddresses else { return }
        let quietest = begun.min { ($0.value.last ?? start) < ($1.value.last ?? start) }
        if let quietest { begun[quietest.key] = nil }
    }
}
