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
    package typealias Check = @Sendable (RecordRow) -> EntryFlag?

    package let suffix = FlagDerivation.ending
    package let tables = """
        CREATE TABLE flag(
            form INTEGER NOT NULL, row INTEGER NOT NULL, problems TEXT, warnings TEXT,
            PRIMARY KEY(form, row)) STRICT, WITHOUT ROWID;
        CREATE TABLE part(
            form INTEGER NOT NULL, row INTEGER NOT NULL, entry_form INTEGER NOT NULL,
            entry INTEGER NOT NULL, PRIMARY KEY(form, row)) STRICT, WITHOUT ROWID;
        CREATE TABLE again(
            form INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY(form, row))
            STRICT, WITHOUT ROWID;

        """
    static let ending = "flags"
    private let check: @Sendable (FormInfo) -> Check
    private let lists: @Sendable (FormInfo) -> [String]

    /// - Parameters:
    ///   - check: gives what a form has against its entries; it follows from the definition in force
    ///     and these lists alone.
    ///   - lists: names the lists of the room that a form uses.
    package init(
        check: @escaping @Sendable (FormInfo) -> Check,
        lists: @escaping @Sendable (FormInfo) -> [String] = { _ in [] }
    ) {
        self.check = check
        self.lists = lists
    }

    package func basis(of form: FormInfo) -> String { form.basis(withLists: lists(form)) }

    package func add(_ rows: [FollowedRow], of form: FormInfo, to file: Database) throws {
        if form.form.isRepeat || !form.repeats.isEmpty {
            for row in rows { try again(row.row, of: form.number, in: file) }
            return
        }
        let check = check(form)
        for row in rows { try note(check(row.record), on: row.row, of: form, in: file) }
    }

    package func remove(_ rows: [Int64], of form: Int64, from file: Database) throws {
        for row in rows {
            try file.run(
                "DELETE FROM flag WHERE form = ?1 AND row = ?2", .integer(form), .integer(row))
            // The entry that it was a part of.
            try file.run(
                """
                INSERT OR IGNORE INTO again
                SELECT entry_form, entry FROM part WHERE form = ?1 AND row = ?2
                """, .integer(form), .integer(row))
            try file.run(
                "DELETE FROM part WHERE form = ?1 AND row = ?2", .integer(form), .integer(row))
        }
    }

    package func removeAll(of form: Int64, from file: Database) throws {
        for table in ["flag", "part", "again"] {
            try file.run("DELETE FROM \(table) WHERE form = ?1", .integer(form))
        }
    }

    /// Looks at entries of which a part is new, gone or another.
    package func finish(_ forms: [FormInfo], in files: FollowedFiles) throws {
        let file = files.derived
        let entries = PartEntries(files.room, forms)
        for form in forms where form.form.isRepeat {
            let rows = try waiting(form.number, in: file)
            for part in try files.rows(rows, of: form) {
                guard let (entry, row) = try entries.entry(of: part.record, in: form) else {
                    continue
                }
                try file.run(
                    "INSERT OR REPLACE INTO part VALUES(?1, ?2, ?3, ?4)", .integer(form.number),
                    .integer(part.row), .integer(entry.number), .integer(row))
                try again(row, of: entry.number, in: file)
            }
        }
        let repeats = RepeatRows(files.room, files.devices)
        for form in forms where !form.form.isRepeat {
            let passed = try files.position(in: form)
            let check = check(form)
            let rows = try waiting(form.number, in: file).filter { $0 <= passed }
            for row in rows {
                try file.run(
                    "DELETE FROM flag WHERE form = ?1 AND row = ?2", .integer(form.number),
                    .integer(row))
            }
            for found in try files.rows(rows, of: form) {
                var whole = found.record
                try repeats.fill(&whole, of: form)
                try note(check(whole), on: found.row, of: form, in: file)
            }
        }
        try file.run("DELETE FROM again")
    }

    private func again(_ row: Int64, of form: Int64, in file: Database) throws {
        try file.run(
            "INSERT OR IGNORE INTO again VALUES(?1, ?2)", .integer(form), .integer(row))
    }

    private func waiting(_ form: Int64, in file: Database) throws -> [Int64] {
        try file.rows("SELECT row FROM again WHERE form = ?1", .integer(form)).compactMap {
            if case .integer(let row) = $0[0] { row } else { nil }
        }
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

    /// The entry of a row, with the number of its own row; nil where it is not here.
    func entry(of part: RecordRow, in form: FormInfo) throws -> (form: FormInfo, row: Int64)? {
        var form = form
        var parent = part.values.first
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
