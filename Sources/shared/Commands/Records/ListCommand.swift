internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared list`
enum ListCommand: Command {
    static let syntax = CommandSyntax(
        name: "list", summary: "the entries of a form",
        operands: [.init(name: "FORM"), Conditions.operand],
        options: [
            .init(
                name: "--sort", value: "FIELD", repeats: true,
                help: "in this order; -FIELD turns it around"),
            .init(name: "--limit", value: "N", help: "at most N entries"),
            .init(
                name: "--after", value: "ID", help: "only what comes after this entry: a next page"),
            .init(
                name: "--columns", value: "A,B,C",
                help:
                    "these fields; _id, _author_name, _created, _updated, _state too (in JSON always)"
            ),
            .init(name: "--invalid", help: "only entries that break their form, and how"),
            .init(name: "--duplicates", help: "only entries whose key is there more than once"),
            .init(name: "--deleted", help: "entries that were deleted, by whom and when"),
            .init(name: "--wide", help: "all fields, however wide the terminal is"),
        ] + Conditions.options,
        notes: [
            "Without --sort, in the order in which they were made. On a terminal: the form's key",
            "and what else fits, who changed or reviewed it last and when, and whether that was",
            "sent; into a file or a pipe: all fields. Where a list is longer than the screen, $PAGER shows it.",
        ] + Conditions.notes,
        examples: [
            "shared list common-viruses",
            "shared list common-viruses Virus_Name=Chickenpox --sort Patient_Fname",
        ])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let form = session.arguments.operand(0)
        let request = session.request(
            "GET", ["records", form], query: try query(session),
            silence: .reading)
        if session.arguments.has("--deleted") { return try deleted(session, request) }
        if session.arguments.has("--duplicates") { return try duplicates(session, request) }
        guard !session.wantsJSON else { return try stream(session, request) }
        let rows = rows(session)
        let code = try show(session, request, rows)
        noteDeleted(rows.deleted, session)
        rows.missing.forEach(session.diagnostics.note)
        // Who asks for what has issues asks why.
        if asksState(session.arguments) { try remarks(on: rows.ids, session) }
        // Of an entry that went out while nobody was near a list says no more than that it was sent.
        if session.output.isTerminal { session.noteUnsent() }
        return code
    }

    /// Whether only entries are wanted that were reviewed to one state.
    private static func asksState(_ arguments: ParsedArguments) -> Bool {
        let conditions = arguments.operands.dropFirst() + arguments.values("--where")
        let states = arguments.values("--state")
        return states.isEmpty
            ? conditions.contains { condition in
                ["_state=", "state="].contains { condition.hasPrefix($0) && condition != $0 }
            }
            : states.contains { $0 != "none" }
    }

    /// What reviewers and others have said of entries, a line each.
    private static func remarks(on ids: [String], _ session: Session) throws(Problem) {
        for id in ids {
            let view: EntryView = try session.client().answer(
                EntryOperand([id]).request(session, "GET", ["view"]))
            for remark in (view.review.map { [$0] } ?? []) + view.comments {
                guard let text = remark.text, !text.isEmpty else { continue }
                let name = Terminal.plain(view.key ?? Text.shortRecord(view.id))
                session.output.text(
                    "\(name): \(Text.name(remark.authorName, remark.author)),"
                        + " \(Text.shortTime(remark.at)): \"\(Terminal.plain(text))\"")
            }
        }
    }

    private static func query(_ session: Session) throws(Problem)
        -> [(name: String, value: String)]
    {
        let arguments = session.arguments
        var query = try Conditions.query(session, arguments.operands.dropFirst())
        query += arguments.values("--sort").map { (name: "sort", value: $0) }
        if arguments.has("--invalid") { query.append(("where", "_valid=no")) }
        if let columns = arguments.value("--columns") { query.append(("columns", columns)) }
        if let entry = arguments.value("--after") { query.append(("after", entry)) }
        if let limit = try arguments.number("--limit") { query.append(("limit", "\(limit)")) }
        return query
    }

    /// Passes the daemon's document through without holding it.
    private static func stream(
        _ session: Session, _ request: ControlRequest
    ) throws(Problem) -> ExitCode {
        let output = session.output
        let endsLine = LastByte()
        try session.client().send(request) { bytes in
            output.write(bytes)
            endsLine.see(bytes)
            return !output.isClosed
        }
        if !endsLine.isNewline { output.line("") }
        return .done
    }

    /// Shows what a request lists, with these columns or with those that fit.
    static func show(
        _ session: Session, _ request: ControlRequest, columns: [String]?
    ) throws(Problem) {
        if session.wantsJSON {
            _ = try stream(session, request)
        } else {
            let width = ListLayout.isOnTerminal ? Terminal.columns : nil
            let rows = RecordRows(columns: columns, isWide: false, width: width, session.output)
            _ = try show(session, request, rows)
            rows.missing.forEach(session.diagnostics.note)
        }
    }

    private static func show(
        _ session: Session, _ request: ControlRequest, _ rows: RecordRows
    ) throws(Problem) -> ExitCode {
        var request = request
        request.query.append(("head", "true"))
        session.output.pageIfLong()
        let output = session.output
        try session.client().send(request) { (bytes) throws(Problem) in
            try rows.append(bytes)
            return !output.isClosed
        }
        try rows.finish()
        return .done
    }

    private static func rows(_ session: Session) -> RecordRows {
        let columns = session.arguments.value("--columns").map {
            $0.split(separator: ",").map { Typed.trimmed(String($0)) }
        }
        let arguments = session.arguments
        let asked = (arguments.operands.dropFirst() + arguments.values("--where")).map {
            String($0.prefix { !"=<>~! ".contains($0) })
        }
        return RecordRows(
            columns: columns, asked: asked, isWide: session.arguments.has("--wide"),
            isInvalid: session.arguments.has("--invalid"),
            width: ListLayout.isOnTerminal ? Terminal.columns : nil, session.output)
    }

    /// The entries that were deleted, the latest first, and how one comes back.
    private static func deleted(
        _ session: Session, _ request: ControlRequest
    ) throws(Problem) -> ExitCode {
        for option in ["--duplicates", "--invalid"] where session.arguments.has(option) {
            throw syntax.problem("--deleted and \(option) exclude each other")
        }
        var request = request
        request.query.append(("deleted", "true"))
        guard !session.wantsJSON else { return try stream(session, request) }
        request.query.append(("head", "true"))
        let all: [JSONValue] = try session.client().answer(request)
        let head: ListHead = try ControlClient.understood(all.first?.text ?? [])
        let found = all.dropFirst().compactMap(\.object)
        guard let first = found.first, let id = first["_id"]?.string else {
            session.output.line("no deleted entries")
            return .done
        }
        let rows = rows(session)
        session.output.pageIfLong()
        try rows.show(head, found)
        session.diagnostics.note(
            "one comes back by its key or id: shared restore \(Text.shortRecord(id))")
        return .done
    }

    /// An entry with these fields alone, beside what every entry has; with all where none are asked
    /// for.
    private static func only(_ columns: [String]?, of record: JSONValue) -> JSONValue {
        guard let columns, let members = record.object?.members else { return record }
        return .object(
            JSONObject(members.filter { $0.key.hasPrefix("_") || columns.contains($0.key) }))
    }

    /// Says of a list of what was changed since a day that entries are gone since then.
    private static func noteDeleted(_ count: Int, _ session: Session) {
        guard count > 0, let since = session.arguments.value("--since") else { return }
        let form = Shell.quoted(session.arguments.operand(0))
        session.diagnostics.note(
            "\(Text.count(count, "entry was", "entries were")) deleted since then: "
                + "shared list \(form) --deleted --since \(Shell.quoted(since))")
    }

    /// The entries of which another one has the key, or one that differs in upper and lower case or
    /// in space at its ends alone; those of one key together.
    private static func duplicates(
        _ session: Session, _ request: ControlRequest
    ) throws(Problem) -> ExitCode {
        // Of a part of the entries it could not be said that none is there twice.
        for option in ["--limit", "--after"] where session.arguments.value(option) != nil {
            throw syntax.problem("--duplicates and \(option) exclude each other")
        }
        var request = request
        request.query.append(("head", "true"))
        let all: [JSONValue] = try session.client().answer(request)
        let head: ListHead = try ControlClient.understood(all.first?.text ?? [])
        guard !head.key.isEmpty else {
            throw Problem(
                .badRequest, "the form \(head.form) has no key that could be there twice",
                hint: "A form's `key` names the fields that tell its entries apart.")
        }
        var groups: [[String]: [JSONValue]] = [:]
        for record in all.dropFirst() {
            // On paper, and on a screen, these are one key.
            let key = head.key.map {
                Typed.trimmed(Text.value(record.object?[$0])).lowercased()
            }
            if key.contains(where: { !$0.isEmpty }) { groups[key, default: []].append(record) }
        }
        let found = groups.filter { $0.value.count > 1 }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }.flatMap(\.value)
        guard !session.wantsJSON else {
            session.output.line(JSONValue.array(found.map { Self.only(head.wanted, of: $0) }))
            return .done
        }
        guard !found.isEmpty else {
            session.output.line("no duplicates among \(Text.entries(all.count - 1))")
            return .done
        }
        let rows = rows(session)
        session.output.pageIfLong()
        try rows.show(head, found.compactMap(\.object))
        return .done
    }
}

/// Remembers whether the last byte was a line's end.
private final class LastByte {
    private(set) var isNewline = false

    func see(_ bytes: UnsafeRawBufferPointer) {
        if let last = bytes.last { isNewline = last == UInt8(ascii: "\n") }
    }
}
