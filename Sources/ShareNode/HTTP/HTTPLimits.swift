internal import ShareControl

/// The bounds of the control server; every one can be set, for tests.
package struct HTTPLimits: Sendable {
    /// Open connections; further ones wait in the listening socket's queue.
    package var connections = 64
    /// Requests to routes that are marked as watches. Below `connections`, so that forgotten
    /// watches never keep a command out.
    package var watches = 32
    /// Bytes of a body that is collected before the handler starts.
    package var collectedBody = ControlLimits.bodyBytes
    /// Bytes that wait in a streamed body, each way.
    package var streamBuffer = 1 << 18
    /// From connecting, or from the last answer, to the end of the next request's headers.
    package var headers = Duration.seconds(15)
    /// A connection on which nothing moves, while it is not waiting for us.
    package var silence = Duration.seconds(60)
    /// The same for streamed bodies: the other end may be a person who reads page by page.
    package var streamSilence = Duration.seconds(600)
    /// After this much silence of a watch a newline goes out.
    package var heartbeat = ControlLimits.keepAlive
    /// How long the rest of a body is read and thrown away so that the answer can be read.
    package var discard = Duration.seconds(30)
    /// How often connections are looked over while there are any.
    package var tick = Duration.seconds(1)

    package init() {}
}
