import ShareStore

/// Rows of a repeat that are added, and that their entries have already, with the same answers: who
/// imports a file twice that does not name them has them twice.
struct AlikeRows: Sendable {
    /// The cells that are compared: all but the place among the rows of the entry.
    private let picks: [Bool]
    private var added: [RowDigest: Int] = [:]
    /// How many of the added rows are there already.
    private(set) var count = 0

    /// - Parameter fields: what the cells are.
    init(_ fields: [Int]) { picks = fields.map { $0 != 1 } }

    /// Takes a row of the file that is added.
    mutating func take(added row: UnsafeRawBufferPointer) {
        added[RowDigest(row, width: picks.count, picks: picks), default: 0] += 1
    }

    /// Takes a row that is there, its cells as the file has them.
    mutating func take(present row: UnsafeRawBufferPointer) {
        count += added.removeValue(forKey: RowDigest(row, width: picks.count, picks: picks)) ?? 0
    }
}
