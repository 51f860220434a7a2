import Expressions
import ShareControl
import ShareCore
import ShareFormats
import ShareForms
import ShareStore

/// A new version of a form, in the place of the one in force, for a look at the entries that are
/// there.
struct FormTrial: Sendable {
    let schema: FormSchema
    private let known: FormSchema
    private let parts: [FormTrial?]

    init(_ form: Form, instead known: FormSchema) {
        let definitions = form.definitions { _ in [] }
        self.init(form, known, Questionnaire(form)) { formID in
            definitions.first { $0.formID == formID }.flatMap { form.form(ofRepeat: $0) }
        }
    }

    private init(
        _ form: Form, _ known: FormSchema, _ questionnaire: Questionnaire,
        _ part: (String) -> Form?
    ) {
        self.known = known
        let parts = known.repeats.map { old in
            part(old.info.formID).map { FormTrial($0, old, questionnaire, part) }
        }
        self.parts = parts
        schema = FormSchema(
            info: known.info, form: form, parser: ValueParser(form), questionnaire: questionnaire,
            asked: known.asked, namer: nil,
            // One that is gone keeps its place, and nobody asks for it.
            repeats: zip(parts, known.repeats).map { $0?.schema ?? $1 })
    }

    /// A record with its values in the order of the new version.
    func row(_ row: RecordRow) -> RecordRow {
        let values = schema.form.stored.map { field -> FieldValue in
            let wanted = FormField(name: field.name, type: field.storage ?? .text)
            let column = known.info.columns.firstIndex {
                $0.field == wanted || wanted.widens($0.field)
            }
            guard let column, row.values.indices.contains(column) else { return .absent }
            if wanted.type == .decimal, case .integer(let number) = row.values[column] {
                return .decimal(Double(number))
            }
            return row.values[column]
        }
        var tried = RecordRow(
            name: row.name, created: row.created, updated: row.updated, state: row.state,
            values: values,
            repeats: row.repeats.enumerated().map { position, rows in
                parts[position].map { part in rows.map { part.row($0) } } ?? []
            })
        tried.madeUnder = row.madeUnder
        return tried
    }
}

/// Counts entries that break a form, and what breaks it.
struct BreakCounts {
    private struct Reason: Hashable {
        let field: String
        let what: String
    }

    private let check: KeptEntryCheck
    private var entries = 0
    private var reasons: [Reason: Int] = [:]

    /// Reasons that are told apart.
    private static let most = 20

    init(_ check: KeptEntryCheck) { self.check = check }

    mutating func take(_ row: RecordRow) {
        let problems = check.findings(row).problems
        guard !problems.isEmpty else { return }
        entries += 1
        let found = Set(
            problems.map { problem in
                // Whichever row of a repeat it is.
                let field = KeptEntryCheck.question(at: problem.path)
                let what =
                    switch problem.kind {
                    case .required: "no answer, and one is required"
                    case .constraint: "an answer that is not allowed"
                    case .type: "an answer of another type"
                    case .choice: "a choice that is not offered"
                    case .unknown, .changed: "an answer that is not asked"
                    }
                return Reason(field: field, what: what)
            })
        for reason in found where reasons.count < Self.most || reasons[reason] != nil {
            reasons[reason, default: 0] += 1
        }
    }

    /// Nil where no entry breaks it.
    var answer: FormAddedAnswer.Invalid? {
        guard entries > 0 else { return nil }
        return FormAddedAnswer.Invalid(
            entries: entries,
            reasons: reasons.map {
                FormAddedAnswer.Kept(field: $0.key.field, entries: $0.value, what: $0.key.what)
            }.sorted { ($1.entries, $0.field, $0.what) < ($0.entries, $1.field, $1.what) })
    }
}
