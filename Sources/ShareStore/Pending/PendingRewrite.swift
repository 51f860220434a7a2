import ShareCore
import ShareCrypto

/// Writes pending operations anew, of a file that was restored from an older copy, or that got
/// another identity: each is sealed once, by the key that this device has now.
enum PendingRewrite {
    /// Whether an earlier identity of this device has left anything unsealed.
    static func isNeeded(in room: Room) throws -> Bool {
        try room.log.hasOpen(besides: room.identity.key)
    }

    /// Drops the pending operations that a batch of this device's own holds: they were sealed
    /// before the file was put back from an older copy.
    ///
    /// - Parameter held: the batch, stored and not yet applied.
    /// - Returns: how many.
    static func run(
        _ room: inout Room, sealedIn held: HeldBatch, _ body: Body?
    ) throws -> Int {
        guard let body, let span = try room.pending.clocks() else { return 0 }
        var sealed: [MadeOperation: (block: RecordsBlock, row: Int)] = [:]
        for case .records(let block) in body.blocks {
            for (position, row) in block.rows.enumerated() where span.contains(row.clock) {
                sealed[MadeOperation(block, row)] = (block, position)
            }
        }
        guard !sealed.isEmpty else { return 0 }
        var names: [OperationName: OperationName] = [:]
        for open in try room.log.open() {
            for block in try room.pending.blocks(of: open.batch) {
                for (position, row) in block.rows.enumerated() {
                    guard let other = sealed[MadeOperation(block, row)],
                        block.says(row: position, as: other.block, row: other.row)
                    else { continue }
                    names[OperationName(batch: open.id, index: block.firstIndex + position)] =
                        OperationName(batch: held.id, index: other.block.firstIndex + other.row)
                }
            }
        }
        if !names.isEmpty { try run(&room, dropping: names) }
        return names.count
    }

    /// Makes every open batch anew, under the key that this device has now and without the
    /// operations that `sealed` gives another name.
    static func run(
        _ room: inout Room, dropping sealed: [OperationName: OperationName]
    ) throws {
        let open = try room.log.open()
        let blocks = try open.map { try room.pending.blocks(of: $0.batch) }
        // A damaged index may name other batches: what is in none of these would be lost.
        let count = blocks.joined().reduce(0) { $0 + $1.rows.count }
        guard try count == room.pending.count() else {
            throw StoreError.damaged("what is not sent stands in no batch that is being filled")
        }
        for (held, list) in zip(open, blocks) {
            try room.retract(held, Body(list))
        }
        try room.recompute()
        try room.pending.removeAll()

        // Behind what is dropped the places close up, and names of them follow.
        var renewal = PendingRenewal(
            author: room.identity.key, names: sealed, repeats: room.forms.catalog.repeats)
        for (held, list) in zip(open, blocks) { renewal.note(list, of: held) }
        for (held, list) in zip(open, blocks) {
            try room.policy.forgetUses(by: held)
            let left = renewal.renewed(list, of: held)
            guard !left.isEmpty else {
                try room.log.removeOpen(held)
                continue
            }
            let renewed = try room.log.renew(held, by: room.identity.key)
            for block in left { try room.keepPending(block, renewed) }
            try room.apply(renewed, try room.body(of: renewed))
        }
        try room.pending.loadOpen()
    }

}

/// The marks that tell one operation from all others, whatever batch it is in.
private struct MadeOperation: Hashable {
    let kind: RecordsBlock.Kind
    let creator: DeviceKey
    let id: RecordID
    let clock: Timestamp

    init(_ block: RecordsBlock, _ row: RecordsBlock.Row) {
        kind = block.kind
        creator = block.creators[Int(row.creator)]
        id = row.id
        clock = row.clock
    }
}

extension RecordsBlock {
    /// Whether two operations on one record say the same.
    fileprivate func says(row: Int, as other: RecordsBlock, row otherRow: Int) -> Bool {
        form == other.form && fields == other.fields
            && (0..<width).allSatisfy {
                value(row: row, column: $0) == other.value(row: otherRow, column: $0)
            }
    }
}

/// How pending blocks read once some operations are gone from them and the author has changed.
struct PendingRenewal {
    let author: DeviceKey
    /// The definitions of repeats.
    private let repeats: Set<OperationName>
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

        init(_ parent: ParentName) {
            creator = parent.creator
            id = parent.id
        }
    }

    init(
        author: DeviceKey, names: [OperationName: OperationName], repeats: Set<OperationName>
    ) {
        self.repeats = repeats
        self.author = author
        self.names = names
        dropped = Set(names.keys)
    }

    /// Takes in what the blocks of an open batch hold, before any is renewed.
    mutating func note(_ blocks: [RecordsBlock], of held: HeldBatch) {
        var next = 0
        for block in blocks {
            for (position, row) in block.rows.enumerated() {
                let name = OperationName(batch: held.id, index: block.firstIndex + position)
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
                    // What it was based on may have been lost with a page.
                    block.parents(of: row).compactMap {
                        names[$0] ?? ($0.batch.openBatch == nil ? $0 : nil)
                    }
                )
            }
            next += renewed?.rows.count ?? 0
            return renewed.map(withParentsMade)
        }
    }
}

extension PendingRenewal {
    /// New rows of repeats follow the entries that have become this identity's.
    private func withParentsMade(_ block: RecordsBlock) -> RecordsBlock {
        guard block.kind == .put, repeats.contains(block.form) else { return block }
        var block = block
        for row in block.rows.indices {
            guard let parent = block.parentName(row: row), made.contains(MadeRecord(parent)) else {
                continue
            }
            let text = Array(ParentName(creator: author, id: parent.id).text.utf8)
            block.cells[row * block.width] = .text(
                offset: UInt32(block.storage.count), length: UInt32(text.count))
            block.storage += text
        }
        return block
    }
}

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
        for (position, row) in self.rows.enumerated() {
            guard let change = change(firstIndex + position, row) else { continue }
            if !creators.contains(change.creator) { creators.append(change.creator) }
            let start = Int32(parents.count)
            parents += change.parents
            rows.append(
                Row(
                    id: row.id, clock: row.clock, wall: row.wall,
                    creator: Int32(creators.firstIndex(of: change.creator) ?? 0),
                    parents: start..<Int32(parents.count)))
            cells += self.cells[position * width..<(position + 1) * width]
        }
        guard !rows.isEmpty else { return nil }
        return RecordsBlock(
            kind: kind, firstIndex: first, form: form, fields: fields, creators: creators,
            rows: rows, parents: parents, cells: cells, storage: storage)
    }
}
