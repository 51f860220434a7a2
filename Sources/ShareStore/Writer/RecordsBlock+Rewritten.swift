import ShareCore
import ShareCrypto

extension RecordsBlock {
    /// A pending block with some of its rows alone, or with others for creators and parents.
    ///
    /// - Parameters:
    ///   - first: where it begins in its batch from now on.
    ///   - author: who will seal it.
    ///   - change: whose record a row is about, and its parents; nil for a row that goes.
    /// - Returns: nil if no row is left.
    func rewritten(
        at first: Int, by author: DeviceKey,
        _ change: (_ index: Int, Row) -> (creator: DeviceKey, parents: [OperationName])?
    ) -> RecordsBlock? {
        var creators = [author]
        var rows: [Row] = []
        var parents: [OperationName] = []
        var cells: [Cell] = []
        for (place, row) in self.rows.enumerated() {
            guard let change = change(firstIndex + place, row) else { continue }
            if !creators.contains(change.creator) { creators.append(change.creator) }
            let start = Int32(parents.count)
            parents += change.parents
            rows.append(
                Row(
                    id: row.id, clock: row.clock,
                    creator: Int32(creators.firstIndex(of: change.creator) ?? 0),
                    parents: start..<Int32(parents.count)))
            cells += self.cells[place * width..<(place + 1) * width]
        }
        guard !rows.isEmpty else { return nil }
        return RecordsBlock(
            kind: kind, firstIndex: first, form: form, fields: fields, creators: creators,
            rows: rows, parents: parents, cells: cells, storage: storage)
    }
}
