/// Operations that were kept and not applied.
package struct RefusedAnswer: Codable, Hashable, Sendable {
    package var author: String
    package var authorName: String?
    /// The kind of operation, such as `edit`, or the field whose value does not fit.
    package var what: String
    package var reason: String
    package var count: Int
    /// The form and the first record that they are about, and when that was made, by its author's
    /// clock.
    package var form: String?
    package var record: String?
    package var at: String?
    /// The device that a decision is about.
    package var device: NamedDevice?
    /// `control` or `records`.
    package var log: String?
    /// The batch in hexadecimal; nil while it is not sealed.
    package var batch: String?
    /// What can be done about it, where something can.
    package var hint: String?

    package init(
        author: String, authorName: String? = nil, what: String, reason: String, count: Int,
        form: String? = nil, record: String? = nil, at: String? = nil,
        device: NamedDevice? = nil, log: String? = nil,
        batch: String? = nil, hint: String? = nil
    ) {
        self.author = author
        self.authorName = authorName
        self.what = what
        self.reason = reason
        self.count = count
        self.form = form
        self.record = record
        self.at = at
        self.device = device
        self.log = log
        self.batch = batch
        self.hint = hint
    }
}
