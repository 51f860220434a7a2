package import JSON

/// One room as `status` shows it.
package struct RoomStatus: JSONConvertible {
    package var name: String
    package var id: String
    /// This device's role there.
    package var role: String
    package var members: Int
    /// Records that are not deleted.
    package var records: Int
    /// Operations made here and not yet sealed.
    package var pending: Int
    /// Those of them that this device's role does not allow: they stay pending until it does.
    package var withheld: Int
    /// Operations made here, sealed or not, that no other device is known to have.
    package var onlyHere: Int
    /// Other members who are sent what is entered here: all but contributors.
    package var readers: Int
    package var waiting: Int
    /// Those of them that wait for a form which is here and does not count.
    package var blocked: Int
    package var refused: Int
    package var conflicts: Int
    /// Hexadecimal; equal on devices whose merged state is equal.
    package var digest: String
    /// Whether commands without `--room` mean this one.
    package var current: Bool
    package var autopush: Bool
    /// Whether anybody nearby may join without a code.
    package var isOpen: Bool
    /// Whether the room is kept from strangers.
    package var isHidden: Bool
    /// What long work is going on in it, for people.
    package var activity: String?
    /// What sealing waits for, where this device was restored from an older copy.
    package var takingBack: OwnLogRecovery?
    /// How this device came to be no member any more; nil while it is one.
    package var removed: RemovalAnswer?
    /// Whether entries of others are here that are no longer brought up to date, as this device has
    /// become a contributor.
    package var isStale: Bool
    /// Why the room cannot be used, where its file could not be opened (role `damaged`, all
    /// counts 0).
    package var problem: Problem?

    /// A room whose file could not be opened.
    package init(name: String, id: String, current: Bool, autopush: Bool, problem: Problem) {
        self.init(
            name: name, id: id, role: "damaged", members: 0, records: 0, pending: 0, waiting: 0,
            refused: 0, conflicts: 0, digest: "", current: current, autopush: autopush)
        self.problem = problem
    }

    package init(
        name: String, id: String, role: String, members: Int, records: Int, pending: Int,
        waiting: Int, refused: Int, conflicts: Int, digest: String, current: Bool, autopush: Bool,
        withheld: Int = 0, blocked: Int = 0, isOpen: Bool = false, isHidden: Bool = false,
        activity: String? = nil, takingBack: OwnLogRecovery? = nil, removed: RemovalAnswer? = nil,
        onlyHere: Int = 0, readers: Int = 0, isStale: Bool = false
    ) {
        self.readers = readers
        self.onlyHere = onlyHere
        self.isStale = isStale
        self.name = name
        self.id = id
        self.role = role
        self.members = members
        self.records = records
        self.pending = pending
        self.withheld = withheld
        self.waiting = waiting
        self.blocked = blocked
        self.refused = refused
        self.conflicts = conflicts
        self.digest = digest
        self.current = current
        self.autopush = autopush
        self.isOpen = isOpen
        self.isHidden = isHidden
        self.activity = activity
        self.takingBack = takingBack
        self.removed = removed
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        name = try object.get("name")
        id = try object.get("id")
        role = try object.get("role")
        members = try object.get("members")
        records = try object.get("records")
        pending = try object.get("pending")
        withheld = try object.find("withheld") ?? 0
        waiting = try object.get("waiting")
        blocked = try object.find("blocked") ?? 0
        refused = try object.get("refused")
        conflicts = try object.get("conflicts")
        digest = try object.get("digest")
        current = try object.get("current")
        autopush = try object.get("autopush")
        isOpen = try object.find("open") ?? false
        isHidden = try object.find("hidden") ?? false
        activity = try object.find("activity")
        takingBack = try object.find("taking_back")
        removed = try object.find("removed")
        onlyHere = try object.find("only_here") ?? 0
        readers = try object.find("readers") ?? members
        isStale = try object.find("stale") ?? false
        problem = try object.find("problem")
    }

    package var json: JSONValue {
        [
            "name": name.json, "id": id.json, "role": role.json, "members": members.json,
            "records": records.json, "pending": pending.json, "withheld": withheld.json,
            "waiting": waiting.json, "blocked": blocked.json,
            "refused": refused.json, "conflicts": conflicts.json, "digest": digest.json,
            "current": current.json, "autopush": autopush.json, "open": isOpen.json,
            "hidden": isHidden.json, "activity": activity.json,
            "taking_back": takingBack.json,
            "removed": removed.json, "only_here": onlyHere.json,
            "readers": readers.json, "stale": isStale.json,
            "problem": problem.json,
        ]
    }
}
