import ShareCore
import ShareCrypto

/// Taking a batch out of the tables again.
extension RoomWriter {
    /// Takes out every trace of a batch but the batch; its body as it was applied.
    func retract(_ held: HeldBatch, _ body: Body?) throws {
        let range = LocalName.range(of: held.batch)
        let within = "operation BETWEEN ?1 AND ?2"
        let first = SQLValue.integer(range.first)
        let last = SQLValue.integer(range.last)
        try database.run("DELETE FROM _waiting WHERE \(within)", first, last)
        try database.run("DELETE FROM _refused WHERE \(within)", first, last)
        try database.run("DELETE FROM _refused_record WHERE \(within)", first, last)
        for row in try database.rows(
            "SELECT DISTINCT record FROM _version WHERE version BETWEEN ?1 AND ?2", first, last)
        {
            if case .integer(let record) = row[0] { state.dirty.insert(record) }
        }
        try database.run("DELETE FROM _version WHERE version BETWEEN ?1 AND ?2", first, last)
        for block in body?.blocks ?? [] {
            guard case .records(let block) = block, block.kind == .put,
                let definition = state.catalog.definitions[block.form],
                let form = state.catalog.forms[definition.form.formID],
                (block.fields.last ?? -1) < definition.form.fields.count
            else { continue }
            try retractPuts(block, of: held, definition, form)
        }
    }

    /// Takes out the rows that are these puts and nothing else. The others are in the side
    /// tables, or were never accepted.
    private func retractPuts(
        _ block: RecordsBlock, of held: HeldBatch, _ definition: FormCatalog.Definition,
        _ form: FormTable
    ) throws {
        let statement = try database.cached(
            "DELETE FROM \(form.quoted) WHERE _id = ?1 AND _author = ?2 AND _version = ?3")
        defer { statement.clear() }
        let author = Array(held.author.text.utf8)
        let base = held.local(block.firstIndex).rawValue
        let id = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: RecordID.textLength)
        defer { id.deallocate() }
        var gone: [Int] = []
        try author.withUnsafeBufferPointer { author in
            guard let authorStart = author.baseAddress, let idStart = id.baseAddress else {
                return
            }
            statement.bindStatic(authorStart, author.count, at: 2)
            for (place, row) in block.rows.enumerated() {
                row.id.write(to: id)
                statement.bindStatic(idStart, RecordID.textLength, at: 1)
                statement.bindInteger(base + Int64(place), at: 3)
                try statement.step()
                statement.reset()
                if database.changes > 0 { gone.append(place) }
            }
        }
        state.count(shown: -gone.count, in: form.number)
        // What is not sealed was never counted.
        guard !held.isOpen, !gone.isEmpty else { return }
        let item = PutItem(
            items, form: form.formID, author: held.author,
            block.fields.map { definition.form.fields[$0] }, batch: held.id)
        state.recordSum -= sumOf(gone, in: block, item)
    }
}
