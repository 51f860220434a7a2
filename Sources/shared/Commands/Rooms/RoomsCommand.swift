internal import ShareControl

/// `shared rooms`
enum RoomsCommand: Command {
    static let syntax = CommandSyntax(
        name: "rooms", summary: "the rooms that this device is in", takesRoom: false,
        examples: ["shared rooms"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        try session.answer(session.request("GET", ["rooms"]), as: [RoomAnswer].self) { rooms in
            guard !rooms.isEmpty else {
                return session.diagnostics.note(
                    "no room yet: shared create ROOM, or shared join ROOM")
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
        return .done
    }

    /// How this device came to be no member.
    private static func how(_ removal: RemovalAnswer) -> String {
        "by \(Text.device(removal.by)), \(Text.time(removal.at))"
    }
}
