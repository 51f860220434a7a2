package import JSON

/// The body of `POST /v1/remove`.
package struct RemoveRequest: JSONConvertible {
    /// What becomes of the device's decisions past its cutoff.
    package enum Grants: String, Sendable {
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

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        device = try object.get("device")
        reason = try object.find("reason")
        sinceMilliseconds = try object.find("since_milliseconds")
        let word: String? = try object.find("grants")
        guard let grants = word.map({ Grants(rawValue: $0) }) ?? .ask else {
            throw .wrongKind(path: "grants", expected: "ask, again or void", found: word ?? "")
        }
        self.grants = grants
        dryRun = try object.find("dry_run") ?? false
        recovery = try object.find("recovery")
    }

    package var json: JSONValue {
        [
            "device": device.json, "reason": reason.json,
            "since_milliseconds": sinceMilliseconds.json, "grants": grants.rawValue.json,
            "dry_run": dryRun.json, "recovery": recovery.json,
        ]
    }
}
