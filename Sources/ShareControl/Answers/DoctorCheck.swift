/// One check of `doctor`.
package struct DoctorCheck: Codable, Hashable, Sendable {
    package var name: String
    /// `ok`, `warning`, `failed` or `skipped`.
    package var state: String
    package var detail: String
    package var hint: String?

    package init(name: String, state: String, detail: String, hint: String? = nil) {
        self.name = name
        self.state = state
        self.detail = detail
        self.hint = hint
    }
}
