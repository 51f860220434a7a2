package import JSON

/// The answer of `doctor`.
package struct DoctorAnswer: JSONConvertible {
    /// Whether no check failed.
    package var ok: Bool
    package var checks: [DoctorCheck]

    package init(ok: Bool, checks: [DoctorCheck]) {
        self.ok = ok
        self.checks = checks
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        ok = try object.get("ok")
        checks = try object.get("checks")
    }

    package var json: JSONValue {
        ["ok": ok.json, "checks": checks.json]
    }
}
