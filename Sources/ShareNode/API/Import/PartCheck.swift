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

    /// - Throws: `CancellationError` where nobody waits any more.
    func check(_ entry: RecordRow, _ parts: [Part]) throws -> Made {
        var made = Made()
        var after = entry
        let there = zip(parts, put(parts, into: &after))
        sort(&after, root, names[...])
        let places = Self.places(in: after, root, names[...])
        let positions = there.compactMap { part, name in
            name.flatMap { places[$0] }.map { (part: part, position: $0) }
        }
        // Rows may be gone meanwhile, or lie beyond those that come with an entry.
        guard let first = positions.first else { return made }
        let moment = surroundings.now
        let before = state(entry, at: moment)
        let known = Set(before.faults(isSaving: true).map { before.name(of: $0) })
        let new = positions.filter { $0.part.name == nil }
        try Task.checkCancellation()
        let state = state(after, since: entry, beside: before, beginning: new, at: moment)
        try Task.checkCancellation()
        let paths = Dictionary(
            positions.map { (path($0.position), $0.part) }, uniquingKeysWith: { first, _ in first })
        let rows = parts.contains { $0.name != nil } ? entry.rowsByName : [:]
        let changed = Set(
            positions.flatMap { part, position in
                changes(of: part, in: rows).map { path(position) + $0 }
            })
        let columns = parts.reduce(into: Set<Int>()) { $0.formUnion($1.values.keys) }
        for fault in state.faults(isSaving: true) {
            try Task.checkCancellation()
            let row = Self.row(fault.path, among: paths)
            // What was wrong before and is not touched stands in nobody's way.
            let isOwn = changed.contains(fault.path) || row.map { $0.part.name == nil } ?? false
            guard isOwn || !known.contains(state.name(of: fault)) else { continue }
            made.problems.append(
                ImportProblem(
                    fault, (row?.part ?? first.part).line, column: row?.column,
                    cell: state.display(at: fault.node, upTo: ImportCheck.shownBytes),
                    hasColumn: fault.kind != .required || hasColumn(row?.column, columns)))
        }
        for caution in state.cautions() {
            guard let row = Self.row(caution.path, among: paths) else { continue }
            made.warnings.append(
                ImportProblem(
                    caution, row.part.line, column: row.column,
                    cell: state.display(at: caution.node, upTo: ImportCheck.shownBytes)))
        }
        if state.leavesOut, let name = names.first {
            made.warnings.append(ImportProblem(EntryCheck.cut(name), first.part.line))
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
                        cleared: entry.values[position], position, of: root, in: "",
                        first.part.line))
            }
        }
        return made
    }

    /// The row of the file in which something lies, and its column there: a cell of the file is called
    /// by that, and the line says which row it is.
    ///
    /// - Parameter rows: those of the file, by their paths.
    private static func row(
        _ path: String, among rows: [String: Part]
    ) -> (part: Part, column: String?)? {
        var place = path.startIndex
        while let end = path.utf8[place...].firstIndex(of: UInt8(ascii: "/")) {
            place = path.utf8.index(after: end)
            guard let part = rows[String(path[..<place])] else { continue }
            let field = path[place...]
            return (part, field.isEmpty || field.contains("/") ? nil : String(field))
        }
        return nil
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

    /// Whether the file has a column of the repeat's field.
    ///
    /// - Parameter columns: the fields that its rows have.
    private func hasColumn(_ name: String?, _ columns: Set<Int>) -> Bool {
        guard let name, let field = schema?.place(named: name) else { return true }
        return columns.contains(field)
    }

    /// `sighting[2]/mark[1]/` for places from 0.
    private func path(_ position: [Int]) -> String {
        zip(names, position).map { "\($0)[\($1 + 1)]/" }.joined()
    }

    /// The rows that are not asked.
    private static func leftOut(_ answers: Answers) -> Set<RecordID> {
        answers.repeats.joined().reduce(into: []) { found, row in
            if row.isLeftOut, let id = row.row { found.insert(id) }
            found.formUnion(leftOut(row))
        }
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

extension RecordRow {
    /// The rows of its repeats, and those in them.
    fileprivate var rowsByName: [RecordName: RecordRow] {
        repeats.joined().reduce(into: [:]) { found, row in
            found[row.name] = row
            found.merge(row.rowsByName) { first, _ in first }
        }
    }
}
