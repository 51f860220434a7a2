internal import ControlClient
internal import ShareControl

/// `shared push`
enum PushCommand: Command {
    static let syntax = CommandSyntax(
        name: "push", summary: "send the entries that are only here to every peer",
        options: [
            .init(
                name: "--timeout", value: "TIME",
                help: "how long to wait for peers; 5s where not given")
        ],
        notes: [
            "Entries are sealed and signed, and go out at once to whoever is connected, and to",
            "others when they meet. That somebody is not in reach is no error.",
        ],
        examples: ["shared push", "shared push --timeout 30s --json"],
        interrupted: (
            "nothing is lost: what is sealed goes out to everybody as they meet, the rest waits here",
            "See what is only here: `shared status`; to go on: `shared push`."
        ))

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let timeout = try DurationText.milliseconds(
            "--timeout", session.arguments, to: ControlLimits.waitMilliseconds)
        let request = session.request(
            "POST", ["push"], body: .value(PushRequest(timeoutMilliseconds: timeout)),
            silence: .milliseconds(timeout ?? 5000) + .seconds(30))
        try session.answer(request, as: PushAnswer.self) { answer in
            let output = session.output
            output.line(
                answer.entries == 0
                    ? nothingNew(answer)
                    : "sealed \(Text.entries(answer.entries)) in "
                        + Text.count(answer.batches, "batch", "batches"))
            if let withheld = Text.withheld(answer.withheld) { output.line(withheld) }
            if !answer.delivered.isEmpty {
                output.line("all of ours is with: " + Text.names(answer.delivered))
            }
            for peer in answer.interrupted {
                let missing = peer.missing > 0 ? ", \(Text.entries(peer.missing)) behind" : ""
                output.line(
                    "interrupted: \(Text.device(peer.name, peer.id)) "
                        + (peer.isGone ? "went away" : "has not confirmed yet") + missing)
            }
            if !answer.notConnected.isEmpty {
                output.line("not connected: " + Text.names(answer.notConnected))
            }
            if answer.delivered.isEmpty, answer.unconfirmed.isEmpty, answer.notConnected.isEmpty,
                answer.refusing.isEmpty
            {
                output.line(
                    answer.contributors > 0
                        ? "the others in the room are contributors, who are not sent what others"
                            + " enter"
                        : "nobody else is in the room yet: shared invite")
            }
            for peer in answer.refusing {
                let device = Text.device(peer.name, peer.id)
                output.text(
                    peer.refused == 0
                        ? "\(device): \(peer.reason)"
                        : "\(device) refused \(Text.entries(peer.refused)): \(peer.reason)")
            }
        }
        return .done
    }

    /// What was sealed before may still be here alone.
    private static func nothingNew(_ answer: PushAnswer) -> String {
        guard answer.onlyHere > 0, answer.delivered.isEmpty else { return "nothing new to send" }
        return "nothing new to seal; \(Text.entries(answer.onlyHere)) sealed before, which no other"
            + " device is known to have"
    }
}
