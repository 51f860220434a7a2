internal import ControlClient
internal import ShareControl

/// `shared peers`
enum PeersCommand: Command {
    static let syntax = CommandSyntax(
        name: "peers", summary: "the devices nearby",
        options: [.init(name: "--watch", help: "go on, one line for each peer that changes")],
        notes: [
            "A device is connected, nearby (seen on the network), silent (it does not answer), or",
            "known from before. Seen is announced by the network; met is spoken with.",
            "Of one that is not connected: as far as is known. Who of a room is up to date:",
            "shared members.",
        ],
        examples: ["shared peers", "shared peers --watch --json"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        if session.arguments.has("--watch") { return try watch(session) }
        try session.answer(session.request("GET", ["peers"]), as: [PeerAnswer].self) { peers in
            guard !peers.isEmpty else {
                return session.output.line(
                    "no other device has been seen; where that is wrong: shared doctor")
            }
            // Where it would push aside how they stand, the address gives way, but for those that
            // have nothing else.
            let hasAddress = Terminal.columns >= 80 || peers.contains { $0.id == nil }
            let address = hasAddress ? ["ADDRESS"] : []
            var table = Table(["NAME", "ID", "STATE"] + address + ["ROOMS", "PROGRESS"])
            let pending = (try? session.unsent())?.pending ?? 0
            for peer in peers {
                let name = Text.nameBesideID(peer.id == nil ? "-" : peer.name, peer.id ?? "")
                table.add(
                    [name, Text.short(peer.id ?? ""), peer.state]
                        + (hasAddress ? [peer.address ?? ""] : [])
                        + [peer.rooms.joined(separator: ","), progress(peer, pending)],
                    last: style(of: peer))
            }
            table.write(to: session.output)
            for peer in peers { remarks(peer).forEach(session.output.line) }
        }
        session.noteUnsent()
        return .done
    }

    private static func watch(_ session: Session) throws(Problem) -> ExitCode {
        // Of what scripts are told people need not see all.
        var said: [String: String] = [:]
        return try Stream.run(session, session.request("GET", ["peers", "watch"])) {
            (line) throws(Problem) in
            let peer: PeerAnswer = try ControlClient.understood(line)
            let progress = progress(peer)
            let address = peer.address.map { " at \($0)" } ?? ""
            let text = [peer.state + address, progress, peer.note ?? ""]
                .filter { !$0.isEmpty }.map { Terminal.plain($0) }.joined(separator: ", ")
            guard said.updateValue(text, forKey: peer.id ?? peer.address ?? "") != text else {
                return nil
            }
            return "\(Text.clock(TimestampText.now()))  \(name(peer)) \(text)"
        }
    }

    /// - Parameter pending: entries and changes here that are not sent.
    private static func progress(_ peer: PeerAnswer, _ pending: Int = 0) -> String {
        guard peer.state == "connected" else {
            var parts = peer.lastMet.map { ["last met \(Text.shortTime($0))"] } ?? []
            if peer.lastMet == nil, peer.id != nil { parts.append("never met") }
            if peer.state == "silent" {
                // Of one that was met the network may have a memory alone.
                if let seen = peer.lastSeen, peer.lastMet == nil {
                    parts.append("seen \(Text.shortTime(seen))")
                }
                parts.append("no answer")
            }
            if peer.id != nil { parts.append(peer.isStranger ? stranger : apart(peer)) }
            return parts.joined(separator: ", ")
        }
        if peer.progress.contains(where: { $0.state == "digest_differs" }) {
            return "ANOTHER STATE: shared verify"
        }
        guard let behind = peer.behind, let ahead = peer.ahead else {
            return peer.isStranger ? stranger : "not heard yet"
        }
        guard let unsent = peer.unsent, unsent > 0 else {
            return Text.progress(
                identical: peer.identical, behind: behind, ahead: ahead, pending: pending)
        }
        let rest =
            peer.identical
            ? [] : [Text.progress(identical: false, behind: behind, ahead: ahead)]
        return (rest + [ProgressText.has(unsent: unsent)]).joined(separator: ", ")
    }

    /// How that stands out; of strangers nobody needs to care.
    private static func style(of peer: PeerAnswer) -> Style? {
        if peer.progress.contains(where: { $0.state == "digest_differs" }) { return .red }
        let isDone = peer.identical && (peer.unsent ?? 0) == 0 && peer.state == "connected"
        return isDone || peer.isStranger || peer.id == nil ? nil : .yellow
    }

    private static let stranger = "in none of your rooms"

    /// What is known of how one stands that is not connected.
    private static func apart(_ peer: PeerAnswer) -> String {
        let known = ProgressText.apart(
            behind: peer.behind, ahead: peer.ahead, unsent: peer.unsent, met: peer.lastMet)
        return known.isEmpty ? "not known what it has" : known.joined(separator: ", ")
    }

    private static func name(_ peer: PeerAnswer) -> String {
        guard let id = peer.id else { return Terminal.plain(peer.address ?? "-") }
        return Text.device(peer.name, id)
    }

    /// What does not fit a column.
    private static func remarks(_ peer: PeerAnswer) -> [String] {
        let name = name(peer)
        var remarks: [String] = []
        // Below this, people need not care; clocks decide between parallel edits only.
        if let skew = peer.clockSkew, abs(skew) >= 120 {
            let amount =
                abs(skew) >= 7200
                ? "\(Text.number(abs(skew) / 3600)) h" : "\(Text.number(abs(skew) / 60)) min"
            remarks.append("\(name)'s clock is \(amount) \(skew > 0 ? "ahead" : "behind")")
        }
        if let note = peer.note { remarks.append("\(name): \(Terminal.plain(note))") }
        return remarks
    }
}
