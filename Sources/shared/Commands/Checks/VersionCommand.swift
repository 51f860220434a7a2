internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared version`
enum VersionCommand: Command {
    static let syntax = CommandSyntax(
        name: "version", summary: "the releases of this command and of the daemon",
        takesRoom: false,
        notes: ["That no daemon runs is no error here."], examples: ["shared version"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        var daemon: VersionAnswer?
        do {
            daemon = try session.client().answer(session.request("GET", ["version"]))
        } catch {
            guard ExitCode(error.code) == .notReachable else { throw error }
        }
        if session.wantsJSON {
            session.output.line(["version": Release.version.json, "daemon": daemon.json])
        } else {
            session.output.line("shared   \(Release.version)")
            session.output.line("sharedd  \(Terminal.plain(daemon?.version ?? "not running"))")
        }
        return .done
    }
}
