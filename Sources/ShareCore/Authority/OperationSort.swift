/// What a control operation is, as far as a role may write it: what it comes to in a batch that
/// nobody has to look into hangs on no more.
package enum OperationSort: UInt8, CaseIterable, Sendable {
    case found, set, ownersSetting, form, list, grant, ownersGrant, roleChange, removal, accept

    package init(_ operation: ControlOperation) {
        switch operation {
        case .found: self = .found
        case .set(let setting):
            self = Authority.isOwners(setting) ? .ownersSetting : .set
        case .form: self = .form
        case .list: self = .list
        case .grant(let grant): self = Role.editor.mayAdmit(as: grant.role) ? .grant : .ownersGrant
        case .roleChange: self = .roleChange
        case .removal: self = .removal
        case .accept: self = .accept
        }
    }

    /// Whether it is about a device: who says so counts, and what came before.
    package var isAboutDevice: Bool {
        switch self {
        case .found, .grant, .ownersGrant, .roleChange, .removal, .accept: true
        case .set, .ownersSetting, .form, .list: false
        }
    }
}
