/// One member of a room, or a former one with the role `removed` or `left`.
package struct MemberAnswer: Codable, Hashable, Sendable {
    package var id: String
    package var name: String
    package var role: String
    /// Whether it is this device.
    package var isSelf: Bool
    /// Whether it is an identity that this device had before.
    package var isFormerSelf: Bool
    /// What is wrong with its identity or its logs, for people.
    package var faults: [String]
    /// How it came to be no member any more; nil for a member.
    package var removed: RemovalAnswer?
    /// The place among all that are or were owners, from 1: nobody is removed by who has a greater
    /// one, or none; nil for who never was an owner.
    package var rank: Int?

    package init(
        id: String, name: String, role: String, isSelf: Bool, isFormerSelf: Bool = false,
        faults: [String] = [], removed: RemovalAnswer? = nil, rank: Int? = nil
    ) {
        self.id = id
        self.name = name
        self.role = role
        self.isSelf = isSelf
        self.isFormerSelf = isFormerSelf
        self.faults = faults
        self.removed = removed
        self.rank = rank
    }
}
