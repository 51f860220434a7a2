import ShareControl
import ShareCore
import ShareFormats
import ShareForms
import ShareStore

/// How a request names one record: by its id or the end of it, or by its form and the values of
/// the form's key.
struct EntrySelector: Sendable {
    /// The id; with `key` the form's id.
    let text: String
    /// Values of the form's key fields, in their order; empty where an id names the record.
    var key: [String] = []
}

extension EntrySelector {
    init(_ request: HTTPRequest) {
        self.init(text: request.parameter("id"), key: request.query.values(of: "key"))
    }
}

/// What somebody wants of the entry that is named.
enum EntryUse: Sendable {
    /// - `deleted`: whether it may be a deleted one.
    /// - `exact`: whether a key has to be as it is written.
    case look(deleted: Bool = false, exact: Bool = false)
    /// What is deleted is not changed.
    case review, edit
    /// A deleted one may be meant.
    case resolve, delete
    /// A deleted one is meant where there is one.
    case restore
    /// Of several that one is meant which this device changed last.
    case undo

    /// Whether it may be a deleted entry.
    var takesDeleted: Bool {
        switch self {
        case .look(let deleted, _): deleted
        case .review, .edit: false
        case .resolve, .delete, .restore, .undo: true
        }
    }

    /// Whether the beginning of a key of several fields is enough, where it is no whole one.
    var takesPart: Bool { if case .look = self { true } else { false } }

    /// Whether commands for it take several entries.
    var takesSeveral: Bool {
        switch self {
        case .look, .review, .delete: true
        case .edit, .resolve, .restore, .undo: false
        }
    }

    /// Whether a key that is written otherwise in upper and lower case is not meant.
    var isExact: Bool {
        switch self {
        case .look(_, let exact): exact
        case .edit, .delete: true
        case .review, .resolve, .restore, .undo: false
        }
    }
}

/// Finds records by their form's key.
struct EntryLookup {
    let schema: FormSchema
    let values: [String]

    /// Deleted records that are looked through for one with a key, the latest.
    private static let deletedLimit = 1_000
    /// Entries that are looked through for a key much like one that nobody has.
    private static let nearLimit = 1_000

    /// - Parameters:
    ///   - values: as somebody has typed them.
    ///   - now: milliseconds since 1970: what `today` is.
    /// - Throws: `Problem` for a form without a key, or with a shorter one.
    init(_ schema: FormSchema, _ values: [String], at now: UInt64) throws {
        self.schema = schema
        self.values = schema.typedKey(values, at: now)
        let form = schema.info.formID
        guard !schema.keyPlaces.isEmpty else {
            throw Problem(
                .badRequest, "the form \(form) has no key, by which its entries could be named",
                hint: "Name the entry by its id: `shared list \(form)`.")
        }
        guard values.count <= schema.keyPlaces.count else {
            let fields = schema.keyPlaces.map { schema.form.stored[$0].name }
            throw Problem(
                .badRequest,
                "the key of \(form) has \(fields.count == 1 ? "one value" : "\(fields.count) values"), not \(values.count)",
                hint:
                    "In this order: \(fields.joined(separator: ", ")). Text with spaces goes in quotes."
            )
        }
    }

    /// Whether the values may be a part of a key alone.
    var isPart: Bool { values.count < schema.keyPlaces.count }

    private init(_ schema: FormSchema, typed values: [String]) {
        self.schema = schema
        self.values = values
    }

    /// - Throws: `ValueError` for what is no value of a key field.
    func check() throws {
        do {
            _ = try key(values, part: true)
        } catch let error as ValueError where EntryFault.Kind(error) == .choice && mayNameOthers {
            // Entries may have it all the same.
            _ = try key(values, part: true, byName: true)
        }
    }

    /// Whether entries may have choices in their key that are not offered any more.
    private var mayNameOthers: Bool {
        schema.keyPlaces.prefix(values.count).contains {
            schema.form.stored[$0].kind.isChoice
        }
    }

    /// The same key in capitals; nil where it is in capitals already.
    var inCapitals: EntryLookup? {
        let capitals = values.map { $0.uppercased() }
        return capitals == values ? nil : EntryLookup(schema, typed: capitals)
    }

    /// The shown records with that key; where none is written so, those with it in capitals.
    ///
    /// - Parameter part: whether the key may go on; else what is not given has no value in it.
    /// - Throws: `ValueError` for what is no value of a key field.
    func shown(_ reader: RoomReader, part: Bool) async throws -> [RecordName] {
        let found = try await written(reader, part: part)
        guard found.isEmpty, let inCapitals else { return found }
        return try await inCapitals.written(reader, part: part)
    }

    /// The shown records whose key is written so, those first whose choices have just these names;
    /// `part` as in `shown`.
    func written(_ reader: RoomReader, part: Bool) async throws -> [RecordName] {
        for byName in mayNameOthers ? [true, false] : [false] {
            let conditions = try key(values, part: part, byName: byName).map { position, value in
                RecordQuery.Condition(.column(schema.info.columns[position].name), equals: value)
            }
            let found = try await reader.records(
                schema.info, RecordQuery(where: conditions, limit: 20))
            if !found.isEmpty { return found.map(\.name) }
        }
        return []
    }

    /// The shown records in whose key one value stands in any place, where it is none of the first.
    func alone(_ reader: RoomReader) async throws -> [RecordName] {
        guard values.count == 1 else { return [] }
        var found: [RecordName] = []
        for position in schema.keyPlaces.dropFirst() {
            guard let value = try? schema.parser.value(values[0], at: position) else { continue }
            let rows = try await reader.records(
                schema.info,
                RecordQuery(
                    where: [
                        .init(.column(schema.info.columns[position].name), equals: value)
                    ], limit: 20))
            found += rows.map(\.name).filter { !found.contains($0) }
        }
        return found
    }

    /// What the fields of the key have to be, by their places in `form.stored`.
    private func key(
        _ values: [String], part: Bool, byName: Bool = false
    ) throws -> [(Int, FieldValue)] {
        let given = try zip(schema.keyPlaces, values).map { position, value in
            let named = byName ? schema.parser.named(value, at: position) : nil
            if let named { return (position, named) }
            do {
                return (position, try schema.parser.value(value, at: position))
            } catch {
                guard let gone = schema.parser.gone(value, at: position) else { throw error }
                return (position, gone)
            }
        }
        return part ? given : given + schema.keyPlaces.dropFirst(values.count).map { ($0, .absent) }
    }

    /// Keys of entries that are shown and are written much like this one, the nearest first.
    func near(_ reader: RoomReader) async throws -> [String] {
        var found: Set<String> = []
        for values in Set([values, values.map { $0.uppercased() }]) {
            for place in values.indices where values[place].count > 2 || values.count > 1 {
                for length in [values[place].count - 2, values[place].count / 2] where length > 0 {
                    guard let conditions = conditions(values, from: place, length) else { break }
                    let rows = try await reader.records(
                        schema.info, RecordQuery(where: conditions, limit: Self.nearLimit))
                    found.formUnion(rows.compactMap { schema.key(of: $0.values) })
                    if !rows.isEmpty { break }
                }
            }
        }
        return Suggestion.near(
            values.joined(separator: " "), among: found.sorted(), count: 3)
    }

    /// Entries of which the key is that looked for, but for one value, of which the beginning is; nil
    /// where that cannot be asked of the form's index.
    private func conditions(
        _ values: [String], from place: Int, _ length: Int
    ) -> [RecordQuery.Condition]? {
        var conditions: [RecordQuery.Condition] = []
        for (index, (position, value)) in zip(schema.keyPlaces, values).enumerated() {
            let subject = RecordQuery.Subject.column(schema.info.columns[position].name)
            if index != place {
                guard let equal = try? schema.parser.value(value, at: position) else { return nil }
                conditions.append(RecordQuery.Condition(subject, equals: equal))
            } else if schema.form.stored[position].storage == .text {
                let start = String(value.prefix(length))
                conditions += [
                    .compare(subject, .greaterOrEqual, .text(start)),
                    .compare(subject, .less, .text(start + "\u{10FFFF}")),
                ]
            } else if values.count == 1 {
                return nil
            }
        }
        return conditions
    }

    /// The deleted records with that key, among the latest; `part` as in `shown`.
    func deleted(_ reader: RoomReader, part: Bool) async throws -> [RecordName] {
        for byName in mayNameOthers ? [true, false] : [false] {
            let wanted = try key(values, part: part, byName: byName)
            let found = try await reader.deleted(
                of: schema.info, values: wanted.map(\.0), limit: Self.deletedLimit
            ).filter { $0.values == wanted.map(\.1) }
            if !found.isEmpty { return found.map(\.name) }
        }
        return []
    }
}

extension FormSchema {
    /// The places in `form.stored` of the form's key.
    var keyPlaces: [Int] {
        form.key.compactMap(place(named:))
    }

    /// What people call a record: the name that the form gives it, else the values of the form's
    /// key; nil where there are none.
    ///
    /// - Parameter values: one for each of the form's columns.
    func name(of values: [FieldValue]) -> String? { namer?.name(of: values) ?? key(of: values) }

    /// The same with what is known of its rows.
    func name(of row: RecordRow) -> String? {
        namer?.name(of: row, self) ?? key(of: row.values)
    }

    /// The values of the form's key, an entry of another form by its name; nil where there are none.
    func key(of values: [FieldValue]) -> String? {
        let texts = keyPlaces.map { $0 < values.count ? parser.called(values[$0], at: $0) : "" }
            .filter { !$0.isEmpty }
        return texts.isEmpty ? nil : texts.joined(separator: " ")
    }

    /// The place of a field among the form's columns, also of one that was a whole number before;
    /// past all of them where it has none.
    func column(of field: FormField) -> Int {
        info.columns.firstIndex { $0.field == field }
            ?? info.columns.firstIndex { $0.whole == field } ?? info.columns.count
    }

    /// Where a field stands among what the form asks: one that it does not ask any more in the place
    /// of what it asks instead.
    func order(of field: FormField) -> Int {
        let column = column(of: field)
        return column < form.stored.count ? column : past(field)?.successor ?? column
    }

    /// A value as people read it: choices by their labels, percent with its sign.
    func shown(_ value: FieldValue, of field: FormField, in language: String? = nil) -> String {
        let column = column(of: field)
        if column < form.stored.count {
            return parser.label(value, at: column, language: language)
        }
        return past(field)?.shown(value, in: [language, form.defaultLanguage]) ?? value.plainText
    }

    /// What an earlier version asked under a field; nil where the form in force has it, or none
    /// of the versions that are here.
    func past(_ field: FormField) -> FormPast.Question? { form.past.question(field) }

    /// A field's label, else its name; of one that the form has no more with the version that had it.
    func label(of field: FormField, in language: String? = nil) -> String {
        let column = column(of: field)
        guard column < form.stored.count else {
            guard let past = past(field) else { return name(of: .field(field)) }
            return "\(past.label(in: [language, form.defaultLanguage])) (version \(past.version))"
        }
        return form.stored[column].label.text(in: language, form.defaultLanguage) ?? field.name
    }

    /// A change as people read it.
    func shown(
        _ field: FormField, from before: FieldValue, to after: FieldValue,
        in language: String? = nil
    ) -> ShownChange {
        ShownChange(
            field: name(of: .field(field)), label: label(of: field, in: language),
            before: shown(before, of: field, in: language),
            after: shown(after, of: field, in: language))
    }
}
