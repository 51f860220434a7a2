internal import JSON
internal import ShareControl

/// `shared conflicts`
enum ConflictsCommand: Command {
    static let syntax = CommandSyntax(
        name: "conflicts", summary: "fields that were changed in parallel, and which value shows",
        options: [
            .init(
                name: "--parallel",
                help: "instead, entries changed on several sides without a conflict"),
            .init(name: "--limit", value: "N", help: "at most N entries; without it 1000"),
            .init(name: "--after", value: "PLACE", help: "go on where a longer list ended"),
        ],
        notes: [
            "The value that shows is the same on every device; the others are kept.",
            "The list is the same on every device that holds the same entries.",
            "Resolve one with shared resolve.",
        ],
        examples: ["shared conflicts", "shared conflicts --parallel"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        var query: [(name: String, value: String)] = []
        if let limit = try session.arguments.number("--limit") {
            query.append(("limit", "\(limit)"))
        }
        if let place = session.arguments.value("--after") { query.append(("after", place)) }
        if session.arguments.has("--parallel") {
            try session.answer(
                session.request("GET", ["parallel"], query: query), as: [ParallelAnswer].self
            ) { updates in
                guard !updates.isEmpty else {
                    return session.output.line("no parallel updates")
                }
                for update in updates { show(update, session.output) }
            }
        } else {
            try session.answer(
                session.request("GET", ["conflicts"], query: query), as: [ConflictAnswer].self
            ) { conflicts in
                guard !conflicts.isEmpty else { return session.output.line("no conflicts") }
                for conflict in conflicts { show(conflict, session.output) }
            }
        }
        return .done
    }

    private static func show(_ conflict: ConflictAnswer, _ output: Output) {
        let record = Text.entry(conflict.form, conflict.key, conflict.record)
        if conflict.field == "_deleted" {
            output.line(record)
            output.line("    shows  \(decision(conflict.winner))")
            for loser in conflict.losers { output.line("    kept   \(decision(loser))") }
            return
        }
        output.line("\(Terminal.plain(conflict.field)) of \(record)")
        output.line("    shows  \(text(conflict.winner))")
        for loser in conflict.losers { output.line("    kept   \(text(loser))") }
    }

    private static func show(_ update: ParallelAnswer, _ output: Output) {
        output.line(Text.entry(update.form, update.key, update.record))
        for branch in update.branches {
            var done = changes(branch.changed)
            if let deleted = branch.deleted { done.append(deleted ? "deleted" : "brought back") }
            if let state = branch.state { done.append("reviewed: \(Terminal.plain(state))") }
            output.line(
                "    \(Text.list(done))  by \(Text.device(branch.authorName, branch.author)), "
                    + Text.time(branch.at))
        }
    }

    private static func changes(_ changed: JSONObject) -> [String] {
        changed.members.map { "\(Terminal.plain($0.key))=\(Terminal.plain(Text.value($0.value)))" }
    }

    private static func text(_ value: ConflictValue) -> String {
        let text = Terminal.plain(value.shown ?? Text.value(value.value))
        return "\(text.isEmpty ? "(nothing)" : text)  \(origin(value))"
    }

    private static func decision(_ value: ConflictValue) -> String {
        if let changed = value.changed {
            // Rows that it took away, or that are gone since, are not told.
            return changed.members.isEmpty
                ? "changed in its rows  \(origin(value))"
                : "changed: \(Text.list(changes(changed)))  \(origin(value))"
        }
        return "\(value.value == .bool(true) ? "deleted" : "brought back")  \(origin(value))"
    }

    private static func origin(_ value: ConflictValue) -> String {
        "by \(Text.device(value.authorName, value.author)), \(Text.time(value.at))"
    }
}
