/// A body that is made while it is sent.
package struct HTTPStream: Sendable {
    package let heartbeat: Bool
    package let produce: @Sendable (HTTPResponseWriter) async throws -> Void
}
