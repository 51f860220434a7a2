/// An invite of this device: one that can be used, or one that has ended within the last day.
package struct InviteStatus: Codable, Hashable, Sendable {
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
}
