import Expressions
import JSON
import ShareControl
import ShareCore
import ShareFormats
import ShareForms
import ShareStore

/// Holds entries that are kept, wherever they come from, against the form in force: nothing is
/// refused any more, only said.
final class KeptEntryCheck {
    /// What is to be said of one entry.
    struct Findings: Sendable {
        var problems: [EntryProblem] = []
        var warnings: [EntryWarning] = []
    }

    let schema: FormSchema
    let surroundings: EntrySurroundings
    private let known: [Bool]
    /// The fields of the form itself that it computes, by their places.
    let computed: [Int]
    /// The versions of the form under which entries were made that lack an answer.
    private var versions: [OperationName: KeptVersion] = [:]
    /// For all entries of a form without repeats.
    private var state: FillState?

    init(_ schema: FormSchema, _ surroundings: EntrySurroundings) {
        self.schema = schema
        self.surroundings = surroundings
        known = [Bool](repeating: true, count: schema.form.stored.count)
        computed = schema.form.stored.indices.filter {
            schema.form.stored[$0].expressions.calculation != nil
        }
    }

    /// Whether there is anything to look at.
    static func isNeeded(for schema: FormSchema) -> Bool {
        schema.questionnaire.hasChecks && !schema.form.isRepeat
    }

    /// What the form has against an entry with the rows of its repeats.
    func findings(_ row: RecordRow) -> Findings {
        // As it was made: what must not lie in the future then does not become right or wrong.
        let state = state(of: row, at: row.created)
        state.tell(in: schema.language)
        var faults = state.faults(isSaving: true).filter { wasAsked($0, of: row, state) }
        var findings = Findings()
        findings.warnings =
            state.cautions().map { EntryWarning($0) } + misplaced(row, state)
            + miscomputed(row, state)
        if !faults.isEmpty, row.updated != row.created {
            let later = self.state(of: row, at: row.updated).faults(isSaving: true)
            faults = faults.filter { fault in
                later.contains { $0.path == fault.path && $0.kind == fault.kind }
            }
        }
        findings.problems = faults.filter { !$0.isRetired }.map { EntryProblem($0) }
        // The entry was right when it was made: the form has changed since.
        findings.warnings += faults.filter(\.isRetired).map {
            EntryWarning(path: $0.path, message: $0.message)
        }
        return findings
    }

    /// The same as it is kept beside the tables.
    ///
    /// - Throws: the disk's error where something could not be looked up.
    func flag(_ row: RecordRow) throws -> EntryFlag? {
        var found = try schema.info.lists.checked { findings(row) }
        for place in found.problems.indices {
            let problem = found.problems[place]
            found.problems[place].message = problem.message.shortened(to: Self.textBytes)
            found.problems[place].hint = problem.hint?.shortened(to: Self.textBytes)
        }
        for place in found.warnings.indices {
            let warning = found.warnings[place]
            found.warnings[place].message = warning.message.shortened(to: Self.textBytes)
            found.warnings[place].tip = warning.tip?.shortened(to: Self.textBytes)
        }
        func text(_ list: [some Encodable]) -> String? {
            guard !list.isEmpty else { return nil }
            return String(decoding: Array(list.prefix(Self.most)).jsonText, as: UTF8.self)
        }
        return EntryFlag(problems: text(found.problems), warnings: text(found.warnings))
    }

    /// Problems, and warnings, that are kept of one entry.
    private static let most = 20
    /// Of a message, hint or tip that is kept.
    private static let textBytes = 1_024

    private func state(of row: RecordRow, at milliseconds: Int64) -> FillState {
        let now = Moment(milliseconds: milliseconds)
        var setting = surroundings.setting(of: schema, at: now)
        setting.judgesEntries = false
        guard schema.repeats.isEmpty else {
            return FillState(
                schema.questionnaire, Answers(row.values, row.repeats, of: schema), kind: .stored,
                setting: setting)
        }
        let state =
            self.state
            ?? FillState(
                schema.questionnaire, kind: .stored,
                setting: setting)
        self.state = state
        state.reset(to: row.values, known: known, now: now)
        return state
    }

    /// Whether the version of the form under which an entry was made has the question that is not
    /// answered: else it lacks no answer.
    private func wasAsked(
        _ fault: EntryFault, of row: RecordRow, _ state: FillState
    ) -> Bool {
        guard fault.kind == .required, let version = version(madeUnder: row) else { return true }
        return version.asks(state.question(of: fault.node))
    }

    /// The version of the form under which an entry was made; nil where that is not known.
    func version(madeUnder row: RecordRow) -> KeptVersion? {
        guard let name = row.madeUnder else { return nil }
        if let known = versions[name] { return known }
        guard let made = schema.info.accepted.first(where: { $0.definition == name }) else {
            return nil
        }
        let version = KeptVersion(Form(made.form), instead: schema)
        versions[name] = version
        return version
    }

    /// The question at a place in an entry, whichever row of a repeat it lies in: `child/age` at
    /// `child[2]/age`.
    static func question(at path: String) -> String {
        path.split(separator: "/").map { $0.prefix { $0 != "[" } }.joined(separator: "/")
    }

    /// Answers to what is not asked: others had another version of the form.
    private func misplaced(_ row: RecordRow, _ state: FillState) -> [EntryWarning] {
        zip(schema.form.stored, zip(row.values, state.stored)).compactMap { field, values in
            guard values.0 != .absent, values.1 == .absent,
                let node = state.node(at: field.name), !state.isRelevant(node)
            else { return nil }
            return Self.notAsked(field.name)
        } + (row.repeats.allSatisfy(\.isEmpty) ? [] : misplacedRows(row, state))
    }

    /// The same in the rows of its repeats, and rows beyond those that the form counts.
    private func misplacedRows(_ row: RecordRow, _ state: FillState) -> [EntryWarning] {
        let hidden = Set(state.hidden.map(\.path))
        let counts = schema.form.repeats.contains { $0.count != nil } && !state.leavesOut
        guard counts || !hidden.isEmpty else { return [] }
        return misplaced(row, schema, hidden, counts ? state.placed : nil, in: [], "")
    }

    /// - Parameter made: the rows that the form has there; nil where it counts none.
    private func misplaced(
        _ row: RecordRow, _ schema: FormSchema, _ hidden: Set<String>, _ made: Answers?,
        in names: [String], _ path: String
    ) -> [EntryWarning] {
        let slots = self.schema.form.repeats(in: names)
        return zip(schema.repeats, row.repeats).flatMap { inner, rows -> [EntryWarning] in
            let name = path + inner.info.name
            let slot = slots.firstIndex { $0.name == inner.info.name }
            let there = slot.flatMap { slot in made.map { $0.repeats.list(slot) } }
            var found: [EntryWarning] = []
            var left = 0
            for (place, row) in rows.enumerated() {
                let own = "\(name)[\(place + 1)]"
                guard !hidden.contains(own), there.map({ place < $0.count }) ?? true else {
                    left += 1
                    continue
                }
                for (field, value) in zip(inner.form.stored, row.values).dropFirst(Answers.shift)
                where value != .absent && hidden.contains("\(own)/\(field.name)") {
                    found.append(Self.notAsked("\(own)/\(field.name)"))
                }
                found += misplaced(
                    row, inner, hidden, there?[place], in: names + [inner.info.name], own + "/")
            }
            if left > 0 {
                let what = "\(EntryWords.rows(left)) of \(name) \(left == 1 ? "is" : "are")"
                found.append(
                    EntryWarning(path: name, message: "\(what) not asked with the other answers"))
            }
            return found
        }
    }

    private static func notAsked(_ path: String) -> EntryWarning {
        EntryWarning(path: path, message: "field \(path) is not asked with the other answers")
    }
}

extension EntryProblem {
    init(_ fault: EntryFault) {
        let kind: Kind =
            switch fault.kind {
            case .required: .required
            case .constraint: .constraint
            case .type: .type
            case .choice: .choice
            case .unknown: .unknown
            }
        self.init(
            path: fault.path, kind: kind, message: fault.message, hint: fault.hint,
            wanted: fault.wanted, isOwnText: fault.isOwnText)
    }
}

extension KeptEntryCheck.Findings {
    /// As members of an entry: `_valid` where it breaks the form, and why; what is flagged.
    var members: JSONObject {
        var members = JSONObject()
        if !problems.isEmpty {
            members["_valid"] = .bool(false)
            members["_problems"] = problems.json
        }
        if !warnings.isEmpty { members["_warnings"] = warnings.json }
        return members
    }
}
