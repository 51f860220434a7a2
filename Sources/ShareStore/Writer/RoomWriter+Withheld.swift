import ShareCore
import ShareCrypto

/// Pending operations that this device's role does not allow: everybody would refuse them for good
/// once they are sealed, so they stay pending, and count when the role allows them again.
extension RoomWriter {
    /// Seals what is allowed of an open batch, and leaves the rest of it open.
    ///
    /// - Parameter split: what was found of the open batches before it.
    /// - Returns: nil if there is nothing to seal.
    func sealAllowed(
        of open: HeldBatch, _ split: inout PendingSplit, wall: UInt64
    ) throws -> Batch? {
        // Batches before it that stay open take no number.
        let held = HeldBatch(
            batch: open.batch, id: open.id, number: (try ownHead(.records)?.number ?? 0) + 1,
            author: open.author, authorNumber: open.authorNumber, isOpen: true)
        let role = try standing(of: held).role
        if split.isEmpty, let role, role >= .editor { return try seal(held, wall: wall) }
        let blocks = try pendingBlocks(of: held.batch)
        switch split.note(blocks, of: held, as: role) {
        case .all: return try seal(held, blocks, wall: wall)
        case .none:
            try keep(blocks, back: held)
            return nil
        case .some:
            let rest = try addOpenBatch()
            try retract(held, Body(blocks: blocks.map { .records($0) }, operationCount: 0))
            try recomputeDirty()
            try dropPending(of: held)
            for block in split.allowed(blocks, of: held) { try keepPending(block, held) }
            try apply(held, try body(of: held))
            let batch = try seal(held, wall: wall)
            let left = split.rest(blocks, of: held, in: rest)
            if left.isEmpty {
                try database.run("DELETE FROM _batch WHERE batch = ?1", .integer(rest.batch))
            } else {
                try keep(left, back: rest)
                try apply(rest, try body(of: rest))
            }
            return batch
        }
    }

    /// Writes down what stays pending, under the names that its bases have by now.
    private func keep(_ blocks: [RecordsBlock], back held: HeldBatch) throws {
        try dropPending(of: held)
        for var block in blocks {
            block.bases = try block.bases.map { base in
                guard let open = base.batch.openBatch else { return base }
                return try sealedName(LocalName(batch: open, index: base.index)) ?? base
            }
            try keepPending(block, held)
        }
    }

    private func dropPending(of held: HeldBatch) throws {
        let range = LocalName.range(of: held.batch)
        try database.run(
            "DELETE FROM _pending WHERE operation BETWEEN ?1 AND ?2", .integer(range.first),
            .integer(range.last))
        try database.run("DELETE FROM _uses WHERE batch = ?1", .integer(held.batch))
    }
}
