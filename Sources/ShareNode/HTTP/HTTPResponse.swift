import JSON
package import ShareControl

/// The answer to a request.
package struct HTTPResponse: Sendable {
    /// What a response carries.
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
    /// the whole answer.
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
