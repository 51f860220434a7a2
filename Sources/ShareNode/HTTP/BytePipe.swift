internal import Synchronization

/// A bounded queue of bytes between a task and a thread that must not wait.
///
/// One end is a task that may wait (`write`, `read`), the other a C callback that may not (`push`,
/// `pull`); which is which depends on the direction. One writer, one reader.
///
/// It is no `Channel`: what lies in it is bytes, of which a callback takes as many as fit, it wakes
/// C code and not a task, and it knows whether a heartbeat would stand between two lines.
final class BytePipe: Sendable {
    /// The result of `pull`.
    enum Pulled: Equatable {
        case bytes(Int)
        /// Nothing yet: `onReadable` is called when there is.
        case empty
        case end
        case failed
    }

    private struct State {
        var buffer: [UInt8] = []
        var head = 0
        var finished = false
        /// Whether the reader is told of a failure once it has all that is there.
        var isBrokenOff = false
        var failure: HTTPStreamError?
        /// Why a writer is told to end although the reader may still take what is there.
        var refusal: HTTPStreamError?
        /// Whether the thread that pulls, or pushes, has been told to wait.
        var pullerWaits = false
        var pusherWaits = false
        /// Tasks that wait for any change. Short: a reader or a writer, and one for the end.
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter = 0
        var peak = 0
        var total = 0
        var endsLine = true

        var count: Int { buffer.count - head }

        mutating func append(_ bytes: ArraySlice<UInt8>) {
            guard let last = bytes.last else { return }
            // What was read is cut off before the array would grow for it.
            if head >= buffer.count - head, head > 0 {
                buffer.removeSubrange(..<head)
                head = 0
            }
            buffer.append(contentsOf: bytes)
            endsLine = last == UInt8(ascii: "\n")
            total += bytes.count
            peak = max(peak, count)
        }

        mutating func drop(_ amount: Int) {
            head += amount
            if head == buffer.count {
                buffer.removeAll(keepingCapacity: true)
                head = 0
            }
        }
    }

    let capacity: Int
    private let state = Mutex(State())
    /// Called when the side that may not wait should look again; from any thread, without a lock.
    private let wake: @Sendable () -> Void

    init(capacity: Int, wake: @escaping @Sendable () -> Void = {}) {
        self.capacity = capacity
        self.wake = wake
    }

    /// The most bytes that ever waited.
    var peak: Int { state.withLock { $0.peak } }
    /// All bytes ever added.
    var total: Int { state.withLock { $0.total } }

    // MARK: The side that does not wait

    /// Adds bytes, all of them. Returns false if the pipe is full now: push again after `wake`.
    @discardableResult
    func push(_ bytes: ArraySlice<UInt8>) -> Bool {
        let (room, tasks) = state.withLock { state in
            guard state.failure == nil, !state.finished else { return (true, [Waiter]()) }
            state.append(bytes)
            let full = state.count >= capacity
            state.pusherWaits = full
            return (!full, BytePipe.takeWaiters(&state))
        }
        for task in tasks { task.resume() }
        return room
    }

    /// Moves bytes into `target`.
    func pull(into target: UnsafeMutableRawBufferPointer) -> Pulled {
        let (pulled, tasks) = state.withLock { state in
            if state.failure != nil { return (Pulled.failed, [Waiter]()) }
            guard state.count > 0 else {
                if state.finished { return (state.isBrokenOff ? .failed : .end, []) }
                state.pullerWaits = true
                return (.empty, [])
            }
            let amount = min(state.count, target.count)
            let head = state.head
            state.buffer.withUnsafeBytes { source in
                target.copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: source[head..<head + amount]))
            }
            state.drop(amount)
            // A waiting writer is woken at half, not at each byte.
            let tasks = state.count <= capacity / 2 ? BytePipe.takeWaiters(&state) : []
            return (.bytes(amount), tasks)
        }
        for task in tasks { task.resume() }
        return pulled
    }

    /// Adds an empty line if nothing waits and what was written so far ends a line.
    func heartbeat() {
        let shouldWake = state.withLock { state in
            guard state.count == 0, state.endsLine, !state.finished, state.failure == nil else {
                return false
            }
            state.append([UInt8(ascii: "\n")])
            defer { state.pullerWaits = false }
            return state.pullerWaits
        }
        if shouldWake { wake() }
    }

    // MARK: The side that waits

    /// Adds bytes, and waits while the pipe is full.
    func write(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        while true {
            let (full, shouldWake) = try state.withLock { state throws(HTTPStreamError) in
                if let failure = state.failure ?? state.refusal { throw failure }
                let piece = rest.prefix(max(0, capacity - state.count))
                state.append(piece)
                rest = rest.dropFirst(piece.count)
                defer { if !piece.isEmpty { state.pullerWaits = false } }
                return (!rest.isEmpty, state.pullerWaits && !piece.isEmpty)
            }
            if shouldWake { wake() }
            if !full { return }
            try await waitForChange { $0.count > self.capacity / 2 }
        }
    }

    /// Bytes that `read` takes at once at most: a block of this size the C library has at hand,
    /// larger ones the system clears first, each time.
    private static let piece = 64 << 10

    /// Bytes that are there, `piece` at most; waits for the first; nil at the end.
    func read() async throws -> [UInt8]? {
        while true {
            let (bytes, ended, shouldWake) = try state.withLock {
                state throws(HTTPStreamError) -> ([UInt8], Bool, Bool) in
                if let failure = state.failure { throw failure }
                if state.count == 0 { return ([], state.finished, false) }
                let amount = min(state.count, BytePipe.piece)
                let head = state.head
                // Copied by hand: an array of all of a slice takes the buffer itself, and the next
                // bytes need a new one.
                let bytes = [UInt8](unsafeUninitializedCapacity: amount) { target, count in
                    state.buffer.withUnsafeBytes { source in
                        UnsafeMutableRawBufferPointer(target).copyMemory(
                            from: UnsafeRawBufferPointer(rebasing: source[head..<head + amount]))
                    }
                    count = amount
                }
                state.drop(amount)
                let isRoomy = state.count <= capacity / 2
                defer { if isRoomy { state.pusherWaits = false } }
                return (bytes, false, state.pusherWaits && isRoomy)
            }
            if shouldWake { wake() }
            if !bytes.isEmpty { return bytes }
            if ended { return nil }
            try await waitForChange { $0.count == 0 && !$0.finished }
        }
    }

    /// Returns when the pipe has failed or the task is cancelled.
    func waitUntilFailed() async {
        while state.withLock({ ($0.failure ?? $0.refusal) == nil }), !Task.isCancelled {
            try? await waitForChange { _ in true }
        }
    }

    // MARK: Ends

    /// No bytes will follow those that are there.
    func finish() {
        end { $0.finished = true }
    }

    /// The reader gets what is there, then these last words, and then a failure.
    func breakOff(_ words: [UInt8]) {
        end { state in
            guard state.failure == nil else { return }
            state.append(words[...])
            state.isBrokenOff = true
            state.finished = true
        }
    }

    /// The writer is told to end; the reader gets what is there, and then the end.
    func refuse(_ error: HTTPStreamError) {
        end { state in
            state.refusal = error
            state.finished = true
        }
    }

    /// Both sides are told; what was not taken yet is dropped.
    func fail(_ error: HTTPStreamError) {
        end { state in
            guard state.failure == nil else { return }
            state.failure = error
            state.buffer = []
            state.head = 0
        }
    }

    private func end(_ change: (inout State) -> Void) {
        let tasks = state.withLock { state in
            change(&state)
            state.pullerWaits = false
            state.pusherWaits = false
            return BytePipe.takeWaiters(&state)
        }
        for task in tasks { task.resume() }
        wake()
    }

    // MARK: Waiting

    private typealias Waiter = CheckedContinuation<Void, Never>

    private static func takeWaiters(_ state: inout State) -> [Waiter] {
        guard !state.waiting.isEmpty else { return [] }
        defer { state.waiting.removeAll() }
        return Array(state.waiting.values)
    }

    /// Waits for one change, if `condition` still holds when the lock is taken.
    private func waitForChange(while condition: @Sendable (borrowing State) -> Bool) async throws {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    let waits =
                        (state.failure ?? state.refusal) == nil && !Task.isCancelled
                        && condition(state)
                    if waits { state.waiting[number] = continuation }
                    return waits
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
        // Why the pipe ended says more than that the task was cancelled for it.
        if state.withLock({ ($0.failure ?? $0.refusal) == nil }) { try Task.checkCancellation() }
    }
}
