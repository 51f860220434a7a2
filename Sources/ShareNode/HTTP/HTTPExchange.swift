internal import CMicrohttpd
internal import Glibc
internal import JSON
internal import ShareControl
internal import Synchronization

/// One request and its answer, between the library's thread and the handler's task.
///
/// The library's thread never waits: where it has nothing to do it suspends the connection, and
/// whoever has news wakes it. It is retained by the library from the first callback to the last.
final class HTTPExchange: Sendable {
    private struct State {
        /// Nil as soon as the library has done with it.
        var connection: HTTPConnection?
        let descriptor: Int32
        var suspended = false
        /// News came before the connection was suspended.
        var woken = false
        /// The connection is to be closed; it must not be suspended again.
        var ended = false
        var body: [UInt8] = []
        var bodyEnded = false
        /// Decided before or without the handler.
        var refusal: HTTPRefusal?
        let refusedAtOnce: Bool
        var started = false
        var response: HTTPResponse?
        var download: BytePipe?
        var task: Task<Void, Never>?
        var taskEnded = true
        var downloaded = 0
        var quietSince = ContinuousClock.now
        var discardsSince: ContinuousClock.Instant?

        var isDone: Bool { connection == nil && taskEnded }
    }

    let route: Route?
    private let request: HTTPRequest?
    private let upload: BytePipe?
    private let server: HTTPServerCore
    private let state: Mutex<State>

    /// An exchange that a handler answers, or, with a refusal, one that the server answers.
    init(
        _ connection: HTTPConnection, server: HTTPServerCore, refusal: HTTPRefusal?,
        route: Route?, request: HTTPRequest?, upload: BytePipe?
    ) {
        self.server = server
        self.route = route
        self.request = request
        self.upload = upload
        state = Mutex(
            State(
                connection: connection, descriptor: connection.descriptor, refusal: refusal,
                refusedAtOnce: refusal != nil, discardsSince: refusal == nil ? nil : .now))
    }

    /// Whether it takes one of the places for watches.
    var countsAsWatch: Bool { route?.isWatch == true && state.withLock { !$0.refusedAtOnce } }

    /// The most bytes that waited in one of its bodies.
    var peakBuffer: Int {
        max(upload?.peak ?? 0, state.withLock { $0.download }?.peak ?? 0)
    }

    // MARK: From the library's thread

    /// The answer to a request that is refused by its headers alone.
    var refusalAnswer: Step? {
        state.withLock { $0.refusal }.map { .answer($0.response, nil) }
    }

    /// The next step of the library's callback.
    enum Step {
        case carryOn
        case close
        case answer(HTTPResponse, BytePipe?)
    }

    /// Takes a piece of the request's body.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Step {
        let limit = server.limits.collectedBody
        let isStreamed = upload != nil
        let discards = state.withLock { state in
            if state.refusal == nil, !isStreamed {
                if bytes.count > limit - state.body.count {
                    state.refusal = .tooLarge(limit: limit)
                    state.body = []
                } else {
                    state.body.append(contentsOf: bytes)
                }
            }
            let discards = state.refusal != nil || state.response != nil
            if discards, state.discardsSince == nil { state.discardsSince = .now }
            return discards
        }
        guard let upload, !discards else { return isEnded ? .close : .carryOn }
        start()
        if !upload.push(ArraySlice(bytes)) { return suspend() == .ended ? .close : .carryOn }
        return isEnded ? .close : .carryOn
    }

    /// The request is complete: answers if there is an answer, else waits for it.
    func finishRequest() -> Step {
        let isFirst = state.withLock { state in
            defer { state.bodyEnded = true }
            return !state.bodyEnded
        }
        if isFirst {
            upload?.finish()
            start()
        }
        while true {
            if let answer = takeAnswer() { return answer }
            switch suspend() {
            case .ended: return .close
            case .suspended: return .carryOn
            case .woken: continue
            }
        }
    }

    /// Fills a buffer of the library with the next bytes of a streamed response.
    func fill(_ target: UnsafeMutableRawBufferPointer) -> Int {
        guard let pipe = state.withLock({ $0.download }) else {
            return HTTPExchange.brokenStream
        }
        while true {
            switch pipe.pull(into: target) {
            case .bytes(let count): return count
            case .end: return HTTPExchange.endOfStream
            case .failed: return HTTPExchange.brokenStream
            case .empty:
                switch suspend() {
                case .ended: return HTTPExchange.brokenStream
                case .suspended: return 0
                case .woken: continue
                }
            }
        }
    }

    private static let endOfStream = -1
    private static let brokenStream = -2

    /// The library has done with this request.
    func complete() {
        let (task, download) = state.withLock { state in
            state.connection = nil
            state.ended = true
            return (state.task, state.download)
        }
        upload?.fail(.clientGone)
        download?.fail(.clientGone)
        task?.cancel()
        retireIfDone()
    }

    /// Starts the handler, once.
    func start() {
        guard let route, let request else { return }
        state.withLock { state in
            guard !state.started, state.refusal == nil, !state.ended else { return }
            state.started = true
            state.taskEnded = false
            let body = state.body
            state.body = []
            state.task = Task { [self] in
                await run(route, request.with(collected: body))
                taskHasEnded()
            }
        }
    }

    private func taskHasEnded() {
        state.withLock { $0.taskEnded = true }
        retireIfDone()
    }

    private func run(_ route: Route, _ request: HTTPRequest) async {
        let response = await route.handler(request)
        // What the handler did not read of the body is thrown away as it comes.
        upload?.fail(.clientGone)
        guard case .stream(let stream) = response.body else {
            state.withLock { $0.response = response }
            return wake()
        }
        let pipe = BytePipe(capacity: server.limits.streamBuffer) { [weak self] in self?.wake() }
        let isWanted = state.withLock { state in
            state.response = response
            state.download = pipe
            state.quietSince = .now
            return !state.ended
        }
        wake()
        guard isWanted else { return }
        if server.isStopping, route.isWatch { pipe.refuse(.stopping) }
        do {
            try await stream.produce(HTTPResponseWriter(pipe: pipe))
            pipe.finish()
        } catch HTTPStreamError.stopping {
            pipe.finish()
        } catch let problem as Problem {
            pipe.breakOff([ControlLimits.problemMark] + problem.jsonText)
        } catch {
            pipe.fail(.clientGone)
        }
    }

    private func takeAnswer() -> Step? {
        let (refusal, response, download) = state.withLock { state in
            (state.refusal, state.response, state.download)
        }
        if let refusal { return .answer(refusal.response, nil) }
        if let response { return .answer(response, download) }
        return nil
    }

    // MARK: Waiting and waking

    private enum Suspension { case suspended, woken, ended }

    private func suspend() -> Suspension {
        state.withLock { state in
            guard !state.ended, let connection = state.connection else { return .ended }
            if state.woken {
                state.woken = false
                return .woken
            }
            state.suspended = true
            connection.suspend()
            return .suspended
        }
    }

    /// There is news for the library's thread.
    func wake() {
        state.withLock { HTTPExchange.wake(&$0) }
    }

    private static func wake(_ state: inout State) {
        guard let connection = state.connection else { return }
        if state.suspended {
            state.suspended = false
            connection.resume()
        } else {
            state.woken = true
        }
    }

    private var isEnded: Bool { state.withLock { $0.ended } }

    private func retireIfDone() {
        if state.withLock({ $0.isDone }) { server.retire(self) }
    }

    // MARK: From the server

    /// Closes the connection as soon as the library's thread comes by.
    func end() {
        state.withLock { state in
            state.ended = true
            HTTPExchange.wake(&state)
        }
    }

    /// Ends a watch in good order: what was written still goes out.
    func stopWatch() {
        guard route?.isWatch == true else { return }
        state.withLock { $0.download }?.refuse(.stopping)
    }

    /// Looks after a client that left while we were silent, and sends a newline on idle watches.
    func tick(_ now: ContinuousClock.Instant) {
        let limits = server.limits
        let idle = state.withLock { state -> BytePipe? in
            // The library does not look at a suspended connection; and the descriptor stays open
            // for as long as this lock keeps `complete` out.
            if state.suspended, HTTPConnection.hasHungUp(state.descriptor) {
                state.ended = true
                HTTPExchange.wake(&state)
                return nil
            }
            if let since = state.discardsSince, !state.bodyEnded, now - since > limits.discard {
                state.ended = true
                shutdown(state.descriptor, Int32(SHUT_RDWR))
                return nil
            }
            guard let download = state.download, case .stream(let stream) = state.response?.body,
                stream.heartbeat
            else { return nil }
            let total = download.total
            if total != state.downloaded {
                state.downloaded = total
                state.quietSince = now
            }
            guard now - state.quietSince >= limits.heartbeat else { return nil }
            state.quietSince = now
            return download
        }
        idle?.heartbeat()
    }
}
