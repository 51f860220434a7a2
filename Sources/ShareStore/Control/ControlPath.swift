import ShareCore

/// Control batches that show something to who holds none: some, with all before them in their logs,
/// and the founding.
struct ControlPath {
    private let byID: [BatchID: ControlRecord]
    private(set) var batches: Set<BatchID> = []

    init(_ controls: [ControlRecord], founding: BatchID) {
        byID = Dictionary(
            controls.map { ($0.head.batch, $0) }, uniquingKeysWith: { first, _ in first })
        add(founding)
    }

    /// Adds a batch, if it is held, and all before it.
    mutating func add(_ batch: BatchID) {
        var next = byID[batch]
        while let record = next, batches.insert(record.head.batch).inserted {
            next = byID[record.previous]
        }
    }
}
