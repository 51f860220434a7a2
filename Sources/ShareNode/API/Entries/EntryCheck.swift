import Expressions
import JSON
import ShareControl
import ShareCore
import ShareFormats
import ShareForms
import ShareStore

/// Holds values against the logic of their form: on every way in.
struct EntryCheck: Sendable {
    let surroundings: EntrySurroundings

    /// The values of a new entry as the form makes them, and what it flags in them.
    ///
    /// - Parameter unread: what was given and could not be read.
    /// - Throws: `Problem` with all that is wrong with them.
    func added(
        _ given: Answers, unread: [EntryFault] = [], of schema: FormSchema
    ) throws -> (FillState, [EntryWarning]) {
        let setting = surroundings.setting(of: schema)
        let alike = AlikeChoices(unread) {
            let state = FillState(schema.questionnaire, given, kind: .new, setting: setting)
            state.tell(in: schema.language)
            return state
        }
        let (given, unread) = (given.replacing(alike.values), alike.faults)
        let state = FillState(
            schema.questionnaire, given, kind: .new, setting: surroundings.setting(of: schema))
        state.finish()
        state.tell(in: schema.language)
        guard !state.leavesOut else {
            throw Problem.rowsBeyond(state, of: schema)
        }
        // An answer that could not be read is no missing one.
        let known = Set(unread.map(\.path))
        let misplaced = Misplaced(state).faults(given, of: schema.form)
        let faults = (state.faults(isSaving: true) + misplaced).filter {
            !known.contains($0.path)
        }
        if let problem = Self.problem(unread + faults) { throw problem }
        let overruled = zip(schema.form.fields, given.fields).compactMap { field, value in
            Self.overruled(field.name, value, state)
        }
        return (state, state.cautions().map { EntryWarning($0) } + overruled)
    }

    /// A value that was given where the form works out another one.
    static func overruled(
        _ name: String, _ value: FieldValue?, _ state: FillState
    ) -> EntryWarning? {
        guard let value, value != .absent, let node = state.node(at: name),
            state.isWorkedOut(node), state.value(at: node) != value
        else { return nil }
        let shown = state.display(at: node)
        return EntryWarning(
            path: name,
            message: "\(name) is worked out by the form: "
                + (shown.isEmpty ? "it has no value" : shown))
    }

    /// An entry as it is: the values of its form's columns, and the rows of its repeats.
    struct Present {
        let values: [FieldValue]
        let rows: [[RecordRow]]
    }

    /// The answers of an entry as the state call has them for whoever begins to change it.
    func shown(_ present: Present, of schema: FormSchema) -> JSONObject {
        let answers = Answers(present.values, present.rows, of: schema)
        return schema.asked.json(state(answers, of: schema, clearing: .never).answers)
    }

    /// What an edit has to write: what was given, and beside it calculations, and answers and rows
    /// that are not relevant, or not among the choices, any more.
    ///
    /// What was wrong before and is not touched stands in nobody's way.
    ///
    /// - Parameters:
    ///   - wanted: with all rows of a repeat of which it names some.
    ///   - unread: what was given and could not be read.
    /// - Throws: `Problem` with all that is wrong with what is given, or by it.
    func edited(
        _ present: Present, _ wanted: EntryValues, unread: [EntryFault] = [],
        of schema: FormSchema
    ) throws -> (entry: EntryValues, warnings: [EntryWarning]) {
        let alike = AlikeChoices(unread) {
            let after = Answers(present.values, present.rows, of: schema)
                .changed(by: wanted, present.rows, of: schema)
            let state = state(after, of: schema, clearing: .never)
            state.tell(in: schema.language)
            return state
        }
        let (wanted, unread) = (wanted.replacing(alike.values), alike.faults)
        let found = changed(present, wanted, of: schema, tellsRetired: false)
        let known = Set(unread.map(\.path))
        let faults = unread + found.faults.filter { !known.contains($0.path) }
        if let problem = Self.problem(faults) { throw problem }
        let flagged = found.flagged.map { EntryWarning($0) }
        return (found.entry, flagged + found.warnings + found.before)
    }

    /// The same with all that is wrong beside it, and what was wrong before and stays so.
    ///
    /// - Parameter tellsRetired: whether choices that are not offered any more are told, too, where
    ///   nothing is said of them.
    func changed(
        _ present: Present, _ wanted: EntryValues, of schema: FormSchema, tellsRetired: Bool = true
    ) -> (
        entry: EntryValues, faults: [EntryFault], flagged: [EntryCaution],
        warnings: [EntryWarning], before: [EntryWarning]
    ) {
        let stored = schema.form.stored
        let old = Answers(present.values, present.rows, of: schema)
        let before = state(old, of: schema, clearing: .never)
        let givenNames = Set(wanted.values.keys.map { stored[$0].name })
        let givenRows = Self.given(wanted, present.rows, schema)
        func isGiven(_ path: String) -> Bool {
            givenNames.contains(path) || givenRows.contains(path)
                || path.indices.contains {
                    path[$0] == "]" && givenRows.contains(String(path[...$0]))
                }
        }
        // What is given is refused instead.
        let spared = Self.said(wanted, present.rows, schema)
        let after = old.changed(by: wanted, present.rows, of: schema)
        let state = state(
            after, since: old, before: before, of: schema, clearing: .sparing(spared))
        state.tell(in: schema.language)
        let known = Set(before.faults(isSaving: true).map { before.name(of: $0) })
        let faults = state.faults(isSaving: true)
        let isNew = { (fault: EntryFault) in
            guard known.contains(state.name(of: fault)) else { return true }
            // What is given just as it is may be what an earlier version of the form offered.
            return isGiven(fault.path) && (fault.kind != .choice || state.hasMoved(fault.node))
        }
        // As in the rows that it names: what an earlier version of the form computed otherwise too.
        func isStale(_ position: Int, _ now: FieldValue) -> Bool {
            guard stored[position].expressions.calculation != nil, now != present.values[position],
                !state.leavesOut, let node = state.node(at: stored[position].name)
            else { return false }
            return state.isWorkedOut(node)
        }
        let misplaced = Misplaced(state, since: before).faults(wanted, present.rows, of: schema)
        var writes = wanted.values
        for (position, (was, now)) in zip(before.stored, state.stored).enumerated()
        where was != now || writes[position] != nil || isStale(position, now) {
            writes[position] = now
        }
        let flagged = state.cautions().filter { isGiven($0.path) || state.stays($0.node) }
        let repeated = state.leavesOut ? schema.form.repeats.first?.name : nil
        // As a new entry: sums over some of the rows would be taken for those of all.
        let beyond = before.leavesOut ? nil : repeated.map { Self.beyond($0) }
        let cut = before.leavesOut ? repeated.map { Self.cut($0) } : nil
        let overruled = wanted.values.keys.sorted().compactMap {
            Self.overruled(stored[$0].name, wanted.values[$0], state)
        }
        return (
            EntryValues(
                values: writes,
                repeats: schema.repeats.isEmpty
                    ? []
                    : RowsAfter(
                        before: before.placed, after: state.placed, isCut: state.leavesOut
                    ).repeats(wanted, present.rows, of: schema)),
            faults.filter(isNew) + misplaced + (beyond.map { [$0] } ?? []),
            flagged, overruled + (cut.map { [$0] } ?? []),
            faults.filter {
                !isNew($0) && (tellsRetired || !$0.isRetired || isGiven($0.path))
            }.map { Self.before($0, schema) }
        )
    }

    /// What the form makes of the answers of an entry where that has other values.
    func contradicted(_ entry: Present, of schema: FormSchema) -> [Int: FieldValue] {
        let state = state(
            Answers(entry.values, entry.rows, of: schema), of: schema, clearing: .never)
        return Dictionary(
            uniqueKeysWithValues: Self.contradicted(entry.values, in: state, of: schema.form)
                .map { ($0.field, state.value(at: $0.node)) })
    }

    /// The fields of which the form makes other values than an entry has.
    static func contradicted(
        _ values: [FieldValue], in state: FillState, of form: Form
    ) -> [(field: Int, node: Int)] {
        guard !state.leavesOut else { return [] }
        return zip(form.stored, values).enumerated().compactMap { place, stored in
            guard stored.0.expressions.calculation != nil, stored.1 != .absent,
                let node = state.node(at: stored.0.name), state.isWorkedOut(node),
                case let made = state.value(at: node), made != .absent, made != stored.1
            else { return nil }
            return (place, node)
        }
    }

    /// A fault that an entry had before: nothing that somebody has to mend now.
    private static func before(_ fault: EntryFault, _ schema: FormSchema) -> EntryWarning {
        guard fault.kind == .required else {
            return EntryWarning(
                path: fault.path, message: "\(fault.message); it was so before, and may stay",
                tip: fault.hint)
        }
        let label = schema.form.stored.first { $0.name == fault.path }?.label
            .text(in: schema.language, schema.form.defaultLanguage)
        let name = label.map { $0 == fault.path ? $0 : "\(fault.path) (\($0))" } ?? fault.path
        return EntryWarning(
            path: fault.path, message: "field \(name): no answer, and it is asked now")
    }

    /// The repeats of which an edit says anything, their new rows and what it says in others:
    /// `child`, `child[3]`, `child[2]/school`.
    private static func given(
        _ wanted: EntryValues, _ present: [[RecordRow]], _ schema: FormSchema, in path: String = ""
    ) -> Set<String> {
        var given: Set<String> = []
        for (index, rows) in wanted.repeats {
            let inner = schema.repeats[index]
            let name = path + inner.info.name
            given.insert(name)
            let known = present.list(index)
            for (position, row) in rows.enumerated() {
                let own = "\(name)[\(position + 1)]"
                guard let place = row.place else {
                    given.insert(own)
                    continue
                }
                for field in row.entry.values.keys {
                    given.insert("\(own)/\(inner.form.stored[field].name)")
                }
                given.formUnion(
                    Self.given(row.entry, known[place].repeats, inner, in: own + "/"))
            }
        }
        return given
    }

    /// The fields that an edit gives, in rows that there are by their ids: `site`,
    /// `child[ID]/school`.
    private static func said(
        _ wanted: EntryValues, _ present: [[RecordRow]], _ schema: FormSchema, in path: String = ""
    ) -> Set<String> {
        var said = Set(wanted.values.keys.map { path + schema.form.stored[$0].name })
        for (index, rows) in wanted.repeats {
            let inner = schema.repeats[index]
            let known = present.list(index)
            for (position, row) in rows.enumerated() {
                let old = row.place.map { known[$0] }
                let name = old?.name.id.text ?? String(position + 1)
                said.formUnion(
                    Self.said(
                        row.entry, old?.repeats ?? [], inner,
                        in: "\(path)\(inner.info.name)[\(name)]/"))
            }
        }
        return said
    }

    /// An entry that is kept has more rows than are looked at.
    static func cut(_ name: String) -> EntryWarning {
        EntryWarning(
            path: name,
            message: "the entry has more rows than can be computed at once: those beyond stay as"
                + " they are, and so does what is computed of rows")
    }

    /// An entry comes to have more rows than are looked at.
    private static func beyond(_ name: String) -> EntryFault {
        EntryFault(
            node: 0, path: name, kind: .unknown,
            message: "the entry has more rows than can be computed at once",
            hint: "The form counts 1,000 rows of a repeat at most.")
    }

    private func state(
        _ answers: Answers, since earlier: Answers? = nil, before: FillState? = nil,
        of schema: FormSchema, clearing: FillState.Clearing
    ) -> FillState {
        FillState(
            schema.questionnaire, answers, kind: .stored, since: earlier, before: before,
            clearing: clearing, setting: surroundings.setting(of: schema))
    }

    /// All faults as one problem, with the first one's code; each is told by itself.
    static func problem(_ faults: [EntryFault]) -> Problem? {
        guard let first = faults.first else { return nil }
        let code: ErrorCode =
            switch first.kind {
            case .required: .requiredMissing
            case .constraint: .constraintFailed
            case .type: .wrongType
            case .choice: .unknownChoice
            case .unknown: .unknownField
            }
        let all = faults.map { EntryProblem($0) }
        guard all.count > 1 else { return Problem(code, all[0].line, hint: all[0].hint) }
        let more = all.count > mostTold ? "; the first \(mostTold) are told" : ""
        return Problem(
            code, "\(all.count) answers cannot be taken\(more)",
            hint: "Nothing was stored: mend them and enter it again.",
            problems: Array(all.prefix(mostTold)))
    }

    /// Faults that are told one by one.
    private static let mostTold = 20
}

extension Problem {
    /// The same, where the reason may be an answer that the form does not allow: the number of rows.
    static func rowsBeyond(_ state: FillState, of schema: FormSchema) -> Problem {
        let faults = schema.form.fields.compactMap { field in
            state.node(at: field.name).flatMap { state.fault(at: $0, isSaving: true) }
        }
        return EntryCheck.problem(faults.filter { $0.kind == .constraint })
            ?? rowsBeyond(
                "the entry has more rows than can be computed at once", schema.info.formID)
    }

    /// An entry that has, or whose form makes, more rows than one look at it takes.
    static func rowsBeyond(_ detail: String, _ formID: String) -> Problem {
        Problem(
            .tooLarge, detail,
            hint: "Enter it with fewer rows, then import the others: `shared import"
                + " \(formID)/REPEAT FILE.csv`.")
    }
}

extension EntryWarning {
    init(_ caution: EntryCaution) {
        self.init(path: caution.path, message: caution.message, tip: caution.tip)
    }
}

extension EntryFault {
    /// A value that does not fit its field.
    init(_ unread: AskedFields.Unread) { self.init(unread.error, at: unread.path) }

    init(_ error: ValueError, at path: String) {
        let isInside = path.utf8.contains(UInt8(ascii: "/"))
        let error = isInside ? error.at(path) : error
        self.init(
            node: 0, path: path, kind: Kind(error), message: error.description,
            hint: error.hint, wanted: error.wanted)
        if error.candidates != nil { alike = error }
    }
}

extension EntryFault.Kind {
    init(_ error: ValueError) {
        self =
            switch error {
            case .notAChoice, .severalChoices, .retired, .tooManyChoices: .choice
            case .unknownField, .notStored: .unknown
            case .wrongType, .required, .tooLong: .type
            }
    }
}
