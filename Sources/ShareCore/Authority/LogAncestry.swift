/// Answers how the held batches of one log descend from each other; a store answers from its
/// tables, so that a log of millions of batches need not be in memory.
package protocol LogAncestry {
    /// Whether the log has more than `Limits.headsPerLog` heads.
    var hasTooManyHeads: Bool { get }

    /// Whether `batch`, which is held, is `head` or an ancestor of it.
    func coverage(of batch: LogHead, by head: LogHead) -> LogCoverage
}

extension LogAncestry {
    /// Whether a named head covers a held batch. One that is not held covers what has a lower
    /// number, until it arrives: who named it held all of that.
    package func covers(_ head: LogHead, _ batch: LogHead) -> Bool {
        switch coverage(of: batch, by: head) {
        case .covered: true
        case .notCovered: false
        case .headNotHeld: batch.number < head.number
        }
    }
}

/// What is known of a batch and a named head of the same log.
package enum LogCoverage: Hashable, Sendable {
    case covered
    case notCovered
    /// No batch of that id and number is held in this log, so nobody can tell yet.
    case headNotHeld
}

/// The ancestry of a log without forks: the batch of a number below the tip's is an ancestor.
package struct StraightLog: LogAncestry {
    /// The number of a held batch of this log by its id.
    package let numberOf: (BatchID) -> UInt64?

    package init(numberOf: @escaping (BatchID) -> UInt64?) { self.numberOf = numberOf }

    package var hasTooManyHeads: Bool { false }

    package func coverage(of batch: LogHead, by head: LogHead) -> LogCoverage {
        guard numberOf(head.batch) == head.number else { return .headNotHeld }
        return batch.number < head.number || batch == head ? .covered : .notCovered
    }
}
