import ShareCore

/// Stands for some cells of a row within one import: 128 bits of a keyed hash whose key is this
/// process's own, so nobody can make two rows that collide.
struct RowDigest: Hashable {
    private let high: Int
    private let low: Int

    /// The digest of those cells of a row of `width` that `picks` wants; nil for all.
    ///
    /// - Parameter folds: cells whose texts are taken in small letters.
    init(
        _ row: UnsafeRawBufferPointer, width: Int, picks: [Bool]?, folding folds: [Bool]? = nil
    ) {
        var first = Hasher()
        var second = Hasher()
        second.combine(1)
        var offset = 0
        for cell in 0..<width {
            let before = offset
            let value = ImportRows.cell(row, &offset)
            guard picks?[cell] ?? true else { continue }
            if folds?[cell] == true, let text = RowDigest.text(value, in: row)?.lowercased() {
                first.combine(text)
                second.combine(text)
                continue
            }
            let bytes = UnsafeRawBufferPointer(rebasing: row[before..<offset])
            first.combine(bytes: bytes)
            second.combine(bytes: bytes)
        }
        high = first.finalize()
        low = second.finalize()
    }

    private static func text(_ cell: Cell, in row: UnsafeRawBufferPointer) -> String? {
        switch cell {
        case .text(let offset, let length):
            String(decoding: row[Int(offset)..<Int(offset) + Int(length)], as: UTF8.self)
        case .absent, .integer, .decimal: nil
        }
    }

    static func == (a: RowDigest, b: RowDigest) -> Bool {
        a.high == b.high && a.low == b.low
    }

    func hash(into hasher: inout Hasher) { hasher.combine(low) }
}
