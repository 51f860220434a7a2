import ShareCore
import ShareFormats
import ShareForms

/// Holds the rows of a CSV file against the logic of the form, and puts in what it computes.
///
/// A row that may change an entry, in a file that has not all fields, is checked by its types
/// alone: what the form makes of it depends on answers that are not in the file.
struct ImportCheck: Sendable {
    /// The fields that are written: those of the file, and those that the form computes.
    let fields: [Int]
    private let schema: FormSchema
    private let surroundings: EntrySurroundings
    /// For each of `form.stored` whether the file says what it is.
    private let known: [Bool]

    /// - Parameters:
    ///   - columns: the fields that the file has, as places in `form.stored`.
    ///   - namesRecords: whether rows may name the entries that they change.
    /// - Returns: Nil where nothing is checked but types.
    init?(
        _ schema: FormSchema, columns: [Int], namesRecords: Bool,
        _ surroundings: EntrySurroundings
    ) {
        // Rows of repeats come in files of their own, and depend on their entries.
        guard schema.questionnaire.hasLogic, schema.form.repeats.isEmpty, !schema.form.isRepeat
        else { return nil }
        let stored = schema.form.stored
        let present = Set(columns)
        let isWhole = stored.indices.allSatisfy {
            present.contains($0) || stored[$0].kind.isAutomatic
                || stored[$0].expressions.calculation != nil
        }
        let hasKey = !schema.keyPlaces.isEmpty && schema.keyPlaces.allSatisfy(present.contains)
        let onlyAdds = !namesRecords && !hasKey
        guard isWhole || onlyAdds else { return nil }
        let questionnaire = schema.questionnaire
        fields = stored.indices.filter { place in
            if present.contains(place) { return true }
            if onlyAdds {
                return stored[place].expressions.calculation != nil
                    || stored[place].expressions.initial != nil
            }
            // Nothing that would be another value with every import.
            return questionnaire.isAlwaysComputed(place)
        }
        known = stored.indices.map { !onlyAdds || present.contains($0) }
        self.schema = schema
        self.surroundings = surroundings
    }

    /// The values of rows as the form makes them, and what is wrong with them.
    func check(_ entries: [ImportedEntry]) -> (values: [[FieldValue]], problems: [ImportProblem]) {
        let state = FillState(
            schema.questionnaire, kind: .imported, setting: surroundings.setting(of: schema))
        var problems: [ImportProblem] = []
        let values = entries.map { entry in
            state.reset(to: entry.values, known: known)
            let made = state.stored
            for (place, value) in entry.values.enumerated()
            where value != .absent && made[place] == .absent {
                let name = schema.form.stored[place].name
                guard let node = state.node(at: name), !state.isRelevant(node) else { continue }
                problems.append(
                    ImportProblem(
                        line: entry.line, column: name,
                        reason: "it is not asked with the other answers of the row",
                        hint: "Leave the cell empty."))
            }
            for fault in state.faults(isSaving: true) {
                problems.append(
                    ImportProblem(
                        line: entry.line, column: fault.path, reason: fault.message,
                        hint: fault.hint ?? ""))
            }
            return made
        }
        return (values, problems)
    }
}
