import ShareControl
import ShareCore
import ShareFormats
import ShareStore

/// Finding the record that somebody means.
extension RecordsService {
    /// The record of that id or end of one, of that key, or of that form and key.
    ///
    /// - Throws: `StoreError.unknownRecord`, `.ambiguousRecord`; `Problem` for a deleted one, for
    ///   one that nobody has or several are called so, for a key that is written otherwise, for
    ///   a form that has no such key, and to change one that is on this device alone, as its role
    ///   does not allow it.
    func name(
        _ entry: EntrySelector, in room: OpenRoom, for use: EntryUse
    ) async throws -> RecordName {
        let name = try await found(entry, in: room, for: use)
        if case .look = use { return name }
        guard try await room.store.isWithheld(name) else { return name }
        let short = name.id.text.suffix(8)
        let schema = try await schemas.find(name.form, in: room)
        let key = schema.name(of: try await room.store.detail(of: name).values)
        throw Problem(
            .notAllowed,
            "\(key.map { "\(name.form) \($0.prefix(60)) (\(short))" } ?? "entry \(short)") is on"
                + " this device alone, and cannot be changed: \(await onlyHere(in: room))",
            hint: "See it: `shared show \(short)`.")
    }

    private func found(
        _ entry: EntrySelector, in room: OpenRoom, for use: EntryUse
    ) async throws -> RecordName {
        let forms = await room.store.forms()
        let reader = try await readers.reader(of: room)
        let naming = EntryNaming(service: self, room: room, reader: reader, use: use)
        guard entry.key.isEmpty else {
            let schema: FormSchema
            do {
                schema = try await schemas.find(entry.text, in: room)
            } catch {
                // The words are all of a key, perhaps.
                let words = [entry.text] + entry.key
                let lookups = lookups(words, among: forms)
                if let found = try await naming.keyed(lookups, words.joined(separator: " ")) {
                    return found
                }
                if !use.takesPart { try await refusePart(words, among: forms, reader) }
                throw try await withForm(error, words, naming, among: forms)
            }
            return try await name(entry.key, of: schema, naming)
        }
        return try await name(entry.text, forms, naming)
    }

    /// Says of keys without their form, where that is wanted before them, what was meant.
    private func withForm(
        _ wrong: any Error, _ words: [String], _ naming: EntryNaming, among forms: [FormInfo]
    ) async throws -> any Error {
        guard naming.use.takesSeveral, words.count <= Self.severalLooked else { return wrong }
        var named: Set<String> = []
        for word in words {
            let found: RecordName?? = try await Self.ifNamed {
                try await naming.keyed(lookups([word], among: forms), word)
            }
            guard case .some(.some(let name)) = found else { return wrong }
            named.insert(name.form)
        }
        guard named.count == 1, let form = named.first else { return wrong }
        var problem = Problem(wrong)
        let line = ([form] + words).joined(separator: " ")
        problem.hint =
            if case .delete = naming.use {
                "The form comes first: `shared delete \(line)`."
            } else {
                "The form comes before the keys: \(line)."
            }
        return problem
    }

    /// Words that are looked for as keys where no form is before them.
    private static let severalLooked = 20

    /// The record of one word, which is a key or the end of an id.
    private func name(
        _ word: String, _ forms: [FormInfo], _ naming: EntryNaming
    ) async throws -> RecordName {
        let (reader, use) = (naming.reader, naming.use)
        // Where an id in full is meant, no form is asked for its key.
        lazy var lookups = self.lookups([word], among: forms)
        let keyed =
            word.utf8.count < RecordID.textLength ? try await naming.keyed(lookups, word) : nil
        if let keyed {
            // What lists show of an id is enough to mean it; less of one happens to be like a key.
            guard word.utf8.count >= Self.shownID,
                let named = try await Self.ifNamed({
                    try await reader.find(word, in: forms, deleted: use.takesDeleted)
                }),
                named != keyed
            else { return keyed }
            throw StoreError.ambiguousRecord([keyed, named])
        }
        let wrong: StoreError
        do {
            return try await reader.find(word, in: forms, deleted: use.takesDeleted)
        } catch let error as StoreError {
            wrong = error
        }
        switch wrong {
        case .unknownRecord, .shortRecord: break
        default: throw wrong
        }
        if !use.takesDeleted,
            let gone = try await Self.ifNamed({
                try await reader.find(word, in: forms, deleted: true)
            })
        {
            throw Self.isDeleted("entry \(word.prefix(80))", gone)
        }
        if let gone = try await naming.deleted(lookups, word) { return gone }
        if !use.takesPart { try await refusePart([word], among: forms, reader) }
        throw try await unknown(word, wrong, in: naming.room, forms, reader)
    }

    /// What is found; nil where the words are the name of nothing, or of several. What cannot be
    /// read is no such answer: another entry than the one that is meant would be taken.
    static func ifNamed<Found>(_ find: () async throws -> Found) async throws -> Found? {
        do {
            return try await find()
        } catch is ValueError {
            return nil
        } catch is Problem {
            return nil
        } catch is UnknownForm {
            return nil
        } catch let error as StoreError {
            switch error {
            case .unknownRecord, .shortRecord, .ambiguousRecord, .unknownForm: return nil
            default: throw error
            }
        }
    }

    /// Bytes of the end of an id, as lists show it.
    private static let shownID = 8

    /// Looking for a key in each form that can have it.
    private func lookups(_ words: [String], among forms: [FormInfo]) -> [EntryLookup] {
        forms.filter { !$0.form.isRepeat }
            .compactMap { try? EntryLookup(schemas.schema(of: $0), words, at: surroundings.wall()) }
    }

    /// Says of the beginning of a key that all of it is wanted, where an entry has one that begins
    /// so: what is changed or deleted must be meant.
    private func refusePart(
        _ words: [String], among forms: [FormInfo], _ reader: RoomReader
    ) async throws {
        for lookup in lookups(words, among: forms) where lookup.isPart {
            guard
                let name = try await Self.ifNamed({ try await lookup.shown(reader, part: true) })?
                    .first,
                let row = try await reader.record(name, in: lookup.schema.info)
            else { continue }
            let (schema, form) = (lookup.schema, lookup.schema.info.formID)
            let fields = schema.keyPlaces.map { schema.form.stored[$0].name }
            let word = words.joined(separator: " ").prefix(80)
            throw Problem(
                .ambiguousID,
                "\(word) is a part of the key of \(form), which is \(Sentence.list(fields))",
                hint: "To change an entry give all of its key, or its id: \(form)"
                    + " \((schema.key(of: row.values) ?? "").prefix(120))"
                    + " (\(name.id.text.suffix(8))), for instance.")
        }
    }

    func only(
        _ found: [(schema: FormSchema, names: [RecordName])], called word: String,
        _ reader: RoomReader
    ) async throws -> RecordName? {
        guard let first = found.first else { return nil }
        let forms = found.map(\.schema.info.formID)
        guard found.count == 1 else {
            throw Problem(
                .ambiguousID,
                "\(word.prefix(80)) is the key of entries of \(Sentence.list(forms))",
                hint: "Say which is meant: "
                    + forms.prefix(4).map { "`\($0) \(word.prefix(80))`" }
                    .joined(separator: ", or ") + ".")
        }
        guard first.names.count == 1 else {
            let typed = word.hasPrefix("\(forms[0]) ") ? word : "\(forms[0]) \(word)"
            throw try await ambiguous(typed, first.names, first.schema, reader)
        }
        return first.names[0]
    }

    /// No entry is called so: the keys that are nearest.
    private func unknown(
        _ word: String, _ wrong: StoreError, in room: OpenRoom, _ forms: [FormInfo],
        _ reader: RoomReader
    ) async throws -> Problem {
        if let schema = try await Self.ifNamed({ try await schemas.find(word, in: room) }) {
            let form = schema.info.formID
            return Problem(
                .notFoundRecord, "\(form) is a form, and no entry of it is named",
                hint: schema.keyPlaces.isEmpty
                    ? "Name one by its id: `shared list \(form)` shows them."
                    : "Put the key of one behind it: `shared list \(form)` shows them.")
        }
        var near: [String] = []
        for lookup in lookups([word], among: forms) {
            let form = lookup.schema.info.formID
            near += try await lookup.near(reader).prefix(2).map { "\(form) \($0)" }
        }
        guard !near.isEmpty else { return try await noEntry(wrong, near: [], in: room) }
        return try await noEntry(.unknownRecord(String(word.prefix(80))), near: near, in: room)
    }

    /// Says of an entry that is not found what is near, and where it may be all the same: what was
    /// refused stands in no table, so whether it is that one is not known.
    private func noEntry(
        _ wrong: StoreError, near: [String], in room: OpenRoom
    ) async throws -> Problem {
        let problem = Problem(wrong)
        var hints = [problem.hint ?? ""]
        if !near.isEmpty { hints = ["Nearest: \(near.prefix(4).joined(separator: ", "))."] }
        if try await room.store.hasRefusedEntries() {
            hints.append("An entry that was refused is in no list: `shared refused`.")
        }
        return Problem(problem.code, problem.detail, hint: hints.joined(separator: " "))
    }

    /// The record of a form with that key, or that id.
    private func name(
        _ key: [String], of schema: FormSchema, _ naming: EntryNaming
    ) async throws -> RecordName {
        let reader = naming.reader
        let form = schema.info.formID
        let name = "\(form) \(key.joined(separator: " "))"
        var wrong: (any Error)?
        do {
            let lookup = try EntryLookup(schema, key, at: surroundings.wall())
            try lookup.check()
            if let found = try await naming.keyed([lookup], name) { return found }
            if let gone = try await naming.deleted([lookup], name) { return gone }
        } catch let error as ValueError {
            wrong = error
        } catch let error as Problem where schema.keyPlaces.isEmpty {
            wrong = error
        }
        // A part of the key, of an entry that is only looked at.
        if naming.use.takesPart,
            let found = try? await EntryLookup(schema, key, at: surroundings.wall()).alone(reader),
            let named = try await only(
                [(schema, found)].filter { !$0.1.isEmpty }, called: name, reader)
        {
            return named
        }
        if key.count == 1,
            let named = try await Self.ifNamed({
                try await reader.find(
                    key[0], in: [schema.info], deleted: naming.use.takesDeleted)
            }),
            named.form == form
        {
            return named
        }
        if let wrong {
            throw Self.withKey(of: schema, wrong)
        }
        if !naming.use.takesPart { try await refusePart(key, among: [schema.info], reader) }
        let near = try await EntryLookup(schema, key, at: surroundings.wall()).near(reader)
        throw try await noEntry(.unknownRecord(name), near: near, in: naming.room)
    }

    /// What is wrong with a value of a key, with the parts that the key has.
    private static func withKey(of schema: FormSchema, _ wrong: any Error) -> any Error {
        guard wrong is ValueError, schema.keyPlaces.count > 1 else { return wrong }
        let fields = schema.keyPlaces.map { schema.form.stored[$0].name }
        var problem = Problem(wrong)
        problem.hint =
            "The key of \(schema.info.formID) is \(Sentence.list(fields)), in this order."
            + (problem.hint.map { " " + $0 } ?? "")
        return problem
    }

    /// Says who made each of the entries of one key, and when, and the first answer in which they
    /// differ: the same person may have entered both in one minute.
    private func ambiguous(
        _ name: String, _ records: [RecordName], _ schema: FormSchema, _ reader: RoomReader
    ) async throws -> Problem {
        var told: [String] = []
        var rows: [RecordName: RecordRow] = [:]
        for record in records.prefix(5) {
            rows[record] = try await reader.record(record, in: schema.info)
        }
        let apart = schema.form.stored.indices.first { place in
            Set(rows.values.map { $0.values[place] }).count > 1
        }
        for record in records.prefix(5) {
            let row = rows[record]
            let day = row.map { ", " + RecordTimestamp.local($0.created) } ?? ", deleted"
            told.append(
                "\(record.id.text.suffix(8)) by \(await names.called(record.creator))\(day)"
                    + (row.flatMap { row in apart.map { Self.answer(row, $0, schema) } } ?? ""))
        }
        let more = records.count > told.count ? "; and more" : ""
        let first = records[0].id.text.suffix(8)
        return Problem(
            .ambiguousID,
            "\(records.count) entries are called \(name.prefix(120)): "
                + told.joined(separator: "; ") + more,
            hint: "Give one's id in the place of \(name.prefix(120)): \(first), for instance.")
    }

    /// `, Nets 3`
    private static func answer(_ row: RecordRow, _ place: Int, _ schema: FormSchema) -> String {
        let field = schema.info.columns[place].field
        let value = schema.shown(row.values[place], of: field).prefix(60)
        return ", \(schema.label(of: field)) \(value.isEmpty ? "(nothing)" : String(value))"
    }

    static func isDeleted(_ name: String, _ record: RecordName) -> Problem {
        let short = record.id.text.suffix(8)
        return Problem(
            .notFoundRecord, "\(name.prefix(120)) is deleted",
            hint: "Bring it back: `shared restore \(short)`; or see who deleted it: "
                + "`shared history \(short)`.")
    }
}
