import ShareCore
import ShareCrypto

/// A control batch that is held, opened.
struct ControlRecord {
    let batch: Int64
    let head: LogHead
    let previous: BatchID
    let author: DeviceKey
    let clock: Timestamp
    /// Nil if malformed.
    let body: Body?
    /// Its operations with their places.
    let entries: [(index: Int, entry: ControlBlock.Entry)]
    /// The same, as authority looks at them.
    let control: ControlBatch

    init(batch: Int64, _ source: Batch, _ body: Body?) {
        self.batch = batch
        head = source.head
        previous = source.previous
        author = source.author
        clock = source.clock
        self.body = body
        entries = (body?.blocks ?? []).flatMap { block -> [(Int, ControlBlock.Entry)] in
            guard case .control(let block) = block else { return [] }
            return block.entries.enumerated().map { (block.firstIndex + $0, $1) }
        }
        control = ControlBatch(
            author: source.author, head: source.head, previous: source.previous,
            entries: entries.map {
                ControlBatch.Entry(index: $0.index, operation: $0.entry.operation)
            })
    }

    func name(_ index: Int) -> OperationName { OperationName(batch: head.batch, index: index) }
}
