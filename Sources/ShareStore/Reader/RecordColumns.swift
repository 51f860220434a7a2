import ShareCore
import ShareCrypto

/// Reads records from rows that hold what every record has, then its fields.
struct RecordColumns {
    private let form: FormInfo
    private let devices: DeviceTable
    /// Where the first column stands.
    private let first: Int32
    /// The author of the row before: neighbours mostly have the same.
    private var author: (number: Int64, key: DeviceKey)?

    /// Whether what the form has against a record comes along.
    private let hasFlags: Bool
    private let hasTrails: Bool
    private let hasOrigins: Bool

    /// - Parameters:
    ///   - devices: those of the file that the rows are read from.
    ///   - hasFlags: wants a connection with `EntryFlags`.
    ///   - hasTrails: whether the trails of records come along.
    ///   - hasOrigins: whether it comes along under which version of the form they were made.
    init(
        _ form: FormInfo, _ devices: DeviceTable, from first: Int32 = 0, hasFlags: Bool = false,
        hasTrails: Bool = false, hasOrigins: Bool = false
    ) {
        self.hasTrails = hasTrails
        self.hasOrigins = hasOrigins
        self.form = form
        self.devices = devices
        self.first = first
        self.hasFlags = hasFlags
    }

    /// The columns to select.
    var sql: String {
        RecordColumns.sql(
            form, hasFlags: hasFlags, hasTrails: hasTrails, hasOrigins: hasOrigins)
    }

    private static let trailColumns: Int32 = 6

    /// The columns of a form's table to select.
    static func sql(
        _ form: FormInfo, hasFlags: Bool = false, hasTrails: Bool = false,
        hasOrigins: Bool = false, reach: [RecordQuery.Reach] = []
    ) -> String {
        "_id, _author, _created, _updated, _state"
            + form.columns.map { ", " + $0.sql }.joined()
            + (hasFlags
                ? ", \(EntryFlags.text("problems", form)), \(EntryFlags.text("warnings", form))"
                : "") + (hasTrails ? ", \(trail(form)), \(alone(form, reach))" : "")
            + (hasOrigins ? ", \(RecordOrigin.sql(form))" : "")
    }

    /// Five columns: the number of who made the last change of a row, and how many comments it has,
    /// both NULL where nothing came after it was created, as a comment changes nothing; whether it
    /// is sent, changed since its review, in conflict. `alone` is the sixth of a trail.
    private static func trail(_ form: FormInfo) -> String {
        let row = "\(SQLName.quote(form.table))._version"
        let comment = RecordsBlock.Kind.comment.rawValue
        return """
            CASE WHEN \(row) < 0 THEN (
                SELECT b.author FROM _version v JOIN _batch b ON b.batch = v.version / 8192
                WHERE v.record = -\(row) AND v.kind <> \(comment)
                ORDER BY v.clock DESC LIMIT 1) END,
            CASE WHEN \(row) < 0 THEN (
                SELECT count(*) FROM _version v
                WHERE v.record = -\(row) AND v.kind = \(comment)) END,
            \(sent(form)), \(changedSinceReview(form)), \(isInConflict(form))
            """
    }

    /// 1 for a row that is in conflict, or in whose repeats a row is.
    private static func isInConflict(_ form: FormInfo) -> String {
        let table = SQLName.quote(form.table)
        let own = "SELECT 1 FROM _conflict c WHERE c.record = -\(table)._version"
        let ways = ["\(table)._version < 0 AND EXISTS (\(own))"] + rows(of: form, isInConflict)
        return "(\(ways.joined(separator: " OR ")))"
    }

    /// For each repeat of a form whether something holds of a row that one has in it.
    static func rows(of form: FormInfo, _ holds: (FormInfo) -> String) -> [String] {
        let name = parentName(form)
        return form.repeats.map { child in
            let inner = SQLName.quote(child.table)
            return "EXISTS (SELECT 1 FROM \(inner) WHERE \(inner)._parent = \(name)"
                + " AND \(holds(child)))"
        }
    }

    /// What the rows of its repeats have in `_parent`.
    static func parentName(_ form: FormInfo) -> String {
        let table = SQLName.quote(form.table)
        return "\(DeviceTable.authorID("\(table)._author")) || '/' || \(table)._id"
    }

    /// 1 for a row with a change that its review had not seen, or in whose repeats a row was made or
    /// changed later.
    private static func changedSinceReview(_ form: FormInfo) -> String {
        let own = ownChangeSinceReview(form)
        return form.repeats.isEmpty ? own : "max(\(own), \(rowsChangedSinceReview(form)))"
    }

    /// 1 for a row with a review in whose repeats a row was made or changed later.
    static func rowsChangedSinceReview(_ form: FormInfo) -> String {
        let table = SQLName.quote(form.table)
        let review = RecordsBlock.Kind.review.rawValue
        let since = """
            (SELECT max(v.clock) FROM _version v
                WHERE v.record = -\(table)._version AND v.kind = \(review))
            """
        return "CASE WHEN \(table)._version < 0 AND \(table)._state IS NOT NULL"
            + " THEN \(hasRows(in: form, after: since)) END"
    }

    /// Whether a row in the repeats of one, or in these, is later than a clock.
    private static func hasRows(in form: FormInfo, after clock: String) -> String {
        let ways = rows(of: form) { child in
            "(\(SQLName.quote(child.table))._clock > \(clock) OR \(hasRows(in: child, after: clock)))"
        }
        return ways.isEmpty ? "0" : "(\(ways.joined(separator: " OR ")))"
    }

    /// As it was noted where the record's versions were worked out.
    private static func ownChangeSinceReview(_ form: FormInfo) -> String {
        let table = SQLName.quote(form.table)
        return """
            CASE WHEN \(table)._version < 0 AND \(table)._state IS NOT NULL THEN (
                SELECT r.changed_since_review FROM _record r WHERE r.record = -\(table)._version) END
            """
    }

    /// `yes` for a row that was reviewed and not changed since, else `no`.
    static func reviewed(_ form: FormInfo) -> String {
        let state = "\(SQLName.quote(form.table))._state"
        return
            "CASE WHEN \(state) IS NULL OR \(changedSinceReview(form)) = 1 THEN 'no' ELSE 'yes' END"
    }

    /// `yes`, or `no` for a row of which something lies in a batch that is being filled.
    static func sent(_ form: FormInfo) -> String {
        let row = "\(SQLName.quote(form.table))._version"
        return """
            CASE WHEN EXISTS (SELECT 1 FROM _batch b WHERE b.state = 1 AND (
                b.batch = \(row) / 8192 OR \(row) < 0 AND EXISTS (
                    SELECT 1 FROM _version v
                    WHERE v.record = -\(row) AND v.version / 8192 = b.batch)))
            THEN 'no' ELSE 'yes' END
            """
    }

    /// 1 for a row of which something lies in a batch of this device's own that no other one has.
    private static func alone(_ form: FormInfo, _ reach: [RecordQuery.Reach]) -> String {
        guard !reach.isEmpty else { return "0" }
        let row = "\(SQLName.quote(form.table))._version"
        let beyond = reach.map { "b.author = \($0.author) AND b.number > \($0.number)" }
            .joined(separator: " OR ")
        let own =
            "b.kind = \(LogKind.records.rawValue) AND b.state = 0 AND (\(beyond))"
        return """
            CASE WHEN \(row) < 0 THEN EXISTS (
                SELECT 1 FROM _version v JOIN _batch b ON b.batch = v.version / 8192
                WHERE v.record = -\(row) AND \(own))
            ELSE EXISTS (SELECT 1 FROM _batch b WHERE b.batch = \(row) / 8192 AND \(own)) END
            """
    }

    /// - Throws: `StoreError.damaged` for a row without an id or an author.
    mutating func row(_ statement: Statement) throws -> RecordRow {
        let number = statement.integer(first + 1)
        if author?.number != number { author = (number, try devices.key(of: number)) }
        guard let id = statement.withText(first, { RecordID(utf8: $0) }), let creator = author?.key
        else { throw StoreError.damagedTable(statement.file, form.table) }
        let last = first + 5 + Int32(form.columns.count)
        var row = RecordRow(
            name: RecordName(form: form.formID, creator: creator, id: id),
            created: statement.integer(first + 2), updated: statement.integer(first + 3),
            state: statement.optionalText(first + 4),
            flag: hasFlags
                ? EntryFlag(
                    problems: statement.optionalText(last),
                    warnings: statement.optionalText(last + 1)) : nil,
            values: form.columns.indices.map {
                FieldValue(statement.value(first + 5 + Int32($0)))
            })
        if hasTrails {
            let trail = last + (hasFlags ? 2 : 0)
            var changer = creator
            if case .integer(let other) = statement.value(trail), other != number {
                changer = try devices.key(of: other)
            }
            row.trail = RecordRow.Trail(
                changer: changer, isSent: statement.text(trail + 2) == "yes",
                isAlone: statement.integer(trail + 5) == 1,
                comments: Int(statement.integer(trail + 1)),
                isChangedSinceReview: statement.integer(trail + 3) == 1,
                isInConflict: statement.integer(trail + 4) == 1)
        }
        if hasOrigins {
            let origin = last + (hasFlags ? 2 : 0) + (hasTrails ? Self.trailColumns : 0)
            if case .integer(let place) = statement.value(origin) {
                row.madeUnder = form.accepted[Int(place)].definition
            }
        }
        return row
    }
}
