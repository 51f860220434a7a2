/// The rights of a member, least first (docs/security.md, "Roles").
package enum Role: UInt8, Hashable, Comparable, Sendable, CaseIterable {
    case viewer = 1
    case contributor = 2
    case collector = 3
    case reviewer = 4
    case editor = 5
    case owner = 6

    package var name: String {
        switch self {
        case .viewer: "viewer"
        case .contributor: "contributor"
        case .collector: "collector"
        case .reviewer: "reviewer"
        case .editor: "editor"
        case .owner: "owner"
        }
    }

    /// The name behind its article: `an owner`, `a viewer`.
    package var phrase: String { (name.first.map("aeiou".contains) == true ? "an " : "a ") + name }

    package init?(name: String) {
        guard let role = Role.allCases.first(where: { $0.name == name }) else { return nil }
        self = role
    }

    /// Whether the role may hold all records of the room, not only its own.
    package var readsAll: Bool { self != .contributor }

    /// Whether a member of this role makes records, and changes those that it made. A reviewer does
    /// not: who approves entries has made none of them.
    package var enters: Bool { self != .viewer && self != .reviewer }

    /// Whether a scope can go with it: only own entries are written then.
    package var takesScope: Bool { self == .contributor || self == .collector }

    /// Whether a member of this role may admit a device as one of the other.
    package func mayAdmit(as role: Role) -> Bool {
        self == .owner || self == .editor && role <= .collector
    }

    /// The least role whose members may admit a device as one of this.
    package var admitter: Role { Role.editor.mayAdmit(as: self) ? .editor : .owner }

    package static func < (a: Role, b: Role) -> Bool { a.rawValue < b.rawValue }
}
