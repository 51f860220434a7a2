internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared search`
enum SearchCommand: Command {
    static let syntax = CommandSyntax(
        name: "search", summary: "find a text in all entries, whatever its case and accents",
        operands: [.init(name: "TEXT", count: .any)],
        options: [
            .init(name: "--form", value: "FORM", help: "only in entries of this form"),
            .init(name: "--limit", value: "N", help: "at most N entries of each form (10)"),
            .init(name: "--clear", help: "forget the last searches of this device"),
        ],
        notes: [
            "Without TEXT, the last 20 searches of this device, which are shared with nobody.",
            "Texts, whole numbers and the labels of choices are searched.",
        ],
        examples: ["shared search traore", "shared search 'soya bean' --form food"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let arguments = session.arguments
        if arguments.has("--clear") || arguments.operands.isEmpty {
            let isClearing = arguments.has("--clear")
            guard arguments.operands.isEmpty else {
                throw syntax.problem("--clear takes no TEXT")
            }
            let request = session.request(isClearing ? "DELETE" : "GET", ["searches"])
            try session.answer(request, as: SearchesAnswer.self) { answer in
                for text in answer.searches { session.output.line(Terminal.plain(text)) }
                if answer.searches.isEmpty {
                    session.output.line(
                        isClearing ? "the last searches are forgotten" : "no searches yet")
                }
            }
            return .done
        }
        var query = [(name: "text", value: arguments.operands.joined(separator: " "))]
        if let form = arguments.value("--form") { query.append(("form", form)) }
        if let limit = try arguments.number("--limit") { query.append(("limit", "\(limit)")) }
        let request = session.request("GET", ["search"], query: query, silence: .reading)
        let words = query[0].value.split(separator: " ")
        try session.answer(request, as: SearchAnswer.self, hasNotes: true) { answer in
            show(answer, session)
            guard answer.forms.isEmpty, answer.lists.isEmpty, words.count > 1 else { return }
            session.diagnostics.note(
                "the words were looked for as they stand together, in one field; one of them:"
                    + " shared search \(Shell.quoted(String(words[0])))")
        }
        return .done
    }

    private static func show(_ answer: SearchAnswer, _ session: Session) {
        let output = session.output
        for (place, form) in answer.forms.enumerated() {
            if place > 0 { output.line("") }
            let many = (form.isMore ? "more than " : "") + Text.number(form.found)
            output.line("\(Terminal.plain(form.title)): \(many)")
            var table = Table(["ID", "KEY", "FIELD", "FOUND"], prose: [3])
            for hit in form.hits {
                table.add([Text.shortRecord(hit.id), hit.key, hit.label, hit.around])
            }
            table.write(to: output)
            if form.isMore {
                output.line("... and more: a longer text finds fewer")
            } else if form.found > form.hits.count {
                output.line("... and \(Text.number(form.found - form.hits.count)) more: --limit")
            }
        }
        for (place, list) in answer.lists.enumerated() {
            if place > 0 || !answer.forms.isEmpty { output.line("") }
            output.line(Terminal.plain(list.title) + ":")
            for group in list.groups {
                if !group.name.isEmpty { output.line("  " + Terminal.plain(group.name)) }
                for choice in group.choices { output.line("    " + Terminal.plain(choice)) }
            }
        }
        if answer.forms.isEmpty, answer.lists.isEmpty {
            session.output.line(
                answer.unsearched > 0 ? "nothing found so far" : "nothing found")
        }
        let scanned = answer.unindexed - answer.unsearched
        if scanned > 0 {
            session.diagnostics.note(
                "\(Text.entries(scanned)) not in the index yet, read one by one")
        }
        if answer.unsearched > 0 {
            session.diagnostics.note(
                "\(Text.entries(answer.unsearched)) not searched yet: the index is being made; "
                    + "ask again soon")
        }
    }
}
