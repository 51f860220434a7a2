/// A field as storage and wire know it. Names are compared by their bytes: two that differ in
/// normalisation alone are two fields, alike for every release of Unicode.
package struct FormField: Hashable, Sendable {
    package let name: String
    package let type: StorageType

    package init(name: String, type: StorageType) {
        self.name = name
        self.type = type
    }

    package static func == (a: FormField, b: FormField) -> Bool {
        a.type == b.type && a.name.utf8.elementsEqual(b.name.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        var name = name
        name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
