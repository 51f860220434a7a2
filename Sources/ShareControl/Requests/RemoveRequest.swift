internal import JSON

/// The body of `POST /v1/remove`.
package struct RemoveRequest: Codable, Hashable, Sendable {
    /// What becomes of the device's decisions past its cutoff.
    package enum Grants: String, JSONWord, Sendable {
        /// Nothing is done if there is any.
        case ask
        /// The remover writes grants and role changes again, in its own log.
        case again
        /// It is void.
        case void
    }

    /// A device's id, or the start of it.
    package var device: String
    package var reason: String?
    /// From when on, in milliseconds since 1970 and by the device's own clock, nothing counts;
    /// nil: all counts that is here.
    package var sinceMilliseconds: Int?
    package var grants: Grants
    /// Whether only to say what would be done.
    package var dryRun: Bool

    /// The room's recovery code, where that decides and not this device.
    package var recovery: String?

    package init(
        device: String, reason: String? = nil, sinceMilliseconds: Int? = nil,
        grants: Grants = .ask, dryRun: Bool = false, recovery: String? = nil
    ) {
        self.device = device
        self.reason = reason
        self.sinceMilliseconds = sinceMilliseconds
        self.grants = grants
        self.dryRun = dryRun
        self.recovery = recovery
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        device = try container.decode(String.self, forKey: .device)
        reason = try container.decodeIfPresent(String.self, forKey: .reason)
        sinceMilliseconds = try container.decodeIfPresent(Int.self, forKey: .sinceMilliseconds)
        grants = try container.decodeIfPresent(Grants.self, forKey: .grants) ?? .ask
        dryRun = try container.decodeIfPresent(Bool.self, forKey: .dryRun) ?? false
        recovery = try container.decodeIfPresent(String.self, forKey: .recovery)
    }
}
