import ShareCore
import ShareCrypto

/// The form definitions of those who are or were editors, and what the accepted ones come to.
struct FormCatalog {
    /// One definition with its name and its verdict.
    struct Definition {
        let name: OperationName
        let local: LocalName
        let author: DeviceKey
        let clock: Timestamp
        let wall: WallTime
        let form: FormDefinition
        let verdict: Verdict
        fileprivate let isSound: Bool
        /// False where it is here for the records alone that are still to be taken out.
        let isByEditor: Bool

        var isAccepted: Bool { verdict == .accepted }

        /// Whether entries that name it may count by the fields that other versions have: every
        /// device holds it, its author is or was an editor, and that one's role there alone was in
        /// its way.
        var isReadable: Bool { verdict == .refused(.role) && isSound && isByEditor }

        /// As a version of the one field that all definitions of a form write.
        var version: RecordVersion {
            RecordVersion(
                name: name, author: author, clock: clock, parents: form.parents,
                writes: [.deleted])
        }
    }

    /// One form's names and definition in force, before its table has a number. Where that is
    /// not accepted, the form is on its way out.
    struct Plan {
        let table: String
        let names: [FormField: String]
        /// Fields that no column is left for.
        let unplaced: Set<FormField>
        let inForce: Definition

        /// In the order of the form in force, as people will look at it; then the others.
        var columns: [FormTable.Column] {
            let all = FormTable.columns(names)
            let positions = Dictionary(
                inForce.form.fields.enumerated().map { ($1, $0) },
                uniquingKeysWith: { one, _ in one })
            let asked = all.filter { positions[$0.field] != nil }
                .sorted { positions[$0.field, default: 0] < positions[$1.field, default: 0] }
            return asked + all.filter { positions[$0.field] == nil }
        }
    }

    private(set) var definitions: [OperationName: Definition] = [:]
    /// Those whose records are rows of a repeat.
    private(set) var repeats: Set<OperationName> = []
    private(set) var plans: [String: Plan] = [:]
    /// What accepted definitions ask, of each form that has others whose entries may count by it.
    private var asked: [String: Set<FormField>] = [:]
    var forms: [String: FormTable] = [:] {
        didSet {
            byNumber = Dictionary(uniqueKeysWithValues: forms.values.map { ($0.number, $0) })
            repeatsOf = Dictionary(grouping: forms.keys) { FormDefinition.parentForm(of: $0) ?? "" }
        }
    }
    /// The ids of the forms of each form's repeats; of "" those that are none.
    private(set) var repeatsOf: [String: [String]] = [:]
    private(set) var byNumber: [Int64: FormTable] = [:]

    init() {}

    /// - Parameter lingering: definitions that keep their table and columns though they are not
    ///   accepted, for the records that are still to be taken out; their batches are open.
    init(
        _ controls: [ControlRecord], lingering: Set<OperationName>
    ) {
        for record in controls
        where record.isByEditor && record.definesForms || record.defines(anyOf: lingering) {
            for (index, entry) in record.entries {
                guard case .form(let form) = entry.operation else { continue }
                let name = record.name(index)
                if form.isRepeat { repeats.insert(name) }
                definitions[name] = Definition(
                    name: name, local: LocalName(batch: record.batch, index: index),
                    author: record.author, clock: entry.clock, wall: entry.wall, form: form,
                    verdict: record.verdict(at: index), isSound: record.isSound(at: index),
                    isByEditor: record.isByEditor)
            }
        }
        let beside = Set(definitions.values.lazy.filter(\.isReadable).map(\.form.formID))
        for definition in definitions.values
        where definition.isAccepted && beside.contains(definition.form.formID) {
            asked[definition.form.formID, default: []].formUnion(definition.form.fields)
        }
        let kept = Dictionary(
            grouping: definitions.values.filter { $0.isAccepted || lingering.contains($0.name) }
        ) { $0.form.formID }
        let tables = ColumnNames.tables(kept.keys)
        for (formID, definitions) in kept {
            let accepted = definitions.filter(\.isAccepted)
            guard let table = tables[formID],
                let inForce = FormCatalog.inForce(accepted.isEmpty ? definitions : accepted)
            else { continue }
            let fields = Set(definitions.flatMap(\.form.fields))
            let names = ColumnNames.columns(inForce: inForce.form.fields, others: fields)
            plans[formID] = Plan(
                table: table, names: names,
                unplaced: names.count < fields.count ? fields.subtracting(names.keys) : [],
                inForce: inForce)
        }
    }

    /// The definition that operations on records name, where they count by it: it is accepted, or
    /// each field that they list is asked by an accepted one of the same form.
    func definition(of block: RecordsBlock) -> Definition? {
        guard let definition = definitions[block.form] else { return nil }
        if definition.isAccepted { return definition }
        guard asked[definition.form.formID] != nil, unasked(by: block)?.isEmpty == true else {
            return nil
        }
        return definition
    }

    /// The fields that operations list and no accepted version of their form asks; nil where they
    /// could not count if one did. Places that there are not are another fault.
    func unasked(by block: RecordsBlock) -> [FormField]? {
        guard let definition = definitions[block.form], definition.isReadable else { return nil }
        let (fields, asked) = (definition.form.fields, asked[definition.form.formID] ?? [])
        return block.fields.filter { fields.indices.contains($0) }.map { fields[$0] }
            .filter { !asked.contains($0) }
    }

    /// The fields of a definition that operations may list and count; nil where none do.
    private func counted(_ name: OperationName) -> Set<FormField>? {
        guard let definition = definitions[name] else { return nil }
        if definition.isAccepted { return Set(definition.form.fields) }
        guard definition.isReadable else { return nil }
        return asked[definition.form.formID]?.intersection(definition.form.fields)
    }

    /// Whether operations that name a definition may count under one catalog and not under the
    /// other.
    func differs(from other: FormCatalog, for name: OperationName) -> Bool {
        let (one, two) = (definitions[name], other.definitions[name])
        if one?.isAccepted == true, two?.isAccepted == true { return false }
        return counted(name) != other.counted(name)
    }

    /// The tables that there are, under another catalog that changes none of them; nil if it
    /// changes any.
    func forms(under other: FormCatalog) -> [String: FormTable]? {
        guard Set(forms.keys) == Set(other.plans.keys) else { return nil }
        var same: [String: FormTable] = [:]
        for (formID, form) in forms {
            guard let plan = other.plans[formID], plan.table == form.table,
                plan.names == form.names
            else { return nil }
            same[formID] = FormTable(
                number: form.number, formID: formID, table: form.table, names: form.names,
                inForce: plan.inForce)
        }
        return same
    }

    /// Picks among accepted definitions as among versions of a field.
    private static func inForce(_ definitions: [Definition]) -> Definition? {
        let graph = RecordGraph(definitions.map(\.version))
        guard let winner = graph.winner(of: .deleted) else { return nil }
        return definitions.first { $0.name == winner }
    }
}
