import ShareCore
import ShareStore

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
