/// What a reviewer can find of a record; the states of ODK Central, so that exports mean the same
/// there.
package enum ReviewState: String, CaseIterable, Sendable {
    case received
    case hasIssues
    case rejected
    case approved

    /// The state as people type it: upper and lower case are alike, and `-` and `_` do not count.
    package init?(typed text: String) {
        let wanted = text.lowercased().filter { $0 != "-" && $0 != "_" }
        guard let state = Self.allCases.first(where: { $0.rawValue.lowercased() == wanted }) else {
            return nil
        }
        self = state
    }
}
