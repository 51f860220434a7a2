import JSON
import ShareControl
import ShareCore
import ShareFormats
import ShareStore
import Synchronization

/// The effect of a new version of a form on the entries made with earlier ones.
struct FormUpdate: Sendable {
    private let form: Form
    private let known: FormSchema

    init(_ form: Form, known: FormSchema) {
        self.form = form
        self.known = known
    }

    /// Entries that do not fit the new version; nil where all do.
    func invalid(
        _ reader: RoomReader, _ surroundings: EntrySurroundings
    ) async throws -> FormAddedAnswer.Invalid? {
        let earlier = known.info.earlier.prefix(FormPast.versions - 1).map { Form($0) }
        let schema = FormTrial(form.following([known.form] + earlier), instead: known)
        guard KeptEntryCheck.isNeeded(for: schema.schema) else { return nil }
        let failed = known.info.lists.failed
        let counts = Mutex(BreakCounts(KeptEntryCheck(schema.schema, surroundings)))
        var query = RecordQuery()
        query.wantsOrigins = true
        try await reader.list(known.info, query, isWhole: !known.repeats.isEmpty) { row in
            counts.withLock { $0.take(schema.row(row)) }
            return !Task.isCancelled
        }
        try Task.checkCancellation()
        try known.info.lists.requireReading(since: failed)
        return counts.withLock { $0.answer }
    }

    /// Why it is not added unless somebody insists; nil where nothing is against it.
    var risk: Problem? {
        let now = known.info.form
        var against: [(what: String, hint: String)] = []
        let change = typeChanges.first.map { change in
            "\(change.field) was \(change.old.name) and would be \(change.new.name)"
        }
        let isSame = form.version.utf8.elementsEqual(now.version.utf8)
        if isSame {
            against.append(
                (
                    "version \(form.version) of \(form.formID) is here with other content",
                    "Give the changed form another version."
                ))
        }
        if !isSame, known.info.versions.contains(form.version) || isOlder(than: now.version) {
            against.append(
                (
                    "version \(form.version) of \(form.formID) is older than \(now.version)"
                        + (change.map { ", and \($0): what was entered before shows again" } ?? ""),
                    "Give it a version of its own."
                ))
        } else if let change {
            against.append((change, "Give the new question another name."))
        }
        if let newKey { against.append((newKey, "Keep the key: \(Self.told(known.form.key)).")) }
        guard !against.isEmpty else { return nil }
        return Problem(
            .badForm, against.map(\.what).joined(separator: "; "),
            hint: against.map(\.hint).joined(separator: " ")
                + " See what it would do: `shared form add --dry-run`; add it all the same: `--force`."
        )
    }

    /// That entries would be called by other fields, which also say which are duplicates; nil where
    /// they would not, or have no key yet.
    private var newKey: String? {
        guard known.info.records > 0, !known.form.key.isEmpty, form.key != known.form.key else {
            return nil
        }
        return "the key of \(form.formID) was \(Self.told(known.form.key)) and would be"
            + " \(form.key.isEmpty ? "none" : Self.told(form.key)): what entries are called, and which"
            + " are duplicates, hangs on it"
    }

    private static func told(_ key: [String]) -> String { key.joined(separator: ", ") }

    /// - Throws: `Problem` of `bad_form` where a question would have the name of a repeat that an
    ///   earlier version had, or the reverse: an entry can have but one thing of a name.
    static func requireNames(of form: Form, in store: RoomStore) async throws {
        for definition in form.definitions(parents: { _ in [] }) {
            for field in definition.fields
            where await store.form("\(definition.formID)/\(field.name)") != nil {
                throw taken(field.name, "a repeat", "a question")
            }
            guard let outer = FormDefinition.parentForm(of: definition.formID),
                let known = await store.form(outer)
            else { continue }
            let name = definition.formID.utf8.dropFirst(outer.utf8.count + 1)
            for column in known.columns where column.field.name.utf8.elementsEqual(name) {
                throw taken(column.field.name, "a question", "a repeat")
            }
        }
    }

    private static func taken(_ name: String, _ was: String, _ now: String) -> Problem {
        Problem(
            .badForm, "\(name) was \(was) in an earlier version, and cannot be \(now)",
            hint: "Give it another name: entries keep what they have under this one.")
    }

    /// Versions that are whole numbers of one length follow each other.
    private func isOlder(than version: String) -> Bool {
        guard form.version.utf8.count == version.utf8.count, let new = Int64(form.version),
            let old = Int64(version)
        else { return false }
        return new < old
    }

    /// Fields that keep their name and get another type, integers that become decimal aside.
    private var typeChanges: [(field: String, old: StorageType, new: StorageType)] {
        var changes: [(field: String, old: StorageType, new: StorageType)] = []
        let new = form.definitions { _ in [] }
        func look(_ schema: FormSchema) {
            if let other = new.first(where: { $0.formID == schema.info.formID }) {
                for old in schema.info.form.fields {
                    guard let field = other.fields.first(where: { old.isNamed(like: $0) }),
                        field.type != old.type, !field.widens(old)
                    else { continue }
                    changes.append((field.name, old.type, field.type))
                }
            }
            schema.repeats.forEach(look)
        }
        look(known)
        return changes
    }

    /// Entries whose values have no question any more, or another one.
    func kept(
        _ reader: RoomReader, in store: RoomStore
    ) async throws -> [FormAddedAnswer.Kept] {
        try await kept(reader, store, of: known, form.definitions { _ in [] })
            + retired(reader, of: known, instead: form)
    }

    private func kept(
        _ reader: RoomReader, _ store: RoomStore, of known: FormSchema, _ new: [FormDefinition]
    ) async throws -> [FormAddedAnswer.Kept] {
        var kept: [FormAddedAnswer.Kept] = []
        let fields = new.first { $0.formID == known.info.formID }?.fields ?? []
        let outer = known.info.formID.split(separator: "/").dropFirst().map { "\($0)/" }.joined()
        for column in known.info.columns.prefix(known.form.stored.count)
        where !FormDefinition.repeatFields.contains(column.field) {
            let entries = try await reader.count(of: column, in: known.info)
            guard entries > 0 else { continue }
            let name = outer + column.field.name
            guard let new = fields.first(where: { column.field.isNamed(like: $0) }) else {
                kept.append(
                    .init(field: name, entries: entries, what: "which is not asked any more"))
                continue
            }
            if new.widens(column.field) {
                kept.append(
                    .init(
                        field: name, entries: entries, what: "which becomes decimal: \(Self.same)"))
            } else if new.type != column.field.type {
                var what = "which was \(column.field.type.name) and is \(new.type.name) now"
                if column.field.widens(new) {
                    let older = try await store.countEclipsed(
                        new, by: column.field, of: known.info.formID)
                    if older > 0 {
                        what += ": \(older) \(older == 1 ? "shows" : "show") an older value again"
                    }
                }
                kept.append(.init(field: name, entries: entries, what: what))
            }
        }
        // What earlier versions had: in its place again, or, of another type, beside it.
        for column in known.info.columns.dropFirst(known.form.stored.count) {
            guard let new = fields.first(where: { column.field.isNamed(like: $0) }) else {
                // A question that goes now may have answers of another type.
                guard known.info.form.fields.contains(where: { column.field.isNamed(like: $0) })
                else { continue }
                let entries = try await reader.count(of: column, in: known.info)
                guard entries > 0 else { continue }
                kept.append(
                    .init(
                        field: outer + column.field.name, entries: entries,
                        what: "of an earlier version, and it is not asked any more"))
                continue
            }
            let entries = try await reader.count(of: column, in: known.info)
            guard entries > 0 else { continue }
            let isBack = new == column.field || new.widens(column.field)
            kept.append(
                .init(
                    field: outer + column.field.name, entries: entries,
                    what: isBack ? "which is asked again" : "of an earlier version"))
        }
        for part in known.repeats { kept += try await self.kept(reader, store, of: part, new) }
        return kept
    }

    private static let same = "they are shown as before"

    /// Choices that are not offered any more and that entries, or rows in them, have.
    ///
    /// - Parameter new: the form, or the repeat, as the new version has it.
    private func retired(
        _ reader: RoomReader, of known: FormSchema, instead new: Form
    ) async throws -> [FormAddedAnswer.Kept] {
        var kept: [FormAddedAnswer.Kept] = []
        let outer = known.info.formID.split(separator: "/").dropFirst().map { "\($0)/" }.joined()
        for (position, field) in known.form.stored.enumerated() where field.kind.isChoice {
            guard let old = field.list.flatMap({ known.form.list(named: $0) }),
                let now = new.stored.first(where: { $0.name == field.name }),
                let list = now.list.flatMap({ form.list(named: $0) })
            else { continue }
            let offered = Set(list.choices.map(\.name))
            let subject = RecordQuery.Subject.column(known.info.columns[position].name)
            for choice in old.choices where !offered.contains(choice.name) {
                guard kept.count < ControlLimits.rowErrors else { return kept }
                let condition: RecordQuery.Condition =
                    field.kind.isSeveral
                    ? .chosen(subject, choice.name) : .init(subject, equals: .text(choice.name))
                let entries = try await reader.count(
                    of: known.info.columns[position], in: known.info, where: condition)
                guard entries > 0 else { continue }
                kept.append(
                    .init(
                        field: outer + field.name, entries: entries,
                        what: "which is \(choice.name), a choice that is not offered any more"))
            }
        }
        for part in known.repeats {
            guard
                let definition = form.definitions(parents: { _ in [] }).first(where: {
                    $0.formID == part.info.formID
                }), let inner = form.form(ofRepeat: definition)
            else { continue }
            kept += try await retired(reader, of: part, instead: inner)
        }
        return kept
    }
}

extension FormField {
    func isNamed(like other: FormField) -> Bool { name.utf8.elementsEqual(other.name.utf8) }
}
