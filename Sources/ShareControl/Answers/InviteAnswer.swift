/// A new invite.
package struct InviteAnswer: Codable, Hashable, Sendable {
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
}
