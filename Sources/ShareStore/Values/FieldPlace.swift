package import ShareCore

/// Where a field stands in one of its form's definitions.
package struct FieldPlace: Hashable, Sendable {
    package let definition: OperationName
    /// The place in the definition's list of fields.
    package let place: Int
}
