/// A device by its id and by the name that people gave it.
package struct NamedDevice: Codable, Hashable, Sendable {
    /// `dev:` and 52 characters.
    package var id: String
    package var name: String

    package init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}

/// One member of a room, or a former one with the role `removed` or `left`.
package struct MemberAnswer: Codable, Hashable, Sendable {
    package var id: String
    package var name: String
    package var role: String
    /// Whether it is this device.
    package var isSelf: Bool
    /// Whether it is an identity that this device had before.
    package var isFormerSelf: Bool
    /// The faults of its identity, its logs or its clock, in words for people.
    package var faults: [String]
    /// How it came to be no member any more; nil for a member.
    package var removed: RemovalAnswer?
    /// The place among all that are or were owners, from 1: nobody is removed by who has a greater
    /// one, or none; nil for who never was an owner.
    package var rank: Int?
    /// The scopes that bind it: each of these holds, and in each it is one of the forms.
    package var scopes: [[ScopeForm]]
    /// How it stands; nil for this device, and for who is no member any more.
    package var progress: MemberProgress?
    /// The release of the program that it ran when it was met last; nil where it has not said.
    package var release: String?

    /// The versions of the forms that its device has; nil where that is not asked for.
    package var forms: [MemberForm]?

    package init(
        id: String, name: String, role: String, isSelf: Bool, isFormerSelf: Bool = false,
        faults: [String] = [], removed: RemovalAnswer? = nil, rank: Int? = nil,
        scopes: [[ScopeForm]] = [], progress: MemberProgress? = nil, release: String? = nil,
        forms: [MemberForm]? = nil
    ) {
        self.forms = forms
        self.release = release
        self.progress = progress
        self.id = id
        self.name = name
        self.role = role
        self.isSelf = isSelf
        self.isFormerSelf = isFormerSelf
        self.faults = faults
        self.removed = removed
        self.rank = rank
        self.scopes = scopes
    }
}

/// The version of a form that a member's device has, as far as is known.
package struct MemberForm: Codable, Hashable, Sendable {
    package var form: String
    /// The latest that it has; nil where it has none, or where that is not known.
    package var version: String?
    /// The version in force here.
    package var inForce: String
    /// True where the versions that the device has are known.
    package var isKnown: Bool

    package init(form: String, version: String?, inForce: String, isKnown: Bool) {
        self.form = form
        self.version = version
        self.inForce = inForce
        self.isKnown = isKnown
    }
}

/// How another member of a room stands, as far as is known.
package struct MemberProgress: Codable, Hashable, Sendable {
    package var id: String
    package var name: String
    package var role: String
    /// `up_to_date`: it has all that is here, and nothing else. `differs`; `digest_differs`: the
    /// same entries and another state; `unheard`: it has not told yet what it has; `silent`: it is
    /// connected and does not answer; `away`; `never_met`.
    package var state: String
    /// Operations that it lacks; nil where that is not known. Of one that is away: what it lacked
    /// when it was met last, and what was sealed here since.
    package var behind: Int?
    /// Operations that it has and this device lacks.
    package var ahead: Int?
    /// Entries and changes that it has made and not sent, by its own word; nil where it has not
    /// said.
    package var unsent: Int?
    /// When it was met last: RFC 3339, UTC; nil for never.
    package var lastMet: String?
    /// Operations of its own that are here, however they came; nil where that is not known.
    package var held: Int?
    /// Whether it is announced nearby.
    package var isSeen: Bool
    /// How long it has not answered, where it is `silent`.
    package var silentSeconds: Int?

    package init(
        id: String, name: String, role: String, state: String, behind: Int? = nil,
        ahead: Int? = nil, unsent: Int? = nil, lastMet: String? = nil, held: Int? = nil,
        isSeen: Bool = false, silentSeconds: Int? = nil
    ) {
        self.held = held
        self.isSeen = isSeen
        self.id = id
        self.name = name
        self.role = role
        self.state = state
        self.behind = behind
        self.ahead = ahead
        self.unsent = unsent
        self.lastMet = lastMet
        self.silentSeconds = silentSeconds
    }
}

/// How a device came to be no member any more.
package struct RemovalAnswer: Codable, Hashable, Sendable {
    /// The device that removed it; itself if it left.
    package var by: NamedDevice
    /// RFC 3339, UTC; by the clock of who removed it.
    package var at: String
    package var reason: String

    package init(by: NamedDevice, at: String, reason: String) {
        self.by = by
        self.at = at
        self.reason = reason
    }
}

/// The answer to `role`.
package struct RoleAnswer: Codable, Hashable, Sendable {
    package var device: NamedDevice
    package var room: NamedRoom
    package var role: String
    /// The role until now.
    package var before: String
    /// What it may enter from now on: each of these holds; none for all that the role allows.
    package var scopes: [[ScopeForm]]
    /// The same until now.
    package var scopesBefore: [[ScopeForm]]
    /// Operations that it has made and not sent, as it said last; nil where it has not said.
    package var unsent: Int?
    /// Members who say that they have stored it.
    package var heard: [NamedDevice]
    /// Members who have not: they go by the old role until they hear of it.
    package var notHeard: [NamedDevice]

    package init(
        device: NamedDevice, room: NamedRoom, role: String, before: String,
        scopes: [[ScopeForm]], scopesBefore: [[ScopeForm]], unsent: Int?,
        heard: [NamedDevice], notHeard: [NamedDevice]
    ) {
        self.scopes = scopes
        self.scopesBefore = scopesBefore
        self.unsent = unsent
        self.device = device
        self.room = room
        self.role = role
        self.before = before
        self.heard = heard
        self.notHeard = notHeard
    }
}

/// The body of `POST /v1/role`.
package struct RoleRequest: Codable, Hashable, Sendable {
    /// A device's id, or the start of it.
    package var device: String
    package var role: String
    /// The scope from then on; nil for all that the role allows.
    package var scope: [ScopeForm]?

    /// The room's recovery code, where that decides and not this device.
    package var recovery: String?

    package init(
        device: String, role: String, scope: [ScopeForm]? = nil, recovery: String? = nil
    ) {
        self.device = device
        self.role = role
        self.scope = scope
        self.recovery = recovery
    }
}

/// A fault of a device's identity or of its logs.
package struct DeviceFault: Codable, Hashable, Sendable {
    /// `forked_log` or `two_machines`.
    package var kind: String
    package var device: NamedDevice
    /// The room whose log has forked.
    package var room: String?
    /// `control` or `records`, of a log that has forked.
    package var log: String?
    /// The first places in that log that are taken twice.
    package var numbers: [Int]
    /// How many branches the log has.
    package var branches: Int?
    /// Whether nothing of the log counts but what an owner accepts.
    package var refused: Bool
    /// The event, in words for people.
    package var detail: String
    /// The remedy.
    package var hint: String

    package init(
        kind: String, device: NamedDevice, room: String? = nil, log: String? = nil,
        numbers: [Int] = [], branches: Int? = nil, refused: Bool = false, detail: String,
        hint: String
    ) {
        self.kind = kind
        self.device = device
        self.room = room
        self.log = log
        self.numbers = numbers
        self.branches = branches
        self.refused = refused
        self.detail = detail
        self.hint = hint
    }
}
