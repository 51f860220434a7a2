import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// A file of entries on its way into a room: first all of it is read and checked, then all of it is
/// written in one transaction, or nothing is; or, where that is wanted, what is good.
struct CSVImport: Sendable {
    let own: OwnDevice
    let entering: Entering
    let room: OpenRoom
    let schema: FormSchema
    /// This device's.
    let role: Role
    let manner: ImportManner
    let surroundings: EntrySurroundings
    private(set) var reader: any EntryReading
    /// Looks up the entries that rows of a repeat belong to.
    var parents: RoomReader?
    var places: RowIndexes?
    /// The form of the entries, where the file has rows of a repeat.
    private(set) var root: FormSchema?
    /// What the entries are called that these rows are in.
    private(set) var entryNames: RowEntryNames?
    /// Deleted entries by the one field of their key.
    var deletedKeys: [FieldValue: RecordID]?
    private(set) var rows: ImportRows?
    /// Indices in the definition, ascending: the cells of a row.
    private(set) var fields: [Int] = []
    private(set) var check: ImportCheck?
    /// Of a file with rows of a repeat.
    private(set) var parts: PartCheck?
    private(set) var named: [ImportMatcher.Named] = []
    /// What rows of a repeat belong to, and whether the file names all of them.
    private(set) var parentsNamed: Set<String> = []
    private(set) var namesAllRows = true
    /// Rows whose entry was deleted.
    var orphans: [ImportMatcher.LeftOut] = []
    /// The line of each of `rows`.
    private(set) var lines: [Int32] = []
    /// The cells of `rows` that their lines leave out, by row and then by cell.
    private(set) var unsaid = BitSet()
    private(set) var texts: CellTexts
    /// Those of `rows` that the file gives no number among the rows of their entry.
    private(set) var unnumbered = BitSet()
    /// What is wrong with some of `rows`, unless the entry that is there is the same.
    private(set) var doubts: RowDoubts
    /// Each of `rows` as it was, where good ones are kept.
    private(set) var sources: SourceRows
    var found: ImportFindings
    /// What this device's assignment asks of fields, by their places in `form.stored`.
    private var assigned: [(place: Int, condition: Scope.Condition)] = []
    private var bytes = 0
    /// Lookups in lists that had failed before.
    let failed: Int

    var mayChangeOthers: Bool { RecordsPermission(role).mayChangeOthers }

    /// - Throws: `Problem` of `not_found_form`, `not_allowed`.
    init(
        to room: OpenRoom, formID: String, manner: ImportManner, schemas: SchemaCache,
        own: OwnDevice, entering: Entering, surroundings: EntrySurroundings
    ) async throws {
        self.surroundings = surroundings
        self.own = own
        self.entering = entering
        self.room = room
        schema = try await schemas.find(formID, in: room)
        let authority = await room.store.authority()
        let permission = RecordsPermission(authority.currentRole(of: own.key))
        try permission.requireAdd()
        for scope in authority.currentScopes(of: own.key) {
            let conditions = try schema.conditions(of: scope, isNew: true)
            if !schema.form.isRepeat { assigned += conditions }
        }
        role = permission.role ?? .viewer
        if schema.form.isRepeat {
            let entry = FormDefinition.outermostForm(of: schema.info.formID)
            let root = try await schemas.find(entry, in: room)
            self.root = root
            entryNames = RowEntryNames(schema.info.formID, in: root)
            if !manner.areKept {
                parts = PartCheck(
                    root, repeat: schema.info.formID, surroundings, as: role)
            }
        }
        self.manner = manner
        failed = schema.info.lists.failed
        sources = SourceRows(beside: room.store.path)
        found = ImportFindings(keepsGood: manner.keepsGood, beside: room.store.path)
        doubts = RowDoubts(beside: room.store.path)
        texts = CellTexts(beside: room.store.path)
        let earlier = Set(schema.earlierFields)
        reader =
            manner.isJSON
            ? EntryLines(schema.parser, keepsGood: manner.keepsGood, earlier: earlier)
            : EntryImport(
                schema.parser, isRaw: manner.isRaw, habits: manner.habits,
                keepsGood: manner.keepsGood, earlier: earlier)
    }

    /// Reads the whole file.
    ///
    /// - Throws: `Problem` of `too_large`; `HTTPStreamError` where the file breaks off.
    mutating func read(_ upload: HTTPUpload) async throws {
        for try await piece in upload {
            bytes += piece.count
            try CSVImport.requireSize(bytes)
            var entries: [ImportedEntry] = []
            reader.read(piece) { entries.append($0) }
            try take(await withParents(entries))
        }
        var entries: [ImportedEntry] = []
        reader.finish { entries.append($0) }
        try take(await withParents(entries))
    }

    /// - Throws: `Problem` of `too_large`.
    static func requireSize(_ bytes: Int) throws {
        guard bytes > ImportLimits.fileBytes else { return }
        throw Problem(
            .tooLarge, "the file is longer than \(ImportLimits.fileBytes >> 20) MiB",
            hint: "Split it and import the parts one after the other.")
    }

    private mutating func take(_ entries: [ImportedEntry]) throws {
        for row in reader.takeBadRows() { try found.putAside(row.line, row.raw) }
        guard !entries.isEmpty else { return }
        let entries = manner.areKept ? entries.map(asKept) : entries
        if rows == nil {
            let columns = (reader.positions ?? []).sorted()
            check =
                manner.areKept
                ? nil
                : ImportCheck(
                    schema, columns: columns, namesRecords: reader.namesRecords, role: role,
                    surroundings)
            fields = check.map { $0.mayChange ? columns : $0.fields } ?? columns
            rows = ImportRows(width: fields.count, beside: room.store.path)
        }
        let made =
            check.map {
                $0.mayChange
                    ? []
                    : $0.added(
                        entries.lazy.map { entry in
                            ImportCheck.Row(
                                line: entry.line, values: entry.readable,
                                isReadable: entry.doubts.isReadable, doubts: entry.doubts)
                        })
            } ?? []
        for (position, entry) in entries.enumerated() {
            var entry = entry
            if made.indices.contains(position) {
                entry.doubts = entry.doubts.settled(made[position].settled)
                let problems = entry.doubts.together(
                    with: made[position].problems, of: schema.form)
                guard problems.isEmpty else {
                    try found.reject(problems, entry.raw)
                    continue
                }
                found.note(warnings: made[position].warnings)
            }
            if let id = entry.id, try !name(entry, id) { continue }
            if schema.form.isRepeat, case .text(let parent) = entry.values[0] {
                parentsNamed.insert(parent)
                if !entry.isNamedByKey { namesAllRows = false }
            }
            if !entry.doubts.isEmpty { try doubts.set(entry.doubts, of: rows?.count ?? 0) }
            let first = (rows?.count ?? 0) * fields.count
            if entry.isUnnumbered, let cell = fields.firstIndex(of: 1) {
                unnumbered.insert(rows?.count ?? 0)
                // A row that is there keeps its own.
                unsaid.insert(first + cell)
            }
            try texts.append(entry.texts, of: rows?.count ?? 0)
            if !entry.said.isEmpty {
                for (cell, place) in fields.enumerated() where !entry.said[place] {
                    unsaid.insert(first + cell)
                }
            }
            try rows?.append(
                made.indices.contains(position) ? made[position].values : entry.values, at: fields)
            lines.append(Int32(clamping: entry.line))
            if manner.keepsGood { try sources.append(entry.raw) }
        }
    }

    /// A row without what the form in force alone has against it.
    private func asKept(_ entry: ImportedEntry) -> ImportedEntry {
        var entry = entry
        entry.doubts.removeAll { doubt in
            // Of several choices, names with one space between are stored: a list is none.
            guard case .text(let text) = entry.values[doubt.field] else { return true }
            return !doubt.isUnreadable
                && !(schema.form.stored[doubt.field].kind.isSeveral && text.contains(","))
        }
        return entry
    }

    /// Notes that a row names the entry that it changes.
    ///
    /// - Returns: false where it does so wrongly.
    private mutating func name(_ entry: ImportedEntry, _ id: RecordID) throws -> Bool {
        let author = entry.author.map { DeviceKey(text: $0) }
        let mayBeNew = entry.isNamedByKey || manner.areKept
        // Of an entry that may be from another room it is not asked.
        if case .some(.none) = author, !mayBeNew {
            try found.reject(
                [
                    ImportProblem(
                        line: entry.line, column: "_author",
                        reason: "this is not the id of a device",
                        hint: "Leave it as it was exported, or empty.")
                ], entry.raw)
            return false
        }
        named.append(
            ImportMatcher.Named(
                row: rows?.count ?? 0, id: id, author: author ?? nil, line: entry.line,
                isNewWithout: mayBeNew,
                updated: manner.overNewer
                    ? nil : entry.updated.flatMap(RecordTimestamp.inFile)))
        return true
    }
}

/// What this device was assigned, and rows that lie outside of it.
extension CSVImport {
    /// Why a row lies outside of what this device was assigned; nil where it does not.
    ///
    /// - Parameters:
    ///   - values: by `form.stored`.
    ///   - places: the fields that the row writes.
    func outside(
        _ values: [FieldValue], writing places: some Collection<Int>, _ line: Int
    ) -> ImportProblem? {
        for (place, condition) in assigned where places.contains(place) {
            let value = values[place]
            if case .text(let text) = value,
                condition.values.contains(where: { $0.utf8.elementsEqual(text.utf8) })
            {
                continue
            }
            let shown =
                value == .absent ? "an empty cell" : schema.parser.label(value, at: place)
            let allowed = ScopeReading.labels(
                Array(condition.values.prefix(8)), of: condition.field, schema)
            return ImportProblem(
                line: line, column: condition.field,
                reason: "\(shown) is not what this device was assigned: "
                    + allowed.joined(separator: " or "),
                hint: "An owner can assign this device more.")
        }
        return nil
    }

    /// The same of a row by its place in the file.
    ///
    /// - Parameter written: the fields that it writes; nil for all that the file has.
    func outside(
        _ row: Int, of rows: ImportRows, writing written: Set<Int>? = nil
    ) throws -> [ImportProblem] {
        guard !assigned.isEmpty else { return [] }
        let values = try whole(rows.values(row))
        let line = Int(lines[row])
        let problem =
            if let written { outside(values, writing: written, line) } else {
                outside(values, writing: fields, line)
            }
        return problem.map { [$0] } ?? []
    }
}
