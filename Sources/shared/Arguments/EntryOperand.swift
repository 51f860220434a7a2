internal import ControlClient
internal import JSON
internal import ShareControl

/// The entry that a command means, as people name it: the values of its key, with or without its
/// form before them, or an id or its last characters.
struct EntryOperand {
    static let note = [
        "ENTRY is the entry's key, KOR-200, with the form before it where several forms have",
        "it, household KOR-200; or its id, of which the last 8 characters do.",
    ]
    /// Of commands that take several.
    static let noteOfSeveral = note + ["Several of one form: household KOR-200 KOR-201."]
    static let operand = CommandSyntax.Operand(name: "ENTRY", count: .atLeastOne)

    /// The form, the first value of the key, or the id.
    let text: String
    let key: [String]

    /// - Parameter words: at least one.
    init(_ words: some Collection<String>) {
        text = words.first ?? ""
        key = Array(words.dropFirst())
    }

    /// One entry, or several of one form, whose keys follow each other: `household KOR-1 KOR-2`.
    ///
    /// - Throws: `Problem` where the form cannot be asked for.
    static func all(
        _ words: some Collection<String>, _ session: Session
    ) throws(Problem) -> [EntryOperand] {
        let keys = Array(words.dropFirst())
        // Of less nothing is several; and what is no form is no reason to fail here.
        guard keys.count > 1, let form = words.first,
            let json: JSONValue = try? session.client().answer(
                session.request("GET", ["forms", form]))
        else { return [EntryOperand(words)] }
        let width = json.object?["key"]?.array?.count ?? 1
        guard width > 0, keys.count > width, keys.count.isMultiple(of: width) else {
            return [EntryOperand(words)]
        }
        return stride(from: 0, to: keys.count, by: width).map { first in
            EntryOperand([form] + keys[first..<first + width])
        }
    }

    /// The same for what changes entries: where one of several is not there, nothing is done to any.
    ///
    /// - Parameter exact: whether a key has to be as it is written.
    static func allFound(
        _ words: some Collection<String>, _ session: Session, exact: Bool = false
    ) throws(Problem) -> [EntryOperand] {
        let entries = try all(words, session)
        guard entries.count > 1 else { return entries }
        var found: [EntryOperand] = []
        for entry in entries {
            found.append(
                try entry.exactly(session) { entry throws(Problem) in
                    let _: EntryView = try session.client().answer(
                        entry.request(
                            session, "GET", ["view"], query: [("exact", exact ? "true" : "false")]))
                    return entry
                })
        }
        return found
    }

    /// Does something to it; where its key is written otherwise, and so another entry may be meant,
    /// somebody at a terminal is asked.
    ///
    /// - Throws: `Problem` with `interrupted` where the answer is no.
    func exactly<Result>(
        _ session: Session, _ work: (EntryOperand) throws(Problem) -> Result
    ) throws(Problem) -> Result {
        do {
            return try work(self)
        } catch  where error.code == .otherCase && Question.canBeAsked && !session.wantsJSON {
            let view: EntryView = try session.client().answer(request(session, "GET", ["view"]))
            guard try Question.yes("\(Text.entry(view.form, view.key, view.id)) is meant?") else {
                throw Problem(.interrupted, "nothing was done", hint: nil)
            }
            return try work(EntryOperand([view.id]))
        }
    }

    /// As it is typed on a command line.
    var typed: String { ([text] + key).map(Shell.quoted).joined(separator: " ") }

    /// The words before the first `FIELD=VALUE`, and that and what follows.
    static func split(_ words: [String]) -> (entry: EntryOperand, assignments: ArraySlice<String>) {
        let place = words.indices.dropFirst().first { words[$0].contains("=") } ?? words.endIndex
        return (EntryOperand(words[..<place]), words[place...])
    }

    /// What shows whether a command has done something to the entry that its words begin with.
    static func look(_ arguments: ParsedArguments) -> String {
        "shared history \(split(arguments.operands).entry.typed)"
    }

    /// The same of a command that has a last word of its own.
    static func lookBeforeLast(_ arguments: ParsedArguments) -> String {
        "shared history \(EntryOperand(arguments.operands.dropLast()).typed)"
    }

    /// A request about it.
    func request(
        _ session: Session, _ method: String, _ more: [String] = [],
        query: [(name: String, value: String)] = [], body: ControlRequest.Body = .none
    ) -> ControlRequest {
        session.request(
            method, ["record", text] + more,
            query: key.map { (name: "key", value: $0) } + query, body: body)
    }
}
