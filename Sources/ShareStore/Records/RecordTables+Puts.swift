import ShareCore
import ShareCrypto

/// The bulk path: new records from a block into their table, with no allocation for a row.
extension RecordTables {
    /// What became of the rows of a block of puts.
    struct Put {
        /// The rows that are refused, with the field whose value does not fit, or the kind of
        /// operation that is not allowed; the others are in.
        var refused: [(row: Int, refusal: Refusal, what: String)] = []
        /// The latest clock of those that are in.
        var latest = Timestamp.zero
    }

    /// Inserts the rows of a block of puts that as a whole is allowed.
    ///
    /// - Parameters:
    ///   - left: rows that stay out.
    ///   - known: what the rows add to the digest if each is accepted and new.
    mutating func addPuts(
        _ block: RecordsBlock, of held: HeldBatch, as role: Role,
        _ definition: FormCatalog.Definition, _ form: FormTable, _ forms: inout FormTables,
        without left: Set<Int> = [],
        sum known: StateDigest? = nil
    ) throws -> Put {
        var result = Put()
        let isRepeat = definition.form.isRepeat
        let fields = block.fields.map { definition.form.fields[$0] }
        let columns = fields.compactMap { form.names[$0] }
        guard columns.count == fields.count else {
            // A field that no column is left for: what is said of it stays in the version.
            for index in block.rows.indices where !left.contains(index) {
                try addSpecialPut(block, index, of: held, role, definition, form, fields, &result)
            }
            return result
        }
        let statement = try database.cached(RecordTables.insert(into: form, columns))
        defer { statement.clear() }
        let checkHidden = try hasHidden(block, of: held, form)
        let item = PutItem(
            items, form: form.formID, author: held.author, fields, batch: held.id)

        var special: [Int] = []
        var latest = Timestamp.zero
        var inserted = 0
        var sum = StateDigest.zero
        let width = fields.count
        let base = held.local(block.firstIndex).rawValue
        let id = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: RecordID.textLength)
        defer { id.deallocate() }

        try block.storage.withUnsafeBufferPointer { storage in
            try block.cells.withUnsafeBufferPointer { cells in
                guard let idStart = id.baseAddress else { return }
                statement.bindInteger(held.authorNumber, at: 2)
                for (position, row) in block.rows.enumerated()
                where left.isEmpty || !left.contains(position) {
                    let rowCells = UnsafeBufferPointer(
                        rebasing: cells[position * width..<(position + 1) * width])
                    var isSound = true
                    for column in 0..<width
                    where !fields[column].type.accepts(rowCells[column], storage) {
                        isSound = false
                    }
                    if isRepeat, isSound {
                        isSound = block.refusal(row: position, as: role, by: held.author) == nil
                    }
                    if !isSound {
                        special.append(position)
                        continue
                    }
                    if checkHidden, try sideRecord(row.id, held.authorNumber, form) != nil {
                        special.append(position)
                        continue
                    }
                    row.id.write(to: id)
                    let wall = Int64(row.wall.milliseconds)
                    statement.bindStatic(idStart, RecordID.textLength, at: 1)
                    statement.bindInteger(wall, at: 3)
                    statement.bindInteger(base + Int64(position), at: 4)
                    statement.bindInteger(Int64(row.clock.rawValue), at: 5)
                    for column in 0..<width {
                        statement.bind(rowCells[column], storage, at: Int32(column + 6))
                    }
                    try statement.step()
                    statement.reset()
                    if database.changes == 0 {
                        special.append(position)
                        continue
                    }
                    inserted += 1
                    if row.clock > latest { latest = row.clock }
                    if !held.isOpen, known == nil {
                        sum += item.digest(
                            row.id, at: block.firstIndex + position, rowCells, storage)
                    }
                }
            }
        }
        if let known { sum = known - sumOf(special + Array(left), in: block, item) }
        forms.count(shown: inserted, in: form.number)
        self.sum += sum
        result.latest = latest
        for index in special {
            try addSpecialPut(block, index, of: held, role, definition, form, fields, &result)
        }
        return result
    }

    /// The items of some rows, to take out of the sum of all.
    func sumOf(_ positions: [Int], in block: RecordsBlock, _ item: PutItem) -> StateDigest {
        let width = block.width
        return block.storage.withUnsafeBufferPointer { storage in
            block.cells.withUnsafeBufferPointer { cells in
                positions.reduce(into: StateDigest.zero) { sum, position in
                    sum += item.digest(
                        block.rows[position].id, at: block.firstIndex + position,
                        UnsafeBufferPointer(
                            rebasing: cells[position * width..<(position + 1) * width]), storage)
                }
            }
        }
    }

    /// A put that is not simply a new row: a value does not fit, or the record has a past.
    private mutating func addSpecialPut(
        _ block: RecordsBlock, _ position: Int, of held: HeldBatch, _ role: Role,
        _ definition: FormCatalog.Definition, _ form: FormTable, _ fields: [FormField],
        _ result: inout Put
    ) throws {
        let row = block.rows[position]
        let local = held.local(block.firstIndex + position)
        if let field = block.misfit(row: position, fields) {
            result.refused.append((position, .type, field))
            return
        }
        if definition.form.isRepeat,
            let fault = block.refusal(row: position, as: role, by: held.author)
        {
            result.refused.append((position, fault.refusal, fault.what))
            return
        }
        try addVersion(
            local, kind: .put, clock: row.clock, wall: row.wall, parents: [],
            content: VersionContent(block, row: position, definition: definition.form),
            to: RecordName(form: form.formID, creator: held.author, id: row.id), in: form)
        result.latest = max(result.latest, row.clock)
    }

    /// The insert of a new record with values in these columns.
    private static func insert(into form: FormTable, _ columns: [String]) -> String {
        var sql = "INSERT INTO \(form.quoted)(_id,_author,_created,_updated,_version,_clock"
        for column in columns { sql += "," + SQLName.quote(column) }
        sql += ")VALUES(?1,?2,?3,?3,?4,?5"
        for position in columns.indices { sql += ",?\(position + 6)" }
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

    // MARK: Out again

    /// Takes out every version of a batch, and every row that is one of its puts and nothing else.
    mutating func remove(_ held: HeldBatch, _ body: Body?, _ forms: inout FormTables) throws {
        dirty.formUnion(try versions.remove(inBatch: held.batch))
        for block in body?.blocks ?? [] {
            guard case .records(let block) = block, block.kind == .put,
                let definition = forms.catalog.definitions[block.form],
                let form = forms.catalog.forms[definition.form.formID],
                (block.fields.last ?? -1) < definition.form.fields.count
            else { continue }
            try removePuts(block, of: held, definition, form, &forms)
        }
    }

    /// Takes out the rows that are these puts and nothing else. The others are in the side
    /// tables, or were never accepted.
    private mutating func removePuts(
        _ block: RecordsBlock, of held: HeldBatch, _ definition: FormCatalog.Definition,
        _ form: FormTable, _ forms: inout FormTables
    ) throws {
        let statement = try database.cached(
            """
            DELETE FROM \(form.quoted) WHERE _id = ?1 AND _author = ?2 AND _version = ?3
            RETURNING rowid
            """)
        defer { statement.clear() }
        let base = held.local(block.firstIndex).rawValue
        let id = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: RecordID.textLength)
        defer { id.deallocate() }
        guard let idStart = id.baseAddress else { return }
        var gone: [Int] = []
        var rows: [Int64] = []
        statement.bindInteger(held.authorNumber, at: 2)
        for (position, row) in block.rows.enumerated() {
            row.id.write(to: id)
            statement.bindStatic(idStart, RecordID.textLength, at: 1)
            statement.bindInteger(base + Int64(position), at: 3)
            while try statement.step() {
                gone.append(position)
                rows.append(statement.integer(0))
            }
            statement.reset()
        }
        try touched.noteGone(rows, of: form)
        forms.count(shown: -gone.count, in: form.number)
        // What is not sealed was never counted.
        guard !held.isOpen, !gone.isEmpty else { return }
        let item = PutItem(
            items, form: form.formID, author: held.author,
            block.fields.map { definition.form.fields[$0] }, batch: held.id)
        sum -= sumOf(gone, in: block, item)
    }

    /// Counts rows in the digest that have been in the tables since they were entered, now that
    /// their batch is sealed.
    mutating func seal(_ blocks: [RecordsBlock], of held: HeldBatch, _ forms: FormTables) throws {
        var known: Set<Int> = []
        for (version, record) in try versions.inBatch(held.batch) {
            known.insert(version.index)
            dirty.insert(record)
        }
        for block in blocks where block.kind == .put {
            guard let definition = forms.catalog.definitions[block.form] else { continue }
            let fields = block.fields.map { definition.form.fields[$0] }
            let item = PutItem(
                items, form: definition.form.formID, author: held.author, fields, batch: held.id)
            let width = fields.count
            block.storage.withUnsafeBufferPointer { storage in
                block.cells.withUnsafeBufferPointer { cells in
                    for (position, row) in block.rows.enumerated() {
                        let index = block.firstIndex + position
                        if known.contains(index) { continue }
                        sum += item.digest(
                            row.id, at: index,
                            UnsafeBufferPointer(
                                rebasing: cells[position * width..<(position + 1) * width]), storage
                        )
                    }
                }
            }
        }
    }

}

extension RecordsBlock {
    /// Why a put of a repeat is refused: it names no entry or no place, or adds to an entry of
    /// another what its author may not; nil where nothing is against it.
    func refusal(
        row: Int, as role: Role, by author: DeviceKey
    ) -> (refusal: Refusal, what: String)? {
        if let field = repeatMisfit(row: row) { return (.type, field) }
        return allowsParent(row, as: role, by: author) ? nil : (.role, kind.word)
    }

    /// Whether a role lets `author` add the row that a put of a repeat makes to the entry that it
    /// names: that changes the entry.
    func allowsParent(_ row: Int, as role: Role, by author: DeviceKey) -> Bool {
        RecordPermission.allows(role, .edit, own: parentName(row: row)?.creator == author)
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
