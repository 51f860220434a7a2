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

    init(batch: Int64, _ source: Batch, _ body: Body?) {
        self.batch = batch
        head = source.head
        previous = source.previous
        author = source.author
        clock = source.clock
        self.body = body
    }

    /// Its operations with their places.
    var entries: [(index: Int, entry: ControlBlock.Entry)] {
        guard let body else { return [] }
        return body.blocks.flatMap { block -> [(index: Int, entry: ControlBlock.Entry)] in
            guard case .control(let block) = block else { return [] }
            return block.entries.enumerated().map { (block.firstIndex + $0, $1) }
        }
    }

    func name(_ index: Int) -> OperationName { OperationName(batch: head.batch, index: index) }
}
