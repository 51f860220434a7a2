/// A name and its value in a JSON object.
package struct JSONMember: Hashable, Sendable {
    package let name: String
    package let value: JSONTree

    package init(name: String, value: JSONTree) {
        self.name = name
        self.value = value
    }
}
