/// The body of `POST /v1/sync`.
package struct SyncRequest: Codable, Hashable, Sendable {
    /// Nil for 10 s.
    package var waitMilliseconds: Int?

    package init(waitMilliseconds: Int? = nil) {
        self.waitMilliseconds = waitMilliseconds
    }
}
