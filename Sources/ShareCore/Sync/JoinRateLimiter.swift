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

    /// Does not count the exchange that was counted last, as nothing came of it.
    package mutating func forgive(_ address: Address) { _ = begun[address]?.popLast() }

    private mutating func makeRoom(_ start: ContinuousClock.Instant) {
        begun = begun.filter { ($0.value.last ?? start) > start }
        guard begun.count >= JoinLimits.countedAddresses else { return }
        let quietest = begun.min { ($0.value.last ?? start) < ($1.value.last ?? start) }
        if let quietest { begun[quietest.key] = nil }
    }
}
