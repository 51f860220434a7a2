import ShareCore
import ShareFormats
import ShareForms
import ShareStore

/// Entries between the store, where rows of repeats are records of forms of their own, and the
/// logic of forms, where they lie inside each other.
extension Answers {
    /// An entry as it lies in the store.
    ///
    /// - Parameters:
    ///   - values: by the columns of its form.
    ///   - rows: of each of `schema.repeats`.
    init(_ values: [FieldValue], _ rows: [[RecordRow]], of schema: FormSchema) {
        self.init(values[...], rows, schema, schema.form.fields[...], in: [])
    }

    private init(
        _ values: ArraySlice<FieldValue>, _ rows: [[RecordRow]], _ schema: FormSchema,
        _ fields: ArraySlice<Form.Field>, in names: [String]
    ) {
        var found = [FieldValue?](repeating: .absent, count: fields.count)
        let stored = fields.enumerated().filter { $0.element.storage != nil }
        for (field, value) in zip(stored, values) { found[field.offset] = value }
        self.init(
            fields: found,
            repeats: schema.form.repeats(in: names).map { one in
                guard let place = schema.repeat(named: one.name), rows.indices.contains(place)
                else { return [] }
                let inner = schema.repeats[place]
                return rows[place].map { row in
                    var answers = Answers(
                        row.values.dropFirst(Self.shift), row.repeats, inner,
                        inner.form.fields.dropFirst(Self.shift), in: one.names)
                    answers.row = row.name.id
                    return answers
                }
            })
    }

    /// These with rows that do not say which of an entry's they are taken for those in their places.
    func named(as present: Answers) -> Answers {
        var named = self
        for (slot, rows) in repeats.enumerated() where present.repeats.indices.contains(slot) {
            let known = present.repeats[slot]
            let places = RowPosition.all(of: rows.map(\.row), in: known.map(\.row))
            named.repeats[slot] = zip(rows, places).map { row, place in
                guard let place, let id = known[place].row else { return row }
                // It stands for a row that was not asked, of which nobody was told what it has.
                if row.row == nil, row.saysNothing { return known[place] }
                var row = row.named(as: known[place])
                row.row = id
                return row
            }
        }
        return named
    }

    private var saysNothing: Bool {
        fields.allSatisfy { $0 == nil } && repeats.allSatisfy(\.isEmpty)
    }

    /// The first fields of a row say whose it is and its place; they are no answers.
    static let shift = FormDefinition.repeatFields.count

    /// These answers with what an edit gives in their place.
    func changed(
        by wanted: EntryValues, _ rows: [[RecordRow]], of schema: FormSchema
    ) -> Answers {
        changed(by: wanted, rows, schema, in: [])
    }

    private func changed(
        by wanted: EntryValues, _ present: [[RecordRow]], _ schema: FormSchema, in names: [String]
    ) -> Answers {
        var after = self
        let shift = names.isEmpty ? 0 : Self.shift
        let stored = schema.form.fields.dropFirst(shift).enumerated()
            .filter { $0.element.storage != nil }.map(\.offset)
        for (place, value) in wanted.values where stored.indices.contains(place - shift) {
            after.fields[stored[place - shift]] = value
        }
        for (place, value) in wanted.asked where after.fields.indices.contains(place - shift) {
            after.fields[place - shift] = value
        }
        for (index, rows) in wanted.repeats {
            let inner = schema.repeats[index]
            guard
                let slot = schema.form.repeats(in: names).firstIndex(where: {
                    $0.name == inner.info.name
                }), repeats.indices.contains(slot)
            else { continue }
            let known = present.list(index)
            after.repeats[slot] = rows.map { row in
                let base = row.place.flatMap { place in
                    repeats[slot].indices.contains(place) ? repeats[slot][place] : nil
                }
                let count = inner.form.fields.count - Self.shift
                // A new one gets its defaults.
                let empty = Answers(
                    fields: [FieldValue?](repeating: nil, count: count),
                    repeats: inner.form.repeats(in: names + [inner.info.name]).map { _ in [] })
                return (base ?? empty).changed(
                    by: row.entry, row.place.map { known[$0].repeats } ?? [], inner,
                    in: names + [inner.info.name])
            }
        }
        return after
    }
}

extension EntryValues {
    /// What a new entry of these answers writes.
    init(_ answers: Answers, of schema: FormSchema) {
        self.init(answers, schema, in: [])
    }

    /// The same of a repetition of a repeat: these names lead to it.
    init(_ answers: Answers, _ schema: FormSchema, in names: [String]) {
        let shift = names.isEmpty ? 0 : Answers.shift
        var values: [Int: FieldValue] = [:]
        var place = shift
        for (field, value) in zip(schema.form.fields.dropFirst(shift), answers.fields)
        where field.storage != nil {
            if let value, value != .absent { values[place] = value }
            place += 1
        }
        self.values = values
        repeats = zip(schema.form.repeats(in: names), answers.repeats).compactMap { one, rows in
            guard !rows.isEmpty, let index = schema.repeat(named: one.name) else { return nil }
            return (
                index,
                rows.map {
                    Row(id: nil, entry: EntryValues($0, schema.repeats[index], in: one.names))
                }
            )
        }
    }
}
