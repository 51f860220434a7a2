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
