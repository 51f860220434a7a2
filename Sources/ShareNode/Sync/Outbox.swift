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
        case .hello, .proofs, .join: base + 1_024
        case .otherHello, .announce, .end, .state, .ping, .pong: base
        }
    }
}

/// The batches of one room on their way from sessions to its store, which merges as many in a
/// transaction as have come meanwhile.
struct RoomMerger: Sendable {
    typealias Item = (incoming: IncomingBatch, session: SessionID)

    let store: RoomStore

    /// Batches in one transaction, and the memory that they take opened: a few bytes on the wire
    /// can be a million absent values.
    static let groupCount = 32
    static let groupBytes = 8 << 20
    /// Readers wait while so much of that is queued.
    private static let queueBytes = 16 << 20

    private let items = Channel<Item>(limit: RoomMerger.queueBytes) { $0.incoming.size }

    init(store: RoomStore) { self.store = store }

    func enqueue(_ incoming: IncomingBatch, from session: SessionID) {
        items.add((incoming, session))
    }

    /// Returns when the queue is short enough for more.
    func haveRoom() async { await items.hasRoom() }

    /// The next group, as soon as there is anything; nil when it is over.
    func next() async -> [Item]? {
        await items.next(upTo: Self.groupCount, cost: Self.groupBytes)
    }

    /// Ends it.
    ///
    /// - Returns: what was waiting, and is merged no more.
    func stop() -> [Item] { items.cancel() }
}
