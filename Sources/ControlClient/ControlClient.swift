internal import CCurl
internal import JSON
package import ShareControl
import Glibc

/// The client of the control API; it opens its connection with the first request and keeps it.
///
/// One thread at a time may use it.
package final class ControlClient {
    private let location: SocketLocation
    private let handle: CurlHandle
    /// The path that was connected to last.
    private var path: String?
    /// Called for each notice that an answer carries.
    private let notice: (String) -> Void

    /// - Throws: `Problem` with `internalError` where libcurl cannot be started.
    package init(
        _ location: SocketLocation, notice: @escaping (String) -> Void = { _ in }
    ) throws(Problem) {
        self.location = location
        self.notice = notice
        handle = try CurlHandle()
    }

    /// Sends a request and hands over the bytes of its answer as they come, while `receive`
    /// returns true.
    ///
    /// - Returns: whether the answer came to its end.
    /// - Throws: the daemon's `Problem`, or one that says why there is no answer.
    @discardableResult
    package func send(
        _ request: ControlRequest,
        receive: @escaping (UnsafeRawBufferPointer) throws(Problem) -> Bool
    ) throws(Problem) -> Bool {
        var failures: [(path: String, error: Int32)] = []
        for candidate in path.map({ [$0] }) ?? location.candidates {
            let transfer = Transfer(body: request.body, receive: receive)
            let code = try perform(request, at: candidate, transfer)
            // Nothing has been sent yet, so the next path may be tried.
            if code == CURLE_COULDNT_CONNECT, !Interruption.isRequested {
                failures.append((candidate, handle.systemError))
                continue
            }
            path = candidate
            return try finish(transfer, code)
        }
        path = nil
        throw location.problem(failures)
    }

    private func perform(
        _ request: ControlRequest, at path: String, _ transfer: Transfer
    ) throws(Problem) -> CURLcode {
        handle.reset()
        try handle.set(CURLOPT_UNIX_SOCKET_PATH, text: path)
        // What a user types is a part of the path; dots in it must not lead elsewhere.
        try handle.set(CURLOPT_PATH_AS_IS, long: 1)
        try handle.set(CURLOPT_URL, text: "http://shared\(request.target)")
        try handle.set(CURLOPT_CUSTOMREQUEST, text: request.method)
        try handle.set(CURLOPT_NOSIGNAL, long: 1)
        // A proxy that the environment names is not for a socket of this machine.
        try handle.set(CURLOPT_PROXY, text: "")
        try handle.set(CURLOPT_HTTP_VERSION, long: CURL_HTTP_VERSION_1_1)
        try handle.set(CURLOPT_NOPROGRESS, long: 0)
        try handle.set(CURLOPT_BUFFERSIZE, long: 256 << 10)
        try handle.set(CURLOPT_LOW_SPEED_LIMIT, long: 1)
        let silence = max(1, request.silence.components.seconds)
        try handle.set(CURLOPT_LOW_SPEED_TIME, long: Int(silence))

        // Without this libcurl would wait for a "100 Continue" before a larger body.
        var headers = ["Expect:"]
        switch request.body {
        case .none: break
        case .json(let bytes):
            headers.append("Content-Type: application/json")
            try handle.setCopiedBody(bytes)
        case .stream(let mediaType, let length, _):
            headers.append("Content-Type: \(mediaType)")
            try handle.set(CURLOPT_UPLOAD, long: 1)
            try handle.set(CURLOPT_UPLOAD_BUFFERSIZE, long: 256 << 10)
            if let length {
                try handle.set(CURLOPT_INFILESIZE_LARGE, offset: Int64(length))
            } else {
                headers.append("Transfer-Encoding: chunked")
            }
        }
        var list: UnsafeMutablePointer<curl_slist>?
        for header in headers { list = curl_slist_append(list, header) ?? list }
        defer { curl_slist_free_all(list) }
        try handle.set(CURLOPT_HTTPHEADER, pointer: list.map { UnsafeMutableRawPointer($0) })
        return try transfer.attach(to: handle) { handle.perform() }
    }

    private func finish(_ transfer: Transfer, _ code: CURLcode) throws(Problem) -> Bool {
        for value in transfer.values(of: ControlHeader.notice) {
            notice(PercentEncoding.decode(value) ?? value)
        }
        if let failure = transfer.failure { throw failure }
        if transfer.isStopped { return false }
        if Interruption.isRequested { throw Problem(.interrupted, "interrupted") }
        // A refusal may come before all of the body was sent; it counts, however sending ended.
        if transfer.status >= 400, code == CURLE_OK || !transfer.errorBody.isEmpty {
            throw Self.problem(transfer)
        }
        guard code == CURLE_OK else { throw Self.problem(code) }
        guard transfer.isSuccess else {
            throw Problem(
                .notUnderstood, "the daemon answered with status \(transfer.status)",
                hint: "See whether shared and sharedd are of the same release: `shared version`.")
        }
        return true
    }

    private static func problem(_ transfer: Transfer) -> Problem {
        if let problem = try? Problem(jsonText: transfer.errorBody) { return problem }
        return Problem(
            .notUnderstood, "the daemon answered with status \(transfer.status)",
            hint: "See whether shared and sharedd are of the same release: `shared version`.")
    }

    private static func problem(_ code: CURLcode) -> Problem {
        switch code {
        case CURLE_OPERATION_TIMEDOUT:
            Problem(
                .timedOut, "the daemon did not answer in time",
                hint: "Try again; where it stays so, look at its log and restart it.")
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR:
            Problem(
                .connectionLost, "the daemon closed the connection before its answer was complete",
                hint: "See whether it runs and what was done: `shared status`.")
        default:
            Problem(
                .notUnderstood, "the daemon's answer cannot be read: \(CurlHandle.message(code))",
                hint: "See whether another program listens on its socket.")
        }
    }
}

/// One request of the control API.
package struct ControlRequest {
    /// What is sent along.
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

    /// The path and query as they stand in the request line.
    var target: String {
        let path = path.map(PercentEncoding.encode).joined(separator: "/")
        let query = query.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }
        return "/v1/\(path)" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }
}
