internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared edit`
enum EditCommand: Command {
    static let syntax = CommandSyntax(
        name: "edit", summary: "change fields of an entry; without values it asks",
        operands: [EntryOperand.operand, .init(name: "FIELD=VALUE", count: .any)],
        options: [
            .init(
                name: "--language", value: "LANGUAGE",
                help: "of questions and errors, as the form has"),
            .init(name: "--ask", help: "ask also where no terminal is: one answer a line"),
        ],
        notes: EntryOperand.note + [
            "On a terminal `shared edit ENTRY` shows all answers, and asks anew for those that you",
            "pick by their numbers.",
            "FIELD= clears the field; a field that is not named is not touched. person[2]/name=X",
            "is a field of the second row of a repeat, and person[2]= takes that row away.",
        ],
        examples: [
            "shared edit 7f3c9a12 Recovery_Status=85%", "shared edit household KOR-200 fever=39.1",
        ],
        look: EntryOperand.look)

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let (entry, assignments) = EntryOperand.split(session.arguments.operands)
        if assignments.isEmpty {
            guard session.arguments.has("--ask") || DialogTerminal.canAsk else {
                throw syntax.problem("FIELD=VALUE is missing")
            }
            let view = try entry.exactly(session) { entry throws(Problem) -> EntryView in
                try session.client().answer(
                    entry.request(session, "GET", ["view"], query: [("exact", "true")]))
            }
            return try EntryDialog(session, form: view.form, editing: view).run()
        }
        let typed = try Assignments.parse(assignments, of: syntax)
        try entry.exactly(session) { entry throws(Problem) in
            var values = typed
            if Assignments.hasPaths(values) {
                let present: JSONValue = try session.client().answer(entry.request(session, "GET"))
                values = try Assignments.nested(values, in: present.object ?? JSONObject())
            }
            let body = ControlRequest.Body.value(ValuesRequest(values: values))
            let count = values.members.count
            let request = entry.request(
                session, "PATCH", query: session.arguments.language, body: body)
            try session.answer(request, as: EditedAnswer.self) {
                EditedText.lines($0, of: count).forEach(session.output.line)
            }
        }
        return .done
    }
}

/// What an edit has changed, for people.
enum EditedText {
    /// `changed fever of household KOR-200 (229a6617): 37.3 -> 39.1`; several changes in lines of
    /// their own.
    ///
    /// - Parameter asked: how many values were given.
    static func lines(_ answer: EditedAnswer, of asked: Int = 2) -> [String] {
        let name = Text.entry(answer.form, answer.key, answer.id)
        guard !answer.changed.isEmpty else {
            return ["\(name) has \(asked == 1 ? "this value" : "these values") already"]
        }
        let fields = Terminal.plain(Text.list(answer.changed))
        if let only = answer.changes.first, answer.changes.count == 1,
            [only.field] == answer.changed
        {
            return ["changed \(fields) of \(name): \(Text.change(only))"]
        }
        return ["changed \(fields) of \(name)"]
            + answer.changes.map { "    \(Terminal.plain($0.field)): \(Text.change($0))" }
    }
}
