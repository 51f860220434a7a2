import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// Finds out which rows of an import are new, which change a record, and which say nothing new.
///
/// It looks at every record of the form once and keeps only what the rows ask for, so its memory
/// goes with the file and not with the room.
struct ImportMatcher: Sendable {
    struct Key: Sendable {
        /// The first row with it, and how many there are.
        let row: Int32
        var rows: Int32 = 1
        var records: Int32 = 0
        /// Records of other devices, which this one may not change, and all of others.
        var foreign: Int32 = 0
        var others: Int32 = 0
        /// Those of this device.
        var own: Int32 { records + foreign - others }
    }

    /// `left`: nothing is written of the row, as of its entry more is known here than in the file.
    enum Fate: UInt8, Sendable { case added, unchanged, updated, named, left }

    let rows: ImportRows
    /// The columns of the table that the file's fields are.
    let fields: [Int]
    /// Reads the form's fields.
    let parser: ValueParser
    /// What rows do to the records that they are of.
    var changes: RowEdits
    private var named: NamedRows
    let isKey: [Bool]?
    /// The keys of rows that name entries by choices that are not offered any more.
    var keysByName: [Int32: RowDigest] = [:]
    private let own: DeviceKey
    private let mayChangeOthers: Bool
    /// What rows of a repeat belong to, where the file names each; nil else.
    private let parents: Set<String>?
    var fates: [Fate]
    private(set) var keys: [RowDigest: Key] = [:]
    /// The edits that rows would be whose key one record has, and no other row.
    private var matched: [RowDigest: Edit] = [:]
    private(set) var cased: CasedKeys?
    /// Deleted records whose key rows have, and no other record.
    private var gone: [RowDigest: RecordID] = [:]
    /// The last row of that content, and for each row the one before it, from 1; 0 for none.
    private var contents: [RowDigest: Int32] = [:]
    private var previous: [Int32] = []
    private var scratch: [UInt8] = []

    var edits: [Edit] = []
    /// Cells that say what their entries said before.
    var left = LeftCells()
    private(set) var older: [Older] = []
    /// Rows whose entries were deleted: nothing is written of them.
    private(set) var deleted: [LeftOut] = []
    /// Rows of a repeat that are here and not in the file, which has others of their entries.
    private(set) var missing = MissingRows()
    /// Rows of a repeat that are added and there already; nil where none are added.
    private(set) var alike: AlikeRows?
    /// The ids of the rows that are added under one of their own.
    private(set) var ids: [Int32: RecordID] = [:]
    /// Why rows can be no edit, and their lines.
    private(set) var problems = ImportProblems()
    private(set) var refused = BitSet()

    var unchanged: Int { fates.reduce(0) { $0 + ($1 == .unchanged ? 1 : 0) } }
    /// The rows to be added, in the order of the file.
    var added: [Int32] {
        var rows: [Int32] = []
        rows.reserveCapacity(fates.count)
        for row in fates.indices where fates[row] == .added { rows.append(Int32(row)) }
        return rows
    }

    /// - Parameters:
    ///   - isKey: which of the file's fields are the form's key; nil where rows cannot be looked up
    ///     by it.
    ///   - unsaid: the cells that a row leaves out, by row and then by cell.
    ///   - texts: the cells that an entry may have under another name.
    ///   - path: where the room's file is.
    init(
        _ rows: ImportRows, fields: [Int], parser: ValueParser, named: [Named], isKey: [Bool]?,
        own: DeviceKey,
        mayChangeOthers: Bool, check: ImportCheck? = nil, lines: [Int32] = [],
        unsaid: BitSet = BitSet(), texts: CellTexts? = nil, parents: Set<String>? = nil,
        cased: CasedKeys? = nil,
        beside path: String
    ) {
        self.cased = cased
        changes = RowEdits(
            rows, fields: fields, parser: parser, check: check, lines: lines, unsaid: unsaid,
            texts: texts, beside: path)
        self.parents = parents
        self.rows = rows
        self.fields = fields
        self.parser = parser
        self.named = NamedRows(named)
        self.isKey = isKey
        self.own = own
        self.mayChangeOthers = mayChangeOthers
        fates = Array(repeating: .added, count: rows.count)
        if parser.form.isRepeat, named.count < rows.count { alike = AlikeRows(fields) }
        for row in named { fates[row.row] = .named }
        for (row, other) in self.named.repeated {
            report(
                row.line, "_id", "the same entry as in line \(other.line)",
                hint: "Keep one of the two rows.")
        }
    }

    /// Whether the records of the form have to be looked at.
    var isNeeded: Bool { isKey != nil || !named.rows.isEmpty || alike != nil }

    /// Makes the rows ready to be found by their key.
    ///
    /// - Parameter hasRecords: whether there are any to find.
    mutating func index(hasRecords: Bool = true) throws {
        if alike != nil, hasRecords {
            for row in 0..<rows.count where fates[row] == .added {
                try rows.withRow(row) { alike?.take(added: $0) }
            }
        }
        guard let isKey else { return }
        keys.reserveCapacity(rows.count)
        if hasRecords {
            previous = Array(repeating: 0, count: rows.count)
            contents.reserveCapacity(rows.count)
        }
        for row in 0..<rows.count where fates[row] == .added {
            try rows.withRow(row) { bytes in
                let key =
                    keysByName[Int32(row)] ?? RowDigest(bytes, width: rows.width, picks: isKey)
                keys[key, default: Key(row: Int32(row), rows: 0)].rows += 1
                cased?.take(row: row, bytes, key)
                guard hasRecords else { return }
                let content = RowDigest(bytes, width: rows.width, picks: nil)
                previous[row] = contents.updateValue(Int32(row + 1), forKey: content) ?? 0
            }
        }
    }

    /// The ids that rows name and no record has.
    var unknown: Set<RecordID> { named.unknown }

    /// Takes a record of the form into account.
    mutating func take(_ record: RecordRow) throws {
        if let parents, !named.areOf(record) { missing.take(record, of: parents) }
        if try named.take(
            record, edit: { try changes.edit($0.row, record, $1 ? $0.updated : nil) })
        {
            return
        }
        guard isKey != nil || alike != nil else { return }
        scratch.removeAll(keepingCapacity: true)
        ImportRows.write(record.values, at: fields, to: &scratch)
        if alike != nil { scratch.withUnsafeBytes { alike?.take(present: $0) } }
        guard let isKey else { return }
        let (key, content) = scratch.withUnsafeBytes { bytes in
            let key = RowDigest(bytes, width: rows.width, picks: isKey)
            cased?.take(record: bytes, key) { [fields, parser, isKey] in
                Self.keyText(fields.map { record.values[$0] }, of: fields, isKey, parser)
            }
            return (key, RowDigest(bytes, width: rows.width, picks: nil))
        }
        guard var entry = keys[key] else { return }
        if record.name.creator != own { entry.others += 1 }
        guard record.name.creator == own || mayChangeOthers else {
            entry.foreign += 1
            keys[key] = entry
            return
        }
        entry.records += 1
        if entry.records > 1 { matched[key] = nil }
        if let last = contents[content], last > 0 {
            fates[Int(last - 1)] = .unchanged
            contents[content] = previous[Int(last - 1)]
        } else if entry.rows == 1, entry.records == 1 {
            matched[key] = try changes.edit(Int(entry.row), record)
        }
        keys[key] = entry
    }

    /// Whether there are rows of which no record has the key.
    var hasUnmatched: Bool { keys.values.contains { $0.records == 0 } }

    /// Takes a deleted record into account, by the values of its key in the file's order.
    mutating func take(deleted id: RecordID, key: [FieldValue]) {
        guard let isKey, key.contains(where: { $0 != .absent }) else { return }
        var left = key[...]
        let cells = isKey.map { $0 ? left.removeFirst() : .absent }
        scratch.removeAll(keepingCapacity: true)
        ImportRows.write(cells, at: Array(cells.indices), to: &scratch)
        let digest = scratch.withUnsafeBytes { RowDigest($0, width: rows.width, picks: isKey) }
        if keys[digest]?.records == 0, gone[digest] == nil { gone[digest] = id }
    }

    /// Leaves out the rows whose key only a deleted record has.
    private mutating func leaveOutDeleted() throws {
        guard let isKey, !gone.isEmpty else { return }
        for row in fates.indices where fates[row] == .added {
            guard let id = try gone[key(of: row, isKey)] else { continue }
            fates[row] = .left
            deleted.append(LeftOut(line: changes.line(of: row), id: id, key: try name(of: row)))
        }
    }

    /// Draws the conclusions; then `added`, `edits` and `problems` hold.
    ///
    /// - Parameter gone: whose deleted records have an id that is `unknown`.
    mutating func finish(deleted gone: [RecordID: [DeviceKey]] = [:]) throws {
        try leaveOutDeleted()
        for (position, row) in named.rows.enumerated() where !named.isRepeated[position] {
            switch named.outcome(of: position, deleted: gone[row.id] ?? []) {
            case .deleted:
                // A put of the same id would change nothing: what was deleted stays so.
                deleted.append(LeftOut(line: row.line, id: row.id))
            case .new:
                guard named.takes(row.id) else {
                    report(
                        row.line, "_id", "another entry, here or in the file, has this id",
                        hint: "Leave it out to add a new entry.")
                    continue
                }
                fates[row.row] = .added
                ids[Int32(row.row)] = row.id
            case .unknown:
                report(
                    row.line, "_id", "no entry \(row.id.text) is shown here",
                    hint: "Leave _id empty to add a new entry; with `--as-kept` entries of another"
                        + " room come in with their ids.")
            case .several:
                report(
                    row.line, "_id", "several devices have an entry of this id",
                    hint: "Name the device in a column _author.")
            case .edit(let edit):
                if edit.changed.isEmpty {
                    fates[row.row] = .unchanged
                } else if edit.isWithheld {
                    reportWithheld(row.line)
                } else if edit.isOlder {
                    older.append(Older(line: row.line, name: try name(of: row.row) ?? row.id.text))
                } else if edit.name.creator == own || mayChangeOthers {
                    fates[row.row] = .updated
                    edits.append(edit)
                } else {
                    report(
                        row.line, nil,
                        "the entry is another device's; only an editor may change it",
                        hint: "Leave the row out, or ask an editor of the room.")
                }
            }
        }
        // Exactly one row and one record: anything else would be a guess.
        for edit in matched.values.filter({ fates[$0.row] == .added })
            .sorted(by: { $0.row < $1.row })
        {
            if edit.isWithheld, !edit.changed.isEmpty {
                fates[edit.row] = .named
                reportWithheld(changes.line(of: edit.row))
                continue
            }
            fates[edit.row] = edit.changed.isEmpty ? .unchanged : .updated
            if !edit.changed.isEmpty { edits.append(edit) }
        }
    }

    private mutating func reportWithheld(_ line: Int) {
        report(
            line, nil,
            "the entry is on this device alone, as its role does not allow it, and cannot be changed",
            hint: "Leave the row out; an owner can let this device send it.")
    }

    /// Refuses to give a row of a repeat to another entry.
    ///
    /// - Parameter cell: where the file's rows name their entry.
    mutating func requireParents(at cell: Int?) {
        guard let cell else { return }
        for edit in edits where edit.changed.contains(cell) {
            report(
                changes.line(of: edit.row), ImportColumns.parentKey,
                "the row belongs to another entry",
                hint: "Leave KEY empty to add it to this one.")
        }
    }

    mutating func report(_ line: Int, _ column: String?, _ what: String, hint: String) {
        refused.insert(line)
        problems.add(ImportProblem(line: line, column: column, reason: what, hint: hint))
    }
}
