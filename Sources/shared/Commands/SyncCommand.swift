internal import ControlClient
internal import ShareControl

/// `shared sync`
enum SyncCommand: Command {
    static let syntax = CommandSyntax(
        name: "sync", summary: "catch up with all peers in reach",
        options: [
            .init(name: "--wait", value: "TIME", help: "how long to try; 10s where not given")
        ],
        notes: ["It ends with 0 only when this device is identical with every connected peer."],
        examples: ["shared sync", "shared sync --wait 2m"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let wait = try DurationText.milliseconds("--wait", session.arguments)
        let request = session.request(
            "POST", ["sync"], body: .value(SyncRequest(waitMilliseconds: wait)),
            silence: .milliseconds(wait ?? 10_000) + .seconds(30))
        let answer: SyncAnswer = try session.work(request, "catching up")
        if session.wantsJSON {
            session.output.line(answer.json)
        } else {
            show(answer, session.output)
        }
        guard answer.identical else {
            let same = answer.peers.count { $0.identical }
            throw Problem(
                .notIdentical,
                "identical with \(same) of \(Text.count(answer.peers.count, "peer", "peers"))",
                hint: "give it more time: shared sync --wait 1m; see who lags: shared peers")
        }
        return .done
    }

    private static func show(_ answer: SyncAnswer, _ output: Output) {
        for peer in answer.peers where !peer.identical {
            let standing = Text.standing(
                identical: false, behind: peer.behind, ahead: peer.ahead)
            output.line("\(Text.name(peer.name, peer.id)): \(standing)")
        }
        guard answer.identical else { return }
        let names = answer.peers.prefix(10).map { Text.name($0.name, $0.id) }
        let more = answer.peers.count - names.count
        output.line("identical with " + Text.list(names + (more > 0 ? ["\(more) more"] : [])))
    }
}
