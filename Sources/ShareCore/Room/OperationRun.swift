/// Operations of one batch that follow each other and are of one sort.
package struct OperationRun: Hashable, Sendable {
    package let sort: OperationSort
    /// The place of the first one.
    package let first: Int
    package fileprivate(set) var count: Int

    /// What entries come to, which lie in the order of their places.
    static func runs(of entries: [ControlBatch.Entry]) -> [OperationRun] {
        var runs: [OperationRun] = []
        for entry in entries {
            let sort = OperationSort(entry.operation)
            if let last = runs.last, last.sort == sort, last.first + last.count == entry.index {
                runs[runs.count - 1].count += 1
            } else {
                runs.append(OperationRun(sort: sort, first: entry.index, count: 1))
            }
        }
        return runs
    }
}
