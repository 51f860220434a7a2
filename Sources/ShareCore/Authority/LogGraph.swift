/// Which held batches of one log descend from which, kept as branches: on a straight log
/// ancestry is a comparison of numbers, on a forked one a climb over its forks.
package struct LogGraph: LogAncestry, Sendable {
    /// A held batch's place in the graph.
    struct Position: Hashable, Sendable {
        let branch: Int
        let number: UInt64
    }

    private struct Branch {
        /// The batch that the branch left another one at; nil for one that starts the log.
        let parent: Position?
        /// The number of its first batch.
        let start: UInt64
        /// A branch further up, for climbing in leaps: forks of forks can be made by thousands.
        let leap: Int?
        /// How many branches lie above it.
        let depth: Int
        var tip: LogHead
    }

    private var places: [BatchID: Position] = [:]
    private var branches: [Branch] = []
    private var headCount = 0

    package init() {}

    package var hasTooManyHeads: Bool { headCount > Limits.headsPerLog }

    /// The number of a held batch.
    package func number(of batch: BatchID) -> UInt64? { places[batch]?.number }

    func place(of batch: BatchID) -> Position? { places[batch] }

    /// Takes a batch in. False, and nothing done, where it is held or its predecessor is not.
    @discardableResult
    package mutating func insert(_ head: LogHead, previous: BatchID) -> Bool {
        guard places[head.batch] == nil else { return false }
        if head.number == 1 {
            open(at: nil, with: head)
            headCount += 1
            return true
        }
        guard head.number > 1, let parent = places[previous], parent.number == head.number - 1
        else { return false }
        // A branch goes on with the first that follows its tip, so what is no tip has one already.
        if branches[parent.branch].tip.batch == previous {
            branches[parent.branch].tip = head
            places[head.batch] = Position(branch: parent.branch, number: head.number)
        } else {
            open(at: parent, with: head)
            headCount += 1
        }
        return true
    }

    private mutating func open(at parent: Position?, with head: LogHead) {
        var leap: Int?
        var depth = 0
        if let above = parent?.branch {
            depth = branches[above].depth + 1
            leap = above
            // Leaps double where two of equal length follow each other.
            if let first = branches[above].leap, let second = branches[first].leap,
                branches[above].depth - branches[first].depth
                    == branches[first].depth - branches[second].depth
            {
                leap = second
            }
        }
        branches.append(
            Branch(parent: parent, start: head.number, leap: leap, depth: depth, tip: head))
        places[head.batch] = Position(branch: branches.count - 1, number: head.number)
    }

    /// - Complexity: O(log forks of the log).
    package func coverage(of batch: LogHead, by head: LogHead) -> LogCoverage {
        guard let upper = places[head.batch], upper.number == head.number else {
            return .headNotHeld
        }
        guard let lower = places[batch.batch] else { return .notCovered }
        return isUpTo(lower, upper) ? .covered : .notCovered
    }

    /// Whether a batch is another one or an ancestor of it.
    func isUpTo(_ lower: Position, _ upper: Position) -> Bool {
        if lower.branch == upper.branch { return lower.number <= upper.number }
        guard lower.number <= upper.number else { return false }
        var branch = upper.branch
        while branches[branch].start > lower.number {
            if let leap = branches[branch].leap, branches[leap].start > lower.number {
                branch = leap
            } else if let parent = branches[branch].parent {
                branch = parent.branch
            } else {
                return false
            }
        }
        // Further down than where it left, the upper batch's line does not follow a branch.
        return branch == lower.branch
    }
}

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

/// The relation between a batch and a named head of the same log.
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
