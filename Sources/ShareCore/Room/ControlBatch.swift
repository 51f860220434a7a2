package import ShareCrypto

/// A batch of a control log, as far as authority needs it. One with many operations is kept as
/// it was sealed and opened when they are asked for: anybody with a role can send thousands in
/// some hundred bytes, and who may not write them makes others keep no more than these.
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
        /// More than `openOperations`.
        case sealed([UInt8])
    }

    /// Batches with more operations are kept sealed.
    package static let openOperations = 16
    /// Runs that are kept of a batch; nobody needs more to write what people ask for.
    private static let keptRuns = 64
    /// Leaves of one log that can come into force from one batch: those of each layer, and those
    /// set aside that hold (docs/protocol/authority.md §3, §4). Others count for nothing, as they
    /// come behind these.
    static let leaves = 2 * Limits.leavesInForce + Limits.operationsInForce

    package let author: DeviceKey
    package let head: LogHead
    /// The batch before this one in its log; for number 1 it is not looked at.
    package let previous: BatchID
    /// How many operations it has; none if malformed.
    package let count: Int
    private let first: Int
    private let content: Content
    /// Nil where there are more than `keptRuns`.
    private let shortRuns: [OperationRun]?
    private let sorts: UInt16
    /// The first leaves in it, as many as can come into force.
    let firstLeaves: [Entry]

    package init(author: DeviceKey, head: LogHead, previous: BatchID, entries: [Entry]) {
        self.init(author: author, head: head, previous: previous, entries: entries, sealed: nil)
    }

    /// The part of a decoded batch that matters; a nil body is a malformed one. Nil for a batch
    /// of a records log.
    package init?(_ batch: Batch, body: Body?) {
        guard batch.kind == .control else { return nil }
        self.init(
            author: batch.author, head: batch.head, previous: batch.previous,
            entries: ControlBatch.entries(of: body), sealed: batch.bytes)
    }

    private init(
        author: DeviceKey, head: LogHead, previous: BatchID, entries: [Entry], sealed: [UInt8]?
    ) {
        self.author = author
        self.head = head
        self.previous = previous
        count = entries.count
        first = entries.first?.index ?? 0
        if let sealed, entries.count > ControlBatch.openOperations {
            content = .sealed(sealed)
        } else {
            content = .open(entries)
        }
        let runs = OperationRun.runs(of: entries)
        shortRuns = runs.count > ControlBatch.keptRuns ? nil : runs
        sorts = runs.reduce(0) { $0 | 1 << UInt16($1.sort.rawValue) }
        firstLeaves = Array(
            entries.lazy.filter { $0.isLeave(of: author) }.prefix(ControlBatch.leaves))
    }

    /// In the order of their places; none for a malformed body.
    ///
    /// - Complexity: that of opening the batch, where it has more than `openOperations`.
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

    /// Its operations where all come to the same: in runs of one sort, or in one of several where
    /// there are too many to be told apart.
    func runs(of verdict: ControlVerdict) -> [VerdictRun] {
        guard let shortRuns else {
            return [VerdictRun(sort: nil, first: first, count: count, verdict: verdict)]
        }
        return shortRuns.map {
            VerdictRun(sort: $0.sort, first: $0.first, count: $0.count, verdict: verdict)
        }
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
