internal import ControlClient
internal import ShareControl

/// `shared watch`
enum WatchCommand: Command {
    static let syntax = CommandSyntax(
        name: "watch", summary: "show what happens, as it happens, until Ctrl-C",
        options: [
            .init(name: "--verbose", help: "also who has what, devices that come and go, discovery")
        ],
        notes: ["With --json each line is one JSON object, and all is shown."],
        examples: ["shared watch", "shared watch --json | grep '\"received\"'"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let isVerbose = session.arguments.has("--verbose")
        return try Stream.run(session, session.request("GET", ["watch"])) {
            (line) throws(Problem) in
            let event: WatchEvent = try ControlClient.understood(line)
            guard isVerbose || isForPeople(event) else { return nil }
            return text(of: event)
        }
    }

    /// What is about entries, forms and members; the rest is how it comes about.
    private static func isForPeople(_ event: WatchEvent) -> Bool {
        switch event.event {
        case "received", "sealed", "delivered", "identical", "behind", "peer_connected",
            "peer_disconnected", "peer_found", "peer_lost", "discovery":
            false
        default: true
        }
    }

    /// `15:20:14  amina  household KOR-200: fever 37.3 -> 39.1`
    private static func text(of event: WatchEvent) -> String {
        let time = Text.clock(event.at)
        guard let form = event.form, let peer = event.peer, let verb = verb(event) else {
            let room = event.room.map { "\(Terminal.plain($0)): " } ?? ""
            return "\(time)  \(room)\(Terminal.plain(event.text))"
        }
        let entry = event.key ?? event.record.map { Text.shortRecord($0) }
        let count = event.count ?? 1
        let many = form.contains("/") ? Text.count(count, "row", "rows") : Text.entries(count)
        let what =
            entry.map { "\(Terminal.plain(form)) \(Terminal.plain($0))" }
            ?? "\(many) of \(Terminal.plain(form))"
        return "\(time)  \(Terminal.pad(Text.name(peer.name, peer.id), 8))  \(what): \(verb)"
    }

    /// What was done to the entry; nil for what is told in words of its own.
    private static func verb(_ event: WatchEvent) -> String? {
        switch event.event {
        case "added": return "new"
        case "edited":
            let changes = (event.changes ?? []).map { change in
                "\(change.field) \(shown(change.before)) -> \(shown(change.after))"
            }
            let fields = event.fields ?? []
            return changes.isEmpty
                ? fields.isEmpty ? "changed" : "changed " + Terminal.plain(Text.list(fields))
                : Terminal.plain(changes.joined(separator: ", "))
        case "deleted": return "deleted"
        case "restored": return "brought back"
        case "reviewed", "commented":
            // `amina reviewed household entry 229a6617: approved`
            let state = event.text.split(separator: ": ", maxSplits: 1).dropFirst().first
            return event.event + (state.map { ": \(Terminal.plain(String($0)))" } ?? "")
        default: return nil
        }
    }

    private static func shown(_ value: String) -> String { value.isEmpty ? "(nothing)" : value }
}
