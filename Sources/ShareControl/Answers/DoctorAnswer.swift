/// The answer of `doctor`.
package struct DoctorAnswer: Codable, Hashable, Sendable {
    /// Whether no check failed.
    package var ok: Bool
    package var checks: [DoctorCheck]

    package init(ok: Bool, checks: [DoctorCheck]) {
        self.ok = ok
        self.checks = checks
    }
}
