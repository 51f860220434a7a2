import ShareCore
import ShareCrypto

/// Conflicts and parallel updates: noted for each record as it is worked out, so that looking for
/// them takes nothing of the records that have none. It owns `_conflict` and `_parallel`.
struct ConflictTables {
    let database: Database
    let versions: VersionTable
    /// Follows conflicts while change events are gathered.
    var trace: ConflictTrace?

    init(_ database: Database, _ versions: VersionTable) {
        self.database = database
        self.versions = versions
    }

    func removeAll() throws {
        try database.execute("DELETE FROM _conflict; DELETE FROM _parallel")
    }

    /// Notes what a record's versions have come to; nil for a record that is not there.
    mutating func note(
        _ outcome: RecordOutcome?, _ record: Int64, at position: ConflictTrace.RecordKey
    ) throws {
        let old = try notedConflicts(of: record)
        let conflicts = try outcome?.conflicts(in: versions) ?? []
        var new: [RecordField: NotedConflict] = [:]
        for conflict in conflicts {
            new[conflict.field] = NotedConflict(
                winner: outcome?.stored.local(conflict.winner),
                losers: Set(conflict.losers.compactMap { outcome?.stored.local($0) }))
        }
        trace?.note(
            position, old: old.mapValues(\.sides), new: new.mapValues(\.sides))
        for (field, noted) in old where new[field] != noted {
            let (name, type) = field.columns
            try database.run(
                "DELETE FROM _conflict WHERE record = ?1 AND field = ?2 AND type = ?3",
                .integer(record), .text(name), .integer(type))
        }
        for (field, noted) in new where old[field] != noted {
            let (name, type) = field.columns
            for loser in noted.losers {
                try database.run(
                    """
                    INSERT INTO _conflict(record, field, type, winner, loser)
                    VALUES(?1, ?2, ?3, ?4, ?5)
                    """, .integer(record), .text(name), .integer(type),
                    noted.winner.map { .integer($0.rawValue) } ?? .null, .integer(loser.rawValue))
            }
        }
        if try outcome?.isParallel(in: versions, beside: conflicts) == true {
            try database.run(
                "INSERT OR IGNORE INTO _parallel(record) VALUES(?1)", .integer(record))
        } else {
            try database.run("DELETE FROM _parallel WHERE record = ?1", .integer(record))
        }
    }

    /// A conflict as the file has it.
    private struct NotedConflict: Equatable {
        var winner: LocalName?
        var losers: Set<LocalName> = []

        var sides: Set<LocalName> { losers.union(winner.map { [$0] } ?? []) }
    }

    private func notedConflicts(of record: Int64) throws -> [RecordField: NotedConflict] {
        var noted: [RecordField: NotedConflict] = [:]
        for row in try database.rows(
            "SELECT field, type, winner, loser FROM _conflict WHERE record = ?1", .integer(record))
        {
            guard case .text(let name) = row[0], case .integer(let type) = row[1],
                case .integer(let winner) = row[2], case .integer(let loser) = row[3],
                let field = RecordField(name: name, type: type)
            else { continue }
            noted[field, default: NotedConflict()].winner = LocalName(rawValue: winner)
            noted[field]?.losers.insert(LocalName(rawValue: loser))
        }
        return noted
    }

    // MARK: Lists

    /// The fields in conflict of all records of a form that have any.
    func fields(ofForm formID: String) throws -> [RecordName: [RecordField]] {
        var found: [RecordName: [RecordField]] = [:]
        for row in try database.rows(
            """
            SELECT DISTINCT r.id, d.key, c.field, c.type FROM _conflict c
            JOIN _record r ON r.record = c.record JOIN _device d ON d.device = r.creator
            JOIN _form f ON f.form = r.form WHERE f.form_id = ?1
            """, .text(formID))
        {
            guard case .blob(let id) = row[0], case .blob(let key) = row[1],
                case .text(let name) = row[2], case .integer(let type) = row[3],
                let creator = DeviceKey(key), let id = RecordID(id),
                let field = RecordField(name: name, type: type)
            else { continue }
            found[RecordName(form: formID, creator: creator, id: id), default: []].append(field)
        }
        return found
    }

    /// Conflicts of the next records that have any, by record id, creator and form.
    func conflicts(after: RecordName?, limit: Int) throws -> RecordPage<RecordConflict> {
        try page(of: "(SELECT DISTINCT record FROM _conflict)", after: after, limit: limit) {
            name, outcome in
            try outcome.conflicts(in: versions).map { try conflict($0, of: name, outcome) }
        }
    }

    /// Parallel updates, in the same order.
    func parallelUpdates(after: RecordName?, limit: Int) throws -> RecordPage<ParallelUpdate> {
        try page(of: "_parallel", after: after, limit: limit) { name, outcome in
            try parallelUpdate(of: name, outcome).map { [$0] } ?? []
        }
    }

    private func page<Item>(
        of records: String, after: RecordName?, limit: Int,
        _ items: (RecordName, RecordOutcome) throws -> [Item]
    ) throws -> RecordPage<Item> {
        let rows = try database.rows(
            """
            SELECT r.record, f.form_id, d.key, r.id FROM \(records) s
            JOIN _record r ON r.record = s.record JOIN _device d ON d.device = r.creator
            JOIN _form f ON f.form = r.form
            WHERE (r.id, d.key, f.form_id) > (?1, ?2, ?3)
            ORDER BY r.id, d.key, f.form_id LIMIT ?4
            """, .blob(after?.id.bytes ?? []), .blob(after?.creator.bytes ?? []),
            .text(after?.form ?? ""), .integer(Int64(limit) + 1))
        var found: [Item] = []
        for row in rows.prefix(limit) {
            guard case .integer(let record) = row[0], case .text(let form) = row[1],
                case .blob(let key) = row[2], case .blob(let id) = row[3],
                let creator = DeviceKey(key), let id = RecordID(id)
            else { continue }
            found += try items(
                RecordName(form: form, creator: creator, id: id),
                RecordOutcome(try versions.all(of: record), in: versions))
        }
        return RecordPage(items: found, hasMore: rows.count > limit)
    }

    func conflict(
        _ conflict: RecordOutcome.Conflict, of name: RecordName, _ outcome: RecordOutcome
    ) throws -> RecordConflict {
        func side(_ position: Int) throws -> RecordConflict.Side {
            let version = try versions.version(position, in: outcome.stored)
            var value = FieldValue.absent
            var changes: [RecordEntry] = []
            switch conflict.field {
            case .field(let field):
                value = version.content.value(of: field)
            case .reviewState: value = version.content.state.map { .text($0) } ?? .absent
            case .deleted:
                switch version.kind {
                case .delete: value = .integer(1)
                case .restore: value = .integer(0)
                case .put, .edit, .review, .comment:
                    changes = version.content.values.map {
                        RecordEntry(field: $0.field, value: $0.value)
                    }
                }
            }
            return RecordConflict.Side(
                version: version.isPending ? nil : version.version.name, value: value,
                author: version.version.author, at: Int64(version.wall.milliseconds),
                changes: changes)
        }
        return RecordConflict(
            record: name, field: conflict.field, winner: try side(conflict.winner),
            losers: try conflict.losers.map(side))
    }

    /// Nil where nothing stands beside each other unseen.
    func parallelUpdate(
        of name: RecordName, _ outcome: RecordOutcome
    ) throws -> ParallelUpdate? {
        let conflicts = try outcome.conflicts(in: versions)
        guard try outcome.isParallel(in: versions, beside: conflicts) else { return nil }
        let stored = outcome.stored
        let branches = try outcome.branches(in: versions, beside: conflicts).map { branch in
            let wall = try versions.wall(of: branch.head, in: stored)
            return ParallelUpdate.Branch(
                version: stored.isPending(branch.head)
                    ? nil : stored.versions.name(of: branch.head),
                author: stored.versions.author(of: branch.head),
                at: Int64(wall.milliseconds),
                changes: branch.said.values.map { RecordEntry(field: $0.key, value: $0.value) }
                    .sorted { $0.field < $1.field },
                isDeleted: branch.said.isDeleted, state: branch.said.state)
        }
        return ParallelUpdate(record: name, branches: branches)
    }
}

/// How the file notes what a conflict is about.
extension RecordField {
    /// The hidden fields have types of their own, so that no form's field can be taken for them.
    private static let deletedType: Int64 = 255
    private static let reviewType: Int64 = 254

    var columns: (name: String, type: Int64) {
        switch self {
        case .field(let field): (field.name, Int64(field.type.rawValue))
        case .deleted: ("_deleted", RecordField.deletedType)
        case .reviewState: ("_state", RecordField.reviewType)
        }
    }

    init?(name: String, type: Int64) {
        switch type {
        case RecordField.deletedType: self = .deleted
        case RecordField.reviewType: self = .reviewState
        default:
            guard let type = UInt8(exactly: type).flatMap({ StorageType(rawValue: $0) }) else {
                return nil
            }
            self = .field(FormField(name: name, type: type))
        }
    }

    /// By the bytes of the name, then by type.
    static func < (a: RecordField, b: RecordField) -> Bool {
        let (a, b) = (a.columns, b.columns)
        return a.name.utf8.elementsEqual(b.name.utf8)
            ? a.type < b.type : a.name.utf8.lexicographicallyPrecedes(b.name.utf8)
    }
}
