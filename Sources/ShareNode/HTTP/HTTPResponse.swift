import JSON
package import ShareControl

/// The answer to a request.
package struct HTTPResponse: Sendable {
    /// The body of a response.
    package enum Body: Sendable {
        case bytes([UInt8])
        case stream(HTTPStream)
    }

    package var status: Int
    package var contentType: String
    /// Further headers.
    package var headers: [HTTPFields.Field]
    package var body: Body

    package init(
        status: Int = 200, contentType: String = HTTPResponse.json,
        headers: [HTTPFields.Field] = [], body: [UInt8] = []
    ) {
        self.status = status
        self.contentType = contentType
        self.headers = headers
        self.body = .bytes(body)
    }

    /// An answer that `produce` writes piece by piece, for as long as the client reads.
    ///
    /// If `produce` throws, the connection is cut, so that the client cannot take what it has for
    /// the whole answer; a `Problem` goes out before that, after `ControlLimits.problemMark`.
    /// - Parameter heartbeat: whether a newline is sent when nothing was for ten seconds. Only for
    ///   lines of JSON, where an empty line means nothing; each piece written must then end a line.
    package init(
        status: Int = 200, contentType: String = HTTPResponse.lines,
        headers: [HTTPFields.Field] = [], heartbeat: Bool,
        produce: @escaping @Sendable (HTTPResponseWriter) async throws -> Void
    ) {
        self.status = status
        self.contentType = contentType
        self.headers = headers
        body = .stream(HTTPStream(heartbeat: heartbeat, produce: produce))
    }

    /// The answer to a request that failed; a code that has no status goes out as 500.
    package init(_ problem: Problem) {
        self.init(
            status: problem.code.status ?? 500, contentType: Problem.mediaType,
            body: problem.jsonText)
    }

    package static let json = "application/json"
    package static let lines = "application/x-ndjson"
}

/// A body that is made while it is sent.
package struct HTTPStream: Sendable {
    package let heartbeat: Bool
    package let produce: @Sendable (HTTPResponseWriter) async throws -> Void
}

/// Why a body ended before its end.
package enum HTTPStreamError: Error, Sendable, Equatable {
    /// The other side closed the connection, or has been silent for too long.
    case clientGone
    /// The daemon is about to stop.
    case stopping
}

/// Where the producer of a streamed response puts its bytes.
package struct HTTPResponseWriter: Sendable {
    let pipe: BytePipe

    /// Hands over bytes; waits while the client is slower than the producer.
    ///
    /// - Throws: `HTTPStreamError` as soon as nobody will read the bytes any more.
    package func write(_ bytes: [UInt8]) async throws {
        try await pipe.write(bytes)
    }

    /// Hands over the UTF-8 of `text`, under the same terms.
    package func write(_ text: String) async throws {
        try await pipe.write(Array(text.utf8))
    }

    /// Waits until the client has left or the daemon stops; returns at once if that was before.
    ///
    /// For producers that wait for events: race it against the next event.
    package func ended() async {
        await pipe.waitUntilFailed()
    }
}

/// A request that the server answers itself, before any handler is asked.
enum HTTPRefusal: Sendable, Equatable {
    case noSuchPath(String)
    case otherMethods(sent: String, allowed: [HTTPMethod])
    case tooLarge(limit: Int)
    case malformed(String)
    /// A page of the web speaks, or somebody who uses another name for this machine.
    case foreign
    case tooManyWatches(limit: Int)
    case tooManyFiles
    case stopping

    var response: HTTPResponse {
        var response = HTTPResponse(problem)
        if case .otherMethods(_, let allowed) = self {
            response.headers.append(HTTPFields.Field("Allow", HTTPRefusal.list(allowed)))
        }
        if case .tooManyFiles = self {
            response.headers.append(HTTPFields.Field("Connection", "close"))
        }
        return response
    }

    private var problem: Problem {
        switch self {
        case .noSuchPath(let path):
            Problem(
                .notFoundRoute, "the path \(path) does not exist",
                hint:
                    "See whether `shared` and `sharedd` are of the same release: `shared version`.")
        case .otherMethods(let sent, let allowed):
            Problem(
                .methodNotAllowed, "\(sent) is not possible here",
                hint: "Possible: \(HTTPRefusal.list(allowed)).")
        case .tooLarge(let limit):
            Problem(
                .tooLarge, "the request is longer than \(limit) bytes",
                hint: "Send large data as an import, which has no limit.")
        case .malformed(let what):
            Problem(.badRequest, what, hint: "Percent-encode paths and queries as UTF-8.")
        case .foreign:
            Problem(
                .notAllowed, "the request comes from a web page or names a foreign host",
                hint: "Send `Host: localhost`, and no Origin.")
        case .tooManyWatches(let limit):
            Problem(
                .busy, "\(limit) programs are watching already",
                hint: "End a watch that is no longer needed.")
        case .tooManyFiles: .tooManyFiles
        case .stopping:
            Problem(.busy, "the daemon is stopping", hint: "Try again when it has started.")
        }
    }

    private static func list(_ methods: [HTTPMethod]) -> String {
        methods.map(\.rawValue).joined(separator: ", ")
    }
}
