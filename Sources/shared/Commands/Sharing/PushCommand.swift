internal import ControlClient
internal import ShareControl

/// `shared push`
enum PushCommand: Command {
    static let syntax = CommandSyntax(
        name: "push", summary: "send what was entered here to the other members",
        options: [
            .init(
                name: "--timeout", value: "TIME",
                help: "how long to wait for answers; 5s where not given")
        ],
        notes: [
            "It goes out at once to whoever is connected, and to others when they meet. That",
            "somebody is not in reach is no error; that a disk is full there is one.",
        ],
        examples: ["shared push", "shared push --timeout 30s --json"],
        interrupted: (
            "stopped waiting; nothing is lost: what was taken goes out to everybody as they meet, the"
                + " rest waits here",
            "See what is only here: `shared status`; to go on: `shared push`."
        ))

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let timeout = try DurationText.milliseconds(
            "--timeout", session.arguments, to: ControlLimits.waitMilliseconds)
        let request = session.request(
            "POST", ["push"], body: .value(PushRequest(timeoutMilliseconds: timeout)),
            silence: .milliseconds(timeout ?? 5000) + .seconds(30))
        let answer = try session.answered(request, as: PushAnswer.self, waiting: "sending") {
            answer in
            let output = session.output
            output.text(sent(answer))
            if let withheld = Text.withheld(answer.withheld) { output.text(withheld) }
            for peer in answer.refusing {
                let device = Text.device(peer.name, peer.id)
                output.text(
                    peer.refused == 0
                        ? "\(device): \(peer.reason)"
                        : "\(device) refused \(Text.changes(peer.refused)): \(peer.reason)")
            }
        }
        if let full = problem(answer) { throw full }
        return .done
    }

    /// A member that cannot store anything: somebody has to see to it.
    private static func problem(_ answer: PushAnswer) -> Problem? {
        let hindered = answer.refusing.filter { $0.refused == 0 }
        guard !hindered.isEmpty else { return nil }
        let names = Text.list(hindered.map { Text.name($0.name, $0.id) })
        return Problem(
            .notIdentical, "\(names) cannot store anything",
            hint: "Make room on the disk there; what was not stored is sent again by itself.")
    }

    /// Who has all of what this device has made by now, and who has not and why.
    private static func sent(_ answer: PushAnswer) -> String {
        let what = Text.entries(
            answer.newEntries, changes: max(answer.entries - answer.newEntries, 0))
        let has = answer.delivered
        let isOne = answer.entries == 1
        guard !has.isEmpty || !missing(answer).isEmpty || !answer.refusing.isEmpty else {
            let nobody =
                answer.contributors > 0
                ? "the others in the room are contributors, who are not sent what others enter"
                : "nobody else is in the room yet: shared invite"
            return (answer.entries > 0 ? "\(what) ready; " : "nothing new to send; ") + nobody
        }
        var parts: [String] = []
        switch (answer.entries > 0, has.isEmpty) {
        case (false, _) where answer.aboveQuota > 0:
            parts.append("nothing sent: \(Text.changes(answer.aboveQuota)) above the room's quota")
        case (true, false): parts.append("\(what) sent to \(Text.names(has))")
        case (true, true) where missing(answer).isEmpty: parts.append("\(what) ready")
        case (true, true):
            parts.append(
                "\(what) ready; \(isOne ? "it goes" : "they go") out when somebody is near")
        case (false, false):
            parts.append(
                (missing(answer).isEmpty ? "nothing new to send; " : "no new entries to send; ")
                    + "\(Text.names(has)) \(has.count == 1 ? "has" : "have") all that was sent from here"
            )
        case (false, true) where answer.onlyHere > 0:
            parts.append(
                "no new entries to send; "
                    + Text.alone(answer.onlyHere, new: answer.onlyHereEntries))
        case (false, true): parts.append("no new entries to send")
        }
        if !missing(answer).isEmpty {
            // Forms and decisions, which nobody pushes, may be what these lack.
            parts.append(
                (answer.entries > 0 ? "not yet to " : "what is missing goes by itself to ")
                    + missing(answer).joined(separator: ", "))
        }
        return parts.joined(separator: "; ")
    }

    /// Those who have not got everything, and why: nothing is lost by that.
    ///
    /// A device is out of reach, or is connected and does not answer; those of whom the same is to be
    /// said share one bracket.
    private static func missing(_ answer: PushAnswer) -> [String] {
        var groups: [(why: String, lacks: Int, names: [String])] = []
        func add(_ name: String, _ why: String, lacks: Int) {
            guard let place = groups.firstIndex(where: { $0.why == why && $0.lacks == lacks })
            else { return groups.append((why, lacks, [name])) }
            groups[place].names.append(name)
        }
        for peer in answer.interrupted {
            // One that is away may have got from others what it lacked when it was met last.
            let name = Text.device(peer.name, peer.id)
            if peer.isGone {
                add(name, "not in reach", lacks: 0)
            } else {
                add(name, "no answer", lacks: peer.missing)
            }
        }
        let named = Set(answer.interrupted.map(\.id))
        for device in answer.notConnected where !named.contains(device.id) {
            add(Text.device(device), "not in reach", lacks: 0)
        }
        return groups.map { group in
            let each = group.names.count > 1 ? "each lacks" : "lacks"
            let lacks = group.lacks > 0 ? ", \(each) \(Text.anyChanges(group.lacks))" : ""
            return "\(Text.firstOf(group.names)) (\(group.why)\(lacks))"
        }
    }
}
