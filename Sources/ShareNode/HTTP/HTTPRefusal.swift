internal import ShareControl

/// A request that the server answers itself, before any handler is asked.
enum HTTPRefusal: Sendable, Equatable {
    case noSuchPath(String)
    case otherMethods(sent: String, allowed: [HTTPMethod])
    case tooLarge(limit: Int)
    case malformed(String)
    /// A page of the web speaks, or somebody who uses another name for this machine.
    case foreign
    case tooManyWatches(limit: Int)
    case stopping

    var response: HTTPResponse {
        var response = HTTPResponse(problem)
        if case .otherMethods(_, let allowed) = self {
            response.headers.append(HTTPFields.Field("Allow", HTTPRefusal.list(allowed)))
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
        case .stopping:
            Problem(.busy, "the daemon is stopping", hint: "Try again when it has started.")
        }
    }

    private static func list(_ methods: [HTTPMethod]) -> String {
        methods.map(\.rawValue).joined(separator: ", ")
    }
}
