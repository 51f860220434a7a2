package import ShareControl

/// One request of the control API.
package struct ControlRequest {
    /// What is sent along.
    package enum Body {
        case none
        case json([UInt8])
        /// Bytes as they are read; `length` is nil where it is not known beforehand.
        ///
        /// `read` fills as much of the buffer as it can at once and returns 0 at the end.
        case stream(
            mediaType: String, length: Int?,
            read: (UnsafeMutableRawBufferPointer) throws(Problem) -> Int)

        /// A value of the API.
        package static func value(_ value: some JSONConvertible) -> Body { .json(value.jsonText) }
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
