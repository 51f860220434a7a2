internal import ControlClient
internal import ShareControl
import Glibc

/// The command `shared`, from its arguments to its exit code.
enum Tool {
    /// - Parameter arguments: the command's own name first; nil for one that is not UTF-8.
    static func run(_ arguments: [String?]) -> Int32 {
        // A closed pipe is found by `write`, which then ends the output quietly.
        signal(SIGPIPE, SIG_IGN)
        Interruption.watch()
        let output = Output(descriptor: STDOUT_FILENO)
        var invocation = Invocation()
        var code = ExitCode.done
        do throws(Problem) {
            let words = arguments.dropFirst().compactMap(\.self)
            guard words.count + 1 >= arguments.count else {
                throw Problem(
                    .usage, "an argument is not UTF-8 text",
                    hint: "See whether the terminal is set to UTF-8: `locale`.")
            }
            try invocation.read(words)
            code = try perform(invocation, output)
            try output.finish()
        } catch {
            // What was written before the problem belongs to the answer.
            try? output.finish()
            Diagnostics(asJSON: invocation.wantsJSON).report(error)
            code = ExitCode(error.code)
        }
        return code.rawValue
    }

    /// The problem, with what a command that had no answer leaves behind.
    private static func told(
        _ problem: Problem, of syntax: CommandSyntax, _ session: Session
    ) -> Problem {
        if problem.code == .interrupted, let left = session.interrupted ?? syntax.interrupted {
            return Problem(.interrupted, left.what, hint: left.hint)
        }
        let isUnsure = problem.code == .timedOut || problem.code == .connectionLost
        guard let look = syntax.look, isUnsure || problem.detail == Interruption.detail else {
            return problem
        }
        return Problem(
            problem.code, "\(problem.detail); whether it was done is not known",
            hint: "Look: `\(look(session.arguments))`." + (problem.hint.map { " \($0)" } ?? ""))
    }

    private static func perform(
        _ invocation: Invocation, _ output: Output
    ) throws(Problem) -> ExitCode {
        switch invocation.action {
        case .version:
            output.line("shared \(Release.version)")
            return .done
        case .overview:
            Help.overview(to: output)
            return .done
        case .everything:
            Help.everything(to: output)
            return .done
        case .candidates(let words):
            Completion.candidates(for: words).forEach(output.line)
            return .done
        case .help(let command):
            Help.command(command.syntax, to: output)
            return .done
        case .family(let name, let commands):
            Help.family(name, commands, to: output)
            return .done
        case .run(let command, let arguments):
            let session = Session(invocation, arguments, output)
            defer { session.writeNotices() }
            do {
                let code = try command.run(session)
                let isEntering = Commands.entering.contains(command.syntax.name)
                let isAboutRoom = Commands.aboutRoom.contains(command.syntax.name)
                if isEntering || output.isTerminal && isAboutRoom {
                    session.noteRoom()
                }
                if isEntering, code == .done, !arguments.has("--dry-run") { session.noteUnsent() }
                return code
            } catch {
                if error.code == .alreadySo { return session.answer(so: error) }
                throw told(error, of: command.syntax, session)
            }
        }
    }
}
