import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// A file of entries on its way into a room: first all of it is read and checked, then all of it is
/// written in one transaction, or nothing is.
struct CSVImport: Sendable {
    private let own: OwnDevice
    private let entering: Entering
    private let room: OpenRoom
    private let schema: FormSchema
    private let mayChangeOthers: Bool
    private let manner: ImportManner
    private var reader: any EntryReading
    /// Looks up the entries that rows of a repeat belong to.
    private var parents: RoomReader?
    private var rows: ImportRows?
    /// Indices in the definition, ascending: the cells of a row.
    private var fields: [Int] = []
    private var named: [ImportMatcher.Named] = []
    private var problems: [ImportProblem] = []
    /// Further problems, which are not kept.
    private var unlisted = 0
    private var bytes = 0
    private let surroundings: EntrySurroundings
    private var check: ImportCheck?

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
        let permission = RecordsPermission(
            await room.store.authority().currentRole(of: own.key))
        try permission.requireAdd()
        mayChangeOthers = permission.mayChangeOthers
        self.manner = manner
        let earlier = Set(schema.earlierFields)
        reader =
            manner.isJSON
            ? EntryLines(schema.parser, keepsGood: manner.keepsGood, earlier: earlier)
            : EntryImport(
                schema.parser, isRaw: manner.isRaw, habits: manner.habits,
                keepsGood: manner.keepsGood, earlier: earlier)
    }

    // MARK: Reading

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
        guard !entries.isEmpty else { return }
        if rows == nil {
            let columns = (reader.positions ?? []).sorted()
            check = ImportCheck(
                schema, columns: columns, namesRecords: reader.namesRecords, surroundings)
            fields = check?.fields ?? columns
            rows = ImportRows(width: fields.count, beside: room.store.path)
        }
        let checked = check?.check(entries)
        let listed = checked?.problems.prefix(max(0, CSVLimits.problems - problems.count)) ?? []
        unlisted += (checked?.problems.count ?? 0) - listed.count
        problems += listed
        // Once something is wrong, only further problems are of interest.
        guard reader.problemCount == 0 || manner.keepsGood else { return }
        for (place, entry) in entries.enumerated() {
            if let id = entry.id { name(entry, id) }
            try rows?.append(checked?.values[place] ?? entry.values, at: fields)
        }
    }

    /// Rows of a repeat with the entries that they belong to, which have to be here.
    private mutating func withParents(_ entries: [ImportedEntry]) async throws -> [ImportedEntry] {
        guard let parentForm = FormDefinition.parentForm(of: schema.info.formID),
            let info = await room.store.form(parentForm), !entries.isEmpty
        else { return entries }
        if parents == nil { parents = try RoomReader(path: room.store.path) }
        let creators =
            try await parents?.creators(of: Set(entries.compactMap(\.parentKey)), in: info) ?? [:]
        return entries.compactMap { entry in
            guard let key = entry.parentKey else { return nil }
            let found = creators[key] ?? []
            let wanted = found.contains(own.key) ? own.key : found.first
            guard let creator = wanted, found.count == 1 || creator == own.key else {
                problems.append(
                    ImportProblem(
                        line: entry.line, column: ImportColumns.parentKey,
                        reason: found.isEmpty
                            ? "no entry of \(parentForm) has this key here"
                            : "several devices have an entry of this key",
                        hint: "Import the entries first: `shared import \(parentForm) FILE`."))
                return nil
            }
            guard creator == own.key || mayChangeOthers else {
                problems.append(
                    ImportProblem(
                        line: entry.line, column: ImportColumns.parentKey,
                        reason: "the entry is another device's; only an editor may add to it",
                        hint: "Leave the row out, or ask an editor of the room."))
                return nil
            }
            var entry = entry
            entry.values[0] = .text(ParentName(creator: creator, id: key).text)
            return entry
        }
    }

    private mutating func name(_ entry: ImportedEntry, _ id: RecordID) {
        let author = entry.author.map { DeviceKey(text: $0) }
        if case .some(.none) = author {
            problems.append(
                ImportProblem(
                    line: entry.line, column: "_author", reason: "this is not the id of a device",
                    hint: "Leave it as it was exported, or empty."))
        }
        named.append(
            ImportMatcher.Named(
                row: rows?.count ?? 0, id: id, author: author ?? nil, line: entry.line,
                isNewWithout: entry.isNamedByKey))
    }

    // MARK: Writing

    /// Writes what was read, if all of it is good.
    ///
    /// - Parameter progress: called with how many rows of how many are written.
    /// - Throws: `CancellationError` where nobody waits any more, and nothing is written;
    ///   `Problem`, `StoreError`, `SQLiteError`.
    func write(
        progress: @escaping @Sendable (Int, Int?) -> Void
    ) async throws -> ImportAnswer {
        // A header that is wrong leaves no rows to keep.
        let isKept = manner.keepsGood && (reader.rowCount > 0 || reader.problemCount == 0)
        guard reader.problemCount == 0 || isKept, problems.isEmpty else {
            return rejected(
                reader.problems + problems, reader.problemCount + problems.count + unlisted)
        }
        guard reader.badBytes.count <= ImportLimits.rejectedBytes else {
            throw Problem(
                .tooLarge, "\(reader.badRowCount) rows are wrong, too many to be put aside",
                hint: "See what is wrong with them: import without --keep-good.")
        }
        guard let rows else { return answer() }
        guard let info = await room.store.form(schema.info.formID),
            info.definition == schema.info.definition
        else {
            throw Problem(
                .busy, "the form was changed while the file was read", hint: "Import it again.")
        }
        if !manner.isDryRun { progress(0, rows.count) }
        let match = try await match(rows, info)
        guard match.problems.isEmpty else {
            return rejected(match.problems, match.problems.count)
        }
        let added = match.added
        let plan = ImportPlan(
            rows: rows, added: added, ids: match.ids, wall: entering.wall(),
            edits: match.edits, definition: info.definition,
            fields: fields, progress: progress)
        if !plan.isEmpty, !manner.isDryRun {
            _ = try await room.store.append(wall: entering.wall()) { try plan.next() }
            let news = [
                (RecordsBlock.Kind.put, added.count), (.edit, match.edits.count),
            ].filter { $0.1 > 0 }.map { kind, count in
                RecordNews(kind, form: info.formID, author: own.key, count: count)
            }
            await entering.noteEntered(news, in: room)
        }
        return answer(
            added: added.count, updated: match.edits.count, unchanged: match.unchanged,
            duplicates: match.duplicates)
    }

    private func match(_ rows: ImportRows, _ info: FormInfo) async throws -> ImportMatcher {
        var match = ImportMatcher(
            rows, fields: fields, named: named, isKey: keyCells, own: own.key,
            mayChangeOthers: mayChangeOthers)
        if match.isNeeded, info.records > 0 {
            try match.index()
            let reader = try RoomReader(path: room.store.path)
            match = try await ImportMatching(match).run(reader, info)
        }
        match.finish()
        if schema.form.isRepeat { match.requireParents(at: fields.firstIndex(of: 0)) }
        return match
    }

    /// Which of the file's fields are the form's key; nil without a key, or without all of it.
    private var keyCells: [Bool]? {
        let key = Set(schema.form.key.map { Array($0.utf8) })
        guard !key.isEmpty else { return nil }
        let cells = fields.map { key.contains(Array(schema.form.stored[$0].name.utf8)) }
        return cells.reduce(0) { $0 + ($1 ? 1 : 0) } == key.count ? cells : nil
    }

    private func rejected(_ problems: [ImportProblem], _ count: Int) -> ImportAnswer {
        var answer = answer()
        answer.rejected = CSVImport.errors(problems)
        answer.rejectedCount = count
        answer.rejectedRows = max(answer.rejectedRows, Set(problems.map(\.line)).count)
        answer.rejectedCSV = nil
        return answer
    }

    private static func errors(_ problems: [ImportProblem]) -> [RowError] {
        problems.sorted { $0.line < $1.line }.prefix(ControlLimits.rowErrors).map { problem in
            RowError(
                line: problem.line, column: problem.column, reason: problem.reason,
                hint: problem.hint)
        }
    }

    private func answer(
        added: Int = 0, updated: Int = 0, unchanged: Int = 0,
        duplicates: ImportDuplicates = ImportDuplicates()
    ) -> ImportAnswer {
        ImportAnswer(
            added: added, updated: updated, unchanged: unchanged,
            rejected: CSVImport.errors(reader.problems), rejectedCount: reader.problemCount,
            rows: reader.rowCount, rejectedRows: reader.badRowCount,
            rejectedCSV: manner.keepsGood && reader.badRowCount > 0
                ? String(decoding: reader.badBytes, as: UTF8.self) : nil,
            duplicates: duplicates, isDryRun: manner.isDryRun)
    }
}

/// How a file is to be imported.
struct ImportManner: Sendable {
    var isRaw = false
    /// Whether it is JSON, and not CSV.
    var isJSON = false
    var habits = CSVHabits()
    /// Whether good rows are imported where others are wrong.
    var keepsGood = false
    /// Whether to say only what would be done.
    var isDryRun = false
}

extension ImportManner {
    /// - Throws: `Problem` of `bad_request`.
    init(_ request: HTTPRequest) throws {
        isRaw = try request.flag("raw")
        switch request.query["format"] {
        case nil, "csv": break
        case "json", "ndjson", "geojson": isJSON = true
        case let format?:
            throw Problem(
                .badRequest, "no format \"\(format.prefix(40))\"",
                hint: "There are csv, json, ndjson and geojson.")
        }
        keepsGood = try request.flag("keep_good")
        isDryRun = try request.flag("dry_run")
        if let dates = request.query["dates"] {
            guard let order = CSVHabits.DateOrder(rawValue: dates) else {
                throw Problem(
                    .badRequest, "no order of dates \"\(dates.prefix(40))\"",
                    hint: "There are dmy, mdy and ymd: day, month, year.")
            }
            habits.dates = order
        }
        switch request.query["decimal"] {
        case nil, ".": break
        case ",": habits.hasDecimalComma = true
        case let sign?:
            throw Problem(
                .badRequest, "no decimal sign \"\(sign.prefix(40))\"", hint: "There are , and .")
        }
        for pair in request.query.values(of: "map") {
            guard let equals = pair.lastIndex(of: "="), equals > pair.startIndex else {
                throw Problem(
                    .badRequest, "map is not COLUMN=FIELD: \"\(pair.prefix(80))\"",
                    hint: "For instance \"Household no=hh_id\".")
            }
            habits.fields[String(pair[..<equals])] = String(pair[pair.index(after: equals)...])
        }
    }
}
