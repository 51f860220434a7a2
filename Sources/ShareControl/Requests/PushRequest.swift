/// The body of `POST /v1/push`.
package struct PushRequest: Codable, Hashable, Sendable {
    /// Nil for 5 s.
    package var timeoutMilliseconds: Int?

    package init(timeoutMilliseconds: Int? = nil) {
        self.timeoutMilliseconds = timeoutMilliseconds
    }
}
