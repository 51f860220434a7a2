import ShareCore
import ShareStore
import Synchronization

/// Merges the batches of one room, as many in a transaction as have come meanwhile.
final class RoomMerger: Sendable {
    let store: RoomStore

    /// Batches in one transaction, and the memory that they take opened: a few bytes on the wire
    /// can be a million absent values.
    static let groupCount = 32
    static let groupBytes = 32 << 20
    /// Readers wait while so much of that is queued.
    private static let queueBytes = 64 << 20

    typealias Item = (incoming: IncomingBatch, session: SessionID)

    private struct State {
        var queue: [Item] = []
        var bytes = 0
        var isStopped = false
        var consumer: CheckedContinuation<Void, Never>?
        var readers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    init(store: RoomStore) { self.store = store }

    func enqueue(_ incoming: IncomingBatch, from session: SessionID) {
        let consumer = state.withLock { state in
            state.queue.append((incoming, session))
            state.bytes += incoming.size
            defer { state.consumer = nil }
            return state.consumer
        }
        consumer?.resume()
    }

    /// Returns when the queue is short enough for more.
    func haveRoom() async {
        await withCheckedContinuation { continuation in
            let isShort = state.withLock { state in
                if state.bytes < Self.queueBytes || state.isStopped { return true }
                state.readers.append(continuation)
                return false
            }
            if isShort { continuation.resume() }
        }
    }

    /// The next group, as soon as there is anything; nil when it is over.
    func next() async -> [Item]? {
        while true {
            let (group, isStopped): ([Item], Bool) = state.withLock { state in
                (Self.take(&state), state.isStopped)
            }
            if isStopped { return nil }
            if !group.isEmpty { return group }
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if !state.queue.isEmpty || state.isStopped { return true }
                    state.consumer = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        }
    }

    private static func take(_ state: inout State) -> [Item] {
        var bytes = 0
        var count = 0
        for item in state.queue.prefix(groupCount) {
            bytes += item.incoming.size
            if count > 0, bytes > groupBytes { break }
            count += 1
        }
        let group = Array(state.queue.prefix(count))
        state.queue.removeFirst(count)
        state.bytes -= group.reduce(0) { $0 + $1.incoming.size }
        if state.bytes < queueBytes {
            for reader in state.readers { reader.resume() }
            state.readers = []
        }
        return group
    }

    /// Ends it.
    ///
    /// - Returns: what was waiting, and is merged no more.
    func stop() -> [Item] {
        let (consumer, readers, left) = state.withLock { state in
            state.isStopped = true
            defer {
                state.consumer = nil
                state.readers = []
                state.queue = []
            }
            return (state.consumer, state.readers, state.queue)
        }
        consumer?.resume()
        for reader in readers { reader.resume() }
        return left
    }
}
