internal import JSON
package import ShareControl

/// The client of the control API, HTTP over the daemon's Unix socket; it opens its connection with
/// the first request and keeps it.
///
/// One thread at a time may use it.
package final class ControlClient {
    private let location: SocketLocation
    /// The connection that the last request left, and its path.
    private var open: (connection: SocketConnection, path: String)?
    /// Called for each notice that an answer carries.
    private let notice: (String) -> Void
    /// Called where a request waits and the daemon answers nothing else either.
    private let stalled: () -> Void

    package init(
        _ location: SocketLocation, notice: @escaping (String) -> Void = { _ in },
        stalled: @escaping () -> Void = {}
    ) {
        self.location = location
        self.notice = notice
        self.stalled = stalled
    }

    /// Sends a request and hands over the bytes of its answer as they come, while `receive`
    /// returns true.
    ///
    /// - Returns: whether the answer came to its end.
    /// - Throws: the daemon's `Problem`, or one that says why there is no answer.
    @discardableResult
    package func send(
        _ request: ControlRequest,
        receive: (UnsafeRawBufferPointer) throws(Problem) -> Bool
    ) throws(Problem) -> Bool {
        try request.checkSize()
        let (connection, path) = try connected(request.silence)
        connection.onSilence = { [unowned self] in lookWhetherItRuns(path) }
        var exchange = Exchange(request, on: connection)
        let result = Result { () throws(Problem) in try exchange.run(receive) }
        for value in exchange.response.values(of: ControlHeader.notice) {
            notice(PercentEncoding.decode(value) ?? value)
        }
        if exchange.leavesConnection { open = (connection, path) }
        // A refusal may come before all of the body was sent; it counts, however sending ended.
        if exchange.response.status >= 400,
            exchange.response.isDone || !exchange.errorBody.isEmpty,
            !Interruption.isRequested
        {
            throw Self.problem(exchange)
        }
        try result.get()
        if exchange.isStopped { return false }
        guard exchange.response.isSuccess else { throw Self.problem(exchange) }
        return true
    }

    /// The connection that is open still, or a new one to the first path where a daemon listens.
    private func connected(
        _ silence: Duration
    ) throws(Problem) -> (SocketConnection, path: String) {
        let last = open
        open = nil
        if let last, last.connection.isQuiet {
            last.connection.silence = silence
            return last
        }
        var failures: [(path: String, error: Int32)] = []
        for path in last.map({ [$0.path] }) ?? location.candidates {
            do {
                return (try SocketConnection(path: path, silence: silence), path)
            } catch {
                failures.append((path, error.code))
            }
        }
        throw location.problem(failures)
    }

    /// Tells slow work from a daemon that is stopped: asks another connection for the version.
    private func lookWhetherItRuns(_ path: String) {
        guard let other = try? SocketConnection(path: path, silence: .milliseconds(900)) else {
            return stalled()
        }
        var exchange = Exchange(ControlRequest("GET", ["version"]), on: other)
        do throws(Problem) {
            try exchange.run { _ in true }
        } catch {
            if error.code == .timedOut { stalled() }
        }
    }

    private static func problem(_ exchange: Exchange) -> Problem {
        if let problem = try? Problem(jsonText: exchange.errorBody) { return problem }
        return Problem(
            .notUnderstood, "the daemon answered with status \(exchange.response.status)",
            hint: "See whether shared and sharedd are of the same release: `shared version`.")
    }
}

/// One request of the control API.
package struct ControlRequest {
    /// The body of a request.
    package enum Body {
        case none
        case json([UInt8])
        /// Bytes as they are read; `length` is nil where it is not known beforehand.
        case stream(mediaType: String, length: Int?, read: Reading)

        /// Fills as much of the buffer as it can at once, and returns 0 at the end.
        package typealias Reading = (UnsafeMutableRawBufferPointer) throws(Problem) -> Int

        /// A value of the API.
        package static func value(_ value: some Encodable) -> Body { .json(value.jsonText) }
    }

    package var method: String
    /// The segments after `/v1/`, not encoded.
    package var path: [String]
    package var query: [(name: String, value: String)]
    package var body: Body
    /// How long to wait without a byte in either direction.
    package var silence: Duration

    package init(
        _ method: String, _ path: [String], query: [(name: String, value: String)] = [],
        body: Body = .none, silence: Duration = .seconds(30)
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.silence = silence
    }

    /// Refuses what a daemon would not read.
    func checkSize() throws(Problem) {
        let conditions = query.count { $0.name == "where" }
        guard conditions <= ControlLimits.conditions else {
            throw .tooManyConditions(conditions)
        }
        let bytes = target.utf8.count
        guard bytes > ControlLimits.targetBytes else { return }
        let isCondition = conditions > 0
        throw Problem(
            .badRequest,
            "the \(isCondition ? "conditions have" : "request has") \(bytes) bytes as they are sent;"
                + " at most \(ControlLimits.targetBytes) are read",
            hint: isCondition
                ? "Ask in several parts, or for what these values have in common."
                : "Ask for less at a time.")
    }

    /// The path and query as they stand in the request line.
    var target: String {
        let path = path.map(PercentEncoding.encode).joined(separator: "/")
        let query = query.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }
        return "/v1/\(path)" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }
}
