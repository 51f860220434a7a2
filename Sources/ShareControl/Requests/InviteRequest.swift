/// The body of `POST /v1/invites`.
package struct InviteRequest: Codable, Hashable, Sendable {
    /// Nil for `collector`.
    package var role: String?
    /// Nil for ten minutes.
    package var expiresSeconds: Int?
    /// How many devices it may admit; nil for one.
    package var uses: Int?

    package init(role: String? = nil, expiresSeconds: Int? = nil, uses: Int? = nil) {
        self.role = role
        self.expiresSeconds = expiresSeconds
        self.uses = uses
    }
}
