internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared count`
enum CountCommand: Command {
    static let syntax = CommandSyntax(
        name: "count", summary: "how many entries there are, by what you like",
        operands: [.init(name: "FORM"), Conditions.operand],
        options: [
            .init(
                name: "--by", value: "FIELD", repeats: true,
                help: "for each value; also author, state, day, week, month"),
            .init(
                name: "--period", value: "PERIOD", help: "day, week or month, for --by a date"),
        ] + Conditions.options,
        notes: Conditions.notes,
        examples: [
            "shared count household --by village",
            "shared count household today --by author",
            "shared count household 'fever>39' --by author --by day",
        ])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let arguments = session.arguments
        var query = try Conditions.query(session, arguments.operands.dropFirst())
        query += arguments.values("--by").map { (name: "by", value: $0) }
        if let period = arguments.value("--period") { query.append(("period", period)) }
        let request = session.request(
            "GET", ["count", arguments.operand(0)], query: query, silence: .reading)
        try session.answer(request, as: FiguresAnswer.self, hasNotes: true) { figures in
            defer {
                let text = figures.by.isEmpty ? Text.earlier : Text.earlierField
                (figures.earlier ?? []).map(text).forEach(session.diagnostics.note)
                figures.alike.map(Text.alike).map(session.diagnostics.note)
                figures.withheld.map(Text.notCounted).map(session.diagnostics.note)
            }
            guard !figures.by.isEmpty else {
                return session.output.line(Text.number(figures.entries))
            }
            var table = Table(figures.by.map(\.label) + ["entries"])
            for group in figures.groups {
                table.add(group.keys.map { shown($0) } + ["\(group.entries)"])
            }
            if let rest = figures.rest {
                let name = "(\(Text.number(figures.more)) more)"
                table.add(
                    [name] + figures.by.dropFirst().map { _ in "" } + ["\(rest.entries)"])
            }
            if !figures.groups.isEmpty { table.write(to: session.output) }
            session.diagnostics.note(Text.entries(figures.entries))
        }
        return .done
    }

    static func shown(_ key: KeyAnswer) -> String {
        key.value == nil && key.label.isEmpty ? "(no answer)" : key.label
    }
}
