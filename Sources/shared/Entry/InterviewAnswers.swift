internal import JSON
internal import ShareControl

/// The answers of an interview: what they were at its start, what they are, which were taken away.
struct InterviewAnswers {
    private(set) var values: JSONObject
    /// The same with those that are not asked with the others as they are: these come back when
    /// their question does, and are not saved.
    private(set) var all: JSONObject
    /// Those that are saved as a new entry: rows that are not asked stand empty before others, as these
    /// may be asked for their places.
    private(set) var placed: JSONObject
    /// Whether they are those of an entry that is there already.
    let isEdited: Bool
    private(set) var start: JSONObject?
    /// What a draft's author had seen of the entry; nil for none.
    private let drafted: JSONObject?
    /// What was wrong with an entry before it was edited.
    private var wrong: [EntryProblem] = []
    /// Questions whose answer was taken away: without saying so a default would come back, or what
    /// an entry that is edited had.
    private var emptied: Set<String> = []
    /// Defaults that the form makes of other answers, by their paths: they follow these until their
    /// question is passed, and are no answers before.
    private var following: [String: JSONValue] = [:]
    /// Questions that were passed.
    private var passed: Set<String> = []
    /// What was taken last.
    private var state: EntryStateAnswer?

    /// - Parameters:
    ///   - values: of a draft.
    ///   - seen: what its author had seen of the entry.
    init(values: JSONObject, seen: JSONObject? = nil, isEdited: Bool) {
        self.values = values
        all = values
        placed = values
        self.isEdited = isEdited
        drafted = isEdited ? seen : nil
    }

    /// Whether it is a draft of which it is not known yet what the entry had at its start.
    var wantsStart: Bool { start == nil && !values.members.isEmpty }

    /// Whether a draft has another answer there than the entry had at its start, with its defaults.
    func isAnswered(_ path: String) -> Bool {
        guard let value = EntryPath(path).value(in: all), value != .null else { return false }
        return value != start.flatMap { EntryPath(path).value(in: $0) }
    }

    /// Whether there is an answer, be it one that is not asked now.
    func has(_ path: String) -> Bool { (EntryPath(path).value(in: all) ?? .null) != .null }

    /// Takes an entry as it is, before the answers of a draft.
    mutating func takeStart(_ state: EntryStateAnswer) {
        start = drafted ?? state.values
        if isEdited { wrong = state.problems }
        if drafted != nil { renew(state.values) }
    }

    // MARK: Changes of others

    /// Takes in what others have changed since the entry was seen, wherever nobody has answered
    /// anything else here.
    mutating func renew(_ now: JSONObject) {
        var seen = start ?? JSONObject()
        AnswerPath.renew(&seen, &all, with: now)
        seen = start ?? JSONObject()
        AnswerPath.renew(&seen, &values, with: now)
        start = seen
    }

    /// Takes note of what an answer is now: the own one is to stand all the same, or gives way.
    mutating func see(_ place: AnswerPath, as now: JSONObject, givingWay: Bool) {
        let value = place.value(in: now)
        start = place.setting(value, in: start ?? JSONObject())
        guard givingWay else {
            // A row that is deleted is saved as a new one.
            if place.isRow, value == nil {
                values = place.setting(place.value(in: values).map(Self.new), in: values)
                all = place.setting(place.value(in: all).map(Self.new), in: all)
            }
            return
        }
        values = place.setting(value, in: values)
        all = place.setting(value, in: all)
    }

    /// A row, and those in it, as none that there is.
    private static func new(_ row: JSONValue) -> JSONValue {
        if let rows = row.array { return .array(rows.map(new)) }
        guard var object = row.object else { return row }
        object.members = object.members.filter { $0.key != "_id" }.map {
            .init(key: $0.key, value: new($0.value))
        }
        return .object(object)
    }

    /// Whether somebody has answered something else there than the entry had.
    func isChanged(at place: AnswerPath) -> Bool {
        (place.value(in: values) ?? .null) != (start.flatMap { place.value(in: $0) } ?? .null)
    }

    /// Takes what the daemon makes of the first answers.
    mutating func begin(_ state: EntryStateAnswer) {
        if start == nil { takeStart(state) }
        // What a draft has taken away.
        emptied.formUnion(values.members.filter { $0.value == .null }.map(\.key))
        take(state, of: all)
    }

    /// Takes what the daemon makes of further ones; it leaves out what is empty, and what is not
    /// asked.
    ///
    /// - Parameter asked: what it was asked about.
    mutating func take(_ state: EntryStateAnswer, of asked: JSONObject) {
        let hidden = HiddenAnswers(state)
        following = [:]
        for field in state.fields
        where field.followsAnswers == true && !passed.contains(field.path) {
            following[field.path] = EntryPath(field.path).value(in: state.values)
        }
        if isEdited { emptied.formUnion((start ?? JSONObject()).members.map(\.key)) }
        // Paths count all rows, also those that are not asked now.
        all = hidden.added(from: asked, to: state.values)
        for path in following.keys { all = EntryPath(path).setting(nil, in: all) }
        for path in emptied where EntryPath(path).isOpen(in: all) {
            all = EntryPath(path).setting(.null, in: all)
        }
        self.state = state
        settle(state)
    }

    /// Leaves out what is not asked now.
    private mutating func settle(_ state: EntryStateAnswer) {
        let hidden = HiddenAnswers(state)
        values = hidden.left(of: all)
        placed = hidden.left(of: all, keepsPlaces: true)
    }

    /// Takes the default that a question has for an answer, as it was passed.
    mutating func keepDefault(_ path: String) {
        guard let state, let value = following.removeValue(forKey: path) else { return }
        all = EntryPath(path).setting(value, in: all)
        passed.insert(path)
        settle(state)
    }

    /// A row is to be asked: what was passed in one that had its place says nothing of it.
    ///
    /// - Parameter row: its path.
    mutating func open(_ row: String) {
        passed = passed.filter { !$0.hasPrefix("\(row)/") }
    }

    /// The paths of answers that are kept while nobody asks for them.
    func hidden(_ state: EntryStateAnswer) -> [(path: String, value: JSONValue)] {
        HiddenAnswers(state).found(in: all)
    }

    /// Forgets what the form has no question for any more: nobody takes it away, and it stays with
    /// the entry.
    ///
    /// - Parameter paths: of the answers.
    mutating func forget(_ paths: some Sequence<String>) {
        for path in paths {
            let names = EntryPath(path).parts.map(\.name)
            start = start.map { Self.without(names[...], $0) }
            values = Self.without(names[...], values)
            all = Self.without(names[...], all)
            emptied.remove(path)
        }
    }

    /// The answers without those of a name, in all rows.
    private static func without(_ names: ArraySlice<String>, _ values: JSONObject) -> JSONObject {
        guard let name = names.first else { return values }
        var values = values
        guard names.count > 1 else {
            values.members.removeAll { $0.key == name }
            return values
        }
        guard let rows = values[name]?.array else { return values }
        values[name] = .array(
            rows.map { row in
                row.object.map { .object(without(names.dropFirst(), $0)) } ?? row
            })
        return values
    }

    /// Notes whether a question was answered, or its answer taken away.
    mutating func note(_ path: String, isEmpty: Bool) {
        if isEmpty { emptied.insert(path) } else { emptied.remove(path) }
    }

    /// The answers with another one.
    func setting(_ value: JSONValue, at path: String) -> JSONObject {
        EntryPath(path).setting(value, in: all)
    }

    /// The repetitions of a repeat.
    func repetitions(at path: String) -> [JSONValue] {
        EntryPath(path).value(in: all)?.array ?? []
    }

    var isChanged: Bool { values != start }

    /// Whether a problem was there before the entry was edited, in an answer that is as it was.
    func had(_ problem: EntryProblem, in state: EntryStateAnswer) -> Bool {
        let path = EntryPath(problem.path)
        func value(_ values: JSONObject?) -> JSONValue {
            values.flatMap { path.value(in: $0) } ?? .null
        }
        return value(state.values) == value(start)
            && wrong.contains { $0.path == problem.path && $0.kind == problem.kind }
    }

    /// What stands in the way of saving.
    func hindrances(_ state: EntryStateAnswer) -> [EntryProblem] {
        state.problems.filter { !had($0, in: state) }
    }

    /// What was wrong before, and may stay so.
    func remains(_ state: EntryStateAnswer) -> [EntryProblem] {
        state.problems.filter { had($0, in: state) }
    }

    /// What is another value than it was; null clears.
    var changes: JSONObject {
        let start = start ?? JSONObject()
        var changes = JSONObject()
        for member in values.members where start[member.key] != member.value {
            changes[member.key] = Self.changes(
                of: member.value, since: start[member.key], of: all[member.key])
        }
        for member in start.members where values[member.key] == nil {
            changes[member.key] = .null
        }
        return changes
    }

    /// Of the rows of a repeat those alone that are others now, with what is another in them, so that
    /// nothing is written over what somebody else changes meanwhile.
    ///
    /// - Parameter all: with rows that are not asked now: it is the form that takes these away, so that
    ///   others have their places until it has said which are asked.
    /// - Returns: nil where that is all that is another.
    private static func changes(
        of value: JSONValue, since start: JSONValue?, of all: JSONValue?
    ) -> JSONValue? {
        guard let rows = value.array?.compactMap(\.object), rows.count == value.array?.count,
            let before = start?.array?.compactMap(\.object), before.allSatisfy({ $0["_id"] != nil })
        else { return value }
        let kept = all?.array?.compactMap(\.object) ?? []
        var changed: [JSONValue] = []
        for row in rows {
            guard let id = row["_id"], let old = before.first(where: { $0["_id"] == id }) else {
                changed.append(.object(row))
                continue
            }
            var own: JSONObject = ["_id": id]
            let whole = kept.first { $0["_id"] == id }
            for member in row.members where old[member.key] != member.value {
                own[member.key] = changes(
                    of: member.value, since: old[member.key], of: whole?[member.key])
            }
            for member in old.members where row[member.key] == nil { own[member.key] = .null }
            if own.members.count > 1 { changed.append(.object(own)) }
        }
        let left = Set((rows + kept).compactMap { $0["_id"]?.string })
        let gone = before.compactMap { $0["_id"] }.filter { !left.contains($0.string ?? "") }
        var part: JSONObject = [:]
        if !changed.isEmpty { part["change"] = .array(changed) }
        if !gone.isEmpty { part["delete"] = .array(gone) }
        guard part.members.isEmpty else { return .object(part) }
        return kept.count > rows.count ? nil : value
    }
}
