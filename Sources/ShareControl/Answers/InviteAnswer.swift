package import JSON

/// A new invite.
package struct InviteAnswer: JSONConvertible {
    /// As people read it out, such as `K7QX-93MP`.
    package var code: String
    /// RFC 3339, UTC.
    package var expires: String
    package var role: String
    package var room: NamedRoom
    /// How many devices it admits.
    package var uses: Int
    /// `shared:join?…`: room, code and where this device is, for a QR symbol.
    package var link: String

    package init(
        code: String, expires: String, role: String, room: NamedRoom, uses: Int, link: String
    ) {
        self.code = code
        self.expires = expires
        self.role = role
        self.room = room
        self.uses = uses
        self.link = link
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        code = try object.get("code")
        expires = try object.get("expires")
        role = try object.get("role")
        room = try object.get("room")
        uses = try object.get("uses")
        link = try object.get("link")
    }

    package var json: JSONValue {
        [
            "code": code.json, "expires": expires.json, "role": role.json, "room": room.json,
            "uses": uses.json, "link": link.json,
        ]
    }
}
