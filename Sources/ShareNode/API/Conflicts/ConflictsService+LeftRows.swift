import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Rows that somebody entered in an entry, or in a row, that another has deleted meanwhile: the
/// deletion and they stand against each other, as a deletion and a change do.
extension ConflictsService {
    /// Entries of which that is told, and rows of each.
    private static let mostEntries = 1_000
    private static let mostRows = 10

    func leftRows(in room: OpenRoom) async throws -> [ConflictAnswer] {
        let forms = await room.store.forms()
        guard forms.contains(where: { $0.form.isRepeat }) else { return [] }
        let left = try await editor.records.readers.reader(of: room).leftRows(in: forms)
        guard !left.isEmpty else { return [] }
        let keys = try await keys(of: left.map(\.deleted), in: room)
        let found = try await room.store.perform { store in
            try store.notInConflict(left).prefix(Self.mostEntries).map { left in
                let deletion = try store.history(of: left.deleted).last {
                    $0.kind == .delete && $0.refusal == nil
                }
                let rows = try left.rows.prefix(Self.mostRows).map { row in
                    (
                        detail: try store.detail(of: row),
                        last: try store.history(of: row).last { $0.refusal == nil }
                    )
                }
                return (deleted: left.deleted, deletion: deletion, rows: rows)
            }
        }
        let authors = found.flatMap { [$0.deletion?.author] + $0.rows.map(\.last?.author) }
        let names = await names.known(Array(Set(authors.compactMap(\.self))))
        func side(
            _ operation: RecordHistory?, _ value: JSONValue, _ changed: JSONObject? = nil
        ) -> ConflictValue? {
            operation.map {
                ConflictValue(
                    value: value, author: $0.author.text, authorName: names[$0.author],
                    at: RecordTimestamp.text($0.at),
                    version: $0.isPending ? "pending" : $0.version.text, changed: changed)
            }
        }
        return found.compactMap { one in
            guard let winner = side(one.deletion, .bool(true)) else { return nil }
            return ConflictAnswer(
                record: one.deleted.id.text, creator: one.deleted.creator.text,
                form: one.deleted.form, key: keys[one.deleted],
                field: RecordField.deleted.shownName, winner: winner,
                losers: one.rows.compactMap { row in
                    side(row.last, .null, answers(row.detail))
                })
        }
    }

    /// What is in the rows of deleted entries, as those tell who changed rows alone meanwhile.
    func answers(
        leftIn entries: Set<RecordName>, in room: OpenRoom
    ) async throws -> [RecordName: [LeftAnswers]] {
        guard !entries.isEmpty else { return [:] }
        let left = try await editor.records.readers.reader(of: room)
            .leftRows(in: await room.store.forms()).filter { entries.contains($0.deleted) }
        return try await room.store.perform { store in
            var answers: [RecordName: [LeftAnswers]] = [:]
            for one in left {
                for row in one.rows.prefix(Self.mostRows) {
                    guard let last = try store.history(of: row).last(where: { $0.refusal == nil })
                    else { continue }
                    answers[one.deleted, default: []].append(
                        LeftAnswers(
                            author: last.author, at: last.at,
                            answers: self.answers(try store.detail(of: row))))
                }
            }
            return answers
        }
    }

    /// What a row has, and who changed it last and when.
    struct LeftAnswers: Sendable {
        let author: DeviceKey
        let at: Int64
        let answers: JSONObject
    }

    /// What a row has, by the names of its repeat and fields: `person/age`.
    private func answers(_ row: RecordDetail) -> JSONObject {
        let schema = schemas.schema(of: row.form)
        var answers = JSONObject()
        for (place, value) in row.values.enumerated()
        where value != .absent && place >= FormDefinition.repeatFields.count {
            answers["\(schema.info.name)/\(schema.names[place])"] = schema.json(
                value, of: schema.info.columns[place].field)
        }
        return answers
    }
}

extension RoomStore {
    /// Those whose deletion is in no conflict of its own, which would tell of it already.
    func notInConflict(_ left: [LeftRows]) throws -> [LeftRows] {
        try left.filter { left in
            try !detail(of: left.deleted).conflicts.contains { $0.field == .deleted }
        }
    }
}
