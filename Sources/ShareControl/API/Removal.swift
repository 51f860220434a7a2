internal import JSON

/// The answer to `remove`: what was done, or would be.
package struct RemovedAnswer: Codable, Hashable, Sendable {
    package var device: NamedDevice
    package var room: NamedRoom
    package var reason: String
    /// Whether it was done; false for a look ahead.
    package var done: Bool
    /// Operations of the device on records that go on counting, and such that are refused from
    /// now on.
    package var counted: Int
    package var refused: Int
    /// When the device sealed the last batch that counts, by its own clock.
    package var last: String?
    /// The device's decisions past that cutoff, and all that followed from them: revoked now.
    package var revoked: [RevokedAnswer]
    /// Operations that the device has made and not sent, as it said last: nobody takes them from it
    /// any more. Nil where it has not said.
    package var unsent: Int?
    /// Whether the device has taken its removal in.
    package var notified: Bool
    /// Members who say that they have stored the removal.
    package var heard: [NamedDevice]
    /// Members who have not: they share with the device until they hear of it.
    package var notHeard: [NamedDevice]

    package init(
        device: NamedDevice, room: NamedRoom, reason: String, done: Bool, counted: Int,
        refused: Int, last: String? = nil, revoked: [RevokedAnswer], unsent: Int? = nil,
        notified: Bool = false, heard: [NamedDevice] = [], notHeard: [NamedDevice] = []
    ) {
        self.unsent = unsent
        self.device = device
        self.room = room
        self.reason = reason
        self.done = done
        self.counted = counted
        self.refused = refused
        self.last = last
        self.revoked = revoked
        self.notified = notified
        self.heard = heard
        self.notHeard = notHeard
    }
}

/// Something decided about the room that a removal revokes, or an acceptance lets count.
package struct RevokedAnswer: Codable, Hashable, Sendable {
    /// The kind of operation, such as `grant`, `role change` or `form`.
    package var what: String
    /// The device that it is about.
    package var device: NamedDevice?
    /// The role that it gives.
    package var role: String?
    /// The form or the setting that it is about.
    package var name: String?
    /// Whether the remover writes it again, in its own log.
    package var repeated: Bool
    /// Entries of other devices that are of a form and go with it.
    package var entries: Int

    package init(
        what: String, device: NamedDevice? = nil, role: String? = nil, name: String? = nil,
        repeated: Bool, entries: Int = 0
    ) {
        self.what = what
        self.device = device
        self.role = role
        self.name = name
        self.repeated = repeated
        self.entries = entries
    }
}

/// The body of `POST /v1/remove`.
package struct RemoveRequest: Codable, Hashable, Sendable {
    /// The fate of the device's decisions past its cutoff.
    package enum Grants: String, JSONWord, Sendable {
        /// Nothing is done if there is any.
        case ask
        /// The remover writes grants and role changes again, in its own log.
        case again
        /// It is revoked.
        case revoked
    }

    /// A device's id, or the start of it.
    package var device: String
    package var reason: String?
    /// From when on, in milliseconds since 1970 and by the device's own clock, nothing counts;
    /// nil: all counts that is here.
    package var sinceMilliseconds: Int?
    package var grants: Grants
    /// Whether only to say what would be done.
    package var dryRun: Bool

    /// The room's recovery code, where that decides and not this device.
    package var recovery: String?

    package init(
        device: String, reason: String? = nil, sinceMilliseconds: Int? = nil,
        grants: Grants = .ask, dryRun: Bool = false, recovery: String? = nil
    ) {
        self.device = device
        self.reason = reason
        self.sinceMilliseconds = sinceMilliseconds
        self.grants = grants
        self.dryRun = dryRun
        self.recovery = recovery
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        device = try container.decode(String.self, forKey: .device)
        reason = try container.decodeIfPresent(String.self, forKey: .reason)
        sinceMilliseconds = try container.decodeIfPresent(Int.self, forKey: .sinceMilliseconds)
        grants = try container.decodeIfPresent(Grants.self, forKey: .grants) ?? .ask
        dryRun = try container.decodeIfPresent(Bool.self, forKey: .dryRun) ?? false
        recovery = try container.decodeIfPresent(String.self, forKey: .recovery)
    }
}

/// The answer to `accept`.
package struct AcceptedAnswer: Codable, Hashable, Sendable {
    package var device: NamedDevice
    package var room: NamedRoom
    /// Operations of the device on records that count again, and such that stay refused for where
    /// they stand in its log.
    package var accepted: Int
    package var refused: Int
    /// Operations of other devices that count again by it.
    package var others: Int
    /// Entries of the device that do not count, as their form does not.
    package var blocked: [BlockedAnswer]
    /// Whether records still follow, so that the numbers are not the last ones.
    package var reapplying: Bool
    package var heard: [NamedDevice]
    package var notHeard: [NamedDevice]

    package init(
        device: NamedDevice, room: NamedRoom, accepted: Int, refused: Int, others: Int,
        blocked: [BlockedAnswer], reapplying: Bool,
        heard: [NamedDevice], notHeard: [NamedDevice]
    ) {
        self.device = device
        self.room = room
        self.accepted = accepted
        self.refused = refused
        self.others = others
        self.blocked = blocked
        self.reapplying = reapplying
        self.heard = heard
        self.notHeard = notHeard
    }
}

/// Entries that wait for a form that is here and does not count.
package struct BlockedAnswer: Codable, Hashable, Sendable {
    /// The form; nil where the definition named is none.
    package var form: String?
    package var count: Int

    package init(form: String?, count: Int) {
        self.form = form
        self.count = count
    }
}

/// The body of `POST /v1/accept`.
package struct AcceptRequest: Codable, Hashable, Sendable {
    /// A device's id, or the start of it.
    package var device: String
    /// The room's recovery code, where that decides and not this device.
    package var recovery: String?

    package init(device: String, recovery: String? = nil) {
        self.device = device
        self.recovery = recovery
    }
}
