/// A field as storage and wire know it.
package struct FormField: Hashable, Sendable {
    package let name: String
    package let type: StorageType

    package init(name: String, type: StorageType) {
        self.name = name
        self.type = type
    }
}
