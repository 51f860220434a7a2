/// The answer to `create` and `join`.
package struct JoinAnswer: Codable, Hashable, Sendable {
    package var room: NamedRoom
    package var created: Bool
    /// Nil where it is not known yet.
    package var founder: NamedDevice?
    /// `member`, or `waiting` where the grant has not come yet.
    package var state: String
    /// This device's role; nil while it waits.
    package var role: String?
    /// Whether this device was a member before, and the code gives it no more.
    package var already: Bool
    /// Whether it was to leave, or had been let go of unheard, and goes on as it was.
    package var stays: Bool
    /// Whether anybody nearby may join the room without a code.
    package var isOpen: Bool
    /// Whether the room is kept from strangers.
    package var isHidden: Bool
    /// The room's recovery code, for the one who has created it: it is told this once.
    package var recovery: String?

    package init(
        room: NamedRoom, created: Bool, founder: NamedDevice? = nil, state: String,
        role: String? = nil, already: Bool = false, stays: Bool = false, isOpen: Bool = false,
        isHidden: Bool = false, recovery: String? = nil
    ) {
        self.room = room
        self.created = created
        self.founder = founder
        self.state = state
        self.role = role
        self.already = already
        self.stays = stays
        self.isOpen = isOpen
        self.isHidden = isHidden
        self.recovery = recovery
    }
}
