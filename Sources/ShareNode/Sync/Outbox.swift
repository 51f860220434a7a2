import ShareCore
import Synchronization

/// Messages on their way to one peer, in order; those that wait are bounded by what they take.
final class Outbox: Sendable {
    private struct State {
        var queue: [WireMessage] = []
        var head = 0
        var cost = 0
        var limit = Outbox.stranger
        var isFinished = false
        var writer: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Bytes that wait for a peer that has shown no room yet, and for one that has: the window of
    /// batches, and as much again.
    private static let stranger = 64 << 10
    private static let member = 2 * SyncLimits.window

    /// Takes a message in; false if too much waits already, so that the session has to end.
    func add(_ message: WireMessage) -> Bool {
        let (isTaken, writer) = state.withLock { state in
            if state.isFinished { return (true, nil as CheckedContinuation<Void, Never>?) }
            guard state.cost < state.limit else { return (false, nil) }
            state.queue.append(message)
            state.cost += message.cost
            defer { state.writer = nil }
            return (true, state.writer)
        }
        writer?.resume()
        return isTaken
    }

    /// Lets as much wait as for a member.
    func trust() { state.withLock { $0.limit = Self.member } }

    /// The next message; nil when all have been taken and no more will come. One task asks.
    func next() async -> WireMessage? {
        while true {
            let (message, isFinished) = state.withLock { Self.take(&$0) }
            if let message { return message }
            if isFinished { return nil }
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if !state.queue.isEmpty || state.isFinished { return true }
                    state.writer = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        }
    }

    private static func take(_ state: inout State) -> (WireMessage?, Bool) {
        guard state.head < state.queue.count else { return (nil, state.isFinished) }
        let message = state.queue[state.head]
        state.queue[state.head] = .pong
        state.head += 1
        state.cost -= message.cost
        if state.head == state.queue.count {
            state.queue.removeAll(keepingCapacity: state.queue.count < 1_024)
            state.head = 0
        } else if state.head > 1_024, state.head > state.queue.count / 2 {
            state.queue.removeFirst(state.head)
            state.head = 0
        }
        return (message, state.isFinished)
    }

    /// Nothing more is taken in; what waits is still given out.
    func finish() {
        let writer = state.withLock { state in
            state.isFinished = true
            defer { state.writer = nil }
            return state.writer
        }
        writer?.resume()
    }
}

extension WireMessage {
    /// About what it takes in memory.
    fileprivate var cost: Int {
        let base = 128
        return switch self {
        case .batch(let batch): base + batch.bytes.count
        case .have(_, let logs): base + 128 * logs.count
        case .acknowledge(_, let list): base + 128 * list.count
        case .want(_, _, let after): base + 40 * after.count
        case .addresses(_, let map): base + 256 * map.count
        case .hello, .proofs, .join: base + 1_024
        case .otherHello, .announce, .end, .state, .ping, .pong: base
        }
    }
}
