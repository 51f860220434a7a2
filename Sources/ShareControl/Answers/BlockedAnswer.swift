/// Entries that wait for a form that is here and does not count.
package struct BlockedAnswer: Codable, Hashable, Sendable {
    /// The form; nil where the definition named is none.
    package var form: String?
    package var count: Int

    package init(form: String?, count: Int) {
        self.form = form
        self.count = count
    }
}
