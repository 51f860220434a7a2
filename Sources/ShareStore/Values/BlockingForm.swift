package import ShareCore

/// A form definition that is held and does not count, and entries that wait for it.
package struct BlockingForm: Hashable, Sendable {
    package let definition: OperationName
    /// Nil where the definition named is none.
    package let formID: String?
    /// Operations that wait for it.
    package let entries: Int
}
