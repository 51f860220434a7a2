package import ShareCore

/// The rights of each role over records (docs/security.md, "Roles").
package enum RecordPermission {
    /// Whether a member of that role may, on a record of its own or of another.
    package static func allows(_ role: Role, _ kind: RecordsBlock.Kind, own: Bool) -> Bool {
        switch kind {
        case .put: role.enters
        case .edit, .delete, .restore: own ? role.enters : role >= .editor
        case .comment: own ? role >= .contributor : role >= .reviewer
        case .review: role >= .reviewer
        }
    }
}
