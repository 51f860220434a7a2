import ShareCore
import ShareFormats
import ShareForms
import ShareStore

/// Works out what an edit writes of the rows of an entry: those that are given, and all others in
/// which the form computes something else, or which it does not ask any more.
///
/// A row is known by its id on all sides; it goes where it is taken away, or where a condition or a
/// count of the form says so, and for no other reason.
struct RowsAfter {
    /// The entry before and after the edit, as the form makes it, with repetitions that are not
    /// asked.
    let before: Answers
    let after: Answers
    /// Whether rows are missing in it that the form was not asked about.
    let isCut: Bool

    /// - Parameter present: as they lie in the store.
    /// - Returns: the rows of the repeats in which anything is another, in the order of the form.
    func repeats(
        _ wanted: EntryValues, _ present: [[RecordRow]], of schema: FormSchema
    ) -> [(index: Int, rows: [EntryValues.Row])] {
        repeats(wanted, present, before, after, schema, in: [])
    }

    private func repeats(
        _ wanted: EntryValues, _ present: [[RecordRow]], _ before: Answers, _ after: Answers,
        _ schema: FormSchema, in names: [String]
    ) -> [(index: Int, rows: [EntryValues.Row])] {
        schema.form.repeats(in: names).enumerated().compactMap { slot, one in
            guard let index = schema.repeat(named: one.name),
                after.repeats.indices.contains(slot)
            else { return nil }
            let scope = RepeatAfter(
                all: self, schema: schema.repeats[index], names: one.names,
                present: present.list(index),
                before: before.repeats.list(slot),
                after: after.repeats[slot])
            return scope.rows(wanted.repeats.first { $0.index == index }?.rows).map { (index, $0) }
        }
    }

    /// One repeat of the entry, or of one row.
    private struct RepeatAfter {
        let all: RowsAfter
        let schema: FormSchema
        /// The names that lead to it.
        let names: [String]
        let present: [RecordRow]
        let before: [Answers]
        let after: [Answers]
        private let known: [RecordID: Int]
        private let earlier: [RecordID: Answers]

        init(
            all: RowsAfter, schema: FormSchema, names: [String], present: [RecordRow],
            before: [Answers], after: [Answers]
        ) {
            self.all = all
            self.schema = schema
            self.names = names
            self.present = present
            self.before = before
            self.after = after
            known = Dictionary(
                present.enumerated().map { ($0.element.name.id, $0.offset) },
                uniquingKeysWith: { first, _ in first })
            earlier = Dictionary(
                before.compactMap { row in row.row.map { ($0, row) } },
                uniquingKeysWith: { first, _ in first })
        }

        /// All rows; nil where none is given and the edit changes nothing in them.
        ///
        /// - Parameter given: all that the request wants; nil where it says nothing of them.
        func rows(_ given: [EntryValues.Row]?) -> [EntryValues.Row]? {
            var isChanged = given != nil
            var rows: [EntryValues.Row] = []
            for (position, made) in after.enumerated() {
                let said = given.flatMap { $0.indices.contains(position) ? $0[position] : nil }
                let isThere = made.row.map { known[$0] != nil } ?? false
                // Those that the form asked for before as well, and nobody has made, still wait.
                if !isThere, given == nil, before.indices.contains(position),
                    !before[position].isLeftOut
                {
                    continue
                }
                guard let row = row(said, made) else {
                    isChanged = true
                    continue
                }
                isChanged = isChanged || !isThere || !row.entry.isEmpty
                rows.append(row)
            }
            for (row, said) in beyond(given) {
                if all.isCut || row.map({ earlier[$0] == nil }) ?? false {
                    rows.append(
                        EntryValues.Row(
                            id: row, entry: said?.entry ?? .nothing, isNew: row == nil,
                            said: Set(said?.entry.values.keys ?? [:].keys),
                            place: row.flatMap { known[$0] }))
                } else {
                    isChanged = true
                }
            }
            return isChanged ? rows : nil
        }

        /// The rows that are wanted and that the form has no place for, in their order.
        private func beyond(
            _ given: [EntryValues.Row]?
        ) -> [(row: RecordID?, said: EntryValues.Row?)] {
            let made = Set(after.compactMap(\.row))
            guard let given else {
                return present.map(\.name.id).filter { !made.contains($0) }.map { ($0, nil) }
            }
            return given.dropFirst(after.count).map { row in
                (row.place.map { present[$0].name.id }, row)
            }
        }

        /// What is written of a row; nil where it goes.
        private func row(_ given: EntryValues.Row?, _ made: Answers) -> EntryValues.Row? {
            let place = made.row.flatMap { known[$0] }
            let there = place.map { present[$0] }
            let was = made.row.flatMap { earlier[$0] }
            if made.isLeftOut {
                guard let there, was?.isLeftOut == true else { return nil }
                return EntryValues.Row(id: there.name.id, entry: .nothing, place: place)
            }
            let old = was.map { EntryValues($0, schema, in: names).values }
            let now = EntryValues(made, schema, in: names).values
            var values: [Int: FieldValue] = [:]
            for (field, one) in schema.form.stored.enumerated() where field >= Answers.shift {
                let value = now[field] ?? .absent
                let isSaid =
                    given.map { given in
                        given.entry.values[field] != nil || one.expressions.calculation != nil
                    } ?? false
                // What others have changed in it may not be computed yet.
                let isStale =
                    one.expressions.calculation != nil && !all.isCut
                    && there.map { $0.values[field] != value } ?? false
                if isSaid || isStale || (old?[field] ?? .absent) != value {
                    values[field] = value
                }
            }
            return EntryValues.Row(
                id: there?.name.id,
                entry: EntryValues(
                    values: values,
                    repeats: all.repeats(
                        given?.entry ?? .nothing, there?.repeats ?? [], was ?? Answers(), made,
                        schema, in: names)),
                isNew: there == nil, said: Set(given?.entry.values.keys ?? [:].keys), place: place)
        }
    }
}

/// Pairs rows that are named with those that there are.
enum RowPosition {
    /// For each row the place that it has already: by its id, without one by its own place unless
    /// another is of it; nil for a new one.
    static func all(of rows: [RecordID?], in present: [RecordID?]) -> [Int?] {
        var known: [RecordID: Int] = [:]
        for (place, row) in present.enumerated() {
            if let row, known[row] == nil { known[row] = place }
        }
        let named = Set(rows.compactMap { row in row.flatMap { known[$0] } })
        return rows.enumerated().map { position, row in
            if let row { return known[row] }
            return present.indices.contains(position) && !named.contains(position)
                ? position : nil
        }
    }
}

extension Array {
    /// The list at a place; empty where there is none.
    func list<Item>(_ place: Int) -> [Item] where Element == [Item] {
        indices.contains(place) ? self[place] : []
    }
}
