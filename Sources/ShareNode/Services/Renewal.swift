import Synchronization

/// A change of identity, from the request that makes it to the restart of the node that it needs.
package final class Renewal: Sendable {
    /// Asks whoever runs the node to start it anew.
    package let requests: AsyncStream<Void>
    private let request: AsyncStream<Void>.Continuation
    private let answers: AsyncStream<Void>
    private let answer: AsyncStream<Void>.Continuation
    private let isRunning = Mutex(false)

    init() {
        (requests, request) = AsyncStream.makeStream()
        (answers, answer) = AsyncStream.makeStream()
    }

    /// False where a change is under way already.
    func begin() -> Bool {
        isRunning.withLock { isRunning in
            defer { isRunning = true }
            return !isRunning
        }
    }

    /// Nothing has changed after all.
    func giveUp() { isRunning.withLock { $0 = false } }

    /// Asks for the restart, and returns when it has begun: no further request will reach this
    /// node, so whoever is answered now speaks to the next one afterwards.
    func restart() async {
        request.yield()
        for await _ in answers { return }
    }

    /// The restart has begun.
    package func restarts() { answer.yield() }

    /// The node stops: nobody will answer any more.
    func finish() {
        request.finish()
        answer.finish()
    }
}
