internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared history`
enum HistoryCommand: Command {
    static let syntax = CommandSyntax(
        name: "history", summary: "who changed what in an entry, and when",
        operands: [EntryOperand.operand],
        options: [.init(name: "--limit", value: "N", help: "the latest N; without it 1000")],
        notes: EntryOperand.note + [
            "Deleted entries have one as well. What was refused is shown and marked.",
            "Each line is checked again: + is verified, signed by its author and allowed by the",
            "room's rules; - was refused; o is not sent yet; ! could not be verified. An edit",
            "that resolved a conflict by what showed says what it keeps.",
            "ID@DEVICE names one of several entries with the same ID.",
        ],
        examples: ["shared history 7f3c9a12", "shared history household KOR-200"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        var query: [(name: String, value: String)] = []
        if let limit = try session.arguments.number("--limit") {
            query.append(("limit", "\(limit)"))
        }
        let entry = EntryOperand(session.arguments.operands)
        guard !session.wantsJSON else {
            let history: JSONValue = try session.client().answer(
                entry.request(session, "GET", ["history"], query: query))
            session.output.line(history)
            return .done
        }
        let limit = query.first?.value ?? "true"
        let view: EntryView = try session.client().answer(
            entry.request(session, "GET", ["view"], query: [("history", limit)]))
        session.output.pageIfLong()
        session.output.line(Style.bold(Text.entry(view.form, view.key, view.id)))
        show(view.history, onlyHere: view.onlyHere, session.output)
        return .done
    }

    private static func show(
        _ entries: [HistoryEntry], onlyHere: String?, _ output: Output
    ) {
        let numbers = Dictionary(
            entries.enumerated().map { ($1.version, $0 + 1) },
            uniquingKeysWith: { first, _ in first })
        let width = "\(entries.count)".utf8.count
        for (index, entry) in entries.enumerated() {
            let number = Terminal.pad("\(index + 1)", width, right: true)
            output.line("\(number) \(Mark(entry).rawValue) \(heading(entry, numbers))")
            for line in lines(entry) { output.text(line, indent: width + 7) }
        }
        let marks = entries.filter { $0.refused == nil || !$0.isPending }.map(Mark.init)
        if let onlyHere {
            output.text(
                "- kept on this device, not sent: \(Terminal.plain(onlyHere))", indent: 2)
        }
        for mark in Mark.allCases where marks.contains(mark) {
            let lines =
                output.isTerminal
                ? Terminal.wrap(mark.meaning, Terminal.columns - 2) : [mark.meaning]
            for (index, line) in lines.enumerated() {
                output.line(Style.dim("\(index == 0 ? mark.rawValue : " ") \(line)"))
            }
        }
    }

    /// What came of looking at a line again.
    private enum Mark: String, CaseIterable {
        case verified = "+"
        case refused = "-"
        case pending = "o"
        case unverified = "!"

        init(_ entry: HistoryEntry) {
            self =
                entry.refused != nil
                ? .refused
                : entry.isPending
                    ? .pending : entry.verified ? .verified : .unverified
        }

        var meaning: String {
            switch self {
            case .verified: "verified just now: signed by its author, and allowed by the rules"
            case .refused: "refused: it has no effect"
            case .pending: "not sent yet, and not signed: shared push"
            case .unverified: "NOT VERIFIED: see shared verify"
            }
        }
    }

    private static func heading(_ entry: HistoryEntry, _ numbers: [String: Int]) -> String {
        var text = "\(Text.time(entry.at))  \(Text.device(entry.authorName, entry.author))"
        text += "  \(deed(entry))"
        let beside = entry.parallel.compactMap { numbers[$0] }.sorted().map { "\($0)" }
        if !beside.isEmpty { text += ", unseen by \(Text.list(beside))" }
        if entry.refused != nil, entry.isPending {
            text += ", kept on this device"
        } else if let reason = entry.refused {
            text += ", refused: \(Terminal.plain(reason))"
        } else if entry.isPending {
            text += " (not sent yet)"
        } else if !entry.verified {
            text += ", NOT VERIFIED"
        }
        return text
    }

    /// What was done, as people say it.
    static func deed(_ entry: HistoryEntry) -> String {
        switch entry.kind {
        case "put": return "entered, \(Text.count(entry.shown.count, "value", "values"))"
        case "edit": return "changed"
        case "delete": return "deleted"
        case "restore": return "brought back"
        case "review":
            let state = entry.changed["_state"]?.array?.last
            return "reviewed: \(Terminal.plain(Text.value(state)))"
        case "comment": return "commented"
        default: return Terminal.plain(entry.kind)
        }
    }

    static func lines(_ entry: HistoryEntry) -> [String] {
        // What a first version says is what `show` shows, or what a later line says was before.
        var lines =
            entry.kind == "put"
            ? []
            : entry.shown.map { change in
                change.before == change.after
                    ? keeps(change.label, change.after)
                    : "\(Terminal.plain(change.label)): \(Text.change(change))"
            }
        if let note = entry.note { lines.append("\"\(Terminal.plain(note))\"") }
        return lines
    }

    /// A value that was there already, and that somebody who had seen others has decided for.
    private static func keeps(_ field: String, _ value: String) -> String {
        let value = value.isEmpty ? "(nothing)" : Terminal.plain(value)
        return "keeps \(Terminal.plain(field)): \(value)"
    }
}
