/// An invite that can still be used; its secret is not shown again.
package struct LiveInviteAnswer: JSONConvertible {
    /// The first two characters of the code.
    package var selector: String
    package var expires: String
    package var role: String
    package var attemptsLeft: Int
    /// The device that has used it.
    package var usedBy: String?

    package init(
        selector: String, expires: String, role: String, attemptsLeft: Int, usedBy: String? = nil
    ) {
        self.selector = selector
        self.expires = expires
        self.role = role
        self.attemptsLeft = attemptsLeft
        self.usedBy = usedBy
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        selector = try object.get("selector")
        expires = try object.get("expires")
        role = try object.get("role")
        attemptsLeft = try object.get("attempts_left")
        usedBy = try object.find("used_by")
    }

    package var json: JSONValue {
        [
            "selector": selector.json, "expires": expires.json, "role": role.json,
            "attempts_left": attemptsLeft.json, "used_by": usedBy.json,
        ]
    }
}
