/// Operations of one batch that come to the same.
package struct VerdictRun: Hashable, Sendable {
    /// Nil for all operations of a batch, of several sorts, of which none is accepted.
    package let sort: OperationSort?
    /// From the first one to behind the last one.
    package let places: Range<Int>
    /// How many they are: among those of several sorts other blocks may lie.
    package let count: Int
    package let verdict: ControlVerdict
}

extension VerdictRun {
    init(sort: OperationSort, places: Range<Int>, verdict: ControlVerdict) {
        self.init(sort: sort, places: places, count: places.count, verdict: verdict)
    }
}
