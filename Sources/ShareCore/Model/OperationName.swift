/// The name of an operation, and of the version it makes: its batch and its place in there.
package struct OperationName: Hashable, Comparable, Sendable {
    package let batch: BatchID
    /// Counted from 0 through all blocks of the batch.
    package let index: Int

    package init(batch: BatchID, index: Int) {
        self.batch = batch
        self.index = index
    }

    package static func < (a: OperationName, b: OperationName) -> Bool {
        (a.batch, a.index) < (b.batch, b.index)
    }
}
