package import JSON

/// One member of a room, or a former one with the role `removed` or `left`.
package struct MemberAnswer: JSONConvertible {
    package var id: String
    package var name: String
    package var role: String
    /// Whether it is this device.
    package var isSelf: Bool
    /// Whether it is an identity that this device had before.
    package var wasSelf: Bool
    /// What is wrong with its identity or its logs, for people.
    package var faults: [String]
    /// How it came to be no member any more; nil for a member.
    package var removed: RemovalAnswer?
    /// The place among all that are or were owners, from 1: nobody is removed by who has a greater
    /// one, or none; nil for who never was an owner.
    package var rank: Int?

    package init(
        id: String, name: String, role: String, isSelf: Bool, wasSelf: Bool = false,
        faults: [String] = [], removed: RemovalAnswer? = nil, rank: Int? = nil
    ) {
        self.id = id
        self.name = name
        self.role = role
        self.isSelf = isSelf
        self.wasSelf = wasSelf
        self.faults = faults
        self.removed = removed
        self.rank = rank
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        id = try object.get("id")
        name = try object.get("name")
        role = try object.get("role")
        isSelf = try object.get("self")
        wasSelf = try object.find("former_self") ?? false
        faults = try object.find("faults") ?? []
        removed = try object.find("removed")
        rank = try object.find("rank")
    }

    package var json: JSONValue {
        [
            "id": id.json, "name": name.json, "role": role.json, "self": isSelf.json,
            "former_self": wasSelf.json, "faults": faults.json, "removed": removed.json,
            "rank": rank.json,
        ]
    }
}
