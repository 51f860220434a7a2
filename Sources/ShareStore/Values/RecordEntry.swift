package import ShareCore

/// A field with a value.
package struct RecordEntry: Hashable, Sendable {
    package let field: FormField
    package let value: FieldValue
}
