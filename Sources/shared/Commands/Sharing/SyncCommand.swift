internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared sync`
enum SyncCommand: Command {
    static let syntax = CommandSyntax(
        name: "sync", summary: "catch up with all members in reach",
        options: [
            .init(name: "--wait", value: "TIME", help: "how long to try; 10s where not given"),
            .init(
                name: "--all", help: "fail too where a member is not in reach, or has not sent all"),
        ],
        notes: [
            "It ends with 0 only when this device and every connected one have the same entries,",
            "and nothing here waits for `shared push`.",
            "It asks each for a sign of life. Members that give none within 3 s, or are not in",
            "reach, are named, and whose entries are not sent.",
        ],
        examples: ["shared sync", "shared sync --wait 2m", "shared sync --all"],
        interrupted: (
            "stopped waiting; what came in is kept, and the devices go on by themselves",
            "See who has what: `shared peers`."
        ))

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let wait = try DurationText.milliseconds(
            "--wait", session.arguments, to: ControlLimits.waitMilliseconds)
        let request = session.request(
            "POST", ["sync"], body: .value(SyncRequest(waitMilliseconds: wait)),
            silence: .milliseconds(wait ?? 10_000) + .seconds(30))
        let answer: SyncAnswer = try session.work(request, "catching up")
        if session.wantsJSON {
            session.output.line(answer.json)
        } else {
            show(answer, session.output)
        }
        guard answer.identical else { throw problem(answer) }
        guard answer.pending == 0 else {
            throw Problem(
                .notIdentical, unsent(answer, but: upToDate(answer)),
                hint: "Send \(answer.pending == 1 ? "it" : "them"): `shared push`;"
                    + " each at once from now on: `shared set autopush on`.")
        }
        if session.arguments.has("--all"), let problem = incomplete(answer) { throw problem }
        return .done
    }

    /// What nobody else can have yet: `up to date with amina, but 2 entries here are not sent yet`.
    private static func unsent(_ answer: SyncAnswer, but others: String?) -> String {
        (others.map { $0 + ", but " } ?? "")
            + Text.unsent(answer.pending, new: answer.pendingEntries)
            + " here \(answer.pending == 1 ? "is" : "are") not sent yet"
    }

    /// With whom this device is alike, who have sent all that they have; nil where there is nobody.
    private static func upToDate(_ answer: SyncAnswer) -> String? {
        let keeping = Set(answer.withUnsent.map(\.id))
        let same = answer.peers.filter { $0.identical && !keeping.contains($0.id) }
            .map { NamedDevice(id: $0.id, name: $0.name) }
        guard !same.isEmpty else { return nil }
        return answer.isContributor
            ? "\(Text.names(same)) \(same.count == 1 ? "has" : "have") \(Self.sent)"
            : "up to date with \(Text.names(same))"
    }

    /// What the others have of a contributor, who has less than they.
    private static let sent = "what this device has sent"

    /// Why not everybody has everything, though all in reach are alike; nil where they have.
    private static func incomplete(_ answer: SyncAnswer) -> Problem? {
        var why: [String] = []
        var steps: [String] = []
        if !answer.withUnsent.isEmpty {
            why.append(
                Text.count(answer.withUnsent.count, "member has", "members have")
                    + " not sent everything")
            steps.append("`shared push` there, which sends what it may")
        }
        if !answer.absent.isEmpty {
            why.append(
                Text.count(answer.absent.count, "member is", "members are")
                    + " not in reach")
            steps.append("bring the devices together")
        }
        guard !why.isEmpty else { return nil }
        let first = steps.joined(separator: ", ")
        return Problem(
            .notIdentical, Text.list(why),
            hint: first.prefix(1).uppercased() + first.dropFirst()
                + ", then here: `shared sync --all`.")
    }

    private static func problem(_ answer: SyncAnswer) -> Problem {
        if answer.outcome == "digest_differs" {
            return Problem(
                .notIdentical, "the same entries, and yet another state: one device is at fault",
                hint:
                    "Find out which: `shared verify` on both devices; then there: `shared rebuild`."
            )
        }
        let heard = answer.peers.filter { $0.state != "unheard" }
        guard !heard.isEmpty else {
            return Problem(
                .notIdentical, "connected, but nobody has told yet what it holds",
                hint: "Give it more time: `shared sync --wait 1m`.")
        }
        let called = CalledDevices(answer)
        let same = heard.filter(\.identical).map { called($0.name, $0.id) }
        let alike =
            answer.isContributor
            ? "\(Text.firstOf(same)) \(same.count == 1 ? "has" : "have") \(Self.sent)"
            : "up to date with \(Text.firstOf(same))"
        var parts = same.isEmpty ? [] : [alike]
        parts += heard.filter { !$0.identical }.prefix(named).map { lag($0, called) }
        let more = heard.count - same.count - named
        if more > 0 { parts.append("\(more) more are not up to date") }
        if answer.missing > 0 {
            parts.append("\(Text.anyChanges(answer.missing)) still missing here")
        }
        if answer.pending > 0 { parts.append(unsent(answer, but: nil)) }
        let isMoving = heard.contains { !$0.identical && !isSilent($0) }
        return Problem(
            .notIdentical, parts.joined(separator: "; "),
            hint: isMoving
                ? "Give it more time: `shared sync --wait 1m`; see who lags: `shared members`."
                : "The rest follows by itself when they answer again; to look: `shared doctor`.")
    }

    /// So many are named in one line.
    private static let named = 10

    /// Whether more time is of no use to it.
    private static func isSilent(_ peer: SyncPeer) -> Bool {
        peer.state == "silent" || peer.state == "gone"
    }

    /// `daouda does not answer (lacks 20 entries or other changes)`.
    private static func lag(_ peer: SyncPeer, _ called: CalledDevices) -> String {
        let name = called(peer.name, peer.id)
        let progress = Text.progress(identical: false, behind: peer.behind, ahead: peer.ahead)
        switch peer.state {
        case "silent": return "\(name) does not answer (\(progress))"
        case "gone": return "\(name) went away (\(progress))"
        default: return "\(name) \(progress)"
        }
    }

    private static func show(_ answer: SyncAnswer, _ output: Output) {
        for peer in answer.peers where !peer.identical {
            let name = Text.device(peer.name, peer.id)
            switch peer.state {
            case "unheard": output.line("\(name): has not told yet what it holds")
            case "digest_differs": output.line("\(name): HAS ANOTHER STATE of the same entries")
            // The error says it.
            default: break
            }
        }
        var said: [String] = []
        if answer.received > 0 { output.line("received \(Text.anyChanges(answer.received))") }
        // Where something here is not sent, one sentence tells both, and it is no success.
        if answer.identical, answer.pending == 0 {
            let same = upToDate(answer)
            if answer.outcome == "nothing_new", !answer.isContributor {
                said.append(same == nil ? "nothing new here" : "nothing new")
            }
            if let same { said.append(same) }
        }
        let called = CalledDevices(answer)
        if let unsent = ProgressText.unsent(of: answer.withUnsent, called) { said.append(unsent) }
        if answer.isContributor {
            said.append("what others enter and change is not sent to a contributor")
        }
        if !said.isEmpty { output.text(said.joined(separator: "; ")) }
        if let withheld = Text.withheld(answer.withheld) { output.text(withheld) }
        let told = Set(answer.peers.filter(isSilent).map(\.id))
        let absent = answer.absent.filter { !told.contains($0.id) }
        if !absent.isEmpty { output.text("not in reach: " + Self.absent(absent, called)) }
    }

    private static func absent(_ members: [MemberProgress], _ called: CalledDevices) -> String {
        Text.firstOf(
            members.map { member in
                let met =
                    member.state == "silent"
                    ? "no answer for \(member.silentSeconds ?? 0) s"
                    : member.lastMet.map { "last met \(Text.shortTime($0))" }
                        ?? ProgressText.neverMet(member)
                return "\(called(member.name, member.id)) (\(met))"
            })
    }
}
