import Expressions
import JSON
import ShareControl
import ShareCore
import ShareFormats
import ShareForms

/// Writes the state of an entry as an answer.
struct EntryStateWriter {
    let schema: FormSchema
    let state: FillState
    let unread: [AskedFields.Unread]
    let search: JSONObject

    /// Bytes of an answer, as far as they are counted: a form of rows with many questions could make
    /// hundreds of megabytes of it.
    private static let mostBytes = 4 << 20

    /// - Throws: `Problem` where the state is too long to be told.
    func answer(language: String?) throws(Problem) -> EntryStateAnswer {
        let form = schema.form
        let languages = schema.questionnaire.languages
        var values = schema.asked.json(state.answers)
        // What could not be read stays for whoever typed it.
        for one in unread where !one.path.contains("/") && !one.isDropped {
            values[one.path] = one.json
        }
        var dropped = JSONObject()
        for one in unread where one.isDropped { dropped[one.path] = one.json }
        let typed = Dictionary(
            unread.map { ($0.path, $0.json) }, uniquingKeysWith: { first, _ in first })
        var fields: [EntryField] = []
        var problems: [EntryProblem] = []
        var left = Self.mostBytes
        let parts = state.parts
        fields.reserveCapacity(parts.count)
        for part in parts {
            var (field, fault) = entry(part)
            if !typed.isEmpty, let json = typed[field.path] { field.value = json }
            left -= field.bytes
            guard left >= 0 else {
                throw Problem.rowsBeyond(
                    "the questions of this entry and of its rows are too many to be told at once",
                    schema.form.formID)
            }
            fields.append(field)
            if let fault {
                problems.append(EntryProblem(fault))
            }
        }
        let progress = state.progress
        return EntryStateAnswer(
            form: form.formID, version: form.version, title: form.displayTitle(in: language),
            language: language.flatMap { schema.questionnaire.language(meantBy: $0) }
                ?? form.defaultLanguage ?? languages.first ?? "",
            languages: languages, instanceName: state.instanceName, values: values,
            fields: fields,
            progress: EntryProgress(answered: progress.answered, relevant: progress.relevant),
            problems: problems, warnings: state.cautions().map { EntryWarning($0) },
            dropped: dropped.members.isEmpty ? nil : dropped)
    }

    private func entry(_ part: FillState.Part) -> (EntryField, EntryFault?) {
        switch part {
        case .field(let node, let field): return entry(field, at: node)
        case .repeat(let node, let outer, let rows): return entry(outer, rows, in: node)
        }
    }

    private func entry(_ outer: Form.Repeat, _ rows: Range<Int>, in node: Int) -> (
        EntryField, EntryFault?
    ) {
        let leftOut = rows.filter { !state.isRelevant($0) }.map { $0 - rows.lowerBound + 1 }
        let path = state.path(of: node, child: outer.name)
        let isRelevant = state.isRelevant(outer, in: node)
        var fault = isRelevant ? state.fault(at: node, isSaving: false) : nil
        if fault?.path != path { fault = nil }
        let answer = EntryField(
            path: path, name: outer.name, type: "repeat",
            label: state.text(outer.group.label, at: node) ?? outer.name,
            hint: state.text(outer.group.hint, at: node), group: state.groups(around: node),
            isRelevant: isRelevant, message: fault?.message,
            repeat: EntryRepeat(
                count: rows.count, min: outer.minimum, max: outer.maximum,
                canAdd: outer.count == nil
                    && rows.count < (outer.maximum ?? FormLimits.repetitions),
                leftOut: leftOut.isEmpty ? nil : leftOut))
        return (answer, fault)
    }

    private func entry(_ field: Form.Field, at node: Int) -> (EntryField, EntryFault?) {
        let path = state.path(of: node)
        let isRelevant = state.isRelevant(node)
        let fault = state.fault(at: node, isSaving: false)
        let caution = state.caution(at: node)
        let value = isRelevant ? state.value(at: node) : .absent
        var answer = EntryField(
            path: path, name: field.name, type: field.kind.name,
            label: state.text(field.label, at: node) ?? field.name,
            hint: state.text(field.hint, at: node)
                ?? (field.kind == .range ? "A number \(field.range.words)." : nil),
            unit: field.unit,
            group: state.groups(around: node), isRelevant: isRelevant,
            isRequired: state.isRequired(node), isReadOnly: state.isReadOnly(node),
            value: RecordsValues.json(value, isSeveral: field.kind.isSeveral),
            message: fault?.message, warning: caution?.message, tip: caution?.tip)
        answer.lastSaved = state.lastSaved(at: node)
        if state.awaitsDefault(node) { answer.awaitsDefault = true }
        if isRelevant, state.followsAnswers(node) { answer.followsAnswers = true }
        let shown = isRelevant ? state.display(at: node) : ""
        if case .text(let text) = value, text == shown {
        } else if value != .absent {
            answer.display = shown
        }
        if field.kind.isChoice, isRelevant {
            let typed = search[path]?.string ?? ""
            if let found = state.choices(at: node, matching: typed, limit: ControlLimits.choices) {
                let kept = typed.isEmpty ? state.kept(at: node) : []
                answer.choices = (found.offers + kept).map {
                    EntryChoice(name: $0.name, label: $0.label)
                }
                answer.choicesTotal = found.count + kept.count
                answer.choicesMore = found.isCut
                if found.offers.isEmpty, kept.isEmpty, typed.isEmpty, !found.isCut {
                    answer.choicesWith = state.deciding(about: node)
                }
            }
        }
        return (answer, fault)
    }
}

extension EntryField {
    /// What it takes in an answer, near enough.
    fileprivate var bytes: Int {
        var bytes = Self.frame + path.utf8.count + name.utf8.count + label.utf8.count
        bytes += Self.bytes(hint) + Self.bytes(message) + Self.bytes(warning) + Self.bytes(tip)
        bytes += Self.bytes(display) + Self.bytes(value.string) + Self.bytes(choicesWith)
        for text in group { bytes += text.utf8.count + 3 }
        for choice in choices ?? [] {
            bytes += choice.name.utf8.count + choice.label.utf8.count + 22
        }
        return bytes
    }

    private static func bytes(_ text: String?) -> Int { text?.utf8.count ?? 0 }

    /// The names of its members, and what has no length of its own.
    private static let frame = 300
}
