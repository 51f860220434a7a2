/// Two columns of a table that tell one row from another together, where none does alone.
struct InferredPair {
    /// Columns that are looked at, the leftmost first: at most 66 pairs of them.
    static let mostColumns = 12

    /// Their places, the left one first.
    let places: (Int, Int)

    /// The leftmost pair of columns of which no two rows have the same values; nil where there is none.
    ///
    /// - Parameters:
    ///   - columns: places of those that may be in it, each with a value in each row.
    ///   - rows: the cells of each row.
    init?(of columns: [Int], in rows: [[String]]) {
        guard rows.count > 1 else { return nil }
        let columns = columns.prefix(Self.mostColumns).map { Column($0, in: rows) }
        for (index, left) in columns.enumerated() {
            for right in columns.dropFirst(index + 1) where left.tells(with: right) {
                places = (left.place, right.place)
                return
            }
        }
        return nil
    }

    /// The values of a column, by their numbers in the order in which they come.
    private struct Column {
        let place: Int
        private var numbers: [UInt32] = []
        private let count: Int

        init(_ place: Int, in rows: [[String]]) {
            self.place = place
            numbers.reserveCapacity(rows.count)
            var known: [String: UInt32] = [:]
            for row in rows {
                let cell = ValueReader.trimmed(row[place])
                let number = known[cell] ?? UInt32(known.count)
                if number == known.count { known[cell] = number }
                numbers.append(number)
            }
            count = known.count
        }

        /// Whether no two rows have the same values in both.
        func tells(with other: Column) -> Bool {
            guard count * other.count >= numbers.count else { return false }
            var seen: Set<UInt64> = []
            for (one, two) in zip(numbers, other.numbers) {
                guard seen.insert(UInt64(one) << 32 | UInt64(two)).inserted else { return false }
            }
            return true
        }
    }
}
