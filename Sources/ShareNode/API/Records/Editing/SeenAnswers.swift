import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareForms
import ShareStore

/// The answers of an entry that somebody has seen before changing it, held against those that it has
/// now: what others have changed meanwhile is written over by nobody who has not seen it.
struct SeenAnswers {
    /// An entry, or a row of it.
    private struct Part {
        let answers: JSONObject
        /// Where it lies, with a slash behind it: `sighting[2]/`.
        let path: String
    }

    /// The rows by their ids; the entry itself under none.
    private let parts: [String: Part]

    /// - Parameter answers: as the state call has them, rows with their `_id`.
    init(_ answers: JSONObject) {
        var parts: [String: Part] = [:]
        Self.note(answers, "", under: "", in: &parts)
        self.parts = parts
    }

    private static func note(
        _ answers: JSONObject, _ path: String, under id: String, in parts: inout [String: Part]
    ) {
        parts[id] = Part(answers: answers, path: path)
        for member in answers.members {
            for (place, row) in (member.value.array ?? []).enumerated() {
                guard let row = row.object, let id = row["_id"]?.string else { continue }
                note(row, "\(path)\(member.key)[\(place + 1)]/", under: id, in: &parts)
            }
        }
    }

    /// What an edit would write or take away, and is another now than was seen.
    ///
    /// - Parameters:
    ///   - now: the answers as the state call has them now.
    ///   - rows: the rows as they are, for each repeat of the form.
    func missed(
        by operations: [LocalChange], of detail: RecordDetail, _ rows: [[RecordRow]],
        _ schema: FormSchema, now: SeenAnswers
    ) -> [Missed] {
        var places: [RecordName: (id: String, values: [FieldValue], schema: FormSchema)] = [
            detail.name: ("", detail.values, schema)
        ]
        func note(_ rows: [[RecordRow]], _ schema: FormSchema) {
            for (index, list) in rows.enumerated() {
                for row in list {
                    places[row.name] = (row.name.id.text, row.values, schema.repeats[index])
                    note(row.repeats, schema.repeats[index])
                }
            }
        }
        note(rows, schema)
        return operations.flatMap { operation -> [Missed] in
            switch operation {
            case .edit(let name, _, let writes):
                guard let (id, values, schema) = places[name], let part = parts[id] else {
                    return []
                }
                return writes.compactMap { write in
                    missed(write.field, of: name, values, schema, part, now.parts[id])
                }
            case .delete(let name):
                guard let (id, values, schema) = places[name], let now = now.parts[id] else {
                    return []
                }
                guard let part = parts[id] else {
                    return [Missed(path: String(now.path.dropLast()), record: name)]
                }
                return schema.form.stored.indices.compactMap { field in
                    missed(field, of: name, values, schema, part, now)
                }
            case .put, .restore, .review, .comment: return []
            }
        }
    }

    /// The rows of an entry that were not seen, as somebody has added them since.
    ///
    /// - Parameter now: as in `missed`.
    func added(_ rows: [[RecordRow]], now: SeenAnswers) -> [Missed] {
        rows.flatMap { $0 }.flatMap { row -> [Missed] in
            guard parts[row.name.id.text] == nil, let part = now.parts[row.name.id.text] else {
                return added(row.repeats, now: now)
            }
            return [Missed(path: String(part.path.dropLast()), record: row.name)]
        }
    }

    /// A field of which neither what is stored nor what the state call makes of it was seen.
    private func missed(
        _ place: Int, of record: RecordName, _ values: [FieldValue], _ schema: FormSchema,
        _ part: Part, _ now: Part?
    ) -> Missed? {
        let field = schema.form.stored[place]
        guard !schema.form.isRepeat || place >= Answers.shift else { return nil }
        func text(_ value: JSONValue?) -> [UInt8] { (value ?? .null).text }
        let seen = text(part.answers[field.name])
        let stored = RecordsValues.json(values[place], isSeveral: field.kind.isSeveral)
        guard seen != text(stored), seen != text(now?.answers[field.name]) else { return nil }
        let shown = part.answers[field.name].flatMap {
            try? RecordsValues.value($0, at: place, schema.parser)
        }
        let column = schema.info.columns[place].field
        return Missed(
            path: part.path + field.name, record: record, field: column,
            change: schema.shown(column, from: shown ?? .absent, to: values[place]))
    }

    /// A field that somebody else has changed, or a row that somebody else has added or deleted.
    struct Missed {
        let path: String
        let record: RecordName
        /// Nil for a row.
        var field: FormField?
        /// From what was seen to what is there.
        var change: ShownChange?
        /// Whether it is a row that is deleted.
        var isGone = false
    }

    /// Where a row was seen: `sighting[2]`.
    func path(of row: RecordID) -> String? { parts[row.text].map { String($0.path.dropLast()) } }

    /// Nothing was written: these were changed since they were seen.
    struct Conflict: Error {
        let record: RecordID
        let missed: [(one: Missed, by: DeviceKey?, at: Int64?)]

        /// Looks up who has changed them, and when.
        init(_ missed: [Missed], of record: RecordID, in store: isolated RoomStore) throws {
            self.record = record
            self.missed = try missed.map { one in
                let last = try store.history(of: one.record).last { operation in
                    operation.refusal == nil
                        && (one.field.map { field in
                            operation.changes.contains { $0.field == field }
                        } ?? (operation.kind == (one.isGone ? .delete : .put)))
                }
                return (one, last?.author, last?.at)
            }
        }

        /// Fields that are told one by one.
        private static let mostTold = 20

        /// In words.
        ///
        /// - Parameter now: milliseconds since 1970: of today only the time is told.
        func problem(_ names: DeviceNames, now: Int64) async -> Problem {
            let today = RecordTimestamp.local(now).prefix(10)
            var problems: [EntryProblem] = []
            for (one, author, at) in missed.prefix(Self.mostTold) {
                var words =
                    one.change.map { "\(Self.text($0.before)) -> \(Self.text($0.after))" }
                    ?? (one.isGone ? "the row was deleted" : "a row was added")
                if let author { words += " by \(await names.called(author))" }
                if let at {
                    let time = RecordTimestamp.local(at)
                    words += ", \(time.hasPrefix(today) ? String(time.suffix(5)) : time)"
                }
                problems.append(EntryProblem(path: one.path, kind: .changed, message: words))
            }
            let short = record.text.suffix(8)
            let detail =
                missed.count == 1
                ? "\(missed[0].one.path) was changed meanwhile, \(problems[0].message)"
                : "\(missed.count) answers were changed meanwhile"
            return Problem(
                .changedMeanwhile, detail,
                hint: "Nothing was written. Look at the entry, and edit it again: `shared show"
                    + " \(short)`.", problems: problems)
        }

        private static func text(_ value: String) -> String {
            value.isEmpty ? "(nothing)" : String(value.prefix(60))
        }
    }
}
