import Dispatch
import Synchronization

/// Passes chunks from a thread of its own, which may be held up, to a task, which may not.
///
/// At most `depth` chunks lie in it. One writer, one reader.
final class RecordsHandover: Sendable {
    private struct State {
        var chunks: [[UInt8]] = []
        var isFinished = false
        var isCancelled = false
        var failure: (any Error)?
        var waiter: CheckedContinuation<Void, Never>?
        var peak = 0

        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            defer { waiter = nil }
            return waiter
        }
    }

    private let state = Mutex(State())
    /// Counts free places. From 0 up, as Dispatch does not let one go that is below its start.
    private let places = DispatchSemaphore(value: 0)

    init(depth: Int) { for _ in 0..<depth { places.signal() } }

    /// The most chunks that ever lay in it.
    var peak: Int { state.withLock { $0.peak } }

    /// Hands over a chunk and waits for a place; false if nobody wants more.
    func offer(_ chunk: [UInt8]) -> Bool {
        places.wait()
        let (isWanted, waiter) = state.withLock { state in
            guard !state.isCancelled else {
                return (false, CheckedContinuation<Void, Never>?.none)
            }
            state.chunks.append(chunk)
            state.peak = max(state.peak, state.chunks.count)
            return (true, state.takeWaiter())
        }
        if !isWanted { places.signal() }
        waiter?.resume()
        return isWanted
    }

    /// Nothing follows; with an error, because of it.
    func finish(_ failure: (any Error)? = nil) {
        let waiter = state.withLock { state in
            state.isFinished = true
            state.failure = failure
            return state.takeWaiter()
        }
        waiter?.resume()
    }

    /// Nobody takes any more: whoever offers is told.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.chunks = []
        }
        places.signal()
    }

    /// Passes what `read` offers to `write`, until there is no more.
    ///
    /// - Throws: what `read` throws, and what `write` does.
    func carry(
        from read: @escaping @Sendable () async throws -> Void,
        to write: @Sendable ([UInt8]) async throws -> Void
    ) async throws {
        async let reading: Void = finish(after: read)
        do {
            while let chunk = try await next() { try await write(chunk) }
        } catch {
            cancel()
            await reading
            throw error
        }
        await reading
    }

    private func finish(after read: @Sendable () async throws -> Void) async {
        do {
            try await read()
            finish()
        } catch {
            finish(error)
        }
    }

    /// The next chunk; nil after the last.
    ///
    /// - Throws: what `finish` was given.
    func next() async throws -> [UInt8]? {
        while true {
            let (chunk, isFinished, failure) = state.withLock { state in
                let chunk = state.chunks.isEmpty ? nil : state.chunks.removeFirst()
                return (chunk, state.isFinished, state.failure)
            }
            if let chunk {
                places.signal()
                return chunk
            }
            if isFinished {
                if let failure { throw failure }
                return nil
            }
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    let waits = state.chunks.isEmpty && !state.isFinished
                    if waits { state.waiter = continuation }
                    return waits
                }
                if !waits { continuation.resume() }
            }
        }
    }
}
