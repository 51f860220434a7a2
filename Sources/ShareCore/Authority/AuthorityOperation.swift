import ShareCrypto

/// A control operation about a device, with the names in it resolved to places in
/// `AuthorityRoom`.
struct AuthorityOperation: Sendable {
    enum Kind: Sendable {
        case found, grant, roleChange, removal, accept
    }

    private let content: Content
    /// Operations about the same subject among these, as far as they were taken in.
    var supersedes: [Int] = []
    /// The heads it names of its subject's control log, as far as they are held.
    var controlHeads: [LogGraph.Position] = []
    /// The greatest number among those that are not: they cover what lies below.
    var controlBelow: UInt64 = 0

    /// The part that never changes; shared, as each control batch copies the list of all operations.
    private final class Content: Sendable {
        let name: OperationName
        let author: Int
        let subject: Int
        let batch: LogHead
        let place: LogGraph.Position
        let kind: Kind
        let role: Role?
        let scope: Scope?
        let firstControl: UInt64
        let firstRecords: UInt64
        let heads: CoveredHeads
        let reason: String
        let names: [OperationName]

        init?(
            _ operation: ControlOperation, name: OperationName, batch: LogHead,
            place: LogGraph.Position, author: Int, subject: Int
        ) {
            self.name = name
            self.author = author
            self.subject = subject
            self.batch = batch
            self.place = place
            names = operation.supersedes
            let none = CoveredHeads(control: [], records: [])
            switch operation {
            case .found:
                (kind, role, firstControl, firstRecords) = (.found, .owner, 1, 1)
                (scope, heads, reason) = (nil, none, "")
            case .grant(let grant):
                (kind, role, scope) = (.grant, grant.role, grant.scope)
                (firstControl, firstRecords) = (grant.firstControl, grant.firstRecords)
                (heads, reason) = (none, "")
            case .roleChange(let change):
                (kind, role, firstControl, firstRecords) = (.roleChange, change.role, 0, 0)
                (scope, heads, reason) = (change.scope, change.heads, "")
            case .removal(let removal):
                (kind, role, firstControl, firstRecords) = (.removal, nil, 0, 0)
                (scope, heads, reason) = (nil, removal.heads, removal.reason)
            case .accept(let acceptance):
                (kind, role, firstControl, firstRecords) = (.accept, nil, 0, 0)
                (scope, heads, reason) = (nil, acceptance.heads, "")
            case .set, .form, .part, .list: return nil
            }
        }
    }

    var isRemoval: Bool { kind == .removal }
    var isAboutItsAuthor: Bool { author == subject }
    /// Whether it is a removal of its own author.
    var isLeave: Bool { isRemoval && isAboutItsAuthor }
    /// Whether it can take the role of owner away.
    var lowers: Bool { kind != .accept && role != .owner }

    init?(
        _ operation: ControlOperation, name: OperationName, batch: LogHead,
        place: LogGraph.Position, author: Int, subject: Int
    ) {
        guard
            let content = Content(
                operation, name: name, batch: batch, place: place, author: author, subject: subject)
        else { return nil }
        self.content = content
    }

    var name: OperationName { content.name }
    var author: Int { content.author }
    var subject: Int { content.subject }
    /// The batch that holds it, and where that lies in its author's log.
    var batch: LogHead { content.batch }
    var place: LogGraph.Position { content.place }
    var kind: Kind { content.kind }
    /// The role that it gives; nil for a removal and an acceptance.
    var role: Role? { content.role }
    var scope: Scope? { content.scope }
    var firstControl: UInt64 { content.firstControl }
    var firstRecords: UInt64 { content.firstRecords }
    var heads: CoveredHeads { content.heads }
    var reason: String { content.reason }
    /// The operations that it supersedes.
    var names: [OperationName] { content.names }
}

extension ControlOperation {
    /// The operations that an operation about a device supersedes.
    fileprivate var supersedes: [OperationName] {
        switch self {
        case .grant(let grant): grant.supersedes
        case .roleChange(let change): change.supersedes
        case .removal(let removal): removal.supersedes
        case .accept, .found, .set, .form, .part, .list: []
        }
    }
}
