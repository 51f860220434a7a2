package import ShareCore
import ShareCrypto

/// Finds the rows of repeats by the records that they belong to, in their order.
///
/// Only within one transaction or snapshot: it keeps its statements.
final class RepeatRows {
    private let database: Database
    private let devices: DeviceTable
    private var statements: [String: Statement] = [:]

    /// Rows that come with one entry, of all its repeats: somebody may make any number of them.
    /// Further ones stand in their table alone.
    static let limit = 10_000

    init(_ database: Database, _ devices: DeviceTable) {
        self.database = database
        self.devices = devices
    }

    /// Puts the rows of a record's repeats beside its values, those of repeats in them too.
    func fill(_ row: inout RecordRow, of form: FormInfo) throws {
        row.repeats = try rows(of: row.name, in: form)
    }

    /// The rows of a record in each of its form's repeats: `limit` of all.
    func rows(of record: RecordName, in form: FormInfo) throws -> [[RecordRow]] {
        var left = RepeatRows.limit
        return try rows(of: record, in: form, &left)
    }

    private func rows(
        of record: RecordName, in form: FormInfo, _ left: inout Int
    ) throws -> [[RecordRow]] {
        let parent = ParentName(record).text
        return try form.repeats.map { child in
            var rows: [RecordRow] = []
            let statement = try statement(for: child)
            try statement.bind([.text(parent)])
            var columns = RecordColumns(child, devices)
            while left > 0, try statement.step() {
                rows.append(try columns.row(statement))
                left -= 1
            }
            statement.clear()
            for position in rows.indices where !child.repeats.isEmpty {
                rows[position].repeats = try self.rows(of: rows[position].name, in: child, &left)
            }
            return rows
        }
    }

    private func statement(for form: FormInfo) throws -> Statement {
        if let known = statements[form.formID] { return known }
        let made = try database.prepare(
            """
            SELECT \(RecordColumns.sql(form)) FROM \(SQLName.quote(form.table))
            WHERE _parent = ?1 ORDER BY _index, _id, \(DeviceTable.authorID)
            """)
        statements[form.formID] = made
        return made
    }
}

extension RoomStore {
    /// The rows of a record in each of its form's repeats, with those in them.
    package func repeats(of record: RecordName, in form: FormInfo) throws -> [[RecordRow]] {
        try RepeatRows(file.database, file.room.devices).rows(of: record, in: form)
    }

    /// The rows of a record that were deleted with it and by nothing else, and those of their own
    /// repeats.
    ///
    /// - Complexity: O(deleted rows of these repeats).
    package func deletedRows(of record: RecordName, in form: FormInfo) throws -> [RecordName] {
        let room = file.room
        let outcome = try RecordOutcome(
            try room.records.allVersions(of: record, in: room.forms), in: room.records.versions)
        return try room.deletedRows(
            of: [ParentName(record).text], in: form,
            with: outcome.deletions(in: room.records.versions))
    }
}

extension Room {
    /// - Parameter deletions: of the record; what was done at one of these moments is a part of it.
    fileprivate func deletedRows(
        of parents: Set<String>, in form: FormInfo, with deletions: Set<RecordDeletion>
    ) throws -> [RecordName] {
        guard !parents.isEmpty, !deletions.isEmpty else { return [] }
        var found: [RecordName] = []
        for child in form.repeats {
            let names = try deletedRows(in: child) { parents.contains($0) }
                .filter { try deletions.isSuperset(of: $0.outcome.deletions(in: records.versions)) }
                .map(\.name)
            found += names
            found += try deletedRows(
                of: Set(names.map { ParentName($0).text }), in: child, with: deletions)
        }
        return found
    }
}

/// A deletion by whom and when: all that one device deletes at one moment goes together.
struct RecordDeletion: Hashable {
    let author: DeviceKey
    /// By its own clock.
    let wall: WallTime
}

extension RecordOutcome {
    /// The deletions since the record was brought back last; nothing for one that is not deleted.
    func deletions(in table: VersionTable) throws -> Set<RecordDeletion> {
        guard isDeleted else { return [] }
        let versions = stored.versions
        let isUndone = graph.seen(
            by: (0..<versions.count).filter { versions.kind(of: $0) == .restore })
        return try (0..<versions.count).reduce(into: []) { found, position in
            guard versions.kind(of: position) == .delete, !isUndone[position] else { return }
            found.insert(
                RecordDeletion(
                    author: versions.author(of: position),
                    wall: try table.wall(of: position, in: stored)))
        }
    }
}
