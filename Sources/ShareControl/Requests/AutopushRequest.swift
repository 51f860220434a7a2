/// The body of `PUT /v1/settings/autopush`.
package struct AutopushRequest: Codable, Hashable, Sendable {
    package var autopush: Bool

    package init(autopush: Bool) {
        self.autopush = autopush
    }
}
