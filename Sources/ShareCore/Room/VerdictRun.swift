/// Operations of one batch that come to the same.
package struct VerdictRun: Hashable, Sendable {
    /// Nil for operations of several sorts.
    package let sort: OperationSort?
    /// The place of the first one.
    package let first: Int
    package let count: Int
    package let verdict: ControlVerdict
}
