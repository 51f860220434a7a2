/// The body of `POST /v1/invites`.
package struct InviteRequest: JSONConvertible {
    /// Nil for `collector`.
    package var role: String?
    /// Nil for ten minutes.
    package var expiresSeconds: Int?

    package init(role: String? = nil, expiresSeconds: Int? = nil) {
        self.role = role
        self.expiresSeconds = expiresSeconds
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        role = try object.find("role")
        expiresSeconds = try object.find("expires_seconds")
    }

    package var json: JSONValue {
        ["role": role.json, "expires_seconds": expiresSeconds.json]
    }
}
