import ShareCore

/// What `FlagDerivation` has found, beside the tables of a room, as SQL.
enum EntryFlags {
    /// Makes it readable on a connection to the room's file.
    static func attach(to database: Database, besides path: String) throws(SQLiteError) {
        let file = FollowedFiles.path(besides: path, FlagDerivation.ending)
        do {
            try database.run("ATTACH ?1 AS flags", .text(file))
        } catch {
            throw SQLiteError(error, of: file)
        }
    }

    private static func ofRow(_ form: FormInfo) -> String {
        "form = \(form.number) AND row = \(SQLName.quote(form.table)).rowid"
    }

    /// A text about a row of the form's table; NULL where there is none.
    static func text(_ column: String, _ form: FormInfo) -> String {
        "(SELECT \(column) FROM flags.flag WHERE \(ofRow(form)))"
    }

    /// Whether a row is known to break the form.
    static func isInvalid(_ form: FormInfo) -> String {
        """
        rowid IN (SELECT row FROM flags.flag WHERE form = \(form.number) AND problems IS NOT NULL)
        """
    }

    /// `yes` or `no`; NULL for a row that has not been looked at as it is now, with the rows of its
    /// repeats. Nothing is followed of a form that asks no more of its entries than their types.
    static func valid(_ form: FormInfo) -> String {
        """
        CASE WHEN \(text("problems", form)) IS NOT NULL THEN 'no'
        WHEN \(isUnseen(form)) THEN NULL ELSE 'yes' END
        """
    }

    /// Whether a row, or one in its repeats, is new or another since its entry was looked at.
    private static func isUnseen(_ form: FormInfo) -> String {
        let row = ofRow(form)
        var ways = [
            """
            \(SQLName.quote(form.table)).rowid >
                (SELECT row FROM flags._followed WHERE form = \(form.number))
            """,
            """
            EXISTS (SELECT 1 FROM _touched WHERE touch > (SELECT touch FROM flags._cursor)
                AND \(row))
            """,
        ]
        // Entries with repeats are looked at when all of their rows have been taken.
        if !form.repeats.isEmpty { ways.append("EXISTS (SELECT 1 FROM flags.again WHERE \(row))") }
        for child in form.repeats {
            ways.append(
                """
                EXISTS (SELECT 1 FROM flags.above WHERE form = \(child.number)
                    AND parent = \(RecordColumns.parentName(form)))
                """)
        }
        ways += RecordColumns.rows(of: form, isUnseen)
        return "(\(ways.joined(separator: " OR ")))"
    }
}

extension RecordQuery {
    /// Whether it asks what the form has against records.
    package var readsFlags: Bool {
        conditions.contains { $0.readsFlags } || order.contains { $0.subject.isFlag }
    }
}

extension RecordQuery.Condition {
    package var readsFlags: Bool {
        switch self {
        case .compare(let subject, _, _), .anyOf(let subject, _), .chosen(let subject, _),
            .contains(let subject, _):
            subject.isFlag
        case .expression(let expression):
            expression.read.contains { expression.subjects[$0].isFlag }
        case .either(let conditions): conditions.contains { $0.readsFlags }
        case .belongs(_, let query): query.readsFlags
        }
    }
}

extension RecordQuery.Subject {
    package var isFlag: Bool {
        switch self {
        case .valid, .warnings: true
        case .column, .number, .clock, .id, .author, .created, .updated, .state, .sent,
            .reviewed:
            false
        }
    }
}
