import ShareCore

/// The operations of the table "Roles" in docs/security.md, in its order, each by its row there.
enum RoleOperation: String, CaseIterable {
    case put
    case editOwn = "edit: own"
    case editOther = "edit: another's"
    case deleteOwn = "delete: own"
    case deleteOther = "delete: another's"
    case restoreOwn = "restore: own"
    case restoreOther = "restore: another's"
    case commentOwn = "comment: own"
    case commentOther = "comment: another's"
    case reviewOwn = "review: own"
    case reviewOther = "review: another's"
    case form
    case list = "list, part of a list"
    case set = "set: anything else"
    case setOpen = "set: `open`"
    case setHidden = "set: `hidden`"
    case setAutopush = "set: `autopush`"
    case setQuota = "set: `quota`"
    case grantViewer = "grant viewer"
    case grantContributor = "grant contributor"
    case grantCollector = "grant collector"
    case grantReviewer = "grant reviewer"
    case grantEditor = "grant editor"
    case grantOwner = "grant owner"
    case roleChange = "role change"
    case removal = "removal of another"
    case accept
    case leave = "leave (removal of oneself)"
    case found = "found, but in the founding batch"

    /// Who writes it: a stranger's key, a removed member's, or a member's.
    enum Author: Hashable, CaseIterable, CustomStringConvertible {
        case stranger, removed
        case member(Role)

        static var allCases: [Author] {
            [.stranger, .removed] + Role.allCases.map { .member($0) }
        }

        /// The column's heading.
        var description: String {
            switch self {
            case .stranger: "no role"
            case .removed: "removed"
            case .member(let role): role.name
            }
        }
    }

    /// What every receiver must make of it: the one table that the document is held against.
    func isAllowed(to author: Author) -> Bool {
        guard case .member(let role) = author else { return false }
        return switch self {
        case .put, .editOwn, .deleteOwn, .restoreOwn: role != .viewer && role != .reviewer
        case .commentOwn: role != .viewer
        case .commentOther, .reviewOwn, .reviewOther: [.reviewer, .editor, .owner].contains(role)
        case .editOther, .deleteOther, .restoreOther, .form, .list, .set, .grantViewer,
            .grantContributor, .grantCollector:
            [.editor, .owner].contains(role)
        case .setOpen, .setHidden, .setAutopush, .setQuota, .grantReviewer, .grantEditor,
            .grantOwner, .roleChange, .removal, .accept:
            role == .owner
        case .leave: true
        case .found: false
        }
    }
}
