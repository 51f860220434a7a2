/// How far a peer's logs go, and the order in which it is asked for them.
struct PeerLogs: Sendable {
    private(set) var states: [LogName: LogState] = [:]
    /// The names in ascending order, once they are sorted.
    private(set) var names: [LogName] = []
    /// False after a log has come, or gone, until the next `sort`: of very many logs, news of one
    /// that is known must not cost a look at all of them.
    private(set) var isSorted = true

    init() {}

    init(_ states: [LogName: LogState]) {
        self.states = states
        isSorted = false
    }

    subscript(log: LogName) -> LogState? {
        get { states[log] }
        set {
            let wasKnown = states[log] != nil
            states[log] = newValue
            if wasKnown != (newValue != nil) { isSorted = false }
        }
    }

    /// - Complexity: O(1) where they are sorted.
    mutating func sort() {
        guard !isSorted else { return }
        names = states.keys.sorted()
        isSorted = true
    }
}
