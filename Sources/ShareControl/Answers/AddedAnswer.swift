/// The answer to `add`.
package struct AddedAnswer: Codable, Hashable, Sendable {
    package var id: String

    package init(id: String) {
        self.id = id
    }
}
