internal import ShareControl

/// `shared lists`
enum ListsCommand: Command {
    static let syntax = CommandSyntax(
        name: "lists", summary: "the lists of choices that forms of a room share",
        examples: ["shared lists", "shared lists show village --search ko"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        try session.answer(session.request("GET", ["lists"]), as: [ListAnswer].self) { lists in
            guard !lists.isEmpty else {
                return session.output.line("no list yet: shared lists add FILE.csv")
            }
            var table = Table(["LIST", "ROWS", "COLUMNS", "FORMS"], prose: [2, 3])
            for list in lists {
                table.add([
                    list.name, Text.number(list.rows), list.columns.joined(separator: ", "),
                    list.forms.isEmpty ? "-" : list.forms.joined(separator: ", "),
                ])
            }
            table.write(to: session.output)
            for list in lists.compactMap(\.parallel) {
                session.diagnostics.note(ParallelListText.line(list))
            }
        }
        return .done
    }
}
