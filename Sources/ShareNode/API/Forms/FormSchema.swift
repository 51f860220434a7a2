import JSON
import ShareControl
import ShareCore
import ShareFormats
import ShareForms
import ShareStore
import Synchronization

/// A form of a room with all that is needed to read, check and write its records.
struct FormSchema: Sendable {
    let info: FormInfo
    let form: Form
    let parser: ValueParser
    let questionnaire: Questionnaire
    let asked: AskedFields
    /// Nil where the form gives its entries no names.
    let namer: EntryNamer?
    /// The forms of its repeats, as `info.repeats` has them.
    let repeats: [FormSchema]
    /// In which faults of entries are told; nil for the form's own default.
    var language: String? = nil

    /// The same that tells faults in the language that somebody means.
    func told(in language: String?) -> FormSchema {
        guard let language else { return self }
        return FormSchema(
            info: info, form: form, parser: parser.told(in: language),
            questionnaire: questionnaire, asked: asked.told(in: language), namer: namer,
            repeats: repeats.map { $0.told(in: language) }, language: language)
    }

    /// The repeat of that name.
    func `repeat`(named name: String) -> Int? {
        info.repeats.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// The names under which a record's values are shown, one for each column of the table:
    /// a field's own where the definition in force has it, else its column's.
    var names: [String] {
        info.columns.enumerated().map { index, column in
            index < form.stored.count ? column.field.name : column.name
        }
    }

    /// Whether a field holds entries of another form, by its place in `form.stored`.
    func holdsEntries(at place: Int) -> Bool { entries(at: place) != nil }

    /// The entries that a field holds, by its place in `form.stored`; nil where it holds none.
    func entries(at place: Int) -> RoomEntries? {
        form.stored[place].listName.flatMap { ChosenForms.entries(of: $0, in: info.lists) }
    }

    /// The columns of fields that the definition in force does not have.
    var earlierFields: [String] { info.columns.dropFirst(form.stored.count).map(\.name) }

    /// The places that only earlier versions of the form ask for: their columns, and what they are.
    func earlierPlaces(in room: OpenRoom) async -> [(column: Int, kind: FieldKind)] {
        guard !earlierFields.isEmpty, !form.isRepeat else { return [] }
        let known = await room.store.definitions()
        var kinds: [FormField: FieldKind] = [:]
        for name in info.definitions.keys.sorted() {
            for field in known[name].map({ Form($0).stored }) ?? [] where field.kind.isPlace {
                kinds[FormField(name: field.name, type: field.storage ?? .text)] = field.kind
            }
        }
        return info.columns.indices.dropFirst(form.stored.count).compactMap { column in
            kinds[info.columns[column].field].map { (column, $0) }
        }
    }

    /// The columns that a request names, each alone or several with commas between them; nil where
    /// it names none.
    func columns(_ fields: HTTPFields) -> [String]? {
        let texts = fields.values(of: "columns")
        guard !texts.isEmpty else { return nil }
        return texts.flatMap { text -> [String] in
            // A name may have commas and spaces in it.
            if names.contains(where: { $0.utf8.elementsEqual(text.utf8) })
                || (try? parser.position(of: text)) != nil
            {
                return [text]
            }
            return text.split(separator: ",").map { name in
                var name = name.drop { $0 == " " }
                while name.last == " " { name.removeLast() }
                return String(name)
            }
        }
    }

    /// The name of a column that is asked for, by the name or the label of its field; those that every
    /// record has, and repeats, need none.
    func column(_ name: String) throws(ValueError) -> String {
        if name.hasPrefix("_") || self.repeat(named: name) != nil || names.contains(name) {
            return name
        }
        return names[try parser.position(of: name)]
    }

    /// The index in the form of the field that a conflict is about; nil for hidden fields, and
    /// for those that the form does not have any more.
    func index(of field: RecordField) -> Int? {
        guard case .field(let field) = field else { return nil }
        return info.columns.prefix(form.stored.count).firstIndex { $0.field == field }
    }

    /// The name under which a field is shown.
    func name(of field: RecordField) -> String {
        guard case .field(let own) = field else { return field.shownName }
        return info.columns.firstIndex { $0.field == own }.map { names[$0] } ?? own.name
    }

    /// The conditions of an assignment on entries of this form, with the places of their fields in
    /// `form.stored`.
    ///
    /// - Throws: `StoreError.outsideScope` for a new entry of a form that is not in it.
    func conditions(
        of scope: Scope, isNew: Bool
    ) throws -> [(place: Int, condition: Scope.Condition)] {
        guard let own = scope.form(info.formID) else {
            guard isNew else { return [] }
            throw StoreError.outsideScope(form: info.formID, field: nil, allowed: [])
        }
        return own.conditions.compactMap { condition in
            place(named: condition.field).map { ($0, condition) }
        }
    }

    /// The place in `form.stored` of the field with exactly this name.
    func place(named name: String) -> Int? {
        form.stored.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// A field's value as JSON.
    func json(_ value: FieldValue, of field: FormField) -> JSONValue {
        let column = info.columns.firstIndex { $0.field == field }
        return RecordsValues.json(value, isSeveral: column.map { isSeveral($0) } ?? false)
    }

    /// Whether the value of a column is several choices.
    func isSeveral(_ column: Int) -> Bool {
        column < form.stored.count && form.stored[column].kind.isSeveral
    }
}

/// Parses the JSON of each form definition once.
///
/// A definition never changes under its name, so nothing here can grow old.
final class SchemaCache: Sendable {
    private typealias Parsed = (
        form: Form, parser: ValueParser, questionnaire: Questionnaire, asked: AskedFields,
        namer: EntryNamer?
    )

    /// A repeat is read in the definition of its outermost form.
    private struct Key: Hashable {
        let definition: OperationName
        let root: OperationName?
        /// Definitions before it, and before that of the outermost form; another one may arrive late.
        let earlier: Int
        let earlierRoots: Int
        /// A room that was left and joined again has another file.
        let lists: ObjectIdentifier
    }

    private let parsed = Mutex<[Key: Parsed]>([:])
    private let found = Mutex<[Asked: FormSchema]>([:])
    private let surroundings: EntrySurroundings

    /// A form as somebody named it in a room.
    private struct Asked: Hashable {
        let form: String
        let lists: ObjectIdentifier
    }

    /// Definitions that are kept; beyond that all are parsed anew when they are needed.
    private static let limit = 256

    init(_ surroundings: EntrySurroundings) { self.surroundings = surroundings }

    /// The schema of a form.
    func schema(of info: FormInfo) -> FormSchema {
        let known = parsed(info)
        return FormSchema(
            info: info, form: known.form, parser: known.parser,
            questionnaire: known.questionnaire, asked: known.asked, namer: known.namer,
            repeats: info.repeats.map { schema(of: $0) })
    }

    /// The lists of the room that a form and its repeats choose from.
    func lists(of info: FormInfo) -> [String] {
        func names(_ schema: FormSchema) -> [String] {
            schema.form.outsideLists + schema.repeats.flatMap(names)
        }
        return names(schema(of: info))
    }

    private func parsed(_ info: FormInfo) -> Parsed {
        let key = Key(
            definition: info.definition, root: info.root?.definition,
            earlier: info.accepted.count, earlierRoots: info.roots.count,
            lists: ObjectIdentifier(info.lists))
        if let known = parsed.withLock({ $0[key] }) { return known }
        let made = parse(info)
        parsed.withLock { parsed in
            if parsed.count >= Self.limit { parsed = [:] }
            parsed[key] = made
        }
        return made
    }

    private func parse(_ info: FormInfo) -> Parsed {
        // The versions of a repeat stand in those of its outermost form.
        let roots = info.roots.prefix(FormPast.versions + 1).map { Form($0.form) }
        let inForce = roots.first?.form(ofRepeat: info.form) ?? Form(info.form)
        let earlier = info.earlier.prefix(FormPast.versions).map { definition in
            roots.first { $0.version.utf8.elementsEqual(definition.version.utf8) }?
                .form(ofRepeat: definition) ?? Form(definition)
        }
        let form = inForce.following(earlier)
        let questionnaire = Questionnaire(form)
        let source = RoomChoiceSource(lists: info.lists, surroundings: surroundings)
        return (
            form: form, parser: ValueParser(form, lists: source), questionnaire: questionnaire,
            asked: AskedFields(form, lists: source),
            namer: EntryNamer(questionnaire, info.lists, surroundings)
        )
    }

    /// The schema of the form that somebody means: by its id, or by the beginning that no other
    /// form's has.
    ///
    /// - Throws: `UnknownForm`, with the nearest id.
    func find(_ formID: String, in room: OpenRoom) async throws -> FormSchema {
        try await room.store.perform { try find(formID, in: $0, named: room.name) }
    }

    /// The same in the store's turn.
    func find(
        _ formID: String, in store: isolated RoomStore, named room: String
    ) throws -> FormSchema {
        if let info = store.form(formID) {
            let schema = schema(of: info)
            note(schema, as: Asked(form: formID, lists: ObjectIdentifier(store.lists)))
            return schema
        }
        let begun = store.forms().filter { !$0.form.isRepeat && $0.formID.hasPrefix(formID) }
        if begun.count == 1, !formID.isEmpty {
            let schema = schema(of: begun[0])
            note(schema, as: Asked(form: begun[0].formID, lists: ObjectIdentifier(store.lists)))
            return schema
        }
        throw UnknownForm(
            form: formID,
            problem: Problem(
                .notFoundForm, "the room \(room) has no form \"\(formID.prefix(80))\"",
                hint: Suggestion.hint(
                    for: formID, among: store.forms().filter { !$0.form.isRepeat }.map(\.formID),
                    otherwise: "Add one: `shared form add FILE`.")))
    }

    /// A form as it was found last, for those who wait for nobody and look again in the store's
    /// turn; nil where it was not found yet.
    func lastFound(_ formID: String, in room: OpenRoom) -> FormSchema? {
        let asked = Asked(form: formID, lists: ObjectIdentifier(room.store.lists))
        return found.withLock { $0[asked] }
    }

    private func note(_ schema: FormSchema, as asked: Asked) {
        found.withLock { found in
            if let known = found[asked], known.info.isRead(as: schema.info) { return }
            if found.count >= Self.limit { found = [:] }
            found[asked] = schema
        }
    }

    /// The schemas of all forms of a room, by form id.
    func all(in room: OpenRoom) async -> [String: FormSchema] {
        Dictionary(
            await room.store.forms().map { ($0.formID, schema(of: $0)) },
            uniquingKeysWith: { first, _ in first })
    }
}

/// A room has no such form; another one may have it.
struct UnknownForm: Error {
    let form: String
    let problem: Problem

    /// The same with where the form is.
    ///
    /// - Parameter rooms: the names of those that have it.
    func problem(in rooms: [String]) -> Problem {
        guard let first = rooms.first else { return problem }
        let name =
            first.contains { !$0.isLetter && !$0.isNumber && $0 != "-" } ? "'\(first)'" : first
        let have = rooms.count == 1 ? "The room \(first) has it" : "\(Sentence.list(rooms)) have it"
        return Problem(
            problem.code, problem.detail,
            hint: "\(have): `shared use \(name)`, or `--room \(name)`.")
    }
}

extension ValueError {
    /// The same for the control API.
    var problem: Problem {
        Problem(ErrorCode(rawValue: code) ?? .wrongType, description, hint: hint)
    }
}
