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
            let renewed = block.rewritten(at: next, by: author) { index, row in
                guard !dropped.contains(OperationName(batch: held.id, index: index)) else {
                    return nil
                }
                let isMade = made.contains(MadeRecord(block, row))
                return (
                    isMade ? author : block.creators[Int(row.creator)],
                    block.parents(of: row).map { names[$0] ?? $0 }
                )
            }
            next += renewed?.rows.count ?? 0
            return renewed
        }
    }
}
