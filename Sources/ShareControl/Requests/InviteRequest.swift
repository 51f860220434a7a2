package import JSON

/// The body of `POST /v1/invites`.
package struct InviteRequest: JSONConvertible {
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

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        role = try object.find("role")
        expiresSeconds = try object.find("expires_seconds")
        uses = try object.find("uses")
    }

    package var json: JSONValue {
        ["role": role.json, "expires_seconds": expiresSeconds.json, "uses": uses.json]
    }
}
