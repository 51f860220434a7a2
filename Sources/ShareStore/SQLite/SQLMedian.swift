internal import CSQLite

/// The numbers of a group while SQLite goes through its rows.
private final class GroupedNumbers {
    var all: [Double] = []
    var isFull = false
    private let most: Int

    init(most: Int) { self.most = most }

    func add(_ number: Double) {
        guard !isFull else { return }
        all.append(number)
        if all.count > most { (all, isFull) = ([], true) }
    }

    /// Nil where there is no number.
    var median: Double? {
        all.sort()
        guard !all.isEmpty else { return nil }
        let (low, high) = (all[(all.count - 1) / 2], all[all.count / 2])
        return low == high ? low : (low + high) / 2
    }
}

extension Database {
    /// Lets SQL on this connection ask for the median of a group's numbers: NULL where there is
    /// none, and an integer in its place where there are more than its second argument.
    func defineMedian(_ name: String) throws(SQLiteError) {
        let code = sqlite3_create_function_v2(
            handle, name, 2, SQLITE_UTF8, nil, nil,
            { context, _, values in
                let size = Int32(MemoryLayout<UnsafeMutableRawPointer?>.size)
                guard let value = values?[0], sqlite3_value_type(value) != SQLITE_NULL,
                    let memory = sqlite3_aggregate_context(context, size)
                else { return }
                let slot = memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
                let number = sqlite3_value_double(value)
                if let known = slot.pointee {
                    Unmanaged<GroupedNumbers>.fromOpaque(known).takeUnretainedValue().add(number)
                } else {
                    let most = values?[1].map { sqlite3_value_int64($0) } ?? 0
                    let numbers = GroupedNumbers(most: Int(most))
                    numbers.add(number)
                    slot.pointee = Unmanaged.passRetained(numbers).toOpaque()
                }
            },
            { context in
                // SQLite calls this once for each group, also where it was interrupted.
                guard let memory = sqlite3_aggregate_context(context, 0),
                    let known = memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
                        .pointee
                else { return sqlite3_result_null(context) }
                let numbers = Unmanaged<GroupedNumbers>.fromOpaque(known).takeRetainedValue()
                if numbers.isFull {
                    sqlite3_result_int64(context, 0)
                } else if let median = numbers.median {
                    sqlite3_result_double(context, median)
                } else {
                    sqlite3_result_null(context)
                }
            }, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }
}
