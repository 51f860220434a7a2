internal import JSON
internal import ShareControl

/// The answer to one question: read, sent to the daemon, refused or kept.
extension Interview {
    mutating func answer(_ typed: String, _ line: String, to field: EntryField) -> Step {
        if typed.unicodeScalars.contains(where: {
            $0.value < 0x20 && $0 != "\t" || $0.value == 0x7f
        }) {
            return refuse(
                field, "There is a key in it that is no letter: arrows do not move in an answer.",
                hint: "Type it again; Backspace takes letters away.")
        }
        switch typed {
        case "" where lastSaved(field) != nil: return set(lastSaved(field), field)
        case "" where mayStay(field): return passed()
        case "":
            if field.value == .null, field.isRequired {
                let problem =
                    state?.problems.first { $0.path == field.path && $0.kind == .required }
                    ?? EntryProblem(path: field.path, kind: .required, message: "")
                return refuse(field, InterviewScreen.message(problem, field))
            }
            if field.value != .null, let message = field.message { return refuse(field, message) }
            return isAwaited(field) ? leave(field) : passed()
        case "<": return back()
        case "?":
            lines += InterviewScreen.help(field, width)
            return ask(.field(field.path), again: true)
        case "-": return set(nil, field)
        case "\"":
            guard let value = EntryPath(field.path).value(in: before) else {
                return refuse(
                    field,
                    "There is no entry before it: \" repeats an answer since `shared add` began.")
            }
            return set(value, field)
        default: break
        }
        // Behind a backslash everything is an answer.
        let text = typed.hasPrefix("\\") ? String(typed.dropFirst()) : typed
        guard let choices = field.choices else { return write(text, in: field) }
        if field.offersNothing {
            return refuse(
                field, InterviewScreen.nothing(field),
                hint: "< goes back to what decides about it.")
        }
        return field.listsAll
            ? pick(text, of: field, among: choices) : pick(text, of: field, found: found ?? [])
    }

    /// The answer of the entry before, where the form has a question begin with it.
    func lastSaved(_ field: EntryField) -> JSONValue? {
        guard let name = field.lastSaved, field.value == .null,
            let value = EntryPath(name).value(in: before), value != .null
        else { return nil }
        return value
    }

    /// What stands before the cursor.
    func prompt(_ field: EntryField) -> String {
        guard let value = lastSaved(field) else { return InterviewScreen.prompt(field, width) }
        var shown = field
        shown.value = value
        shown.display = field.choices?.first { .string($0.name) == value }?.label
        return InterviewScreen.prompt(shown, width)
    }

    /// Whether a field was wrong before the entry was edited, and is as it was.
    private func mayStay(_ field: EntryField) -> Bool {
        state.map { answers.remains($0) }?.contains { $0.path == field.path } == true
    }

    /// Takes what is no choice.
    private mutating func write(_ text: String, in field: EntryField) -> Step {
        let isDay = field.type == "date" || field.type == "dateTime"
        let days = isDay ? Typed.days(text) : []
        if days.count > 1 {
            return refuse(
                field, "That may be \(Text.list(days, "or")).",
                hint: "Write it in that order: year, month, day.")
        }
        let value = Typed.value(text, of: field)
        if isDay || field.type == "time", value != text {
            lines.append(Line(text: value, kind: .aside, indent: 2))
        }
        return set(.string(value), field)
    }

    /// Takes a choice of which all are here.
    private mutating func pick(
        _ text: String, of field: EntryField, among choices: [EntryChoice]
    ) -> Step {
        switch Typed.choices(text, of: field, among: choices) {
        case .chosen(let names): return set(Typed.value(names, of: field), field)
        case .several(let some):
            lines += InterviewScreen.choices(some, all: choices, some.count, width)
            return .ask(prompt(field))
        case .none(let word):
            let known = field.choicesAssigned == true ? " that this device is assigned" : ""
            return refuse(field, "No choice\(known) is called \(Typed.quoted(word)).")
        }
    }

    /// Takes a choice by its place among those that were found, or has the daemon look among all:
    /// what fits one of those that are here may mean another one.
    private mutating func pick(
        _ text: String, of field: EntryField, found: [EntryChoice]
    ) -> Step {
        if let names = Typed.marked(text, of: field, among: found) { return take(names, field) }
        // Names with commas the daemon reads as it does those of a file.
        if Typed.isSeveral(field), text.utf8.contains(UInt8(ascii: ",")) {
            return set(.string(text), field)
        }
        pending = .search(field.path, text)
        return request(answers.all, search: [field.path: .string(text)])
    }

    /// Sets choices that were found, beside those that there are where there may be several.
    private mutating func take(_ names: [String], _ field: EntryField) -> Step {
        let before = Typed.isSeveral(field) ? Typed.names(field.value) : []
        return set(Typed.value(before + names.filter { !before.contains($0) }, of: field), field)
    }

    private mutating func set(_ value: JSONValue?, _ field: EntryField) -> Step {
        pending = .answer(field.path, value ?? .null)
        return request(
            answers.setting(value ?? .null, at: field.path), changed: field.path)
    }

    /// Whether a default may wait for a question that has no answer.
    private func isAwaited(_ field: EntryField) -> Bool {
        field.value == .null && state?.fields.contains { $0.awaitsDefault == true } == true
    }

    /// Leaves a question without an answer: that nobody gives one is known by that.
    private mutating func leave(_ field: EntryField) -> Step {
        pending = .answer(field.path, .null)
        return request(answers.setting(.null, at: field.path))
    }

    mutating func answered(
        _ path: String, _ value: JSONValue, _ answer: EntryStateAnswer
    ) -> Step {
        guard let field = answer.fields.first(where: { $0.path == path }) else {
            accept(answer)
            return goOn()
        }
        if let problem = answer.problems.first(where: { $0.path == path }),
            !answers.had(problem, in: answer), let asked = self.field(path)
        {
            return refuse(asked, InterviewScreen.message(problem, asked), hint: problem.hint)
        }
        if Self.isEmpty(field.value), !Self.isEmpty(value), field.isRelevant,
            let asked = self.field(path)
        {
            return refuse(asked, "This cannot be chosen with the other answers.")
        }
        answers.note(path, isEmpty: field.value == .null)
        call(for: answer)
        tellEmptied(answer, besides: path)
        accept(answer)
        if let warning = field.warning {
            lines.append(Line(text: warning, kind: .warning, indent: 2))
            if let tip = field.tip { lines.append(Line(text: tip, kind: .aside, indent: 4)) }
            lines.append(Line(text: "It is kept; < goes back to it.", kind: .aside, indent: 4))
        }
        tellDuplicate(answer)
        return passed()
    }

    private static func isEmpty(_ value: JSONValue) -> Bool {
        value == .null || value == "" || value == .array([])
    }

    /// Says which other answers go, as they are no choices any more, and has them asked again.
    private mutating func tellEmptied(_ answer: EntryStateAnswer, besides path: String) {
        for field in state?.fields ?? []
        where field.path != path && field.choices != nil && !Self.isEmpty(field.value) {
            guard let now = answer.fields.first(where: { $0.path == field.path }), now.isRelevant,
                Self.isEmpty(now.value)
            else { continue }
            let value = field.display ?? Text.value(field.value)
            lines.append(
                Line(
                    text: Terminal.plain(
                        "\(field.label): \(value) is no choice any more, and is taken out."),
                    kind: .warning, indent: 2))
            call(field.path)
        }
    }

    mutating func searched(_ path: String, _ typed: String, _ answer: EntryStateAnswer) -> Step {
        guard let field = field(path),
            let searched = answer.fields.first(where: { $0.path == path }),
            let choices = searched.choices
        else { return next() }
        let mayBeMore = searched.choicesMore == true
        if let only = choices.first, choices.count == 1, !mayBeMore {
            lines.append(Line(text: only.label, kind: .aside, indent: 2))
            return take([only.name], field)
        }
        // A label typed whole means that one, though others begin with it, where all that were
        // found are here: two may be called the same.
        let whole = Typed.called(typed, among: choices)
        if whole.count == 1, searched.choicesTotal ?? 0 <= choices.count {
            return take([whole[0].name], field)
        }
        // Its name, which nobody sees, means it where no word of a label begins so.
        if whole.isEmpty {
            let named = Typed.named(typed, among: choices)
            if named.count == 1, named[0].name == typed {
                lines.append(Line(text: named[0].label, kind: .aside, indent: 2))
                return take([typed], field)
            }
        }
        guard !choices.isEmpty else {
            return refuse(
                field,
                mayBeMore
                    ? "Too much has that in it to look at all: type more letters."
                    : "No choice has that in it.")
        }
        found = choices
        lines += InterviewScreen.choices(
            choices, all: choices, searched.choicesTotal ?? choices.count, mayBeMore: mayBeMore,
            width)
        return .ask(prompt(field))
    }
}
