/// A remark on a record.
package struct CommentRequest: Codable, Hashable, Sendable {
    package var text: String

    package init(text: String) { self.text = text }
}
