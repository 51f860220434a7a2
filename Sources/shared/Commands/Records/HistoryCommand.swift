internal import JSON
internal import ShareControl

/// `shared history`
enum HistoryCommand: Command {
    static let syntax = CommandSyntax(
        name: "history", summary: "who changed what in an entry, and when",
        operands: [.init(name: "ID")],
        options: [.init(name: "--limit", value: "N", help: "the latest N; without it 1000")],
        notes: [
            "Deleted entries have one as well. What was refused is shown and marked.",
            "Each line is checked again: + is verified, signed by its author and allowed by the",
            "room's rules; - was refused; o is not signed yet; ! could not be verified. An edit",
            "that settled a conflict by what showed says what it keeps.",
            "ID@DEVICE names one of several entries with the same ID.",
        ],
        examples: ["shared history 7f3c9a12"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        var query: [(name: String, value: String)] = []
        if let limit = try session.arguments.number("--limit") {
            query.append(("limit", "\(limit)"))
        }
        let request = session.request(
            "GET", ["record", session.arguments.operand(0), "history"], query: query)
        try session.answer(request, as: [HistoryEntry].self) { entries in
            let numbers = Dictionary(
                entries.enumerated().map { ($1.version, $0 + 1) },
                uniquingKeysWith: { first, _ in first })
            let width = "\(entries.count)".utf8.count
            for (index, entry) in entries.enumerated() {
                let number = Terminal.pad("\(index + 1)", width, right: true)
                session.output.line("\(number) \(Mark(entry).rawValue) \(heading(entry, numbers))")
                let margin = Terminal.pad("", width + 3)
                for line in lines(entry) { session.output.line("\(margin)    \(line)") }
            }
            let marks = entries.map(Mark.init)
            for mark in Mark.allCases where marks.contains(mark) {
                session.output.line("\(mark.rawValue) \(mark.meaning)")
            }
        }
        return .done
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
                : entry.version.hasPrefix("pending")
                    ? .pending : entry.verified ? .verified : .unverified
        }

        var meaning: String {
            switch self {
            case .verified: "verified just now: signed by its author, and allowed by the rules"
            case .refused: "refused: it has no effect"
            case .pending: "not signed yet"
            case .unverified: "NOT VERIFIED: see shared verify"
            }
        }
    }

    private static func heading(_ entry: HistoryEntry, _ numbers: [String: Int]) -> String {
        var text = "\(Text.time(entry.at))  \(Text.device(entry.authorName, entry.author))"
        text += "  \(Terminal.plain(entry.kind))"
        let beside = entry.parallel.compactMap { numbers[$0] }.sorted().map { "\($0)" }
        if !beside.isEmpty { text += ", unseen by \(Text.list(beside))" }
        if let reason = entry.refused {
            text += ", refused: \(Terminal.plain(reason))"
        } else if entry.version.hasPrefix("pending") {
            text += ", only here until: shared push"
        } else if !entry.verified {
            text += ", NOT VERIFIED"
        }
        return text
    }

    private static func lines(_ entry: HistoryEntry) -> [String] {
        var lines = entry.changed.members.map { member in
            let values = member.value.array ?? []
            let (before, after) = (values.first, values.dropFirst().first)
            return before == after
                ? keeps(member.key, after)
                : "\(Terminal.plain(member.key)): \(text(before)) -> \(text(after))"
        }
        lines += entry.kept.members.map { keeps($0.key, $0.value) }
        if let note = entry.note { lines.append("\"\(Terminal.plain(note))\"") }
        return lines
    }

    /// A value that was there already, and that somebody who had seen others has decided for.
    private static func keeps(_ field: String, _ value: JSONValue?) -> String {
        "keeps \(Terminal.plain(field)): \(text(value))"
    }

    private static func text(_ value: JSONValue?) -> String {
        let text = Terminal.plain(Text.value(value))
        return text.isEmpty ? "(nothing)" : text
    }
}
