/// Stands for some cells of a row within one import: 128 bits of a keyed hash whose key is this
/// process's own, so nobody can make two rows that collide.
struct RowDigest: Hashable {
    private let high: Int
    private let low: Int

    /// The digest of those cells of a row of `width` that `picks` wants; nil for all.
    init(_ row: UnsafeRawBufferPointer, width: Int, picks: [Bool]?) {
        var first = Hasher()
        var second = Hasher()
        second.combine(1)
        var offset = 0
        for cell in 0..<width {
            let start = offset
            _ = ImportRows.cell(row, &offset)
            guard picks?[cell] ?? true else { continue }
            let bytes = UnsafeRawBufferPointer(rebasing: row[start..<offset])
            first.combine(bytes: bytes)
            second.combine(bytes: bytes)
        }
        high = first.finalize()
        low = second.finalize()
    }

    static func == (a: RowDigest, b: RowDigest) -> Bool {
        a.high == b.high && a.low == b.low
    }

    func hash(into hasher: inout Hasher) { hasher.combine(low) }
}
