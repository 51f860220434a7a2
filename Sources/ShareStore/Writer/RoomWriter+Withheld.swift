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

    /// How many pending operations are refused here.
    func refusedPending() throws -> Int {
        let sum = try database.integer(
            """
            SELECT sum(r.count) FROM _refused r JOIN _batch b ON b.batch = r.operation / 8192
            WHERE b.state = 1
            """)
        return Int(sum ?? 0)
    }

    /// How many pending operations wait for a form and are not allowed either, which is not judged
    /// before the form counts.
    ///
    /// - Complexity: O(operations in open batches in which some wait).
    func waitingWithheld() throws -> Int {
        var waiting: [Int64: [Range<Int>]] = [:]
        for row in try database.rows(
            """
            SELECT w.operation, w.count FROM _waiting w JOIN _batch b ON b.batch = w.operation / 8192
            WHERE b.state = 1
            """)
        {
            guard case .integer(let operation) = row[0], case .integer(let count) = row[1] else {
                continue
            }
            let name = LocalName(rawValue: operation)
            waiting[name.batch, default: []].append(name.index..<name.index + Int(count))
        }
        var sum = 0
        for (batch, ranges) in waiting {
            guard let held = try heldBatches("WHERE b.batch = ?1", .integer(batch)).first else {
                continue
            }
            let role = try standing(of: held).role
            for block in try pendingBlocks(of: batch) {
                sum += block.rows.enumerated().count { place, row in
                    ranges.contains { $0.contains(block.firstIndex + place) }
                        && !block.allows(row, as: role, by: identity.key)
                }
            }
        }
        return sum
    }

    /// Writes down what stays pending, under the names that its parents have by now.
    private func keep(_ blocks: [RecordsBlock], back held: HeldBatch) throws {
        try dropPending(of: held)
        for var block in blocks {
            block.parents = try block.parents.map { parent in
                guard let open = parent.batch.openBatch else { return parent }
                return try sealedName(LocalName(batch: open, index: parent.index)) ?? parent
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
