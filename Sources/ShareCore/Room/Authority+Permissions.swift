extension Authority {
    /// The settings that say whether anybody nearby may join, and whether the room is kept from
    /// strangers; owners alone set them.
    package static let openSetting = "open"
    package static let hiddenSetting = "hidden"
    private static let ownersSettings: Set<String> = [openSetting, hiddenSetting]

    /// Whether a role suffices for a control operation. Removing oneself needs any role, which
    /// the caller looks at.
    package static func permits(_ role: Role, _ operation: ControlOperation) -> Bool {
        switch operation {
        case .found: false
        case .set(let setting): role >= (ownersSettings.contains(setting.key) ? .owner : .editor)
        case .form, .list: role >= .editor
        case .grant(let grant): role.mayAdmit(as: grant.role)
        case .roleChange, .removal, .accept: role == .owner
        }
    }
}
