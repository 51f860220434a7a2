import ShareCore
import ShareCrypto

/// Tells pending operations that this device's role allows from those that it does not.
///
/// What is allowed does not wait for the others: where it is based on one of them, it is based on
/// what that was based on instead.
struct PendingSplit {
    let own: DeviceKey
    /// The parents of operations that are kept back.
    private var kept: [OperationName: [OperationName]] = [:]
    /// The names that operations have got as others left their batch.
    private var names: [OperationName: OperationName] = [:]

    /// Whether a batch was kept back as it would be above the room's quota. What comes after it may
    /// build on it.
    var isAboveQuota = false

    enum Part { case all, some, none }

    init(own: DeviceKey) {
        self.own = own
    }

    /// Whether nothing that was looked at so far is kept back.
    var isEmpty: Bool { kept.isEmpty }

    /// Takes in the blocks of an open batch, which come after all that were taken in before.
    ///
    /// - Parameter allows: whether this device may write a row of a block.
    /// - Returns: how much of it can be sealed as it is.
    mutating func note(
        _ blocks: [RecordsBlock], of held: HeldBatch, where allows: (RecordsBlock, Int) -> Bool
    ) -> Part {
        var allowed = 0
        var restsOnKept = false
        var count = 0
        for block in blocks {
            for (position, row) in block.rows.enumerated() {
                count += 1
                if allows(block, position) {
                    allowed += 1
                    restsOnKept = restsOnKept || block.parents(of: row).contains { kept[$0] != nil }
                } else {
                    let name = OperationName(batch: held.id, index: block.firstIndex + position)
                    kept[name] = Array(block.parents(of: row))
                }
            }
        }
        if allowed == 0 { return .none }
        return allowed == count && !restsOnKept ? .all : .some
    }

    /// The part of the blocks that can be sealed, from the batch's beginning on.
    mutating func allowed(_ blocks: [RecordsBlock], of held: HeldBatch) -> [RecordsBlock] {
        take(blocks, of: held, to: held) { split, name in split.kept[name] == nil }
    }

    /// The part of the blocks that is kept back, in the batch `rest`.
    mutating func rest(
        _ blocks: [RecordsBlock], of held: HeldBatch, in rest: HeldBatch
    ) -> [RecordsBlock] {
        take(blocks, of: held, to: rest) { split, name in split.kept[name] != nil }
    }

    private mutating func take(
        _ blocks: [RecordsBlock], of held: HeldBatch, to target: HeldBatch,
        where isTaken: (PendingSplit, OperationName) -> Bool
    ) -> [RecordsBlock] {
        var next = 0
        return blocks.compactMap { block in
            let first = next
            return block.rewritten(at: first, by: own) { index, row in
                let name = OperationName(batch: held.id, index: index)
                guard isTaken(self, name) else { return nil }
                let parents = parents(of: name, block.parents(of: row))
                names[name] = OperationName(batch: target.id, index: next)
                next += 1
                return (block.creators[Int(row.creator)], parents)
            }
        }
    }

    /// The parents of an operation as they are named now; of one that is not kept back none is.
    private func parents(
        of name: OperationName, _ parents: ArraySlice<OperationName>
    ) -> [OperationName] {
        guard kept[name] == nil else { return parents.map { names[$0] ?? $0 } }
        var found: [OperationName] = []
        var seen: Set<OperationName> = []
        var left = Array(parents.reversed())
        while let parent = left.popLast() {
            guard seen.insert(parent).inserted else { continue }
            if let others = kept[parent] {
                left += others.reversed()
            } else {
                found.append(names[parent] ?? parent)
            }
        }
        return Array(found.prefix(Limits.parentsPerOperation))
    }
}
