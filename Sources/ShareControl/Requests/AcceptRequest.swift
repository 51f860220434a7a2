/// The body of `POST /v1/accept`.
package struct AcceptRequest: Codable, Hashable, Sendable {
    /// A device's id, or the start of it.
    package var device: String
    /// The room's recovery code, where that decides and not this device.
    package var recovery: String?

    package init(device: String, recovery: String? = nil) {
        self.device = device
        self.recovery = recovery
    }
}
