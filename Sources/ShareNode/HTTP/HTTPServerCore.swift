internal import CMicrohttpd
internal import Dispatch
internal import Glibc
internal import ShareControl
internal import ShareNet
internal import Synchronization

/// The state that the library's callbacks work on: the routes, the open connections and the live
/// requests.
final class HTTPServerCore: Sendable {
    private struct State {
        /// Connections with the time since which they owe us the headers of a request.
        var connections: [OpaquePointer: Connection] = [:]
        var exchanges: [ObjectIdentifier: HTTPExchange] = [:]
        var watches = 0
        var peakBuffer = 0
        var timer: (any DispatchSourceTimer)?
        var stopping = false
        var closing = false

        /// Ends the connection that has owed the headers of a request longest, if there is one that
        /// has done so for a time.
        ///
        /// - Returns: whether there was one.
        mutating func endIdlest(besides newest: OpaquePointer, after time: Duration) -> Bool {
            let idle = connections.filter { $0.key != newest && !$0.value.isEnding }
                .compactMap { key, value in value.waitsSince.map { (key: key, since: $0) } }
                .filter { .now - $0.since >= time }
            guard let idlest = idle.min(by: { $0.since < $1.since })?.key else { return false }
            connections[idlest]?.isEnding = true
            if let ending = connections[idlest] {
                shutdown(ending.descriptor, Int32(SHUT_RDWR))
            }
            return true
        }
    }

    private struct Connection {
        let descriptor: Int32
        var waitsSince: ContinuousClock.Instant?
        /// Whether it is shut down, and the library has not closed it yet.
        var isEnding = false
    }

    let limits: HTTPLimits
    private let router: Router
    private let version: String
    private let alarm: DescriptorAlarm
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "shared.http.tick")

    init(router: Router, version: String, limits: HTTPLimits, alarm: DescriptorAlarm) {
        self.alarm = alarm
        self.router = router
        self.version = version
        self.limits = limits
    }

    var liveRequests: Int { state.withLock { $0.exchanges.count } }
    var openConnections: Int { state.withLock { $0.connections.count } }
    var peakBuffer: Int { state.withLock { $0.peakBuffer } }
    var isStopping: Bool { state.withLock { $0.stopping } }

    // MARK: Connections

    func opened(_ connection: HTTPConnection) {
        let descriptor = connection.descriptor
        let isScarce = descriptor >= limits.descriptors
        if isScarce { alarm.sound() }
        state.withLock { state in
            state.connections[connection.raw] = Connection(
                descriptor: descriptor, waitsSince: .now)
            if state.timer == nil { state.timer = startTimer() }
            guard isScarce || state.connections.count - state.watches > limits.connections,
                !state.endIdlest(
                    besides: connection.raw, after: isScarce ? limits.idle : .zero),
                isScarce
            else { return }
            // It is told why, whatever it asks for; that would need files.
            state.connections[connection.raw]?.isEnding = true
            let answer = refusal()
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            _ = send(descriptor, answer, answer.count, flags)
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }

    /// The bytes of an answer that says no, for a connection that the library is to read no request
    /// from.
    private func refusal() -> [UInt8] {
        let response = HTTPRefusal.tooManyFiles.response
        guard case .bytes(let body) = response.body else { return [] }
        let length = HTTPFields.Field("Content-Length", "\(body.count)")
        let type = HTTPFields.Field("Content-Type", response.contentType)
        let lines = ([length, type] + commonHeaders + response.headers).map {
            "\($0.name): \($0.value)\r\n"
        }
        let head = "HTTP/1.1 \(response.status) Refused\r\n" + lines.joined() + "\r\n"
        return Array(head.utf8) + body
    }

    func closed(_ connection: HTTPConnection) {
        state.withLock { state in
            state.connections.removeValue(forKey: connection.raw)
            guard state.connections.isEmpty else { return }
            // No connection, no wake-ups.
            state.timer?.cancel()
            state.timer = nil
        }
    }

    /// A request's headers are here (nil), or the next ones are awaited.
    func note(_ connection: HTTPConnection, waitsSince: ContinuousClock.Instant?) {
        state.withLock { $0.connections[connection.raw]?.waitsSince = waitsSince }
    }

    private func startTimer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let parts = limits.tick.components
        let period = DispatchTimeInterval.milliseconds(
            Int(parts.seconds) * 1000 + Int(parts.attoseconds / 1_000_000_000_000_000))
        timer.schedule(deadline: .now() + period, repeating: period, leeway: .milliseconds(50))
        timer.setEventHandler { [weak self] in self?.tick() }
        timer.resume()
        return timer
    }

    private func tick() {
        let now = ContinuousClock.now
        let exchanges = state.withLock { state in
            for connection in state.connections.values {
                guard let since = connection.waitsSince, now - since > limits.headers else {
                    continue
                }
                // The library sees the end and closes; the descriptor stays its own until `closed`.
                shutdown(connection.descriptor, Int32(SHUT_RDWR))
            }
            return Array(state.exchanges.values)
        }
        for exchange in exchanges { exchange.tick(now) }
    }

    // MARK: Requests

    /// The exchange of a request whose headers have arrived; nil if nothing is taken any more.
    func begin(_ connection: HTTPConnection, method: String, path: String) -> HTTPExchange? {
        let headers = connection.fields(.HEADER_KIND)
        var refusal: HTTPRefusal?
        var matched: (route: Route, parameters: [String: String])?
        let known = HTTPMethod(rawValue: method)
        if headers["Origin"] != nil
            || !headers.values(of: "Host").allSatisfy(HTTPServerCore.isOwnHost)
        {
            refusal = .foreign
        } else {
            switch router.match(known, path) {
            case .found(let route, let parameters): matched = (route, parameters)
            case .otherMethods(let methods): refusal = .otherMethods(sent: method, allowed: methods)
            case .nothing: refusal = .noSuchPath(path)
            case .malformed: refusal = .malformed("the path is not percent-encoded UTF-8")
            }
        }
        if matched?.route.isWatch == true, connection.descriptor >= limits.watchDescriptors {
            alarm.sound()
            refusal = .tooManyFiles
        }
        let query = decode(connection.fields(.GET_ARGUMENT_KIND))
        if refusal == nil, query == nil {
            refusal = .malformed("the query is not percent-encoded UTF-8")
        }
        if refusal == nil, matched?.route.body == .collected,
            let length = headers["Content-Length"].flatMap(UInt64.init),
            length > UInt64(limits.collectedBody)
        {
            refusal = .tooLarge(limit: limits.collectedBody)
        }
        let isStreamed = matched?.route.body == .streamed
        let upload = isStreamed ? makeUpload() : nil
        return register(matched?.route, refusal) { refusal in
            let request = matched.flatMap { matched in
                known.map { method in
                    HTTPRequest(
                        method: method, path: path, parameters: matched.parameters,
                        query: query ?? HTTPFields(), headers: headers,
                        body: upload.map { .streamed(HTTPUpload($0.pipe)) } ?? .collected([]))
                }
            }
            let exchange = HTTPExchange(
                connection, server: self, refusal: refusal, route: matched?.route,
                request: request, upload: upload?.pipe)
            upload?.link.exchange.withLock { $0 = WeakExchange(exchange) }
            connection.setTimeout(isStreamed ? limits.streamSilence : limits.silence)
            return exchange
        }
    }

    /// The pipe of a body needs its exchange, which needs the pipe.
    private func makeUpload() -> (pipe: BytePipe, link: ExchangeLink) {
        let link = ExchangeLink()
        let pipe = BytePipe(capacity: limits.streamBuffer) {
            link.exchange.withLock { $0.value }?.wake()
        }
        return (pipe, link)
    }

    private func register(
        _ route: Route?, _ refusal: HTTPRefusal?, make: (HTTPRefusal?) -> HTTPExchange
    ) -> HTTPExchange? {
        state.withLock { state in
            if state.closing { return nil }
            var refusal = refusal
            if refusal == nil, state.stopping { refusal = .stopping }
            let isWatch = route?.isWatch == true && refusal == nil
            if isWatch, state.watches >= limits.watches {
                refusal = .tooManyWatches(limit: limits.watches)
            }
            let exchange = make(refusal)
            if refusal == nil, isWatch { state.watches += 1 }
            state.exchanges[ObjectIdentifier(exchange)] = exchange
            return exchange
        }
    }

    /// Both the library and the handler have done with it.
    func retire(_ exchange: HTTPExchange) {
        let peak = exchange.peakBuffer
        state.withLock { state in
            state.peakBuffer = max(state.peakBuffer, peak)
            guard state.exchanges.removeValue(forKey: ObjectIdentifier(exchange)) != nil else {
                return
            }
            if exchange.countsAsWatch { state.watches -= 1 }
        }
    }

    private func decode(_ fields: HTTPFields) -> HTTPFields? {
        var decoded = HTTPFields()
        for field in fields.all {
            guard let name = PercentEncoding.decode(field.name),
                let value = PercentEncoding.decode(field.value)
            else { return nil }
            decoded.append(name, value)
        }
        return decoded
    }

    /// A page of the web that points a name of its own at this machine is refused by that name.
    private static func isOwnHost(_ host: String) -> Bool {
        let name =
            host.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            .first.map { $0.lowercased() } ?? ""
        return name.isEmpty || name == "localhost" || name == "shared"
    }

    // MARK: Answers

    /// The headers of every answer.
    var commonHeaders: [HTTPFields.Field] {
        [
            HTTPFields.Field(ControlHeader.version, version),
            HTTPFields.Field("Cache-Control", "no-store"),
            HTTPFields.Field("X-Content-Type-Options", "nosniff"),
        ]
    }

    // MARK: Stopping

    /// From now on requests are refused, and watches end.
    func beginStopping() {
        let exchanges = state.withLock { state in
            state.stopping = true
            return Array(state.exchanges.values)
        }
        for exchange in exchanges { exchange.stopWatch() }
    }

    /// From now on nothing is suspended: the library may be stopped.
    func close() {
        let exchanges = state.withLock { state in
            state.stopping = true
            state.closing = true
            return Array(state.exchanges.values)
        }
        for exchange in exchanges { exchange.end() }
    }
}

private struct WeakExchange {
    weak var value: HTTPExchange?

    init(_ value: HTTPExchange?) { self.value = value }
}

private final class ExchangeLink: Sendable {
    let exchange = Mutex(WeakExchange(nil))
}
