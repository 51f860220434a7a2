internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared doctor`
enum DoctorCommand: Command {
    static let syntax = CommandSyntax(
        name: "doctor", summary: "find out why devices do not find each other",
        options: [
            .init(name: "--verbose", help: "also figures: of rooms, sessions, known devices")
        ],
        takesRoom: false,
        notes: [
            "It connects to every device that is seen or known, for 3 s at most. It ends with 1 where",
            "something fails: a warning is no failure.",
        ],
        examples: ["shared doctor", "shared doctor --verbose"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let query =
            session.arguments.has("--verbose") ? [(name: "verbose", value: "true")] : []
        let request = session.request("GET", ["doctor"], query: query, silence: .seconds(60))
        let json = try session.json(request, waiting: "connecting to each device")
        let answer: DoctorAnswer = try ControlClient.understood(json.text)
        if session.wantsJSON {
            session.output.line(json)
        } else {
            for check in answer.checks {
                let state = Terminal.pad(Terminal.plain(check.state), 7)
                session.output.text(
                    "\(check.name): \(check.detail)", indent: 9, label: state,
                    labelled: style(of: check.state))
                if let hint = check.hint { session.output.text(hint, indent: 9) }
            }
        }
        return answer.ok ? .done : .failed
    }

    private static func style(of state: String) -> Style? {
        switch state {
        case "failed": .red
        case "warning": .yellow
        default: nil
        }
    }
}
