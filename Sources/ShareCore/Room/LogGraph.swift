/// Which held batches of one log descend from which, kept as branches: on a straight log
/// ancestry is a comparison of numbers, on a forked one a climb over its forks.
package struct LogGraph: LogAncestry, Sendable {
    private struct Place {
        let branch: Int
        let number: UInt64
    }

    private struct Branch {
        /// The batch that the branch left another one at; nil for one that starts the log.
        let parent: Place?
        var tip: LogHead
    }

    private var places: [BatchID: Place] = [:]
    private var branches: [Branch] = []
    private var inner: Set<BatchID> = []

    package init() {}

    /// The batches without a successor, in order.
    package var heads: [LogHead] {
        branches.map(\.tip).filter { !inner.contains($0.batch) }.sorted()
    }

    package var hasTooManyHeads: Bool {
        branches.count > Limits.headsPerLog && heads.count > Limits.headsPerLog
    }

    /// The number of a held batch.
    package func number(of batch: BatchID) -> UInt64? { places[batch]?.number }

    /// Takes a batch in. False, and nothing done, where it is held or its predecessor is not.
    @discardableResult
    package mutating func insert(_ head: LogHead, previous: BatchID) -> Bool {
        guard places[head.batch] == nil else { return false }
        if head.number == 1 {
            branches.append(Branch(parent: nil, tip: head))
            places[head.batch] = Place(branch: branches.count - 1, number: 1)
            return true
        }
        guard head.number > 1, let parent = places[previous], parent.number == head.number - 1
        else { return false }
        inner.insert(previous)
        if branches[parent.branch].tip.batch == previous {
            branches[parent.branch].tip = head
            places[head.batch] = Place(branch: parent.branch, number: head.number)
        } else {
            branches.append(Branch(parent: parent, tip: head))
            places[head.batch] = Place(branch: branches.count - 1, number: head.number)
        }
        return true
    }

    /// - Complexity: O(forks of the log).
    package func coverage(of batch: LogHead, by head: LogHead) -> LogCoverage {
        guard var upper = places[head.batch] else { return .headNotHeld }
        guard upper.number == head.number, let lower = places[batch.batch] else {
            return .notCovered
        }
        while upper.branch != lower.branch {
            guard let parent = branches[upper.branch].parent else { return .notCovered }
            upper = parent
        }
        return lower.number <= upper.number ? .covered : .notCovered
    }
}
