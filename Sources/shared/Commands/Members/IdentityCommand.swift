internal import ControlClient
internal import ShareControl

/// `shared identity`
enum IdentityCommand: Command {
    static let syntax = CommandSyntax(
        name: "identity", summary: "the full id of this device, to compare it with another's",
        takesRoom: false, examples: ["shared identity"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let request = ControlRequest("GET", ["identity"])
        try session.answer(request, as: IdentityAnswer.self) { answer in
            session.output.line("name         \(Terminal.plain(answer.device.name))")
            session.output.line("id           \(Terminal.plain(answer.device.id))")
            session.output.line("fingerprint  \(Terminal.plain(answer.fingerprint))")
            for id in answer.former { session.output.line("formerly     \(Terminal.plain(id))") }
            if answer.isChanging {
                session.output.line(
                    "a change of identity was cut off; to go on with it: shared identity new")
            }
        }
        return .done
    }
}
