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
        enum Kind {
            case title, text, aside, warning, refusal

            /// What stands in front of a line of that kind.
            var mark: String {
                switch self {
                case .title, .text, .aside: ""
                case .warning: "? "
                case .refusal: "! "
                }
            }
        }

        var text: String
        var kind = Kind.text
        var indent = 0
    }

    enum Pending {
        /// The entry as it is, before the answers of a draft.
        case base
        case begin
        /// To the question of that path.
        case answer(String, JSONValue)
        /// Of a field, for what was typed.
        case search(String, String)
        case more(String)
        case fewer(String)
        /// The entry as it is now, where these answers were changed meanwhile.
        case renewed([EntryProblem])
        /// After it was said what becomes of them; whether they have to be looked at.
        case settled(Bool)
    }

    /// What is shown, until somebody takes it.
    var lines: [Line] = []
    /// The answers so far.
    var answers: InterviewAnswers
    var state: EntryStateAnswer?
    /// The entry that is edited.
    let record: String?
    let language: String?
    /// Answers of the entry before.
    var before: JSONObject
    let width: Int

    var pending = Pending.begin
    /// The answers that the daemon was asked about last.
    private var asked = JSONObject()
    /// How answers were shown last that may be hidden by now, by their paths.
    private(set) var displays: [String: String] = [:]
    var stop: Stop?
    /// Questions that were answered or passed, for going back.
    var path: [Stop] = []
    private var group: [String] = []
    /// Whether the summary was reached: from then on each answer leads back to it.
    private(set) var reviews: Bool
    /// The last question's choices that were found by typing, where not all are listed.
    var found: [EntryChoice]?
    private let resumed: Stop?
    /// What an answer given from the summary calls for: it is asked before the summary comes again.
    var called: Set<Stop> = []
    /// Whether a draft of a new entry goes on: what it has answered is not asked again.
    private let isResumed: Bool
    /// The entry of the same key that was told of last.
    private var duplicate: String?
    /// Whether a row is to be saved that somebody else has deleted.
    var hasOwnRow = false
    /// What others have changed meanwhile.
    var meanwhile = Meanwhile()

    /// - Parameters:
    ///   - values: of a draft.
    ///   - seen: what its author had seen of the entry that it changes.
    ///   - at: the path of the field where the draft was left.
    init(
        values: JSONObject = JSONObject(), seen: JSONObject? = nil, at place: String? = nil,
        record: String? = nil, language: String? = nil, before: JSONObject = JSONObject(),
        width: Int
    ) {
        answers = InterviewAnswers(values: values, seen: seen, isEdited: record != nil)
        self.record = record
        self.language = language
        self.before = before
        self.width = width
        reviews = record != nil
        resumed = place.map { .field($0) }
        isResumed = record == nil && !values.members.isEmpty
    }

    var values: JSONObject { answers.values }

    /// The answers for a draft: also those that are not asked as the others are now.
    var kept: JSONObject { answers.all }

    /// The answers that the entry had which is edited, as far as they were seen; nil for a new one.
    var seen: JSONObject? { record == nil ? nil : answers.start }

    /// The path of the question that is open.
    var place: String? {
        if case .field(let path)? = stop { return path }
        return nil
    }

    /// What the entry is, for a list of drafts: the name that its form gives it, else its first
    /// answers.
    var about: String? {
        guard let state else { return nil }
        if let name = state.instanceName, !name.isEmpty { return name }
        let answers = Stops(state).questions.lazy.compactMap { path in
            field(path).map { $0.display ?? Text.value($0.value) }
        }.filter { !$0.isEmpty }.prefix(2)
        return answers.isEmpty ? nil : answers.joined(separator: ", ")
    }

    /// Hands out what is to be shown, in lines that fit.
    mutating func takeLines() -> [Line] {
        defer { lines = [] }
        // A form may have anything in its texts, and a message several lines.
        let plain = lines.flatMap { line in
            line.text.split(separator: "\n", omittingEmptySubsequences: false).map {
                Line(text: Terminal.plain(String($0)), kind: line.kind, indent: line.indent)
            }
        }
        return plain.flatMap { line -> [Line] in
            let room = width - line.indent - line.kind.mark.utf8.count
            guard Terminal.width(line.text) > room else { return [line] }
            return Terminal.wrap(line.text, room).map {
                Line(text: $0, kind: line.kind, indent: line.indent)
            }
        }
    }

    // MARK: Steps

    mutating func begin() -> Step {
        pending = answers.wantsStart ? .base : .begin
        return request(answers.wantsStart ? JSONObject() : answers.all)
    }

    /// The form was changed since it was asked last, so that the entry cannot be saved as it is: asks
    /// what becomes of its answers.
    mutating func again() -> Step {
        pending = .settled(true)
        return request(answers.all)
    }

    /// Takes the daemon's answer to the last request.
    mutating func take(_ answer: EntryStateAnswer) -> Step {
        switch pending {
        case .base:
            answers.takeStart(answer)
            return begin()
        case .begin:
            state = answer
            answers.forget((answer.dropped ?? JSONObject()).members.map(\.key))
            answers.begin(answer)
            lines += InterviewScreen.opening(answer, isNew: record == nil, width)
            lines += InterviewScreen.dropped(answer, width)
            if let language,
                !answer.languages.contains(where: { LanguageName.isMeant($0, by: language) })
            {
                lines.append(InterviewScreen.missing(language, among: answer.languages))
            }
            tellDuplicate(answer)
            if reviews { return review() }
            let places = Stops(answer).places
            if let resumed, let index = places.firstIndex(where: { $0.stop == resumed }) {
                // One goes back to what the draft answers.
                path = places[..<index].filter(\.isAsked).map(\.stop).filter {
                    if case .field = $0 { true } else { false }
                }
                return ask(resumed)
            }
            return next()
        case .answer(let path, let value): return answered(path, value, answer)
        case .search(let path, let typed): return searched(path, typed, answer)
        case .more(let path):
            call(for: answer)
            accept(answer)
            let count = field(path)?.repeat?.count ?? 0
            if let first = Stops(answer).first(inside: "\(path)[\(count)]") { return ask(first) }
            return goOn()
        case .fewer:
            call(for: answer)
            accept(answer)
            // What was asked in the row that is gone is not gone back to.
            let places = Set(Stops(answer).places.map(\.stop))
            path.removeAll { !places.contains($0) }
            return stop.map { ask($0) } ?? goOn()
        case .renewed(let problems): return renewed(problems, answer)
        case .settled(let isToBeSeen):
            accept(answer)
            return isToBeSeen ? review() : save()
        }
    }

    /// The daemon refuses the entry with the answer that was given last, which is asked for again; nil
    /// where that answer is not the reason.
    mutating func refused(_ problem: Problem) -> Step? {
        guard case .answer(let path, _) = pending, let field = field(path) else { return nil }
        return refuse(field, problem.detail, hint: problem.hint)
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
        case .changed?: return answerChanged(typed)
        case nil: return answerSummary(typed)
        }
    }

    /// Says once that an entry of that key is there.
    mutating func tellDuplicate(_ answer: EntryStateAnswer) {
        defer { duplicate = answer.duplicate }
        guard let found = answer.duplicate, found != duplicate else { return }
        lines.append(Line(text: found, kind: .warning, indent: 2))
        lines.append(
            Line(
                text: "The same one? Then Ctrl-C here, and shared edit with the id in "
                    + "brackets. Else go on; < goes back.",
                kind: .aside, indent: 4))
    }

    // MARK: The way

    mutating func accept(_ answer: EntryStateAnswer) {
        for field in state?.fields ?? [] where field.isRelevant {
            if let display = field.display { displays[field.path] = display }
        }
        if let old = state, old.version != answer.version { change(old, to: answer) }
        state = answer
        answers.take(answer, of: asked)
    }

    /// Says that the form has become another one meanwhile, and goes back to the last place that it
    /// still has.
    private mutating func change(_ old: EntryStateAnswer, to new: EntryStateAnswer) {
        lines.append(
            Line(
                text: "The form is version \(new.version) now, and was \(old.version).",
                kind: .warning))
        lines += InterviewScreen.dropped(new, width)
        answers.forget((new.dropped ?? JSONObject()).members.map(\.key))
        let places = Set(Stops(new).places.map(\.stop))
        path.removeAll { !places.contains($0) }
        guard let gone = stop, !places.contains(gone) else { return }
        let before = Stops(old).places.prefix { $0.stop != gone }
        stop = before.last { places.contains($0.stop) }?.stop
    }

    /// On to what comes after the question that was answered.
    mutating func passed() -> Step {
        if let stop { path.append(stop) }
        if let place { answers.keepDefault(place) }
        return goOn()
    }

    /// To the next question, or back to the summary where one has come from there.
    mutating func goOn() -> Step { reviews ? answerCalls() : next() }

    mutating func next() -> Step {
        guard let state else { return begin() }
        for place in Stops(state).after(stop) where place.isAsked {
            if case .field(let path) = place.stop, isResumed, answers.isAnswered(path) { continue }
            if let step = reach(place.stop) { return step }
        }
        reviews = true
        return review()
    }

    /// - Returns: nil where nothing is asked there.
    mutating func reach(_ place: Stop) -> Step? {
        switch place {
        case .note(let path):
            if let note = field(path) { lines += InterviewScreen.note(note, width) }
            return nil
        case .more(let path):
            let repetition = field(path)?.repeat
            stop = place
            if let repetition, repetition.count < repetition.min ?? 0 { return addOne(path) }
            return ask(place)
        case .field: return ask(place)
        case .changed: return nil
        }
    }

    mutating func back() -> Step {
        guard let last = passedBefore() ?? previous(to: stop) else {
            lines.append(Line(text: "This is the first question.", kind: .aside, indent: 2))
            return stop.map { ask($0, again: true) } ?? review()
        }
        return ask(last)
    }

    /// What was answered or passed last, and is still asked.
    private mutating func passedBefore() -> Stop? {
        let asked = Set((state.map { Stops($0).places } ?? []).filter(\.isAsked).map(\.stop))
        while let last = path.popLast() {
            if last != stop, asked.contains(last) { return last }
        }
        return nil
    }

    /// What is asked in front of a stop in the order of the form: where an entry is edited, or a
    /// draft goes on, nobody has come that way.
    private func previous(to stop: Stop?) -> Stop? {
        guard let state else { return nil }
        let places = Stops(state).places
        let end = stop.flatMap { stop in places.firstIndex { $0.stop == stop } }
        return places[..<(end ?? places.endIndex)].last { place in
            if case .note = place.stop { return false }
            return place.isAsked
        }?.stop
    }

    mutating func refuse(
        _ field: EntryField, _ message: String, hint: String? = nil
    ) -> Step {
        lines.append(Line(text: message, kind: .refusal, indent: 2))
        if let hint { lines.append(Line(text: hint, kind: .aside, indent: 4)) }
        return .ask(prompt(field))
    }

    mutating func ask(_ stop: Stop, again: Bool = false) -> Step {
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
            return .ask(prompt(field))
        case .more(let path):
            guard let field = field(path) else { return next() }
            return .ask(InterviewScreen.more(field))
        case .note: return next()
        case .changed: return askChanged()
        }
    }

    func field(_ path: String) -> EntryField? {
        state?.fields.first { $0.path == path }
    }

    mutating func request(
        _ values: JSONObject, search: JSONObject? = nil, changed: String? = nil
    ) -> Step {
        asked = values
        return .request(
            EntryStateRequest(
                values: values, language: language, record: record, search: search,
                changed: changed))
    }
}
