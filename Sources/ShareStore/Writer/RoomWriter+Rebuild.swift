import Dispatch
import ShareCore

/// Computing everything from the batches again.
extension RoomWriter {
    /// Drops what is derived and makes it anew from the batches and the pending operations, in
    /// one transaction; what a change of authority had left to do is done with it.
    ///
    /// - Parameter progress: called with how many batches of how many are done.
    func rebuild(progress: (Int, Int) throws -> Void = { _, _ in }) throws {
        try change {
            for table in try database.rows(
                "SELECT table_name FROM _form WHERE table_name IS NOT NULL")
            {
                guard case .text(let name) = table[0] else { continue }
                try database.execute("DROP TABLE IF EXISTS \(SQLName.quote(name))")
            }
            for table in [
                "_form", "_field", "_definition", "_member", "_uses", "_waiting", "_refused",
                "_record", "_version", "_conflict", "_parallel", "_judged", "_refused_record",
                "_settling",
            ] {
                try database.execute("DELETE FROM \(table)")
            }
            database.forgetStatements()
            let controls = state.controls
            let open = state.open
            let logs = state.logs
            let clock = state.clock
            state = RoomState(room: room)
            state.clock = clock
            state.open = open
            state.logs = logs
            state.controls = controls
            state.judgement = Judgement(controls, room: room)
            judgeAll()
            state.catalog = FormCatalog(state.controls, lingering: [])
            // Where `_form` was damaged, tables may stand that it does not name.
            for plan in state.catalog.plans.values {
                try database.execute("DROP TABLE IF EXISTS \(SQLName.quote(plan.table))")
            }
            state.catalog.forms = try installTables(state.catalog)
            try noteControl(changed: [])
            state.roomSum = computeRoomSum()
            try applyAll(progress)
            try beginApart()
        }
    }

    /// Batches unpacked ahead of those that are applied.
    private static let ahead = 4

    private func applyAll(_ progress: (Int, Int) throws -> Void) throws {
        let total = Int(
            try database.integer("SELECT count(*) FROM _batch WHERE kind = 1") ?? 0)
        let queue = DispatchQueue(label: "rebuild")
        let definitions = definitions()
        var done = 0
        var page = try rebuildPage(after: 0)
        var opening = BatchOpening(page.compactMap(\.bytes), definitions, on: queue)
        while let last = page.last?.held.batch {
            let next = try rebuildPage(after: last)
            let nextOpening = BatchOpening(next.compactMap(\.bytes), definitions, on: queue)
            var opened = opening.wait().makeIterator()
            for (held, bytes) in page {
                if bytes == nil {
                    try apply(held, try body(of: held))
                } else {
                    guard let batch = opened.next() ?? nil else {
                        throw StoreError.damaged("batch \(held.batch)")
                    }
                    try apply(held, batch.body, sums: batch.sums)
                }
                done += 1
                try progress(done, total)
            }
            (page, opening) = (next, nextOpening)
        }
    }

    /// The next batches of records, sealed ones with their bytes.
    private func rebuildPage(after batch: Int64) throws -> [(held: HeldBatch, bytes: [UInt8]?)] {
        let page = try heldBatches(
            "WHERE b.kind = 1 AND b.batch > ?1", limit: RoomWriter.ahead, .integer(batch))
        return try page.map { ($0, $0.isOpen ? nil : try bytes(of: $0.batch)) }
    }
}
