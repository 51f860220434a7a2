import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// What a role may do to records (docs/security.md, "Roles").
struct RecordsPermission {
    let role: Role?

    init(_ role: Role?) { self.role = role }

    var mayAdd: Bool { role?.enters ?? false }
    var mayChangeOthers: Bool { (role ?? .viewer) >= .editor }

    /// Says before anything is written what every receiver would refuse.
    ///
    /// - Parameters:
    ///   - own: whether this device created the record.
    ///   - creator: whose it is, at the end of a sentence.
    /// - Throws: `Problem` of `not_allowed`.
    func require(_ kind: RecordsBlock.Kind, own: Bool, creator: String) throws {
        guard let role, role > .viewer else { return try requireAdd() }
        guard !RecordPermission.allows(role, kind, own: own) else { return }
        switch kind {
        case .put: try requireAdd()
        case .review:
            throw Problem(
                .notAllowed, "\(role.phrase) may not review entries",
                hint: "Ask a reviewer, an editor or an owner of the room: `shared members`.")
        case .edit, .delete, .restore, .comment:
            if kind != .comment { try requireAdd() }
            throw Problem(
                .notAllowed,
                "\(role.phrase) may \(kind.verb) only entries of its own; this one is \(creator)",
                hint: "Ask its author, or an editor of the room.")
        }
    }

    /// - Throws: `Problem` of `not_allowed`.
    func requireAdd() throws {
        guard !mayAdd else { return }
        guard let role else { throw Self.notAMember }
        throw Self.notAllowed(
            role == .reviewer
                ? "a reviewer may review entries and comment on them, and enter or change none"
                : "\(role.phrase) may look and not write")
    }

    static let notAMember = notAllowed("this device is not a member")

    private static func notAllowed(_ text: String) -> Problem {
        Problem(.notAllowed, text, hint: "Ask an owner of the room for another role.")
    }
}

extension RecordsBlock.Kind {
    /// What somebody does who makes such an operation.
    fileprivate var verb: String {
        switch self {
        case .put: "enter"
        case .edit: "edit"
        case .delete: "delete"
        case .restore: "restore"
        case .review: "review"
        case .comment: "comment on"
        }
    }
}
