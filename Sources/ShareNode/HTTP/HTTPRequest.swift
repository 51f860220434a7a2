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

/// A method that a route may answer.
package enum HTTPMethod: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
}

/// Names and values in the order they came: the headers or the query of a request.
package struct HTTPFields: Sendable, Equatable {
    /// One name with its value.
    package struct Field: Sendable, Equatable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package private(set) var all: [Field] = []

    package init() {}

    package init(_ fields: [Field]) {
        all = fields
    }

    /// The first value of that name, compared without ASCII case; nil if there is none.
    package subscript(_ name: String) -> String? {
        all.first { HTTPFields.same($0.name, name) }?.value
    }

    /// Every value of that name, in order.
    package func values(of name: String) -> [String] {
        all.filter { HTTPFields.same($0.name, name) }.map(\.value)
    }

    mutating func append(_ name: String, _ value: String) {
        all.append(Field(name, value))
    }

    static func same(_ left: String, _ right: String) -> Bool {
        left == right || left.lowercased() == right.lowercased()
    }
}

/// The body of a request.
package enum HTTPBody: Sendable {
    /// All of it, read before the handler starts.
    case collected([UInt8])
    /// Pieces that arrive while the handler runs.
    case streamed(HTTPUpload)
}

/// The body of a request as it arrives. It can be read once, by one task.
package struct HTTPUpload: AsyncSequence, Sendable {
    package typealias Element = [UInt8]

    private let pipe: BytePipe

    /// The body that `pipe` delivers.
    init(_ pipe: BytePipe) {
        self.pipe = pipe
    }

    /// A body that is there already.
    package init(_ bytes: [UInt8]) {
        pipe = BytePipe(capacity: Swift.max(bytes.count, 1))
        pipe.push(bytes[...])
        pipe.finish()
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(pipe: pipe)
    }

    /// Reads one piece after the other.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let pipe: BytePipe

        /// The next piece, never empty; nil after the last.
        ///
        /// - Throws: `HTTPStreamError` when the rest will not arrive.
        package mutating func next() async throws -> [UInt8]? {
            try await pipe.read()
        }
    }
}
