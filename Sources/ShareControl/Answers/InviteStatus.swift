package import JSON

/// An invite of this device: one that can be used, or one that has ended within the last day.
package struct InviteStatus: JSONConvertible {
    /// The first two characters of the code.
    package var selector: String
    /// The whole code, to be read out again; nil once the invite has ended.
    package var code: String?
    package var room: NamedRoom
    package var role: String
    /// `live`, `used_up`, `wrong_codes`, `withdrawn` or `expired`; `not_allowed` while this device
    /// may not admit as that role.
    package var state: String
    /// RFC 3339, UTC.
    package var expires: String
    /// Seconds until then; 0 after it.
    package var expiresIn: Int
    package var uses: Int
    package var usesLeft: Int
    /// Wrong codes that have been tried, and those that it survives still.
    package var attempts: Int
    package var attemptsLeft: Int
    /// The devices that it has admitted.
    package var usedBy: [NamedDevice]

    package init(
        selector: String, code: String?, room: NamedRoom, role: String, state: String,
        expires: String, expiresIn: Int, uses: Int, usesLeft: Int, attempts: Int,
        attemptsLeft: Int, usedBy: [NamedDevice]
    ) {
        self.selector = selector
        self.code = code
        self.room = room
        self.role = role
        self.state = state
        self.expires = expires
        self.expiresIn = expiresIn
        self.uses = uses
        self.usesLeft = usesLeft
        self.attempts = attempts
        self.attemptsLeft = attemptsLeft
        self.usedBy = usedBy
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        selector = try object.get("selector")
        code = try object.find("code")
        room = try object.get("room")
        role = try object.get("role")
        state = try object.get("state")
        expires = try object.get("expires")
        expiresIn = try object.get("expires_in")
        uses = try object.get("uses")
        usesLeft = try object.get("uses_left")
        attempts = try object.get("attempts")
        attemptsLeft = try object.get("attempts_left")
        usedBy = try object.get("used_by")
    }

    package var json: JSONValue {
        [
            "selector": selector.json, "code": code.json, "room": room.json, "role": role.json,
            "state": state.json, "expires": expires.json, "expires_in": expiresIn.json,
            "uses": uses.json, "uses_left": usesLeft.json, "attempts": attempts.json,
            "attempts_left": attemptsLeft.json, "used_by": usedBy.json,
        ]
    }
}
