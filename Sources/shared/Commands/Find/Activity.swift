internal import ControlClient
internal import JSON
internal import ShareControl

/// The table of `shared members --activity`.
enum Activity {
    static func show(_ session: Session) throws(Problem) -> ExitCode {
        guard !session.arguments.has("--all") else {
            throw session.arguments.syntax.problem("--activity and --all exclude each other")
        }
        let request = session.request("GET", ["activity"], silence: .reading)
        try session.answer(request, as: ActivityAnswer.self, hasNotes: true) { answer in
            var table = Table(["NAME"] + answer.days.map { String($0.dropFirst(5)) } + ["SUM"])
            let called = CalledDevices(answer.members.map { ($0.device, $0.name) })
            for member in answer.members {
                table.add(
                    [called(member.name, member.device)]
                        + member.counts.map { $0 == 0 ? "" : Text.number($0) }
                        + [Text.number(member.counts.reduce(0, +))])
            }
            table.write(to: session.output)
        }
        return .done
    }
}
