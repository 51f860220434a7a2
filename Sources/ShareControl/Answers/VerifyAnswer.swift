/// The result of `verify`.
package struct VerifyAnswer: Codable, Hashable, Sendable {
    package var ok: Bool
    package var findings: [Finding]
    package var batches: Int
    package var records: Int
    package var digest: String
    /// Logs that have forked: no fault of the file, and nothing is lost by it.
    package var forks: [DeviceFault]

    package init(
        ok: Bool, findings: [Finding], batches: Int, records: Int, digest: String,
        forks: [DeviceFault] = []
    ) {
        self.ok = ok
        self.findings = findings
        self.batches = batches
        self.records = records
        self.digest = digest
        self.forks = forks
    }
}
