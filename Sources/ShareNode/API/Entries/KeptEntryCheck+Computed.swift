import Expressions
import ShareControl
import ShareCore
import ShareFormats
import ShareForms
import ShareStore

/// What the form computes of the answers of an entry.
extension KeptEntryCheck {
    /// Values that the form makes others of by now, and those that it makes and the entry lacks: its
    /// answers came from several devices, or it was another version.
    func miscomputed(_ row: RecordRow, _ state: FillState) -> [EntryWarning] {
        guard !state.leavesOut, !computed.isEmpty || !schema.repeats.isEmpty else { return [] }
        let made = computed.isEmpty ? [] : state.stored
        var found = computed.compactMap { place -> Computed? in
            guard made[place] != .absent, made[place] != row.values[place] else { return nil }
            return Computed(row, schema, place, in: "", state)
        }
        found += rows(of: row, schema, state, in: "")
        let lacking = found.filter { $0.value == .absent }
        guard !lacking.isEmpty else { return found.map { $0.warning(state) } }
        let told = Set(lacked(lacking, of: row).map(\.path))
        return found.filter { $0.value != .absent || told.contains($0.path) }
            .map { $0.warning(state) }
    }

    /// A field of which the form makes another value than is kept.
    private struct Computed {
        let path: String
        let node: Int
        /// What is kept.
        let value: FieldValue
        let label: String

        /// - Returns: Nil where the form makes the same, or nothing.
        init?(
            _ row: RecordRow, _ schema: FormSchema, _ place: Int, in around: String,
            _ state: FillState
        ) {
            let path = around + schema.form.stored[place].name
            guard let node = state.node(at: path), state.isWorkedOut(node),
                case let made = state.value(at: node), made != .absent, made != row.values[place]
            else { return nil }
            self.path = path
            self.node = node
            value = row.values[place]
            label = value == .absent ? "" : schema.parser.label(value, at: place)
        }

        func warning(_ state: FillState) -> EntryWarning {
            let kept = value == .absent ? "has no value" : "is \(label)"
            return EntryWarning(
                path: path,
                message: "\(path) \(kept): of its answers the form makes"
                    + " \(state.display(at: node))")
        }
    }

    /// The same in the rows of its repeats.
    private func rows(
        of row: RecordRow, _ schema: FormSchema, _ state: FillState, in path: String
    ) -> [Computed] {
        zip(schema.repeats, row.repeats).flatMap { inner, rows in
            let computed = inner.form.stored.indices.dropFirst(Answers.shift).filter {
                inner.form.stored[$0].expressions.calculation != nil
            }
            guard !computed.isEmpty || !inner.repeats.isEmpty else { return [Computed]() }
            return rows.enumerated().flatMap { place, row in
                let own = "\(path)\(inner.info.name)[\(place + 1)]/"
                return computed.compactMap { Computed(row, inner, $0, in: own, state) }
                    + self.rows(of: row, inner, state, in: own)
            }
        }
    }

    /// Those values that the entry ought to have. A version of the form that computes more leaves
    /// the entries before it as they are, and what looks at rows waits for them where an entry came
    /// from a file, which has none.
    private func lacked(_ found: [Computed], of row: RecordRow) -> [Computed] {
        var found = found
        if let version = version(madeUnder: row), row.madeUnder != schema.info.definition {
            found = found.filter { version.computes(Self.question(at: $0.path)) }
            guard !found.isEmpty else { return [] }
            let state = version.state(of: row, surroundings)
            found = found.filter { one in
                state.node(at: one.path).map {
                    state.isWorkedOut($0) && state.value(at: $0) != .absent
                } ?? false
            }
        }
        guard !found.isEmpty, !schema.repeats.isEmpty, row.repeats.allSatisfy(\.isEmpty) else {
            return found
        }
        let moment = Moment(milliseconds: row.created)
        let state = FillState(
            schema.questionnaire, Answers(row.values, row.repeats, of: schema), kind: .imported,
            setting: surroundings.setting(of: schema, at: moment))
        return found.filter { one in
            state.node(at: one.path).map { state.value(at: $0) != .absent } ?? false
        }
    }
}

/// A version of a form under which entries were made that are kept.
final class KeptVersion {
    private let asked: Set<String>
    private let computed: Set<String>
    private let form: Form
    private let known: FormSchema
    /// It as a whole is read only where an entry lacks what it computes.
    private var trial: FormTrial?

    /// - Parameter known: the form in force.
    init(_ form: Form, instead known: FormSchema) {
        self.form = form
        self.known = known
        var asked: Set<String> = []
        for part in form.definitions(parents: { _ in [] }) {
            let path = part.formID.split(separator: "/").dropFirst().joined(separator: "/")
            let start = path.isEmpty ? "" : path + "/"
            asked.insert(path)
            for field in part.fields { asked.insert(start + field.name) }
        }
        self.asked = asked
        func computed(_ fields: some Sequence<Form.Field>, _ start: String) -> [String] {
            fields.filter { $0.expressions.calculation != nil }.map { start + $0.name }
        }
        self.computed = Set(
            computed(form.stored, "")
                + form.repeats.flatMap {
                    computed($0.stored, $0.names.joined(separator: "/") + "/")
                })
    }

    /// Whether it has a question: `child/age`.
    func asks(_ question: String) -> Bool { asked.contains(question) }

    /// Whether it computes it.
    func computes(_ question: String) -> Bool { computed.contains(question) }

    /// What it makes of an entry.
    func state(of row: RecordRow, _ surroundings: EntrySurroundings) -> FillState {
        let trial = trial ?? FormTrial(form, instead: known)
        self.trial = trial
        let row = trial.row(row)
        var setting = surroundings.setting(
            of: trial.schema, at: Moment(milliseconds: row.created))
        setting.judgesEntries = false
        return FillState(
            trial.schema.questionnaire, Answers(row.values, row.repeats, of: trial.schema),
            kind: .stored, setting: setting)
    }
}
