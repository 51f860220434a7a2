import ShareControl
import ShareCore
import ShareFormats
import ShareForms
import ShareStore

/// Holds the rows of a CSV file against the logic of the form, and puts in what it computes.
///
/// Rows that surely are new entries are looked at as they are read; those that may change an entry
/// when it is known which: what the form makes of them depends on answers that are not in the file.
struct ImportCheck: Sendable {
    /// The fields that new entries have: those of the file, and those that the form computes.
    let fields: [Int]
    /// Whether rows may change entries that are here.
    let mayChange: Bool
    private let schema: FormSchema
    private var surroundings: EntrySurroundings
    /// This device's.
    private let role: Role
    /// For each of `form.stored` whether the file says what it is.
    private let known: [Bool]
    /// The fields that the file does not have, and whose default new entries have.
    let defaulted: [Int]
    /// The fields that the file has and the form works out.
    private let calculated: [Int]

    /// - Parameters:
    ///   - columns: the fields that the file has, as places in `form.stored`.
    ///   - namesRecords: whether rows may name the entries that they change.
    /// - Returns: Nil where nothing is checked but types.
    init?(
        _ schema: FormSchema, columns: [Int], namesRecords: Bool, role: Role,
        _ surroundings: EntrySurroundings
    ) {
        // Rows of repeats come in files of their own, and are looked at with their entries.
        guard schema.questionnaire.hasLogic, !schema.form.isRepeat else { return nil }
        let stored = schema.form.stored
        let present = Set(columns)
        let hasKey = !schema.keyPlaces.isEmpty && schema.keyPlaces.allSatisfy(present.contains)
        mayChange = namesRecords || hasKey
        fields = stored.indices.filter {
            present.contains($0) || stored[$0].expressions.calculation != nil
                || stored[$0].expressions.initial != nil
        }
        known = stored.indices.map { present.contains($0) }
        defaulted = schema.questionnaire.defaults.filter { !present.contains($0) }
        calculated = stored.indices.filter {
            present.contains($0) && stored[$0].expressions.calculation != nil
        }
        self.schema = schema
        self.role = role
        self.surroundings = surroundings
    }

    /// The same at one moment, which the rows that it makes bear.
    func at(_ wall: UInt64) -> ImportCheck {
        var check = self
        check.surroundings.wall = { wall }
        return check
    }

    /// What the form makes of a row.
    struct Made {
        var values: [FieldValue]
        var problems: [ImportProblem] = []
        var warnings: [ImportProblem] = []
        /// What is wrong with cells that several choices are called, by their fields: nil where it is
        /// known by now which one is meant.
        var settled: [Int: ImportProblem?] = [:]
    }

    /// A row of a new entry.
    struct Row {
        let line: Int
        /// By `form.stored`.
        var values: [FieldValue]
        /// Whether all of its cells could be read.
        var isReadable = true
        /// What is wrong with cells, unless an entry that is there is the same.
        var doubts: [ImportedEntry.Doubt] = []
    }

    /// Looks at rows of new entries.
    func added(_ rows: some Sequence<Row>) -> [Made] {
        let flat =
            schema.form.repeats.isEmpty
            ? FillState(
                schema.questionnaire, kind: .imported, setting: surroundings.setting(of: schema))
            : nil
        return rows.map { row in
            var row = row
            let (values, settled) = settled(row)
            row.values = values
            guard let flat else {
                let state = FillState(
                    schema.questionnaire, answers(row.values), kind: .imported,
                    setting: surroundings.setting(of: schema))
                return made(state, row, settled)
            }
            flat.reset(to: row.values, known: known)
            return made(flat, row, settled)
        }
    }

    /// A row's values with the choices that are meant where several are called so, as the other cells
    /// leave one, and what becomes of its doubts.
    private func settled(_ row: Row) -> ([FieldValue], [Int: ImportProblem?]) {
        let alike = alike(row.values, row.doubts.filter { !$0.isUnreadable }.map(\.field))
        guard !alike.open.isEmpty else { return (row.values, [:]) }
        let state = FillState(
            schema.questionnaire, answers(alike.values), kind: .imported,
            setting: surroundings.setting(of: schema))
        var (values, settled) = (row.values, [Int: ImportProblem?]())
        for (field, result) in state.settle(alike.open) {
            switch result {
            case .success(let value):
                values[field] = value
                settled[field] = .some(nil)
            case .failure(let error):
                settled[field] = ImportProblem(
                    line: row.line,
                    column: row.doubts.first { $0.field == field }?.problem.column,
                    reason: error.description, hint: error.hint)
            }
        }
        return (values, settled)
    }

    /// Values with placeholders in the place of what several choices are called.
    private func alike(
        _ values: [FieldValue], _ fields: [Int]
    ) -> (values: [FieldValue], open: [Int: ValueError]) {
        var (values, open) = (values, [Int: ValueError]())
        for field in fields {
            guard case .text(let typed) = values[field] else { continue }
            do throws(ValueError) { _ = try schema.parser.value(typed, at: field) } catch {
                guard error.candidates != nil else { continue }
                values[field] = .text(FillState.placeholder(field))
                open[field] = error
            }
        }
        return (values, open)
    }

    /// The choices that cells mean which several are called, as an entry that is here, with the other
    /// cells of the row, leaves one.
    ///
    /// - Parameters:
    ///   - given: the cells of the row, by their fields.
    ///   - open: those of them that could not be read.
    func meant(_ given: [Int: FieldValue], _ open: [Int], in record: RecordRow) -> [Int: FieldValue]
    {
        var values = record.values
        for (field, value) in given { values[field] = value }
        let alike = alike(values, open)
        guard !alike.open.isEmpty else { return [:] }
        let state = FillState(
            schema.questionnaire, Answers(alike.values, record.repeats, of: schema), kind: .stored,
            setting: surroundings.setting(of: schema))
        var meant: [Int: FieldValue] = [:]
        for (field, result) in state.settle(alike.open) {
            if case .success(let value) = result { meant[field] = value }
        }
        return meant
    }

    /// Whether a cell is a value of its field; what is none is told by itself.
    private func fits(_ value: FieldValue, _ field: Form.Field) -> Bool {
        guard case .text(let text) = value else { return true }
        return switch field.storage {
        case .integer, .decimal: false
        case .date: CalendarText.isDate(Array(text.utf8))
        case .time: CalendarText.isTime(Array(text.utf8))
        case .dateTime: CalendarText.isDateTime(Array(text.utf8))
        case .text, nil: true
        }
    }

    private func answers(_ values: [FieldValue]) -> Answers {
        var position = 0
        let fields = schema.form.fields.map { field -> FieldValue? in
            guard field.storage != nil else { return nil }
            defer { position += 1 }
            return known[position] ? values[position] : nil
        }
        return Answers(fields: fields, repeats: schema.form.repeats(in: []).map { _ in [] })
    }

    private func made(
        _ state: FillState, _ row: Row, _ settled: [Int: ImportProblem?]
    ) -> Made {
        var made = Made(values: state.stored, settled: settled)
        // What is asked may hang on what could not be read.
        for (position, value) in row.values.enumerated()
        where row.isReadable && value != .absent && made.values[position] == .absent {
            let name = schema.form.stored[position].name
            guard let node = state.node(at: name), !state.isRelevant(node) else { continue }
            made.problems.append(
                ImportProblem(
                    line: row.line, column: name,
                    reason: "it is not asked with the other answers of the row",
                    hint: "Leave the cell empty."))
        }
        made.problems += state.faults(isSaving: true).map { fault in
            ImportProblem(
                fault, row.line, cell: state.display(at: fault.node, upTo: Self.shownBytes),
                hasColumn: fault.kind != .required || hasColumn(fault.path))
        }
        made.warnings = state.importCautions().map {
            ImportProblem(
                $0, row.line,
                cell: state.display(at: $0.node, upTo: Self.shownBytes))
        }
        for position in calculated where row.isReadable {
            let name = schema.form.stored[position].name
            if let warning = EntryCheck.overruled(name, row.values[position], state) {
                made.warnings.append(ImportProblem(warning, row.line))
            }
        }
        return made
    }

    private func hasColumn(_ field: String) -> Bool {
        zip(schema.form.stored, known).contains { $0.name.utf8.elementsEqual(field.utf8) && $1 }
    }

    /// What a row does to an entry that is here, beside what it says itself.
    ///
    /// - Parameter given: by their places in `form.stored`.
    func changed(
        _ record: RecordRow, by given: [Int: FieldValue], line: Int
    ) -> (
        writes: [Int: FieldValue], rows: [LocalChange], problems: [ImportProblem],
        warnings: [ImportProblem], before: [EntryWarning]
    ) {
        let present = EntryCheck.Present(values: record.values, rows: record.repeats)
        let given = given.filter { fits($0.value, schema.form.stored[$0.key]) }
        let found = EntryCheck(surroundings: surroundings).changed(
            present, EntryValues(values: given, repeats: []), of: schema)
        var rows = RepeatChanges(own: surroundings.own.key, wall: surroundings.wall(), role: role)
        let places = Dictionary(
            schema.form.stored.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { $1 })
        func cell(_ path: String) -> String? {
            guard let field = places[path] else { return nil }
            let value = found.entry.values[field] ?? record.values[field]
            return schema.parser.label(value, at: field).shortened(to: Self.shownBytes)
        }
        var faults = found.faults.map { ImportProblem($0, line, cell: cell($0.path)) }
        do {
            _ = try rows.edit(found.entry, of: record.name, record.repeats, schema)
        } catch {
            let problem = Problem(error)
            faults.append(
                ImportProblem(
                    line: line, column: nil, reason: problem.detail, hint: problem.hint ?? ""))
        }
        let gone = rows.gone.map { ImportProblem(gone: $0.count, of: $0.path, line) }
        let cleared = found.entry.values.filter { field, value in
            value == .absent && given[field] == nil && record.values[field] != .absent
                && schema.form.stored[field].expressions.calculation == nil
        }.keys.sorted().map {
            ImportProblem(cleared: record.values[$0], $0, of: schema, in: "", line)
        }
        return (
            found.entry.values, rows.all, faults,
            cleared + gone
                + found.flagged.map { ImportProblem($0, line, cell: cell($0.path)) }
                + found.warnings.map { ImportProblem($0, line) }
                + rows.notes.map { ImportProblem($0, line) },
            found.before
        )
    }

    /// Of a cell that is told with what is wrong with it.
    static let shownBytes = 60

    /// Whether a look at an entry wants the rows of its repeats.
    var wantsRows: Bool { !schema.form.repeats.isEmpty }
}

extension ImportProblem {
    /// Rows that go with what a row of a file says.
    init(gone count: Int, of path: String, _ line: Int) {
        self.init(
            line: line, column: path,
            reason: "\(EntryWords.rows(count)) \(count == 1 ? "goes" : "go"): the form does not ask"
                + " for \(count == 1 ? "it" : "them") any more", hint: "")
    }

    /// An answer that goes with what a row of a file says.
    ///
    /// - Parameter path: leads to its row, with a slash behind it.
    init(
        cleared value: FieldValue, _ field: Int, of schema: FormSchema, in path: String, _ line: Int
    ) {
        self.init(
            line: line, column: path + schema.form.stored[field].name,
            reason:
                "\(schema.parser.label(value, at: field)) goes: with the other answers it is not"
                + " asked, or cannot be chosen, any more", hint: "")
    }

    /// - Parameters:
    ///   - column: the field, where that is not the path of the fault.
    ///   - cell: what stands there: the form's own words for what is wrong seldom say it.
    ///   - hasColumn: whether the file has the field.
    init(
        _ fault: EntryFault, _ line: Int, column: String? = nil, cell: String? = nil,
        hasColumn: Bool = true
    ) {
        self.init(
            line: line, column: column ?? fault.path,
            reason: Self.told(fault.message, of: fault.isOwnText ? cell : nil),
            hint: fault.kind == .required
                ? hasColumn ? "The cell is empty." : "The file has no such column."
                : fault.hint ?? "")
    }

    init(_ caution: EntryCaution, _ line: Int, column: String? = nil, cell: String? = nil) {
        self.init(
            line: line, column: column ?? caution.path,
            reason: Self.told(caution.message, of: caution.isOwnText ? cell : nil),
            hint: caution.tip ?? "")
    }

    init(_ warning: EntryWarning, _ line: Int) {
        self.init(
            line: line, column: warning.path, reason: warning.message, hint: warning.tip ?? "")
    }

    private static func told(_ message: String, of cell: String?) -> String {
        guard let cell, !cell.isEmpty else { return message }
        return "\(cell): \(message)"
    }
}
