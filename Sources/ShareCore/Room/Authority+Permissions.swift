extension Authority {
    /// The setting that says whether anybody nearby may join; owners alone set it.
    package static let openSetting = "open"

    /// Whether a role suffices for a control operation. Removing oneself needs any role, which
    /// the caller looks at.
    package static func permits(_ role: Role, _ operation: ControlOperation) -> Bool {
        switch operation {
        case .found: false
        case .set(let setting): role >= (setting.key == openSetting ? .owner : .editor)
        case .form, .list: role >= .editor
        case .grant(let grant):
            role == .owner || role == .editor && grant.role <= .collector
        case .roleChange, .removal, .accept: role == .owner
        }
    }
}
