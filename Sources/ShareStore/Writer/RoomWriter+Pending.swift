import ShareCore
import ShareCrypto

/// Pending operations of a file that was restored from an older copy, or that got another
/// identity: each is sealed once, by the key that this device has now.
extension RoomWriter {
    /// Takes over what an earlier identity of this device has left unsealed.
    func adoptPending() throws {
        let isForeign = try database.integer(
            """
            SELECT 1 FROM _batch b JOIN _device d ON d.device = b.author
            WHERE b.state = 1 AND d.key <> ?1
            """, .blob(identity.key.bytes))
        if isForeign != nil { try change { try renewPending(dropping: [:]) } }
    }

    /// Drops the pending operations that a batch of this device's own holds: they were sealed
    /// before the file was put back from an older copy.
    ///
    /// - Parameter held: the batch, stored and not yet applied.
    /// - Returns: how many.
    func dropPending(sealedIn held: HeldBatch, _ body: Body?) throws -> Int {
        guard let body, let span = try pendingClocks() else { return 0 }
        var sealed: [MadeOperation: (block: RecordsBlock, row: Int)] = [:]
        for case .records(let block) in body.blocks {
            for (place, row) in block.rows.enumerated() where span.contains(row.clock) {
                sealed[MadeOperation(block, row)] = (block, place)
            }
        }
        guard !sealed.isEmpty else { return 0 }
        var names: [OperationName: OperationName] = [:]
        for open in try heldBatches("WHERE b.state = 1") {
            for block in try pendingBlocks(of: open.batch) {
                for (place, row) in block.rows.enumerated() {
                    guard let other = sealed[MadeOperation(block, row)],
                        block.says(row: place, as: other.block, row: other.row)
                    else { continue }
                    names[OperationName(batch: open.id, index: block.firstIndex + place)] =
                        OperationName(batch: held.id, index: other.block.firstIndex + other.row)
                }
            }
        }
        if !names.isEmpty { try renewPending(dropping: names) }
        return names.count
    }

    /// The moments of the first and the last pending operation; nil where there is none.
    private func pendingClocks() throws -> ClosedRange<Timestamp>? {
        func clocks(_ order: String) throws -> [Timestamp] {
            guard
                case .blob(let block)? = try database.row(
                    "SELECT block FROM _pending ORDER BY operation \(order) LIMIT 1")?.first
            else { return [] }
            return try PendingBlock.decode(block, firstIndex: 0).rows.map(\.clock)
        }
        guard let first = try clocks("").min(), let last = try clocks("DESC").max() else {
            return nil
        }
        return min(first, last)...max(first, last)
    }

    /// Makes every open batch anew, under the key that this device has now and without the
    /// operations that `sealed` gives another name.
    private func renewPending(dropping sealed: [OperationName: OperationName]) throws {
        let open = try heldBatches("WHERE b.state = 1")
        let blocks = try open.map { try pendingBlocks(of: $0.batch) }
        for (held, list) in zip(open, blocks) {
            try retract(held, Body(blocks: list.map { .records($0) }, operationCount: 0))
        }
        try recomputeDirty()
        try database.run("DELETE FROM _pending")

        // Behind what is dropped the places close up, and names of them follow.
        var renewal = PendingRenewal(author: identity.key, names: sealed)
        for (held, list) in zip(open, blocks) { renewal.note(list, of: held) }
        let number = try devices.number(of: identity.key)
        for (held, list) in zip(open, blocks) {
            try database.run("DELETE FROM _uses WHERE batch = ?1", .integer(held.batch))
            let left = renewal.renewed(list, of: held)
            guard !left.isEmpty else {
                try database.run("DELETE FROM _batch WHERE batch = ?1", .integer(held.batch))
                continue
            }
            try database.run(
                "UPDATE _batch SET author = ?2 WHERE batch = ?1", .integer(held.batch),
                .integer(number))
            let renewed = try openHeld(held.batch)
            for block in left { try keepPending(block, renewed) }
            try apply(renewed, try body(of: renewed))
        }
        state.open = try loadOpenBatch()
    }
}

/// What one operation is told by, whatever batch it is in.
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
