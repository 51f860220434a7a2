internal import Dispatch
internal import Synchronization

/// Finds the addresses of names without holding up the loop: the system's resolver blocks.
final class Resolver: Sendable {
    private let queue = DispatchQueue(label: "transport.names", attributes: .concurrent)
    private let running = Mutex(0)
    private let loop: EventLoop
    private let maximum: Int

    init(loop: EventLoop, maximum: Int) {
        self.loop = loop
        self.maximum = maximum
    }

    /// The addresses of `endpoint`, at least one; at once if it is numeric.
    func addresses(
        of endpoint: Endpoint, within time: Duration
    ) async throws(TransportError) -> [SocketAddress] {
        if let numeric = try? SocketAddress.lookUp(endpoint, numericOnly: true) { return numeric }
        let hasPlace = running.withLock { running in
            guard running < maximum else { return false }
            running += 1
            return true
        }
        guard hasPlace else { throw .busy }
        let answer = OneShot<Result<[SocketAddress], TransportError>>()
        queue.async { [self] in
            do throws(TransportError) {
                let found = try SocketAddress.lookUp(endpoint, numericOnly: false)
                answer.give(.success(found))
            } catch {
                answer.give(.failure(error))
            }
            // A look-up that nobody waits for any more keeps its place until it ends.
            running.withLock { $0 -= 1 }
        }
        let loop = loop
        let isRunning = loop.execute {
            _ = loop.schedule(after: time) { answer.give(.failure(.timedOut)) }
        }
        guard isRunning else { throw .stopped }
        return try await withTaskCancellationHandler {
            await answer.value()
        } onCancel: {
            answer.give(.failure(.cancelled))
        }.get()
    }
}
