extension Authority {
    /// The settings that say whether anybody nearby may join, and whether the room is kept from
    /// strangers; owners alone set them.
    package static let openSetting = "open"
    package static let hiddenSetting = "hidden"
    private static let ownersSettings: Set<String> = [openSetting, hiddenSetting]

    /// Whether a role suffices for a control operation. Removing oneself needs any role, which
    /// the caller looks at.
    static func permits(_ role: Role, _ sort: OperationSort) -> Bool {
        switch sort {
        case .found: false
        case .set, .form, .list, .grant: role >= .editor
        case .ownersSetting, .ownersGrant, .roleChange, .removal, .accept: role == .owner
        }
    }

    static func isOwners(_ setting: Setting) -> Bool { ownersSettings.contains(setting.key) }
}
