/// A new invite.
package struct InviteAnswer: Codable, Hashable, Sendable {
    /// As people read it out, such as `K7QX-93MP`.
    package var code: String
    /// RFC 3339, UTC.
    package var expires: String
    package var role: String
    /// The name that people gave it.
    package var name: String?
    /// The scope of those whom it admits; nil for all that the role allows.
    package var scope: [ScopeForm]?
    package var room: NamedRoom
    /// How many devices it admits.
    package var uses: Int
    /// `shared:join?…`: room, code and where this device is, for a QR symbol.
    package var link: String
    /// Why nobody can reach this device now, for people; nil where nothing is known to be wrong.
    package var network: String?

    package init(
        code: String, expires: String, role: String, name: String? = nil,
        scope: [ScopeForm]? = nil, room: NamedRoom, uses: Int, link: String,
        network: String? = nil
    ) {
        self.code = code
        self.expires = expires
        self.role = role
        self.name = name
        self.scope = scope
        self.room = room
        self.uses = uses
        self.link = link
        self.network = network
    }
}

/// An invite of this device: one that can be used, or one that has ended within the last day.
package struct InviteStatus: Codable, Hashable, Sendable {
    /// The first two characters of the code.
    package var selector: String
    /// The whole code, to be read out again; nil once the invite has ended.
    package var code: String?
    package var room: NamedRoom
    package var role: String
    /// The name that people gave it.
    package var name: String?
    /// The scope of those whom it admits; nil for all that the role allows.
    package var scope: [ScopeForm]?
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
        selector: String, code: String?, room: NamedRoom, role: String, name: String? = nil,
        scope: [ScopeForm]? = nil, state: String, expires: String, expiresIn: Int, uses: Int,
        usesLeft: Int, attempts: Int,
        attemptsLeft: Int, usedBy: [NamedDevice]
    ) {
        self.selector = selector
        self.code = code
        self.room = room
        self.role = role
        self.name = name
        self.scope = scope
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

/// The answer to `withdraw`: the invite as it is now, and whether there was anything to end.
package struct WithdrawnAnswer: Codable, Hashable, Sendable {
    package var invite: InviteStatus
    /// Whether the invite had ended before, by itself or by an earlier `withdraw`.
    package var hadEnded: Bool

    package init(invite: InviteStatus, hadEnded: Bool) {
        self.invite = invite
        self.hadEnded = hadEnded
    }

    private enum CodingKeys: CodingKey { case hadEnded }

    package init(from decoder: any Decoder) throws {
        invite = try InviteStatus(from: decoder)
        hadEnded = try decoder.container(keyedBy: CodingKeys.self).decode(
            Bool.self, forKey: .hadEnded)
    }

    /// The members of the invite and one more.
    package func encode(to encoder: any Encoder) throws {
        try invite.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(hadEnded, forKey: .hadEnded)
    }
}

/// The body of `POST /v1/invites`.
package struct InviteRequest: Codable, Hashable, Sendable {
    /// Nil for `collector`.
    package var role: String?
    /// Nil for ten minutes.
    package var expiresSeconds: Int?
    /// How many devices it may admit; nil for one.
    package var uses: Int?
    /// The name that people gave it, such as a team's.
    package var name: String?
    /// The scope of those whom it admits; nil for all that the role allows.
    package var scope: [ScopeForm]?

    package init(
        role: String? = nil, expiresSeconds: Int? = nil, uses: Int? = nil, name: String? = nil,
        scope: [ScopeForm]? = nil
    ) {
        self.role = role
        self.expiresSeconds = expiresSeconds
        self.uses = uses
        self.name = name
        self.scope = scope
    }
}

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
    /// Operations that a peer has and this device has not yet: they come in by themselves.
    package var incoming: Int

    package init(
        room: NamedRoom, created: Bool, founder: NamedDevice? = nil, state: String,
        role: String? = nil, already: Bool = false, stays: Bool = false, isOpen: Bool = false,
        isHidden: Bool = false, recovery: String? = nil, incoming: Int = 0
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
        self.incoming = incoming
    }
}

/// The body of `POST /v1/join`: a room, a code, or both.
package struct JoinRequest: Codable, Hashable, Sendable {
    /// A name or an id; a code, where there is none in `code`. Nil for the room that the code leads
    /// to.
    package var room: String?
    package var code: String?
    /// `HOST:PORT`, where the device may be that made the code; as a link says.
    package var at: [String]
    /// Whether the room is founded where there surely is none of that name nearby.
    package var create: Bool

    package init(
        room: String? = nil, code: String? = nil, at: [String] = [], create: Bool = false
    ) {
        self.room = room
        self.code = code
        self.at = at
        self.create = create
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        room = try container.decodeIfPresent(String.self, forKey: .room)
        code = try container.decodeIfPresent(String.self, forKey: .code)
        at = try container.decodeIfPresent([String].self, forKey: .at) ?? []
        create = try container.decodeIfPresent(Bool.self, forKey: .create) ?? false
    }
}
