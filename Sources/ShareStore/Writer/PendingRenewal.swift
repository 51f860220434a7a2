import ShareCore
import ShareCrypto

/// How pending blocks read once some operations are gone from them and the author has changed.
struct PendingRenewal {
    let author: DeviceKey
    /// New names of operations, by the old ones.
    private var names: [OperationName: OperationName]
    private let dropped: Set<OperationName>
    /// Records that an earlier identity has made and that nobody else knows yet, so that they
    /// can become this one's.
    private var made: Set<MadeRecord> = []

    private struct MadeRecord: Hashable {
        let creator: DeviceKey
        let id: RecordID

        init(_ block: RecordsBlock, _ row: RecordsBlock.Row) {
            creator = block.creators[Int(row.creator)]
            id = row.id
        }
    }

    init(author: DeviceKey, names: [OperationName: OperationName]) {
        self.author = author
        self.names = names
        dropped = Set(names.keys)
    }

    /// Takes in what the blocks of an open batch hold, before any is renewed.
    mutating func note(_ blocks: [RecordsBlock], of held: HeldBatch) {
        var next = 0
        for block in blocks {
            for (place, row) in block.rows.enumerated() {
                let name = OperationName(batch: held.id, index: block.firstIndex + place)
                guard !dropped.contains(name) else { continue }
                names[name] = OperationName(batch: held.id, index: next)
                next += 1
                if block.kind == .put, held.author != author {
                    made.insert(MadeRecord(block, row))
                }
            }
        }
    }

    /// The blocks as they are from now on; those of which nothing is left are gone.
    func renewed(_ blocks: [RecordsBlock], of held: HeldBatch) -> [RecordsBlock] {
        var next = 0
        return blocks.compactMap { block in
            var creators = [author]
            var rows: [RecordsBlock.Row] = []
            var bases: [OperationName] = []
            var cells: [Cell] = []
            for (place, row) in block.rows.enumerated() {
                let name = OperationName(batch: held.id, index: block.firstIndex + place)
                guard !dropped.contains(name) else { continue }
                let isMade = made.contains(MadeRecord(block, row))
                let creator = isMade ? author : block.creators[Int(row.creator)]
                if !creators.contains(creator) { creators.append(creator) }
                let first = Int32(bases.count)
                bases += block.bases(of: row).map { names[$0] ?? $0 }
                rows.append(
                    RecordsBlock.Row(
                        id: row.id, clock: row.clock,
                        creator: Int32(creators.firstIndex(of: creator) ?? 0),
                        bases: first..<Int32(bases.count)))
                cells += block.cells[place * block.width..<(place + 1) * block.width]
            }
            guard !rows.isEmpty else { return nil }
            defer { next += rows.count }
            return RecordsBlock(
                kind: block.kind, firstIndex: next, form: block.form, fields: block.fields,
                creators: creators, rows: rows, bases: bases, cells: cells,
                storage: block.storage)
        }
    }
}
