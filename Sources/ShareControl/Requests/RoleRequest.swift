/// The body of `POST /v1/role`.
package struct RoleRequest: Codable, Hashable, Sendable {
    /// A device's id, or the start of it.
    package var device: String
    package var role: String

    /// The room's recovery code, where that decides and not this device.
    package var recovery: String?

    package init(device: String, role: String, recovery: String? = nil) {
        self.device = device
        self.role = role
        self.recovery = recovery
    }
}
