internal import JSON
internal import ShareControl

/// The questions of one entry, as a value: what the daemon makes of the answers so far and a line
/// that somebody types in; what to show, to ask, to request and to save out.
struct Interview {
    /// What has to happen next.
    enum Step {
        /// The daemon is asked, and its answer given to `take`.
        case request(EntryStateRequest)
        /// A line is read behind this prompt, and given to `answer`.
        case ask(String)
        /// The entry is complete.
        case save(JSONObject)
        /// Nothing was changed, and nothing is saved.
        case unchanged
        /// Whoever answers has had enough; what is there is a draft.
        case leave
    }

    /// A line for the screen.
    struct Line: Equatable {
        enum Kind { case title, text, aside, warning, refusal }

        var text: String
        var kind = Kind.text
        var indent = 0
    }

    private enum Pending {
        case begin
        case answer(String)
        case search(String)
        case more(String)
        case fewer(String)
    }

    /// What is shown, until somebody takes it.
    private(set) var lines: [Line] = []
    /// The answers so far.
    private(set) var values: JSONObject
    private(set) var state: EntryStateAnswer?
    /// The entry that is edited.
    let record: String?
    let language: String?
    /// Answers of the entry before.
    let before: JSONObject
    let width: Int

    private var start: JSONObject?
    private var pending = Pending.begin
    private var stop: Stop?
    /// Questions that were answered or passed, for going back.
    private var path: [Stop] = []
    private var group: [String] = []
    /// Whether the summary was reached: from then on each answer leads back to it.
    private var reviews: Bool
    /// The last question's choices, as they were found by typing.
    private var found: [EntryChoice]?
    private let resumed: Stop?
    /// Questions whose answer was taken away: without saying so a default would come back, or what
    /// an entry that is edited had.
    private var emptied: Set<String> = []

    /// - Parameters:
    ///   - values: of a draft.
    ///   - at: the path of the field where the draft was left.
    init(
        values: JSONObject = JSONObject(), at place: String? = nil, record: String? = nil,
        language: String? = nil, before: JSONObject = JSONObject(), width: Int
    ) {
        self.values = values
        self.record = record
        self.language = language
        self.before = before
        self.width = width
        reviews = record != nil
        resumed = place.map { .field($0) }
    }

    /// The path of the question that is open.
    var place: String? {
        if case .field(let path)? = stop { return path }
        return nil
    }

    /// Hands out what is to be shown, in lines that fit.
    mutating func takeLines() -> [Line] {
        defer { lines = [] }
        return lines.flatMap { line -> [Line] in
            let mark = line.kind == .refusal || line.kind == .warning ? 2 : 0
            let room = width - line.indent - mark
            guard Terminal.width(line.text) > room else { return [line] }
            return Terminal.wrap(line.text, room).map {
                Line(text: $0, kind: line.kind, indent: line.indent)
            }
        }
    }

    // MARK: Steps

    mutating func begin() -> Step {
        pending = .begin
        return request(values)
    }

    /// Takes the daemon's answer to the last request.
    mutating func take(_ answer: EntryStateAnswer) -> Step {
        switch pending {
        case .begin:
            state = answer
            values = answer.values
            start = answer.values
            lines += InterviewScreen.opening(answer, isNew: record == nil, width)
            if reviews { return review() }
            if let resumed, Stops(answer).places.contains(where: { $0.stop == resumed }) {
                return ask(resumed)
            }
            return next()
        case .answer(let path): return answered(path, answer)
        case .search(let path): return searched(path, answer)
        case .more(let path):
            accept(answer)
            let count = field(path)?.repeat?.count ?? 0
            if let first = Stops(answer).first(inside: "\(path)[\(count)]") { return ask(first) }
            return next()
        case .fewer:
            accept(answer)
            return stop.map { ask($0) } ?? next()
        }
    }

    /// Takes what somebody has typed.
    mutating func answer(_ line: String) -> Step {
        let typed = Typed.trimmed(line)
        switch stop {
        case .field(let path)?:
            guard let field = field(path) else { return next() }
            return answer(typed, line, to: field)
        case .more(let path)?: return answer(typed, toMore: path)
        case .note?: return next()
        case nil: return answerSummary(typed)
        }
    }

    // MARK: Questions

    private mutating func answer(_ typed: String, _ line: String, to field: EntryField) -> Step {
        switch typed {
        case "":
            if field.value == .null, field.isRequired {
                let problem = EntryProblem(
                    path: field.path, kind: .required, message: field.message ?? "")
                return refuse(field, InterviewScreen.message(problem, field))
            }
            if field.value != .null, let message = field.message { return refuse(field, message) }
            return passed()
        case "<": return back()
        case "?":
            lines += InterviewScreen.help(field, width)
            return ask(.field(field.path), again: true)
        case "-": return set(nil, field)
        case "\"":
            guard let value = EntryPath(field.path).value(in: before) else {
                return refuse(field, "There is no answer of an entry before to repeat.")
            }
            return set(value, field)
        default: break
        }
        // Behind a backslash everything is an answer.
        let text = typed.hasPrefix("\\") ? String(typed.dropFirst()) : typed
        guard let choices = found ?? field.choices else {
            return set(.string(Typed.value(text, of: field)), field)
        }
        switch Typed.choices(text, of: field, among: choices) {
        case .chosen(let names):
            let isSeveral = Typed.isSeveral(field)
            return set(isSeveral ? .array(names.map { .string($0) }) : .string(names[0]), field)
        case .several(let some):
            lines += InterviewScreen.choices(some, all: choices, some.count, width)
            return .ask(InterviewScreen.prompt(field))
        case .none(let word):
            let total = field.choicesTotal ?? choices.count
            guard total > (field.choices?.count ?? 0) else {
                return refuse(field, "No choice is called \(Typed.quoted(word)).")
            }
            pending = .search(field.path)
            return request(values, search: [field.path: .string(word)])
        }
    }

    private mutating func set(_ value: JSONValue?, _ field: EntryField) -> Step {
        pending = .answer(field.path)
        return request(EntryPath(field.path).setting(value ?? .null, in: values))
    }

    private mutating func answered(_ path: String, _ answer: EntryStateAnswer) -> Step {
        guard let field = answer.fields.first(where: { $0.path == path }) else {
            accept(answer)
            return passed()
        }
        if let problem = answer.problems.first(where: { $0.path == path }),
            let asked = self.field(path)
        {
            return refuse(asked, InterviewScreen.message(problem, asked), hint: problem.hint)
        }
        if field.value == .null { emptied.insert(path) } else { emptied.remove(path) }
        accept(answer)
        if let warning = field.warning {
            lines.append(Line(text: warning, kind: .warning, indent: 2))
            if let tip = field.tip { lines.append(Line(text: tip, kind: .aside, indent: 4)) }
            lines.append(Line(text: "It is kept; < goes back to it.", kind: .aside, indent: 4))
        }
        return passed()
    }

    private mutating func searched(_ path: String, _ answer: EntryStateAnswer) -> Step {
        guard let field = field(path),
            let choices = answer.fields.first(where: { $0.path == path })?.choices
        else { return next() }
        if let only = choices.first, choices.count == 1, !Typed.isSeveral(field) {
            lines.append(Line(text: only.label, kind: .aside, indent: 2))
            return set(.string(only.name), field)
        }
        guard !choices.isEmpty else { return refuse(field, "No choice has that in it.") }
        found = choices
        let total =
            answer.fields.first { $0.path == path }?.choicesTotal ?? choices.count
        lines += InterviewScreen.choices(choices, all: choices, total, width)
        return .ask(InterviewScreen.prompt(field))
    }

    private mutating func answer(_ typed: String, toMore path: String) -> Step {
        switch typed.lowercased() {
        case "<": return back()
        case "y", "yes", "+": return addOne(path)
        case "-":
            let list = EntryPath(path).value(in: values)?.array ?? []
            guard !list.isEmpty else { return ask(.more(path)) }
            pending = .fewer(path)
            return request(
                EntryPath(path).setting(.array(Array(list.dropLast())), in: values))
        case "", "n", "no": return passed()
        default:
            lines.append(
                Line(
                    text: "y for one more, Enter for no more, - takes the last one away, < back.",
                    kind: .aside, indent: 2))
            return ask(.more(path), again: true)
        }
    }

    private mutating func addOne(_ path: String) -> Step {
        let list = EntryPath(path).value(in: values)?.array ?? []
        pending = .more(path)
        if let stop { self.path.append(stop) }
        return request(
            EntryPath(path).setting(.array(list + [.object(JSONObject())]), in: values))
    }

    // MARK: The way

    private mutating func accept(_ answer: EntryStateAnswer) {
        state = answer
        values = answer.values
        if record != nil {
            emptied.formUnion((start ?? JSONObject()).members.map(\.key))
        }
        for path in emptied where EntryPath(path).value(in: values) == nil {
            values = EntryPath(path).setting(.null, in: values)
        }
    }

    /// On to what comes after the question that was answered.
    private mutating func passed() -> Step {
        if let stop { path.append(stop) }
        return reviews ? review() : next()
    }

    private mutating func next() -> Step {
        guard let state else { return begin() }
        for place in Stops(state).after(stop) where place.isAsked {
            switch place.stop {
            case .note(let path):
                guard let note = field(path) else { continue }
                lines += InterviewScreen.note(note, width)
            case .more(let path):
                let repetition = field(path)?.repeat
                stop = place.stop
                if let repetition, repetition.count < repetition.min ?? 0 { return addOne(path) }
                return ask(place.stop)
            case .field: return ask(place.stop)
            }
        }
        reviews = true
        return review()
    }

    private mutating func back() -> Step {
        guard let last = path.popLast() else {
            lines.append(Line(text: "This is the first question.", kind: .aside, indent: 2))
            return stop.map { ask($0, again: true) } ?? review()
        }
        return ask(last)
    }

    private mutating func refuse(
        _ field: EntryField, _ message: String, hint: String? = nil
    ) -> Step {
        lines.append(Line(text: message, kind: .refusal, indent: 2))
        if let hint { lines.append(Line(text: hint, kind: .aside, indent: 4)) }
        return .ask(InterviewScreen.prompt(field))
    }

    private mutating func ask(_ stop: Stop, again: Bool = false) -> Step {
        self.stop = stop
        guard let state else { return begin() }
        switch stop {
        case .field(let path):
            guard let field = field(path) else { return next() }
            if !again {
                found = nil
                let questions = Stops(state).questions
                let number = (questions.firstIndex(of: path) ?? 0) + 1
                lines += InterviewScreen.question(
                    field, number, of: questions.count, under: group, width)
                group = field.group
            }
            return .ask(InterviewScreen.prompt(field))
        case .more(let path):
            guard let field = field(path) else { return next() }
            return .ask(InterviewScreen.more(field))
        case .note: return next()
        }
    }

    private func field(_ path: String) -> EntryField? {
        state?.fields.first { $0.path == path }
    }

    private func request(_ values: JSONObject, search: JSONObject? = nil) -> Step {
        .request(
            EntryStateRequest(
                values: values, language: language, record: record, search: search))
    }

    // MARK: Summary

    private mutating func review() -> Step {
        guard let state else { return begin() }
        let questions = Set(Stops(state).questions)
        if record == nil || values != start,
            let problem = state.problems.first(where: { questions.contains($0.path) })
        {
            let step = ask(.field(problem.path))
            if let field = field(problem.path) {
                let message = InterviewScreen.message(problem, field)
                lines.append(Line(text: message, kind: .refusal, indent: 2))
            }
            return step
        }
        stop = nil
        lines += InterviewScreen.summary(state, Stops(state).questions, width)
        return .ask(InterviewScreen.summaryPrompt(isNew: record == nil))
    }

    private mutating func answerSummary(_ typed: String) -> Step {
        guard let state else { return begin() }
        switch typed.lowercased() {
        case "", "y", "yes":
            if let problem = state.problems.first {
                lines.append(Line(text: problem.message, kind: .refusal, indent: 2))
                return .ask(InterviewScreen.summaryPrompt(isNew: record == nil))
            }
            guard record != nil else { return .save(values) }
            let changed = changes()
            return changed.members.isEmpty ? .unchanged : .save(changed)
        case "q": return .leave
        case "<": return back()
        default: break
        }
        let questions = Stops(state).questions
        if let number = Int(typed), questions.indices.contains(number - 1) {
            return ask(.field(questions[number - 1]))
        }
        let named = questions.filter { path in
            Typed.folded(field(path)?.label ?? "").hasPrefix(Typed.folded(typed))
        }
        if named.count == 1 { return ask(.field(named[0])) }
        lines.append(
            Line(
                text: "Enter saves; the number or the first letters of a question change its "
                    + "answer; < goes back; q leaves, and keeps a draft.", kind: .aside, indent: 2))
        return .ask(InterviewScreen.summaryPrompt(isNew: record == nil))
    }

    /// What is another value than it was, for an entry that is edited; null clears.
    private func changes() -> JSONObject {
        let start = start ?? JSONObject()
        var changes = JSONObject()
        for member in values.members where start[member.key] != member.value {
            changes[member.key] = member.value
        }
        for member in start.members where values[member.key] == nil {
            changes[member.key] = .null
        }
        return changes
    }
}
