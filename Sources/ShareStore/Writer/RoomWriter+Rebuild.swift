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
            state.catalog = FormCatalog(controls, state.judgement, lingering: [])
            // Where `_form` was damaged, tables may stand that it does not name.
            for plan in state.catalog.plans.values {
                try database.execute("DROP TABLE IF EXISTS \(SQLName.quote(plan.table))")
            }
            state.catalog.forms = try installTables(state.catalog)
            try noteControl()
            state.roomSum = computeRoomSum()
            let batches = try heldBatches("WHERE kind = 1")
            for (place, held) in batches.enumerated() {
                try apply(held, try body(of: held))
                try progress(place + 1, batches.count)
            }
            try beginApart()
        }
    }
}
