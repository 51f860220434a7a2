/// An error that the server itself answers, before any handler is asked.
package struct HTTPProblem: Sendable, Equatable {
    package let status: Int
    /// Stable, in snake_case.
    package let code: String
    package let title: String
    package let detail: String
    package let hint: String
    var headers: [HTTPFields.Field] = []

    /// Turns a problem into the body of a response (RFC 9457).
    package typealias Renderer = @Sendable (HTTPProblem) -> [UInt8]

    static func notFound(_ path: String) -> HTTPProblem {
        HTTPProblem(
            status: 404, code: "no_such_path", title: "Nothing is here",
            detail: "the path \(path) does not exist",
            hint: "docs/openapi.yaml lists all paths; is the program newer than the daemon?")
    }

    static func method(_ method: String, allowed: [HTTPMethod]) -> HTTPProblem {
        let list = allowed.map(\.rawValue).joined(separator: ", ")
        return HTTPProblem(
            status: 405, code: "method_not_allowed", title: "This path does not know that method",
            detail: "\(method) is not possible here",
            hint: "possible: \(list)",
            headers: [HTTPFields.Field("Allow", list)])
    }

    static func tooLarge(limit: Int) -> HTTPProblem {
        HTTPProblem(
            status: 413, code: "body_too_large", title: "The request is too large",
            detail: "the body is longer than \(limit) bytes",
            hint: "send large data through an import, which is streamed")
    }

    static func malformed(_ detail: String) -> HTTPProblem {
        HTTPProblem(
            status: 400, code: "bad_request", title: "The request cannot be read",
            detail: detail, hint: "percent-encode paths and queries as UTF-8")
    }

    static let foreignHost = HTTPProblem(
        status: 403, code: "foreign_host", title: "This host name is not served",
        detail: "the Host header names another host",
        hint: "use Host: localhost; a web page must not reach the daemon under a name of its own")

    static func tooManyWatches(limit: Int) -> HTTPProblem {
        HTTPProblem(
            status: 503, code: "too_many_watches", title: "Too many programs are watching",
            detail: "\(limit) requests that stay open are running already",
            hint: "end a watch that is no longer needed")
    }

    static let stopping = HTTPProblem(
        status: 503, code: "stopping", title: "The daemon is stopping",
        detail: "no new requests are taken", hint: "try again when it has started")
}
