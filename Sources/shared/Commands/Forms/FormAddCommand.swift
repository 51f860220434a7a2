internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared form add`
enum FormAddCommand: Command {
    static let syntax = CommandSyntax(
        name: "form add", summary: "add a form, or a new version of it",
        operands: [.init(name: "FILE")],
        options: [
            .init(name: "--dry-run", help: "say what it would do, and do nothing"),
            .init(
                name: "--force",
                help: "also where answers lose their place: another type, content or version"),
        ],
        notes: [
            "FILE is JSON (- for standard input), a workbook (.xlsx), a folder with survey.csv,",
            "or Markdown tables. Entries of older versions stay as they are.",
            "A list that the form names and does not hold is read from lists/NAME.csv or NAME.csv",
            "beside it, and becomes a list of the room: shared lists.",
        ],
        examples: ["shared form add common-viruses.json", "shared form add survey.xlsx --dry-run"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let arguments = session.arguments
        let source = try FormSource.read(arguments.operand(0))
        var query: [(name: String, value: String)] = []
        if arguments.has("--dry-run") { query.append(("dry_run", "true")) }
        if arguments.has("--force") { query.append(("force", "true")) }
        let isTrial = arguments.has("--dry-run")
        let answer = try source.add(session, query, isTrial: isTrial)
        if session.wantsJSON {
            session.output.line(answer)
        } else {
            var added: FormAddedAnswer = try ControlClient.understood(answer.text)
            added.warnings = source.told(added.warnings)
            show(added, session, isTrial: isTrial)
            if !isTrial { sending(session) }
            source.notes.forEach { session.diagnostics.note($0) }
        }
        return .done
    }

    /// Says how what is entered in it goes out, where it does not by itself.
    private static func sending(_ session: Session) {
        guard let client = try? session.client(),
            let autopush: AutopushAnswer = try? client.answer(
                session.request("GET", ["settings", "autopush"])), !autopush.autopush,
            let rooms: [RoomAnswer] = try? client.answer(ControlRequest("GET", ["rooms"])),
            let room = rooms.first(where: { $0.id == autopush.room.id })
        else { return }
        session.output.text(SetAutopushCommand.advice(to: room.role))
    }

    private static func show(_ answer: FormAddedAnswer, _ session: Session, isTrial: Bool) {
        let form =
            "form \(Terminal.plain(answer.formID)), version \(Terminal.plain(answer.version))"
        let output = session.output
        switch answer.change {
        case "added": output.line(isTrial ? "would add \(form)" : "added \(form)")
        case "unchanged": output.line("\(form) is here already")
        default: output.line(isTrial ? "would update \(form)" : "updated \(form)")
        }
        let kept = answer.kept ?? []
        let isTold = Set(kept.map(\.field))
        // Of another type by now, a field is in both lists.
        let removed = Set(answer.removedFields)
        let changed = Set(answer.addedFields).intersection(removed)
        func say(_ what: String, _ fields: [String]) {
            guard !fields.isEmpty else { return }
            output.text("\(what): \(fields.joined(separator: ", "))")
        }
        if answer.change == "updated" {
            say("new", answer.addedFields.filter { !changed.contains($0) && !isTold.contains($0) })
            say(
                "of another type",
                answer.addedFields.filter { changed.contains($0) && !isTold.contains($0) })
        }
        for one in kept {
            let verb = one.entries == 1 ? "has" : "have"
            output.text(
                "\(Text.entries(one.entries)) \(verb) a value in \(one.field), \(one.what)")
        }
        say(
            "no longer asked",
            answer.removedFields.filter { !changed.contains($0) && !isTold.contains($0) })
        if let invalid = answer.invalid { show(invalid, answer, output, isTrial: isTrial) }
        answer.warnings.forEach { session.diagnostics.note($0) }
    }

    /// Entries that do not fit the new version, and how to list them.
    private static func show(
        _ invalid: FormAddedAnswer.Invalid, _ answer: FormAddedAnswer, _ output: Output,
        isTrial: Bool
    ) {
        let verb = invalid.entries == 1 ? "does" : "do"
        output.line(
            isTrial
                ? "\(Text.entries(invalid.entries)) would not fit it:"
                : "\(Text.entries(invalid.entries)) \(verb) not fit it:")
        for reason in invalid.reasons {
            output.text(
                "\(reason.field): \(Text.number(reason.entries)) with \(reason.what)", indent: 2)
        }
        let list = "shared list \(Shell.quoted(answer.formID)) --invalid"
        output.line(isTrial ? "Once it is added, `\(list)` lists them." : "`\(list)` lists them.")
    }
}
