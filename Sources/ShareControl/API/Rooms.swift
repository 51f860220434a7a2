/// A room by its name and its id.
package struct NamedRoom: Codable, Hashable, Sendable {
    package var name: String
    /// `room:` and 52 characters.
    package var id: String

    package init(name: String, id: String) {
        self.name = name
        self.id = id
    }
}

/// One room that this device is in.
package struct RoomAnswer: Codable, Hashable, Sendable {
    package var name: String
    package var id: String
    package var role: String
    package var current: Bool
    /// How this device came to be no member any more; nil while it is one.
    package var removed: RemovalAnswer?
    /// Whether it was to be left, which came to nothing: this device is the only owner.
    package var notLeft: Bool
    /// Why the room cannot be used, where its file could not be opened (role `damaged`).
    package var problem: Problem?

    package init(
        name: String, id: String, role: String, current: Bool, removed: RemovalAnswer? = nil,
        notLeft: Bool = false, problem: Problem? = nil
    ) {
        self.notLeft = notLeft
        self.problem = problem
        self.name = name
        self.id = id
        self.role = role
        self.current = current
        self.removed = removed
    }
}

/// A room that devices nearby announce and that this device is not in.
package struct NearbyRoom: Codable, Hashable, Sendable {
    package var name: String
    /// The first 8 characters of its id, which is all that is announced of it.
    package var id: String
    /// Whether it says of itself that anybody may join it.
    package var isOpen: Bool
    /// The devices that announce it.
    package var devices: [NamedDevice]

    package init(name: String, id: String, isOpen: Bool, devices: [NamedDevice]) {
        self.name = name
        self.id = id
        self.isOpen = isOpen
        self.devices = devices
    }
}

/// The answer to `use`: the room that it was about.
package struct RoomChangedAnswer: Codable, Hashable, Sendable {
    package var room: NamedRoom

    package init(room: NamedRoom) {
        self.room = room
    }
}

/// The settings that a room's owners made for all its members.
package struct RoomSettingsAnswer: Codable, Hashable, Sendable {
    package var room: NamedRoom
    /// Whether anybody nearby may join without a code.
    package var isOpen: Bool
    /// Whether the room is kept from strangers.
    package var isHidden: Bool
    /// Whether entries are pushed as they are made, on devices that have not decided otherwise.
    package var autopush: Bool
    /// How much each member but the owners may write, as `500/day 20000000B/day`; nil for no limit.
    package var quota: String?

    package init(
        room: NamedRoom, isOpen: Bool, isHidden: Bool, autopush: Bool, quota: String? = nil
    ) {
        self.quota = quota
        self.autopush = autopush
        self.room = room
        self.isOpen = isOpen
        self.isHidden = isHidden
    }
}

/// Whether entries are pushed as they are made.
package struct AutopushAnswer: Codable, Hashable, Sendable {
    package var room: NamedRoom
    package var autopush: Bool
    /// What this device has decided; nil: it does as the room's owners have set it.
    package var own: Bool?
    /// What the room's owners have set.
    package var everybody: Bool

    package init(room: NamedRoom, autopush: Bool, own: Bool?, everybody: Bool) {
        self.room = room
        self.autopush = autopush
        self.own = own
        self.everybody = everybody
    }
}

/// The answer to `leave`.
package struct LeftAnswer: Codable, Hashable, Sendable {
    package var room: NamedRoom
    /// The room that commands mean from now on; nil where there is none.
    package var current: NamedRoom?
    /// Members who say that they have stored it.
    package var heard: [NamedDevice]
    /// Members who have not: to them this device stays a member until they hear of it.
    package var notHeard: [NamedDevice]
    /// Whether it is left only when one of them is in reach.
    package var isPending: Bool
    /// Whether the room's log says that this device leaves. As long as it does not, joining the
    /// room again without a code takes it back.
    package var isSaid: Bool
    /// Operations made here that no other device is known to have: they are in the room's file
    /// alone.
    package var onlyHere: Int

    package init(
        room: NamedRoom, current: NamedRoom?, heard: [NamedDevice], notHeard: [NamedDevice],
        isPending: Bool, isSaid: Bool, onlyHere: Int
    ) {
        self.room = room
        self.current = current
        self.heard = heard
        self.notHeard = notHeard
        self.isPending = isPending
        self.isSaid = isSaid
        self.onlyHere = onlyHere
    }
}

/// The body of `POST /v1/rooms`.
package struct CreateRequest: Codable, Hashable, Sendable {
    package var room: String
    /// Whether anybody nearby may join without a code.
    package var isOpen: Bool
    /// Whether the room is kept from strangers.
    package var isHidden: Bool

    package init(room: String, isOpen: Bool = false, isHidden: Bool = false) {
        self.room = room
        self.isOpen = isOpen
        self.isHidden = isHidden
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        room = try container.decode(String.self, forKey: .room)
        isOpen = try container.decodeIfPresent(Bool.self, forKey: .isOpen) ?? false
        isHidden = try container.decodeIfPresent(Bool.self, forKey: .isHidden) ?? false
    }
}

/// The body of `POST /v1/use` and `POST /v1/leave`.
package struct RoomRequest: Codable, Hashable, Sendable {
    /// A name or an id.
    package var room: String

    package init(room: String) {
        self.room = room
    }
}

/// The body of `PUT /v1/settings/room`: what is nil stays as it is.
package struct RoomSettingsRequest: Codable, Hashable, Sendable {
    package var isOpen: Bool?
    package var isHidden: Bool?
    package var autopush: Bool?
    /// As people type it, `500/day 20MB/day`; `off` for no limit.
    package var quota: String?

    package init(
        isOpen: Bool? = nil, isHidden: Bool? = nil, autopush: Bool? = nil, quota: String? = nil
    ) {
        self.quota = quota
        self.autopush = autopush
        self.isOpen = isOpen
        self.isHidden = isHidden
    }
}

/// The body of `PUT /v1/settings/autopush`.
package struct AutopushRequest: Codable, Hashable, Sendable {
    /// Nil: as the room's owners have set it.
    package var autopush: Bool?

    package init(autopush: Bool?) {
        self.autopush = autopush
    }
}
