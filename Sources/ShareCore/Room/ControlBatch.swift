package import ShareCrypto

/// A batch of a control log, as far as authority needs it. Where its operations are many, or take
/// much more room than the batch as it was sealed, it is opened when they are asked for: anybody
/// with a role can send thousands, or a megabyte, in some hundred bytes, and who may not write
/// them makes others keep little more than these.
package struct ControlBatch: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        /// The operation's place in its batch.
        package let index: Int
        package let operation: ControlOperation

        package init(index: Int, operation: ControlOperation) {
            self.index = index
            self.operation = operation
        }
    }

    private enum Content: Hashable, Sendable {
        case open([Entry])
        case sealed([UInt8])
    }

    /// Batches with more operations are kept sealed.
    private static let openOperations = 16
    /// So are those whose body is more than so many times as long as they are.
    private static let openExpansion: UInt64 = 16
    /// Runs that are kept of a batch; nobody needs more to write what people ask for.
    private static let keptRuns = 64

    package let author: DeviceKey
    package let head: LogHead
    /// The batch before this one in its log; for number 1 it is not looked at.
    package let previous: BatchID
    /// How many operations it has; none if malformed.
    package let count: Int
    /// From its first operation to behind its last one; other blocks may lie between them.
    private let places: Range<Int>
    private let content: Content
    /// Nil where there are more than `keptRuns`.
    private let shortRuns: [OperationRun]?
    private let sorts: UInt16
    /// Whether any of its operations removes its author.
    let hasLeave: Bool

    package init(author: DeviceKey, head: LogHead, previous: BatchID, entries: [Entry]) {
        self.init(author: author, head: head, previous: previous, entries: entries, sealed: nil)
    }

    /// The part of a decoded batch that matters; a nil body is a malformed one. Nil for a batch
    /// of a records log.
    package init?(_ batch: Batch, body: Body?) {
        guard batch.kind == .control else { return nil }
        let entries = ControlBatch.entries(of: body)
        let isSmall =
            entries.count <= ControlBatch.openOperations
            && batch.rawLength <= UInt64(batch.bytes.count) * ControlBatch.openExpansion
        self.init(
            author: batch.author, head: batch.head, previous: batch.previous, entries: entries,
            sealed: isSmall ? nil : batch.bytes)
    }

    private init(
        author: DeviceKey, head: LogHead, previous: BatchID, entries: [Entry], sealed: [UInt8]?
    ) {
        self.author = author
        self.head = head
        self.previous = previous
        count = entries.count
        content = sealed.map(Content.sealed) ?? .open(entries)
        let runs = OperationRun.runs(of: entries)
        places = (runs.first?.places.lowerBound ?? 0)..<(runs.last?.places.upperBound ?? 0)
        shortRuns = runs.count > ControlBatch.keptRuns ? nil : runs
        sorts = runs.reduce(0) { $0 | 1 << UInt16($1.sort.rawValue) }
        hasLeave = entries.contains { $0.isLeave(of: author) }
    }

    /// In the order of their places; none for a malformed body.
    ///
    /// - Complexity: that of opening the batch, where it is kept sealed.
    package var entries: [Entry] {
        switch content {
        case .open(let entries): entries
        case .sealed(let bytes):
            ControlBatch.entries(of: try? Batch(trusted: bytes).openBody())
        }
    }

    /// Whether its operations are at hand.
    package var isOpen: Bool { if case .open = content { true } else { false } }

    package func name(of entry: Entry) -> OperationName {
        OperationName(batch: head.batch, index: entry.index)
    }

    /// Whether any of its operations is of this sort.
    package func has(_ sort: OperationSort) -> Bool { sorts >> UInt16(sort.rawValue) & 1 == 1 }

    /// Whether any of its operations is of a sort for which this holds.
    package func has(where condition: (OperationSort) -> Bool) -> Bool {
        OperationSort.allCases.contains { has($0) && condition($0) }
    }

    /// Its operations in runs of one sort.
    ///
    /// - Complexity: O(runs) as a rule, else that of `entries`.
    var runs: [OperationRun] { shortRuns ?? OperationRun.runs(of: entries) }

    /// Its operations where all come to the same: in runs of one sort, or in one of all where
    /// there are too many to be told apart.
    func runs(of verdict: ControlVerdict) -> [VerdictRun] {
        guard let shortRuns else {
            return [VerdictRun(sort: nil, places: places, count: count, verdict: verdict)]
        }
        return shortRuns.map { VerdictRun(sort: $0.sort, places: $0.places, verdict: verdict) }
    }

    private static func entries(of body: Body?) -> [Entry] {
        var entries: [Entry] = []
        for case .control(let block) in body?.blocks ?? [] {
            for (place, entry) in block.entries.enumerated() {
                entries.append(
                    Entry(index: block.firstIndex + place, operation: entry.operation))
            }
        }
        return entries
    }
}

extension ControlBatch.Entry {
    /// Whether it removes the author of its batch.
    func isLeave(of author: DeviceKey) -> Bool {
        if case .removal(let removal) = operation { removal.subject == author } else { false }
    }
}
