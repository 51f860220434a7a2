/// One request, as a handler sees it: everything decoded and within the limits.
package struct HTTPRequest: Sendable {
    package let method: HTTPMethod
    /// The path as it was sent, still percent-encoded.
    package let path: String
    /// The values of the route's `{name}` segments, percent-decoded.
    package let parameters: [String: String]
    /// The query, percent-decoded, in the order it was sent.
    package let query: HTTPFields
    /// The headers; names are compared without case.
    package let headers: HTTPFields
    private let body: HTTPBody

    package init(
        method: HTTPMethod, path: String, parameters: [String: String] = [:],
        query: HTTPFields = HTTPFields(), headers: HTTPFields = HTTPFields(),
        body: HTTPBody = .collected([])
    ) {
        self.method = method
        self.path = path
        self.parameters = parameters
        self.query = query
        self.headers = headers
        self.body = body
    }

    /// The whole body, of a route that collects it; empty for a route that streams it.
    package var bytes: [UInt8] {
        switch body {
        case .collected(let bytes): bytes
        case .streamed: []
        }
    }

    /// The body as it arrives; for a route that collects it, one piece.
    ///
    /// It ends with `HTTPStreamError.clientGone` when the client leaves before the body's end.
    /// It can be read once.
    package var pieces: HTTPUpload {
        switch body {
        case .collected(let bytes): HTTPUpload(bytes)
        case .streamed(let upload): upload
        }
    }

    func with(collected bytes: [UInt8]) -> HTTPRequest {
        guard case .collected = body else { return self }
        return HTTPRequest(
            method: method, path: path, parameters: parameters, query: query, headers: headers,
            body: .collected(bytes))
    }
}
