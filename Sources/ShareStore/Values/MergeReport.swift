package import ShareCore
import ShareCrypto

/// The fate of a group of batches.
package struct MergeReport: Sendable {
    /// One for each batch, in the order in which they were handed over.
    package var outcomes: [MergeOutcome] = []
    /// Whether control batches were among those stored: members, roles, forms may differ.
    package var changedControl = false
    /// Pending operations that were dropped, as batches of this device's own that have come
    /// back hold them already.
    package var sealedBefore = 0
    /// The events for those who watch.
    package var changes = RoomChanges()
    /// The room as it is now; nil where nothing was merged.
    package var view: RoomView?

    package init(
        outcomes: [MergeOutcome] = [], changedControl: Bool = false, sealedBefore: Int = 0,
        changes: RoomChanges = RoomChanges(), view: RoomView? = nil
    ) {
        self.outcomes = outcomes
        self.changedControl = changedControl
        self.sealedBefore = sealedBefore
        self.changes = changes
        self.view = view
    }
}

/// A batch whose envelope holds, with its body opened: what can be done before the store's
/// writer is needed.
package struct IncomingBatch: Sendable {
    package let batch: Batch
    /// Nil if the body is malformed; the batch counts in its log all the same.
    package let body: Body?
    /// Whether a batch of records is stored although it lies past its author's cutoff: an owner
    /// reads a file with it and may accept it.
    package var isWantedPastCutoff = false
    /// The part of the digest that a block's new records add if each is accepted and new, by the
    /// block's first operation; none for forms that were not given.
    let sums: [Int: StateDigest]

    /// Opens the body, which takes time in proportion to it: not on the writer's queue.
    ///
    /// - Parameter definitions: as `RoomStore.definitions` gave them. With them a fifth of the
    ///   writer's work is done here; one that is missing costs nothing but that.
    package init(_ batch: Batch, definitions: [OperationName: FormDefinition] = [:]) {
        self.batch = batch
        body = try? batch.openBody()
        var sums: [Int: StateDigest] = [:]
        for case .records(let block) in body?.blocks ?? []
        where block.kind == .put && block.rows.count > 1 {
            guard let form = definitions[block.form],
                (block.fields.last ?? -1) < form.fields.count
            else { continue }
            sums[block.firstIndex] = PutItem.sum(block, of: batch.id, form: form)
        }
        self.sums = sums
    }

    /// Bytes that it takes in memory, more or less.
    package var size: Int {
        var size = batch.size
        var storage = 0
        for case .records(let block) in body?.blocks ?? [] {
            // Blocks share what their texts point into.
            storage = max(storage, block.storage.count)
            size +=
                block.rows.count * MemoryLayout<RecordsBlock.Row>.stride
                + block.cells.count * MemoryLayout<Cell>.stride
                + block.parents.count * MemoryLayout<OperationName>.stride
        }
        return size + storage
    }
}

/// How many operations are accepted, waiting, refused.
package struct VerdictCounts: Hashable, Sendable {
    package var accepted = 0
    package var waiting = 0
    package var refused = 0

    package init(accepted: Int = 0, waiting: Int = 0, refused: Int = 0) {
        self.accepted = accepted
        self.waiting = waiting
        self.refused = refused
    }
}
