import ShareCore
import ShareFormats
import ShareForms
import ShareStore

/// Finds answers that are given to what is not asked with the others, so that none is lost without
/// a word.
struct Misplaced {
    /// What is not asked, by its path.
    private let hidden: [String: Int]
    /// What was not asked before an edit either.
    private let before: Set<String>
    /// The entry as the form makes it; nil where it counts no rows, or may lack some.
    private let made: Answers?
    /// The rows of which the form asked before an edit.
    private let asked: Set<RecordID>

    init(_ state: FillState, since before: FillState? = nil) {
        let counts = state.questionnaire.form.repeats.contains { $0.count != nil }
        made = counts && !state.leavesOut ? state.placed : nil
        asked = made == nil ? [] : before.map { Set($0.placed.rows) } ?? []
        hidden = Dictionary(
            state.hidden.map { ($0.path, $0.node) }, uniquingKeysWith: { first, _ in first })
        // Asked of rows alone.
        let isFlat = state.questionnaire.form.repeats.isEmpty
        self.before =
            isFlat || hidden.isEmpty ? [] : Set(before?.hidden.map(\.path) ?? [])
    }

    /// In a new entry.
    func faults(_ given: Answers, of form: Form) -> [EntryFault] {
        hidden.isEmpty && made == nil
            ? [] : faults(given, made, form.fields[...], form, in: [], "")
    }

    private func faults(
        _ given: Answers, _ made: Answers?, _ fields: ArraySlice<Form.Field>, _ form: Form,
        in names: [String], _ path: String
    ) -> [EntryFault] {
        var found = zip(fields, given.fields).compactMap { field, value in
            value == nil || value == .absent ? nil : fault(path + field.name)
        }
        for (slot, (one, rows)) in zip(form.repeats(in: names), given.repeats).enumerated() {
            let there = made.map { $0.repeats.list(slot) }
            for (place, row) in rows.enumerated() where !row.isEmpty {
                let own = "\(path)\(one.name)[\(place + 1)]"
                if let there, place >= there.count {
                    found.append(Self.fault(own, beyond: there.count))
                    break
                }
                if let node = hidden[own] {
                    found.append(fault(path + one.name, at: node))
                    break
                }
                found += faults(
                    row, there?[place], one.fields[...], form, in: one.names, own + "/")
            }
        }
        return found
    }

    /// In what an edit says of an entry.
    func faults(
        _ wanted: EntryValues, _ present: [[RecordRow]], of schema: FormSchema
    ) -> [EntryFault] {
        guard !hidden.isEmpty || made != nil else { return [] }
        return wanted.values.keys.sorted().compactMap { position in
            wanted.values[position] == .absent
                ? nil : fault(schema.form.stored[position].name)
        } + rows(wanted, present, schema, made, in: [], "", was: "")
    }

    private func rows(
        _ wanted: EntryValues, _ present: [[RecordRow]], _ schema: FormSchema, _ made: Answers?,
        in names: [String], _ path: String, was: String?
    ) -> [EntryFault] {
        var found: [EntryFault] = []
        for (index, rows) in wanted.repeats {
            let inner = schema.repeats[index]
            let known = present.list(index)
            let slot = schema.form.repeats(in: names).firstIndex { $0.name == inner.info.name }
            let there = slot.flatMap { slot in
                made.map { $0.repeats.list(slot) }
            }
            for (position, row) in rows.enumerated() where !row.entry.isEmpty {
                let own = "\(path)\(inner.info.name)[\(position + 1)]"
                let old = row.place.flatMap { place in
                    was.map { "\($0)\(inner.info.name)[\(place + 1)]" }
                }
                let isAsItWas =
                    row.place.map { Self.isAsItWas(row.entry, known[$0]) } ?? false
                if let there, position >= there.count {
                    let wasAsked = row.place.map { asked.contains(known[$0].name.id) }
                    if isAsItWas, wasAsked == false { continue }
                    found.append(Self.fault(own, beyond: there.count))
                    break
                }
                if let node = hidden[own] {
                    if isAsItWas, let old, before.contains(old) { continue }
                    found.append(fault(path + inner.info.name, at: node))
                    break
                }
                for (field, value) in row.entry.values.sorted(by: { $0.key < $1.key })
                where value != .absent {
                    let name = inner.form.stored[field].name
                    // What an answer says of a row that is as it was may come back with it.
                    if let place = row.place, let old, before.contains("\(old)/\(name)"),
                        known[place].values[field] == value
                    {
                        continue
                    }
                    if let one = fault("\(own)/\(name)") { found.append(one) }
                }
                found += self.rows(
                    row.entry, row.place.map { known[$0].repeats } ?? [], inner,
                    there?[position], in: names + [inner.info.name], own + "/",
                    was: old.map { $0 + "/" })
            }
        }
        return found
    }

    /// Whether an answer that says what a row has came back with it.
    private static func isAsItWas(_ entry: EntryValues, _ row: RecordRow) -> Bool {
        entry.values.allSatisfy {
            row.values.indices.contains($0.key) && row.values[$0.key] == $0.value
        }
            && entry.repeats.allSatisfy { index, rows in
                let known = row.repeats.list(index)
                return rows.allSatisfy { row in
                    row.place.map { isAsItWas(row.entry, known[$0]) } ?? row.entry.isEmpty
                }
            }
    }

    private static func fault(_ path: String, beyond count: Int) -> EntryFault {
        let rows = count == 0 ? "no rows" : EntryWords.rows(count)
        return EntryFault(
            node: 0, path: path, kind: .constraint,
            message: "\(path) is not asked: the form asks for \(rows) of it here",
            hint: "Leave it out, or change what says how many there are.")
    }

    private func fault(_ path: String) -> EntryFault? { hidden[path].map { fault(path, at: $0) } }

    private func fault(_ path: String, at node: Int) -> EntryFault {
        EntryFault(
            node: node, path: path, kind: .constraint,
            message: "field \(path) is not asked with these answers",
            hint: "Leave \(path) out, or change what it depends on.")
    }
}

extension Answers {
    /// The rows of the store in it.
    fileprivate var rows: [RecordID] {
        repeats.joined().flatMap { row in (row.row.map { [$0] } ?? []) + row.rows }
    }

    /// Whether nothing is said in it.
    fileprivate var isEmpty: Bool {
        fields.allSatisfy { $0 == nil || $0 == .absent }
            && repeats.allSatisfy { rows in
                rows.allSatisfy(\.isEmpty)
            }
    }
}
