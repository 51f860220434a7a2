import ShareCore
import ShareStore

/// Messages on their way to one peer, in order; those that wait are bounded by what they take.
struct Outbox: Sendable {
    /// Bytes that wait for a peer that has shown no room yet, and for one that has: the window of
    /// batches, and as much again.
    private static let stranger = 64 << 10
    private static let member = 2 * SyncLimits.window

    private let messages = Channel<WireMessage>(limit: Outbox.stranger) { $0.cost }

    /// Takes a message in; false if too much waits already, so that the session has to end.
    func add(_ message: WireMessage) -> Bool { messages.offer(message) }

    /// Lets as much wait as for a member.
    func trust() { messages.setLimit(Self.member) }

    /// The next message; nil when all have been taken and no more will come. One task asks.
    func next() async -> WireMessage? { await messages.next() }

    /// Nothing more is taken in; what waits is still given out.
    func finish() { messages.finish() }
}

extension WireMessage {
    /// About what it takes in memory.
    fileprivate var cost: Int {
        let base = 128
        return switch self {
        case .batch(let batch): base + batch.size
        case .have(_, let logs, _): base + 128 * logs.count
        case .acknowledge(_, let list): base + 128 * list.count
        case .want(_, _, let after): base + 40 * after.count
        case .addresses(_, let map): base + 256 * map.count
        case .names(_, _, let names): base + 128 * names.count
        case .hello, .proofs, .join: base + 1_024
        case .otherHello, .announce, .end, .state, .ping, .pong: base
        }
    }
}
