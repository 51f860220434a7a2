internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared show`
enum ShowCommand: Command {
    static let syntax = CommandSyntax(
        name: "show", summary: "one entry, field by field", operands: [EntryOperand.operand],
        options: [
            .init(name: "--language", value: "LANGUAGE", help: "of labels and choices")
        ],
        notes: EntryOperand.noteOfSeveral,
        examples: ["shared show 7f3c9a12", "shared show household KOR-200"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let entries = try EntryOperand.all(session.arguments.operands, session)
        guard !session.wantsJSON else {
            for entry in entries {
                let record: JSONValue = try session.client().answer(entry.request(session, "GET"))
                session.output.line(record)
            }
            return .done
        }
        session.output.pageIfLong()
        for (index, entry) in entries.enumerated() {
            let view: EntryView = try session.client().answer(
                entry.request(session, "GET", ["view"], query: session.arguments.language))
            if index > 0 { session.output.line("") }
            EntryText.write(view, to: session.output)
        }
        return .done
    }
}

/// An entry as people read it.
enum EntryText {
    /// Columns that labels may take; a longer one stands above its value.
    private static let widestLabel = 28

    static func write(_ view: EntryView, to output: Output) {
        output.line(Style.bold(Text.entry(view.form, view.key, view.id)))
        output.line(Style.dim(origin(view)))
        if let why = view.onlyHere, view.isWithheld {
            output.text("only on this device, not sent: \(Terminal.plain(why))")
        }
        output.line("")
        write(view.fields, indent: 0, to: output)
        write(view.repeats, indent: 0, to: output)
        remarks(view, to: output)
        withheldChanges(of: view, to: output)
    }

    /// What was done to an entry that others have, and stays here.
    private static func withheldChanges(of view: EntryView, to output: Output) {
        guard let why = view.onlyHere, !view.isWithheld else { return }
        output.line("")
        output.text("only on this device, not sent: \(Terminal.plain(why))")
        for change in view.withheld {
            let said = HistoryCommand.lines(change)
            let deed = "\(Text.time(change.at))  \(HistoryCommand.deed(change))"
            output.text(said.isEmpty ? deed : "\(deed): \(said.joined(separator: "; "))", indent: 2)
        }
    }

    private static func write(_ fields: [ShownField], indent: Int, to output: Output) {
        let margin = Terminal.pad("", indent)
        let labels = fields.map { margin + Terminal.plain($0.label) }
        let fitting = labels.map(Terminal.width).filter { $0 <= widestLabel + indent }
        let width = (fitting.max() ?? 0) + 2
        for (field, label) in zip(fields, labels) { write(field, label, width, to: output) }
    }

    private static func write(_ repeats: [ShownRepeat], indent: Int, to output: Output) {
        for part in repeats {
            for (index, row) in part.rows.enumerated() {
                let margin = Terminal.pad("", indent)
                output.line("")
                let label = Terminal.plain(row.label ?? part.label)
                output.line(margin + Style.bold("\(label) \(index + 1)"))
                write(row.fields, indent: indent + 2, to: output)
                write(row.repeats, indent: indent + 2, to: output)
            }
        }
    }

    /// `entered by amina (ipufhrvv), 2026-11-22 15:15; changed 15:40 by bakary (5tkbooml)`
    static func origin(_ view: EntryView) -> String {
        var text = "entered by \(Text.device(view.authorName, view.author))"
        guard let created = view.created.map(Text.time) else { return text }
        text += ", \(created)"
        if let change = view.change {
            let time = Text.time(change.at)
            let isSameDay = time.prefix(10) == created.prefix(10)
            text += "; changed \(isSameDay ? String(time.dropFirst(11)) : time)"
            if change.author != view.author {
                text += " by \(Text.device(change.authorName, change.author))"
            }
        }
        return text
    }

    private static func write(
        _ field: ShownField, _ label: String, _ width: Int, to output: Output
    ) {
        let value = field.unit.map { "\(field.value) \($0)" } ?? field.value
        var lines = value.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
            Terminal.wrap(Terminal.plain(String($0)), Terminal.columns - width)
        }
        if Terminal.width(label) + 2 > width {
            output.text(label)
        } else {
            output.line(Terminal.pad(label, width) + lines.removeFirst())
        }
        for line in lines { output.line(Terminal.pad("", width) + line) }
    }

    private static func remarks(_ view: EntryView, to output: Output) {
        if view.review != nil || !view.comments.isEmpty || !view.conflicts.isEmpty
            || !view.problems.isEmpty || !view.warnings.isEmpty
        {
            output.line("")
        }
        for problem in view.problems {
            output.text(Terminal.plain(problem.line), indent: 9, label: "wrong")
        }
        for warning in view.warnings {
            output.text(Terminal.plain(warning.line), indent: 9, label: "unusual")
        }
        if let review = view.review {
            let state = Terminal.plain(review.state ?? "reviewed")
            output.text("\(state)\(says(review))  by \(by(review))", indent: 9, label: "review")
            if view.changedSinceReview { output.text("changed since that review", indent: 9) }
        }
        for comment in view.comments {
            output.text(
                "\(comment.text ?? "")  by \(by(comment))", indent: 9,
                label: "comment")
        }
        if !view.conflicts.isEmpty {
            let fields = Terminal.plain(Text.list(view.conflicts))
            output.text(
                "\(fields): `shared conflicts` has the other values", indent: 13,
                label: "in conflict")
        }
    }

    private static func says(_ review: EntryRemark) -> String {
        review.text.map { $0.isEmpty ? "" : ": \(Terminal.plain($0))" } ?? ""
    }

    private static func by(_ remark: EntryRemark) -> String {
        "\(Text.device(remark.authorName, remark.author)), \(Text.time(remark.at))"
    }
}
