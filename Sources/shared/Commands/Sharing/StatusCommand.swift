internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared status`
enum StatusCommand: Command {
    static let syntax = CommandSyntax(
        name: "status", summary: "who is up to date, this device and its rooms",
        examples: ["shared status", "shared status --json"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        try session.answer(session.request("GET", ["status"]), as: StatusAnswer.self) {
            show($0, session.output)
        }
        return .done
    }

    private static func show(_ status: StatusAnswer, _ output: Output) {
        for room in status.rooms where room.problem == nil && room.removed == nil {
            let name = status.rooms.count > 1 ? "\(room.name): " : ""
            output.text(
                name + ProgressText.summary(of: room), indent: margin, label: "members",
                as: ProgressText.style(of: room))
        }
        let device = status.device
        output.line(
            "device     \(Text.device(device)), "
                + "shared \(Terminal.plain(status.version))")
        if status.rooms.isEmpty {
            output.line("rooms      none yet: shared join CODE, or shared create ROOM")
        }
        if status.rooms.count > 1, !status.rooms.contains(where: \.current) {
            output.text(
                "which one is the current one is not known: shared use ROOM", indent: margin,
                label: "rooms")
        }
        for room in status.rooms {
            for (index, line) in lines(room, of: status.rooms.count).enumerated() {
                output.text(
                    line.text, indent: margin, label: index == 0 ? "room" : nil, as: line.style)
            }
        }
        let faults = status.faults.prefix(Self.faultsShown)
        for (index, fault) in faults.enumerated() {
            output.text(
                fault.detail, indent: margin, label: index == 0 ? "faults" : nil, as: .red)
            // What helps against several is said once.
            if index + 1 == faults.count || faults[index + 1].hint != fault.hint {
                output.text(fault.hint, indent: margin)
            }
        }
        if status.faults.count > Self.faultsShown {
            output.line(
                "           and \(status.faults.count - Self.faultsShown) more: shared doctor")
        }
        if let network = status.network {
            output.text(
                "\(network): shared doctor", indent: margin, label: "network", as: .yellow)
        } else if status.peers.connected == 0 {
            output.text(nobody(status), indent: margin, label: "peers", as: .yellow)
        }
        output.line("discovery  \(Terminal.plain(status.discovery.state))")
        if let hint = status.discovery.hint { output.text(hint, indent: margin) }
    }

    /// Where what is said begins, beside its labels.
    private static let margin = 11

    private static let faultsShown = 3

    /// Something that is so in a room, and how it stands out.
    private struct Line {
        var text: String
        var style: Style?
    }

    private static func lines(_ room: RoomStatus, of count: Int) -> [Line] {
        let current = room.current && count > 1 ? ", current" : ""
        if let problem = room.problem {
            return [
                Line(text: "\(room.name) (\(room.role)\(current))"),
                Line(text: problem.detail, style: .red),
            ] + (problem.hint.map { [Line(text: $0)] } ?? [])
        }
        var lines = [
            Line(
                text: "\(room.name) (\(room.role)\(door(of: room))\(current)): "
                    + Text.count(room.members, "member", "members") + ", "
                    + Text.entries(room.records))
        ]
        if let removal = room.removed {
            let hasLeft = room.role == "left"
            let texts = Text.removal(removal, hasLeft: hasLeft)
            lines += texts.enumerated().map {
                Line(text: $0.element, style: $0.offset == 0 && !hasLeft ? .red : nil)
            }
        } else if let text = onlyHere(room) {
            lines.append(Line(text: text, style: .yellow))
        }
        lines += toDo(in: room).map { Line(text: $0, style: .yellow) }
        lines += notes(on: room).map { Line(text: $0) }
        return lines
    }

    /// What is so in a room, and nobody has to do anything about.
    private static func notes(on room: RoomStatus) -> [String] {
        var notes = room.scopes.map { "you enter \(ScopeOptions.text($0))" }
        if room.role == "contributor" {
            notes.append(
                "entries show as you sent them, or as they last came: those of others are not sent")
        }
        if room.isStale { notes.append("entries of others are no longer brought up to date") }
        if room.waiting > room.blocked {
            notes.append(
                "\(Text.changes(room.waiting - room.blocked)) waiting for what has not arrived yet")
        }
        if let activity = room.activity { notes.append(activity) }
        return notes
    }

    /// What somebody has to do something about.
    private static func toDo(in room: RoomStatus) -> [String] {
        var lines: [String] = []
        // Of all that is not sent it is known how many are entries.
        let kept = room.withheld == room.pending ? room.pendingEntries : nil
        if let withheld = Text.withheld(
            room.withheld, new: kept, isRemoved: room.removed != nil)
        {
            lines.append(withheld)
        }
        if room.blocked > 0 {
            lines.append(
                "\(Text.changes(room.blocked)) waiting for a form that is refused: shared refused")
        }
        if room.refused > 0 {
            lines.append("\(Text.changes(room.refused)) refused: shared refused")
        }
        if room.conflicts > 0 {
            lines.append("\(Text.count(room.conflicts, "conflict", "conflicts")): shared conflicts")
        }
        lines += room.invalid.map { found in
            "\(Text.entries(found.count)) of \(Terminal.plain(found.form)) "
                + (found.count == 1 ? "does" : "do") + " not fit the form as it is now"
                + ": shared list \(Terminal.plain(found.form)) --invalid"
        }
        lines += room.repeatedKeys.map { found in
            let form = Terminal.plain(found.form)
            return
                (found.count == 1
                ? "1 key of \(form) is" : "\(Text.number(found.count)) keys of \(form) are")
                + " there more than once: shared list \(form) --duplicates"
        }
        lines += room.parallelForms.map { ParallelFormText.line($0) }
        lines += room.parallelLists.map { ParallelListText.line($0) }
        return lines
    }

    /// How much of what was sent no other device is known to have, or that nobody is sent it; nil
    /// where there is nothing to say. What is not sent stands with the members.
    private static func onlyHere(_ room: RoomStatus) -> String? {
        let pending = max(room.pending - room.withheld, 0)
        let count = max(room.onlyHere - room.withheld, pending)
        if count > 0, room.readers == 0, room.members > 1 {
            let what =
                room.withheld == 0
                ? Text.unsent(count, new: room.onlyHereEntries) : Text.changes(count)
            return "\(what) only on this device; the others are contributors, who"
                + " are not sent what others enter"
        }
        let sent = count - pending
        guard sent > 0 else { return nil }
        return Text.alone(sent, new: max(room.onlyHereEntries - room.pendingEntries, 0))
    }

    private static func door(of room: RoomStatus) -> String {
        room.isHidden ? ", hidden" : room.isOpen ? ", open" : ""
    }

    /// That no member is connected, and what to do where devices are seen.
    private static func nobody(_ status: StatusAnswer) -> String {
        // Each of them may be asleep; where none answers, it is as likely this device.
        if status.rooms.flatMap(\.others).contains(where: { $0.state == "silent" }) {
            return "nobody answers: perhaps this device is off the network: shared doctor"
        }
        guard status.peers.nearby > 0 else { return "nobody in reach: shared doctor" }
        let devices = Text.count(status.peers.nearby, "device", "devices")
        return status.rooms.isEmpty
            ? "\(devices) seen nearby, and no room in common yet: shared rooms --nearby; where none"
                + " answers: shared doctor"
            : "no member connected; \(devices) nearby: shared doctor"
    }
}
