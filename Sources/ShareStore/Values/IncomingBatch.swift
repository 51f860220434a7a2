package import ShareCore

/// A batch whose envelope holds, with its body opened: what can be done before the store's
/// writer is needed.
package struct IncomingBatch: Sendable {
    package let batch: Batch
    /// Nil if the body is malformed; the batch counts in its log all the same.
    package let body: Body?

    /// Opens the body, which takes time in proportion to it: not on the writer's queue.
    package init(_ batch: Batch) {
        self.batch = batch
        body = try? batch.openBody()
    }
}
