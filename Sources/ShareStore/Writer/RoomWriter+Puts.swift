import ShareCore
import ShareCrypto

/// The bulk path: new records from a block into their table, with no allocation for a row.
extension RoomWriter {
    /// Inserts the rows of a block of puts that as a whole is allowed.
    ///
    /// - Returns: whether all of them are; the others are noted as refused.
    func applyPuts(
        _ block: RecordsBlock, of held: HeldBatch, _ definition: FormCatalog.Definition,
        _ form: FormTable, sum known: StateDigest? = nil
    ) throws -> Bool {
        let fields = block.fields.map { definition.form.fields[$0] }
        let columns = fields.compactMap { form.names[$0] }
        guard columns.count == fields.count else {
            // A field that no column is left for: what is said of it stays in the version.
            var isAllowed = true
            for place in block.rows.indices
            where try !applySpecialPut(block, place, of: held, definition, form, fields) {
                isAllowed = false
            }
            return isAllowed
        }
        let statement = try database.cached(RoomWriter.insert(into: form, columns))
        defer { statement.clear() }
        let checkHidden = try hasHidden(block, of: held, form)
        let item = PutItem(
            items, form: form.formID, author: held.author, fields, batch: held.id)

        var special: [Int] = []
        var latest = Timestamp.zero
        var inserted = 0
        var sum = StateDigest.zero
        let author = Array(held.author.text.utf8)
        let width = fields.count
        let base = held.local(block.firstIndex).rawValue
        let id = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: RecordID.textLength)
        defer { id.deallocate() }

        try author.withUnsafeBufferPointer { author in
            try block.storage.withUnsafeBufferPointer { storage in
                try block.cells.withUnsafeBufferPointer { cells in
                    guard let authorStart = author.baseAddress, let idStart = id.baseAddress else {
                        return
                    }
                    statement.bindStatic(authorStart, author.count, at: 2)
                    for (place, row) in block.rows.enumerated() {
                        let rowCells = UnsafeBufferPointer(
                            rebasing: cells[place * width..<(place + 1) * width])
                        var isSound = true
                        for column in 0..<width
                        where !fields[column].type.accepts(rowCells[column], storage) {
                            isSound = false
                        }
                        if !isSound {
                            special.append(place)
                            continue
                        }
                        if checkHidden, try sideRecord(row.id, held.authorNumber, form) != nil {
                            special.append(place)
                            continue
                        }
                        row.id.write(to: id)
                        let milliseconds = Int64(row.clock.milliseconds)
                        statement.bindStatic(idStart, RecordID.textLength, at: 1)
                        statement.bindInteger(milliseconds, at: 3)
                        statement.bindInteger(base + Int64(place), at: 4)
                        statement.bindInteger(Int64(row.clock.rawValue), at: 5)
                        for column in 0..<width {
                            statement.bind(rowCells[column], storage, at: Int32(column + 6))
                        }
                        try statement.step()
                        statement.reset()
                        if database.changes == 0 {
                            special.append(place)
                            continue
                        }
                        inserted += 1
                        if row.clock > latest { latest = row.clock }
                        if !held.isOpen, known == nil {
                            sum += item.digest(
                                row.id, at: block.firstIndex + place, rowCells, storage)
                        }
                    }
                }
            }
        }
        if let known { sum = known - sumOf(special, in: block, item) }
        state.count(shown: inserted, in: form.number)
        state.recordSum += sum
        state.clock.observe(latest)
        var isAllowed = true
        for place in special
        where try !applySpecialPut(block, place, of: held, definition, form, fields) {
            isAllowed = false
        }
        return isAllowed
    }

    /// The items of some rows, to take out of the sum of all.
    func sumOf(_ places: [Int], in block: RecordsBlock, _ item: PutItem) -> StateDigest {
        let width = block.width
        return block.storage.withUnsafeBufferPointer { storage in
            block.cells.withUnsafeBufferPointer { cells in
                places.reduce(into: StateDigest.zero) { sum, place in
                    sum += item.digest(
                        block.rows[place].id, at: block.firstIndex + place,
                        UnsafeBufferPointer(
                            rebasing: cells[place * width..<(place + 1) * width]), storage)
                }
            }
        }
    }

    /// A put that is not simply a new row: a value does not fit, or the record has a past.
    ///
    /// - Returns: whether it is allowed.
    private func applySpecialPut(
        _ block: RecordsBlock, _ place: Int, of held: HeldBatch,
        _ definition: FormCatalog.Definition, _ form: FormTable, _ fields: [FormField]
    ) throws -> Bool {
        let row = block.rows[place]
        let local = held.local(block.firstIndex + place)
        if let field = block.misfit(row: place, fields) {
            try refuse(local, count: 1, .type, what: field)
            return false
        }
        try addVersion(
            local, kind: .put, clock: row.clock, parents: [],
            content: VersionContent(block, row: place, definition: definition.form),
            to: RecordName(form: form.formID, creator: held.author, id: row.id), in: form)
        state.clock.observe(row.clock)
        return true
    }

    /// The insert of a new record with values in these columns.
    static func insert(into form: FormTable, _ columns: [String]) -> String {
        var sql = "INSERT INTO \(form.quoted)(_id,_author,_created,_updated,_version,_clock"
        for column in columns { sql += "," + SQLName.quote(column) }
        sql += ")VALUES(?1,?2,?3,?3,?4,?5"
        for place in columns.indices { sql += ",?\(place + 6)" }
        return sql + ")ON CONFLICT DO NOTHING"
    }

    /// Whether records that are not in the table (deleted, or not created yet) lie among the ids
    /// of a block: then each row has to be looked up. One question for a block.
    private func hasHidden(
        _ block: RecordsBlock, of held: HeldBatch, _ form: FormTable
    ) throws -> Bool {
        guard var first = block.rows.first?.id else { return false }
        var last = first
        for row in block.rows {
            if row.id < first { first = row.id }
            if last < row.id { last = row.id }
        }
        return try database.integer(
            """
            SELECT EXISTS(SELECT 1 FROM _record WHERE hidden AND form = ?1 AND creator = ?2
            AND id BETWEEN ?3 AND ?4)
            """, .integer(form.number), .integer(held.authorNumber), .blob(first.bytes),
            .blob(last.bytes)) == 1
    }
}

extension Statement {
    /// Binds a cell; its text stays in `storage` until the next step is done.
    @inline(__always)
    func bind(_ cell: Cell, _ storage: UnsafeBufferPointer<UInt8>, at index: Int32) {
        switch cell {
        case .absent: bindNull(at: index)
        case .integer(let value): bindInteger(value, at: index)
        case .decimal(let value): bindReal(value, at: index)
        case .text(let offset, let length):
            guard let base = storage.baseAddress else { return bindEmptyText(at: index) }
            bindStatic(base + Int(offset), Int(length), at: index)
        }
    }
}

extension StorageType {
    /// As `accepts(_:in:)`, without a copy for the common types.
    @inline(__always)
    func accepts(_ cell: Cell, _ storage: UnsafeBufferPointer<UInt8>) -> Bool {
        switch (self, cell) {
        case (_, .absent), (.integer, .integer), (.text, .text): true
        case (.date, .text(let offset, let length)), (.time, .text(let offset, let length)),
            (.dateTime, .text(let offset, let length)):
            CalendarShape.accepts(
                UnsafeBufferPointer(rebasing: storage[Int(offset)..<Int(offset) + Int(length)]),
                as: self)
        case (.decimal, .decimal): accepts(cell, in: [])
        default: false
        }
    }
}
