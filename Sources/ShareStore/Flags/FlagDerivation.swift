import ShareCore

/// What a form in force has against an entry that is kept.
package struct EntryFlag: Hashable, Sendable {
    /// What breaks the form, as it is shown; nil where nothing does.
    package let problems: String?
    /// What is kept and looks wrong; nil for nothing.
    package let warnings: String?

    package init?(problems: String?, warnings: String?) {
        guard problems != nil || warnings != nil else { return nil }
        self.problems = problems
        self.warnings = warnings
    }
}

/// Which entries break the form in force, or are flagged by it: a line for each of them. Entries
/// with repeats are looked at as a whole, also when only a row of theirs has changed.
package struct FlagDerivation: RowDerivation {
    /// What is to be said about an entry with its rows; nil for nothing.
    package typealias Check = @Sendable (RecordRow) throws -> EntryFlag?

    package let suffix = FlagDerivation.ending
    package let readsOrigins = true
    package let tables = """
        CREATE TABLE flag(
            form INTEGER NOT NULL, row INTEGER NOT NULL, problems TEXT, warnings TEXT,
            PRIMARY KEY(form, row)) STRICT, WITHOUT ROWID;
        CREATE TABLE part(
            form INTEGER NOT NULL, row INTEGER NOT NULL, parent TEXT NOT NULL,
            PRIMARY KEY(form, row)) STRICT, WITHOUT ROWID;
        CREATE TABLE above(
            form INTEGER NOT NULL, parent TEXT NOT NULL, PRIMARY KEY(form, parent))
            STRICT, WITHOUT ROWID;
        CREATE TABLE again(
            form INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY(form, row))
            STRICT, WITHOUT ROWID;

        """
    static let ending = "flags"
    private let check: @Sendable (FormInfo) -> Check
    private let lists: @Sendable (FormInfo) -> [String]

    /// - Parameters:
    ///   - check: gives what a form has against its entries; it follows from its definitions and
    ///     these lists alone.
    ///   - lists: names the lists of the room that a form uses.
    package init(
        check: @escaping @Sendable (FormInfo) -> Check,
        lists: @escaping @Sendable (FormInfo) -> [String] = { _ in [] }
    ) {
        self.check = check
        self.lists = lists
    }

    package func basis(of form: FormInfo) throws -> String {
        let earlier = form.accepted.dropFirst().map { Hex.encode($0.definition.key) }
        return ([try form.basis(withLists: lists(form))] + earlier).joined(separator: " ")
    }

    package func add(_ rows: [FollowedRow], of form: FormInfo, to file: Database) throws {
        if form.form.isRepeat {
            for row in rows {
                guard case .text(let parent)? = row.record.values.first else { continue }
                try file.run(
                    "INSERT OR REPLACE INTO part VALUES(?1, ?2, ?3)", .integer(form.number),
                    .integer(row.row), .text(parent))
                try noteParents(of: [row.row], in: form.number, in: file)
            }
            return
        }
        if !form.repeats.isEmpty {
            for row in rows { try again(row.row, of: form.number, in: file) }
            return
        }
        let check = check(form)
        for row in rows { try note(try check(row.record), on: row.row, of: form, in: file) }
    }

    package func remove(_ rows: [Int64], of form: Int64, from file: Database) throws {
        try noteParents(of: rows, in: form, in: file)
        for row in rows {
            for table in ["flag", "part"] {
                try file.run(
                    "DELETE FROM \(table) WHERE form = ?1 AND row = ?2", .integer(form),
                    .integer(row))
            }
        }
    }

    /// Notes that what belongs to the parents of some rows has changed.
    private func noteParents(of rows: [Int64], in form: Int64, in file: Database) throws {
        for row in rows {
            try file.run(
                """
                INSERT OR IGNORE INTO above
                SELECT form, parent FROM part WHERE form = ?1 AND row = ?2
                """, .integer(form), .integer(row))
        }
    }

    package func removeAll(of form: Int64, from file: Database) throws {
        for table in ["flag", "part", "above", "again"] {
            try file.run("DELETE FROM \(table) WHERE form = ?1", .integer(form))
        }
    }

    /// Looks at entries of which a part is new, gone or another.
    ///
    /// Of all that has changed the row next to the entry names a parent that is there unchanged, so
    /// the way up from the noted parents, as the room is now, comes to each such entry.
    package func finish(_ forms: [FormInfo], in files: FollowedFiles) throws -> Bool {
        let file = files.derived
        let entries = PartEntries(files.room, forms)
        for form in forms where form.form.isRepeat {
            for row in try file.rows(
                "SELECT parent FROM above WHERE form = ?1", .integer(form.number))
            {
                guard case .text(let parent) = row[0],
                    let (entry, row) = try entries.entry(above: parent, in: form)
                else { continue }
                try again(row, of: entry.number, in: file)
            }
        }
        try file.run("DELETE FROM above")
        var left = FollowedFiles.rowsAtOnce
        let repeats = RepeatRows(files.room, files.devices)
        for form in forms where !form.form.isRepeat && left > 0 {
            let check = check(form)
            let rows = try waiting(form.number, limit: left, in: file)
            left -= rows.count
            for row in rows {
                for table in ["flag", "again"] {
                    try file.run(
                        "DELETE FROM \(table) WHERE form = ?1 AND row = ?2",
                        .integer(form.number), .integer(row))
                }
            }
            try files.each(rows, of: form) { part in
                for found in part {
                    var whole = found.record
                    try repeats.fill(&whole, of: form)
                    try note(try check(whole), on: found.row, of: form, in: file)
                }
            }
        }
        return left == 0
    }

    private func again(_ row: Int64, of form: Int64, in file: Database) throws {
        try file.run(
            "INSERT OR IGNORE INTO again VALUES(?1, ?2)", .integer(form), .integer(row))
    }

    private func waiting(_ form: Int64, limit: Int, in file: Database) throws -> [Int64] {
        try file.rows(
            "SELECT row FROM again WHERE form = ?1 LIMIT ?2", .integer(form),
            .integer(Int64(limit))
        ).compactMap { if case .integer(let row) = $0[0] { row } else { nil } }
    }

    private func note(
        _ flag: EntryFlag?, on row: Int64, of form: FormInfo, in file: Database
    ) throws {
        guard let flag else { return }
        try file.run(
            "INSERT OR REPLACE INTO flag VALUES(?1, ?2, ?3, ?4)", .integer(form.number),
            .integer(row), flag.problems.map { .text($0) } ?? .null,
            flag.warnings.map { .text($0) } ?? .null)
    }
}

/// Finds the entries that rows of repeats belong to.
private final class PartEntries {
    private let room: Database
    private let forms: [String: FormInfo]

    init(_ room: Database, _ forms: [FormInfo]) {
        self.room = room
        self.forms = Dictionary(forms.map { ($0.formID, $0) }, uniquingKeysWith: { one, _ in one })
    }

    /// The entry above rows of a repeat with that parent, with the number of its own row; nil where
    /// it is not here.
    func entry(above parent: String, in form: FormInfo) throws -> (form: FormInfo, row: Int64)? {
        var form = form
        var parent: FieldValue? = .text(parent)
        while case .text(let text) = parent, let name = ParentName(text.utf8),
            let id = FormDefinition.parentForm(of: form.formID), let above = forms[id]
        {
            let found = try room.row(
                """
                SELECT rowid\(above.form.isRepeat ? ", _parent" : "")
                FROM \(SQLName.quote(above.table)) WHERE _id = ?1 AND _author = (\(DeviceTable.number) = ?2)
                """, .text(name.id.text), .text(name.creator.text))
            guard let found, case .integer(let row) = found[0] else { return nil }
            if !above.form.isRepeat { return (above, row) }
            form = above
            parent = FieldValue(found[1])
        }
        return nil
    }
}

extension RowFollower where Derivation == FlagDerivation {
    /// How many entries break their form, by form id.
    package func invalid(_ forms: [FormInfo]) throws -> [String: Int] {
        try read { files in
            var counts: [String: Int] = [:]
            for form in forms {
                let count = try files.derived.integer(
                    "SELECT count(*) FROM flag WHERE form = ?1 AND problems IS NOT NULL",
                    .integer(form.number))
                if let count, count > 0 { counts[form.formID] = Int(count) }
            }
            return counts
        }
    }
}
