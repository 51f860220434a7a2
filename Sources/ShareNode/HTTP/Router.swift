internal import ShareControl

/// Finds the handler of a request.
package struct Router: Sendable {
    /// The route for a method and a path.
    enum Match {
        case found(Route, parameters: [String: String])
        /// The path exists with other methods.
        case otherMethods([HTTPMethod])
        case nothing
        /// A segment is not percent-encoded UTF-8.
        case malformed
    }

    private var routes: [Route] = []

    package init() {}

    /// Adds a route. A segment `{name}` of the pattern stands for any one segment of a path; where
    /// several patterns fit, the one with fewer of them wins.
    ///
    /// - Parameter isWatch: whether requests may stay open for ever; they count against
    ///   `HTTPLimits.watches`.
    package mutating func on(
        _ method: HTTPMethod, _ pattern: String, body: Route.Body = .collected,
        isWatch: Bool = false, handler: @escaping Route.Handler
    ) {
        let segments = Router.split(pattern).map { segment in
            segment.hasPrefix("{") && segment.hasSuffix("}")
                ? Route.Segment.parameter(String(segment.dropFirst().dropLast()))
                : Route.Segment.literal(String(segment))
        }
        routes.append(
            Route(
                method: method, pattern: segments, body: body, isWatch: isWatch, handler: handler))
    }

    /// The methods and patterns of all routes, in the order they were added: for checking them
    /// against the interface's description.
    package var descriptions: [String] {
        routes.map { route in
            let path = route.pattern.map { segment in
                switch segment {
                case .literal(let text): text
                case .parameter(let name): "{\(name)}"
                }
            }
            return "\(route.method.rawValue) /\(path.joined(separator: "/"))"
        }
    }

    func match(_ method: HTTPMethod?, _ path: String) -> Match {
        guard path.hasPrefix("/") else { return .nothing }
        var segments: [String] = []
        for raw in Router.split(path) {
            guard let segment = PercentEncoding.decode(raw) else { return .malformed }
            segments.append(segment)
        }
        var best: (route: Route, parameters: [String: String])?
        var others: [HTTPMethod] = []
        for route in routes {
            guard let parameters = Router.fit(route.pattern, segments) else { continue }
            if route.method != method {
                if !others.contains(route.method) { others.append(route.method) }
            } else if parameters.count < best?.parameters.count ?? .max {
                best = (route, parameters)
            }
        }
        if let best { return .found(best.route, parameters: best.parameters) }
        return others.isEmpty ? .nothing : .otherMethods(others)
    }

    private static func split(_ path: String) -> [Substring] {
        path.dropFirst(path.hasPrefix("/") ? 1 : 0)
            .split(separator: "/", omittingEmptySubsequences: false)
    }

    private static func fit(_ pattern: [Route.Segment], _ path: [String]) -> [String: String]? {
        guard pattern.count == path.count else { return nil }
        var parameters: [String: String] = [:]
        for (expected, actual) in zip(pattern, path) {
            switch expected {
            case .literal(let text):
                guard text == actual else { return nil }
            case .parameter(let name):
                guard !actual.isEmpty else { return nil }
                parameters[name] = actual
            }
        }
        return parameters
    }
}

/// A method and a path pattern with the handler that answers them.
package struct Route: Sendable {
    /// How a route takes the body of its requests.
    package enum Body: Sendable {
        /// Before the handler starts, up to `HTTPLimits.collectedBody` bytes.
        case collected
        /// While the handler runs, of any length.
        case streamed
    }

    /// Answers one request; it is cancelled when the client leaves.
    package typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

    let method: HTTPMethod
    let pattern: [Segment]
    let body: Body
    let isWatch: Bool
    let handler: Handler

    enum Segment: Sendable, Equatable {
        case literal(String)
        case parameter(String)
    }
}
