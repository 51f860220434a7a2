internal import ControlClient
internal import ShareControl

/// `shared status`
enum StatusCommand: Command {
    static let syntax = CommandSyntax(
        name: "status", summary: "this device, its rooms, and how it stands with its peers",
        examples: ["shared status", "shared status --json"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        var answer: JSONObject = try session.client().answer(session.request("GET", ["status"]))
        if let room = session.room { answer["rooms"] = try only(room, of: answer["rooms"]) }
        if session.wantsJSON {
            session.output.line(answer.json)
        } else {
            try show(ControlClient.understood(answer.jsonText), session.output)
        }
        return .done
    }

    /// The rooms of that name or id.
    private static func only(_ room: String, of rooms: JSONValue?) throws(Problem) -> JSONValue {
        let found = (rooms?.array ?? []).filter {
            let id = $0.object?["id"]?.string ?? ""
            return $0.object?["name"]?.string == room || id == room || Text.short(id) == room
        }
        guard !found.isEmpty else {
            throw Problem(
                .notFoundRoom, "this device is in no room called \(room)",
                hint: "see which there are: shared rooms")
        }
        return .array(found)
    }

    private static func show(_ status: StatusAnswer, _ output: Output) {
        let device = status.device
        output.line(
            "device     \(Text.name(device.name, device.id)) (\(Text.short(device.id))), "
                + "shared \(Terminal.plain(status.version))")
        if status.rooms.isEmpty {
            output.line("rooms      none yet: shared create ROOM, or shared join ROOM")
        }
        for room in status.rooms {
            for (index, line) in lines(room, of: status.rooms.count).enumerated() {
                output.line((index == 0 ? "room       " : "           ") + line)
            }
        }
        for (index, fault) in status.faults.prefix(Self.faultsShown).enumerated() {
            output.line((index == 0 ? "faults     " : "           ") + Terminal.plain(fault.detail))
            output.line("           \(Terminal.plain(fault.hint))")
        }
        if status.faults.count > Self.faultsShown {
            output.line(
                "           and \(status.faults.count - Self.faultsShown) more: shared doctor")
        }
        output.line("peers      \(standing(status.peers))")
        output.line("discovery  \(Terminal.plain(status.discovery.state))")
        if let hint = status.discovery.hint {
            output.line("           \(Terminal.plain(hint))")
        }
    }

    private static let faultsShown = 3

    private static func lines(_ room: RoomStatus, of count: Int) -> [String] {
        let current = room.current && count > 1 ? ", current" : ""
        if let problem = room.problem {
            return ["\(Terminal.plain(room.name)) (\(room.role)\(current))"]
                + [problem.detail, problem.hint].compactMap { $0.map { Terminal.plain($0) } }
        }
        var lines = [
            "\(Terminal.plain(room.name)) (\(room.role)\(door(of: room))\(current)): "
                + Text.count(room.members, "member", "members") + ", "
                + Text.count(room.records, "record", "records")
        ]
        if let removal = room.removed {
            lines += Text.removal(removal, from: room.name)
        } else if room.pending > room.withheld {
            let count = room.pending - room.withheld
            let them = count == 1 ? "it" : "them"
            lines.append("\(Text.entries(count)) only here; send \(them): shared push")
        }
        if let withheld = Text.withheld(room.withheld) { lines.append(withheld) }
        if room.waiting > room.blocked {
            lines.append(
                "\(Text.entries(room.waiting - room.blocked)) waiting for what has not arrived yet")
        }
        if room.blocked > 0 {
            lines.append(
                "\(Text.entries(room.blocked)) waiting for a form that is refused: shared refused")
        }
        if room.refused > 0 {
            lines.append("\(Text.entries(room.refused)) refused: shared refused")
        }
        if room.conflicts > 0 {
            lines.append("\(Text.count(room.conflicts, "conflict", "conflicts")): shared conflicts")
        }
        if let activity = room.activity { lines.append(Terminal.plain(activity)) }
        return lines
    }

    private static func door(of room: RoomStatus) -> String {
        room.isHidden ? ", hidden" : room.isOpen ? ", open" : ""
    }

    /// One sentence that says who has what.
    static func standing(_ peers: PeerCounts) -> String {
        guard peers.connected > 0 else {
            return peers.nearby == 0
                ? "nobody in reach"
                : "none connected; \(Text.count(peers.nearby, "device", "devices")) nearby"
        }
        var parts: [String] = []
        switch (peers.identical, peers.connected) {
        case (1, 1): parts.append("identical with the 1 peer that is connected")
        case let (same, all) where same == all: parts.append("identical with all \(all) peers")
        case let (same, all):
            parts.append("identical with \(same) of \(all) \(all == 1 ? "peer" : "peers")")
        }
        parts += peers.differing.prefix(5).map(difference)
        if peers.differing.count > 5 { parts.append("and \(peers.differing.count - 5) more") }
        return parts.joined(separator: "; ")
    }

    private static func difference(_ peer: PeerDifference) -> String {
        let name = Text.name(peer.name, peer.id)
        if peer.digestDiffers {
            return "\(name) HAS ANOTHER STATE although it holds the same entries: shared verify"
        }
        if peer.isUnheard { return "\(name) has not told yet what it holds" }
        var parts: [String] = []
        if peer.behind > 0 { parts.append("is \(Text.entries(peer.behind)) behind") }
        if peer.ahead > 0 { parts.append("has \(Text.entries(peer.ahead)) not yet here") }
        return "\(name) \(parts.isEmpty ? "is not identical" : parts.joined(separator: " and "))"
    }
}
