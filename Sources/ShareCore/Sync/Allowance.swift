/// How often a peer may do what costs this device something: so many times at once, and then
/// again as time passes.
struct Allowance: Sendable {
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
