internal import ControlClient
internal import ShareControl

/// `shared watch`
enum WatchCommand: Command {
    static let syntax = CommandSyntax(
        name: "watch", summary: "show what happens, as it happens, until Ctrl-C",
        notes: ["With --json each line is one JSON object."],
        examples: ["shared watch", "shared watch --json | grep '\"received\"'"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        try Stream.run(session, session.request("GET", ["watch"])) { (line) throws(Problem) in
            let event: WatchEvent = try ControlClient.understood(line)
            let room = event.room.map { "\(Terminal.plain($0)): " } ?? ""
            return "\(Text.time(event.at))  \(room)\(Terminal.plain(event.text))"
        }
    }
}
