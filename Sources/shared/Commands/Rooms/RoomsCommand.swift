internal import ControlClient
internal import ShareControl

/// `shared rooms`
enum RoomsCommand: Command {
    static let syntax = CommandSyntax(
        name: "rooms", summary: "the rooms that this device is in, and those nearby",
        options: [.init(name: "--nearby", help: "only those nearby that it is not in")],
        takesRoom: false,
        notes: ["A hidden room is in nobody's list; its code leads to it all the same."],
        examples: ["shared rooms", "shared rooms --nearby"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let nearby = ControlRequest("GET", ["rooms", "nearby"])
        if session.arguments.has("--nearby") {
            try session.answer(nearby, as: [NearbyRoom].self) { rooms in
                if rooms.isEmpty { session.output.line("no other room is nearby") }
                show(nearby: rooms, session)
            }
            return .done
        }
        try session.answer(ControlRequest("GET", ["rooms"]), as: [RoomAnswer].self) {
            rooms throws(Problem) in
            show(rooms, session)
            show(nearby: try session.client().answer(nearby), session)
        }
        return .done
    }

    private static func show(nearby: [NearbyRoom], _ session: Session) {
        guard !nearby.isEmpty else { return }
        session.output.line("nearby:")
        var table = Table(["NAME", "ID", "TO JOIN", "SEEN AT"])
        for room in nearby {
            table.add([
                room.name, room.id,
                room.isOpen ? "shared join \(Shell.quoted(room.name))" : "shared join CODE",
                Text.list(room.devices.map { Text.name($0.name, $0.id) }),
            ])
        }
        table.write(to: session.output)
    }

    private static func show(_ rooms: [RoomAnswer], _ session: Session) {
        guard !rooms.isEmpty else {
            return session.output.line(
                "this device is in no room: shared join CODE, or shared create ROOM")
        }
        var table = Table(["NAME", "ID", "ROLE", ""])
        for room in rooms {
            table.add([
                room.name, Text.short(room.id), room.role,
                ((room.current ? ["current"] : [])
                    + (room.notLeft ? ["not left: the only owner"] : [])
                    + (room.role == "left" ? [] : room.removed.map { [how($0)] } ?? []))
                    .joined(separator: "; "),
            ])
        }
        table.write(to: session.output)
        for problem in rooms.compactMap(\.problem) {
            session.diagnostics.note(problem.detail)
            if let hint = problem.hint { session.diagnostics.note(hint) }
        }
    }

    /// How this device came to be no member.
    private static func how(_ removal: RemovalAnswer) -> String {
        "by \(Text.device(removal.by)), \(Text.time(removal.at))"
    }
}
