import Expressions
import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareForms
import ShareStore

/// Holds rows of a repeat that come from a file against the form of their entries, each with its
/// entry and all other rows of it, and puts in what the form computes.
struct PartCheck: Sendable {
    /// A row of a file.
    struct Part: Sendable {
        let row: Int
        let line: Int
        /// The entry, or the row, that it lies in.
        let parent: ParentName
        /// The row that it changes; nil for a new one.
        let name: RecordName?
        /// By the fields of the repeat's form; of a row that is changed those that are given.
        let values: [Int: FieldValue]
    }

    /// What comes of the rows of one entry.
    struct Made: Sendable {
        var problems: [ImportProblem] = []
        var warnings: [ImportProblem] = []
        /// What the form computes in each row of the file, by its place there.
        var computed: [Int: [Int: FieldValue]] = [:]
        /// What it computes in the entry itself.
        var entry: [Int: FieldValue] = [:]
        /// What becomes of other rows of the entry.
        var rows: [LocalChange] = []
    }

    /// The form of the entries.
    let root: FormSchema
    /// The repeat, and those around it, outermost first.
    let names: [String]
    let surroundings: EntrySurroundings
    /// This device's.
    let role: Role

    /// - Returns: Nil where the form asks for nothing but types.
    init?(
        _ root: FormSchema, repeat formID: String, _ surroundings: EntrySurroundings, as role: Role
    ) {
        guard root.questionnaire.hasLogic || root.questionnaire.hasChecks else { return nil }
        self.root = root
        names = formID.split(separator: "/").dropFirst().map(String.init)
        self.surroundings = surroundings
        self.role = role
    }

    /// The schema of the repeat.
    private var schema: FormSchema? {
        names.reduce(root as FormSchema?) { schema, name in
            schema.flatMap { schema in schema.repeat(named: name).map { schema.repeats[$0] } }
        }
    }

    func check(_ entry: RecordRow, _ parts: [Part]) -> Made {
        var made = Made()
        var after = entry
        let there = parts.compactMap { part in
            put(part, into: &after, names[...]).map { (part: part, name: $0) }
        }
        sort(&after, root, names[...])
        let places = Self.places(in: after, root, names[...])
        let positions = there.compactMap { part, name in
            places[name].map { (part: part, position: $0) }
        }
        // Rows may be gone meanwhile, or lie beyond those that come with an entry.
        guard !positions.isEmpty else { return made }
        let moment = surroundings.now
        let before = state(entry, at: moment)
        let known = Set(before.faults(isSaving: true).map { Self.name(of: $0, in: before) })
        let new = positions.filter { $0.part.name == nil }
        let state = state(after, since: entry, beside: before, beginning: new, at: moment)
        let paths = positions.map { path($0.position) }
        let rows = parts.contains { $0.name != nil } ? entry.rowsByName : [:]
        let changed = Set(
            positions.flatMap { part, position in
                changes(of: part, in: rows).map { path(position) + $0 }
            })
        let added = zip(positions, paths).filter { $0.0.part.name == nil }.map(\.1)
        func line(_ path: String) -> Int {
            let position = paths.firstIndex { path.hasPrefix($0) } ?? positions.startIndex
            return positions[position].part.line
        }
        // A cell of the file is called by its column: the line says which row it is.
        func column(_ path: String) -> String? {
            guard let row = paths.first(where: { path.hasPrefix($0) }) else { return nil }
            let field = path.dropFirst(row.count)
            return field.isEmpty || field.contains("/") ? nil : String(field)
        }
        for fault in state.faults(isSaving: true) {
            // What was wrong before and is not touched stands in nobody's way.
            let isOwn =
                changed.contains(fault.path) || added.contains { fault.path.hasPrefix($0) }
            guard isOwn || !known.contains(Self.name(of: fault, in: state)) else { continue }
            made.problems.append(
                ImportProblem(
                    fault, line(fault.path), column: column(fault.path),
                    cell: state.display(at: fault.node, upTo: ImportCheck.shownBytes),
                    hasColumn: fault.kind != .required || hasColumn(column(fault.path), parts)))
        }
        for caution in state.cautions() where paths.contains(where: { caution.path.hasPrefix($0) })
        {
            made.warnings.append(
                ImportProblem(
                    EntryWarning(caution), line(caution.path), column: column(caution.path),
                    cell: state.display(at: caution.node, upTo: ImportCheck.shownBytes)))
        }
        if state.leavesOut, let name = names.first {
            made.warnings.append(ImportProblem(EntryCheck.cut(name), line("")))
        }
        // What could not be looked at wholly is stored as it is.
        let placed = state.placed
        if !state.leavesOut { tell(placed, since: before, after, positions, &made) }
        compute(placed, after, positions, &made)
        if !state.leavesOut {
            let own = Dictionary(
                positions.map { ($0.position, $0.part) }, uniquingKeysWith: { first, _ in first })
            RowsFollowing(check: self, parts: own, line: parts.map(\.line).min() ?? 0)
                .follow(placed, before.placed, after, &made)
        }
        let answers = zip(before.stored, state.stored)
        for (position, (was, now)) in answers.enumerated() where entry.values[position] != now {
            // What is computed, and answers to what is not asked any more.
            let isComputed = root.form.stored[position].expressions.calculation != nil
            guard was != now || isComputed else { continue }
            made.entry[position] = now
            if now == .absent, !isComputed {
                made.warnings.append(
                    ImportProblem(
                        cleared: entry.values[position], position, of: root, in: "", line("")))
            }
        }
        return made
    }

    /// The fields to which a part gives another value than its row has.
    ///
    /// - Parameter rows: those of the entry.
    private func changes(of part: Part, in rows: [RecordName: RecordRow]) -> [String] {
        guard let row = part.name.flatMap({ rows[$0] }), let schema else { return [] }
        return part.values.filter { row.values[$0.key] != $0.value }.map {
            schema.form.stored[$0.key].name
        }
    }

    private func state(
        _ row: RecordRow, since earlier: RecordRow? = nil, beside before: FillState? = nil,
        beginning new: [(part: Part, position: [Int])] = [], at moment: Moment
    ) -> FillState {
        var answers = Answers(row.values, row.repeats, of: root)
        if let schema {
            for (part, position) in new { begin(part, position[...], schema, in: &answers) }
        }
        return FillState(
            root.questionnaire, answers, kind: .stored,
            since: earlier.map { Answers($0.values, $0.repeats, of: root) }, beside: before,
            setting: surroundings.setting(of: root, at: moment))
    }

    /// Lets a new row have the defaults of the fields of which the file has no column.
    private func begin(
        _ part: Part, _ position: ArraySlice<Int>, _ schema: FormSchema, in answers: inout Answers
    ) {
        guard let index = position.first else {
            answers.isNew = true
            var field = Answers.shift
            for (place, one) in schema.form.fields.dropFirst(Answers.shift).enumerated()
            where one.storage != nil && answers.fields.indices.contains(place) {
                if part.values[field] == nil { answers.fields[place] = nil }
                field += 1
            }
            return
        }
        let around = Array(names.prefix(names.count - position.count))
        guard
            let slot = root.form.repeats(in: around).firstIndex(where: {
                $0.name == names[around.count]
            }), answers.repeats.indices.contains(slot),
            answers.repeats[slot].indices.contains(index)
        else { return }
        begin(part, position.dropFirst(), schema, in: &answers.repeats[slot][index])
    }

    /// Whether the file has a column of the repeat's field, as its rows tell.
    private func hasColumn(_ name: String?, _ parts: [Part]) -> Bool {
        guard let name, let field = schema?.place(named: name) else { return true }
        return parts.contains { $0.values[field] != nil }
    }

    /// `sighting[2]/mark[1]/` for places from 0.
    private func path(_ position: [Int]) -> String {
        zip(names, position).map { "\($0)[\($1 + 1)]/" }.joined()
    }

    // MARK: The entry with the rows of the file

    /// Puts a row where it belongs, and says how it is called there; nil where its parent is not
    /// here.
    private func put(
        _ part: Part, into row: inout RecordRow, _ names: ArraySlice<String>,
        _ schema: FormSchema? = nil
    ) -> RecordName? {
        let schema = schema ?? root
        guard let name = names.first, let index = schema.repeat(named: name) else { return nil }
        let inner = schema.repeats[index]
        while row.repeats.count <= index { row.repeats.append([]) }
        if names.count == 1 {
            guard ParentName(row.name) == part.parent else { return nil }
            if let known = part.name,
                let position = row.repeats[index].firstIndex(where: { $0.name == known })
            {
                let old = row.repeats[index][position]
                row.repeats[index][position] = old.with(part.values)
                return known
            }
            let columns = inner.info.columns.count
            let name =
                part.name
                ?? RecordName(
                    form: inner.info.formID, creator: row.name.creator,
                    id: RecordID(high: 0, low: UInt64(part.row)))
            row.repeats[index].append(
                RecordRow(
                    name: name, created: row.created, updated: row.updated, state: nil,
                    values: (0..<columns).map { part.values[$0] ?? .absent },
                    repeats: inner.repeats.map { _ in [] }))
            return name
        }
        for position in row.repeats[index].indices {
            if let found = put(part, into: &row.repeats[index][position], names.dropFirst(), inner)
            {
                return found
            }
        }
        return nil
    }

    /// Puts the rows of the repeat in the order of their numbers, new ones behind those of the same.
    private func sort(
        _ row: inout RecordRow, _ schema: FormSchema, _ names: ArraySlice<String>
    ) {
        guard let name = names.first, let index = schema.repeat(named: name),
            row.repeats.indices.contains(index)
        else { return }
        guard names.count == 1 else {
            for position in row.repeats[index].indices {
                sort(&row.repeats[index][position], schema.repeats[index], names.dropFirst())
            }
            return
        }
        func place(_ row: RecordRow) -> (Int64, Int, RecordID, DeviceKey) {
            var number: Int64 = 1
            if case .integer(let own) = row.values[1] { number = own }
            return (number, row.name.id.isTemporary ? 1 : 0, row.name.id, row.name.creator)
        }
        row.repeats[index].sort { place($0) < place($1) }
    }

    /// Where the rows of the repeat stand.
    private static func places(
        in row: RecordRow, _ schema: FormSchema, _ names: ArraySlice<String>
    ) -> [RecordName: [Int]] {
        guard let name = names.first, let index = schema.repeat(named: name),
            row.repeats.indices.contains(index)
        else { return [:] }
        var found: [RecordName: [Int]] = [:]
        for (position, row) in row.repeats[index].enumerated() {
            if names.count == 1 { found[row.name] = [position] }
            for (name, inner) in places(in: row, schema.repeats[index], names.dropFirst()) {
                found[name] = [position] + inner
            }
        }
        return found
    }

    /// The rows that are not asked.
    private static func leftOut(_ answers: Answers) -> Set<RecordID> {
        answers.repeats.joined().reduce(into: []) { found, row in
            if row.isLeftOut, let id = row.row { found.insert(id) }
            found.formUnion(leftOut(row))
        }
    }

    /// A fault wherever its row stands.
    private static func name(of fault: EntryFault, in state: FillState) -> String {
        let place = state.path(of: fault.node)
        let path =
            fault.path.hasPrefix(place)
            ? state.path(of: fault.node, byRow: true) + fault.path.dropFirst(place.count)
            : fault.path
        return "\(path) \(fault.kind)"
    }

    // MARK: What is computed

    private func compute(
        _ answers: Answers, _ entry: RecordRow, _ positions: [(part: Part, position: [Int])],
        _ made: inout Made
    ) {
        guard let schema else { return }
        let stored = schema.form.stored
        for (part, position) in positions {
            guard let (row, kept) = find(position, answers, entry), !row.isLeftOut else { continue }
            let values = EntryValues(row, schema, in: names).values
            for (field, one) in stored.enumerated() where field >= Answers.shift {
                let begins =
                    part.name == nil && part.values[field] == nil
                    && one.expressions.initial != nil
                guard begins || one.expressions.calculation != nil else { continue }
                let value = values[field] ?? .absent
                guard kept.values[field] != value else { continue }
                made.computed[part.row, default: [:]][field] = value
            }
        }
    }

    /// Says of rows that the form does not ask: refuses those that a condition leaves out, and tells
    /// those beyond the number that it counts, which are stored as they are.
    private func tell(
        _ answers: Answers, since before: FillState, _ entry: RecordRow,
        _ positions: [(part: Part, position: [Int])], _ made: inout Made
    ) {
        let left = Self.leftOut(before.placed)
        for (part, position) in positions {
            let path = String(path(position).dropLast())
            guard let (row, _) = find(position, answers, entry) else {
                made.warnings.append(
                    ImportProblem(
                        line: part.line, column: path,
                        reason: "the form asks for fewer rows: it is kept, and not computed",
                        hint: ""))
                continue
            }
            guard row.isLeftOut else { continue }
            if let id = part.name?.id, left.contains(id) { continue }
            made.problems.append(
                ImportProblem(
                    line: part.line, column: path,
                    reason: "it is not asked with the other answers of its entry or row",
                    hint: "Leave the row out, or change what it depends on."))
        }
    }

    /// A row in the form's answers, and as it lies in the store.
    private func find(
        _ position: [Int], _ answers: Answers, _ entry: RecordRow
    ) -> (answers: Answers, row: RecordRow)? {
        var (answers, row, schema) = (answers, entry, root)
        for (depth, index) in position.enumerated() {
            let name = names[depth]
            guard
                let slot = root.form.repeats(in: Array(names.prefix(depth)))
                    .firstIndex(where: { $0.name == name }),
                let child = schema.repeat(named: name), answers.repeats.indices.contains(slot),
                answers.repeats[slot].indices.contains(index)
            else { return nil }
            (answers, row) = (answers.repeats[slot][index], row.repeats[child][index])
            schema = schema.repeats[child]
        }
        return (answers, row)
    }
}

extension RecordID {
    /// Whether it stands for that of a row that is not written yet.
    fileprivate var isTemporary: Bool { high == 0 }
}

extension RecordRow {
    /// The same with other values.
    fileprivate func with(_ values: [Int: FieldValue]) -> RecordRow {
        RecordRow(
            name: name, created: created, updated: updated, state: state, flag: flag,
            values: self.values.enumerated().map { values[$0.offset] ?? $0.element },
            repeats: repeats)
    }
}

extension RecordRow {
    /// The rows of its repeats, and those in them.
    fileprivate var rowsByName: [RecordName: RecordRow] {
        repeats.joined().reduce(into: [:]) { found, row in
            found[row.name] = row
            found.merge(row.rowsByName) { first, _ in first }
        }
    }
}
