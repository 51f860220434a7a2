/// Operations of one batch that follow each other and are of one sort.
package struct OperationRun: Hashable, Sendable {
    package let sort: OperationSort
    package fileprivate(set) var places: Range<Int>

    /// What entries come to, which lie in the order of their places.
    static func runs(of entries: [ControlBatch.Entry]) -> [OperationRun] {
        var runs: [OperationRun] = []
        for entry in entries {
            let sort = OperationSort(entry.operation)
            if let last = runs.last, last.sort == sort, last.places.upperBound == entry.index {
                runs[runs.count - 1].places = last.places.lowerBound..<entry.index + 1
            } else {
                runs.append(OperationRun(sort: sort, places: entry.index..<entry.index + 1))
            }
        }
        return runs
    }
}
