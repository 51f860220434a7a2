internal import ControlClient
internal import ShareControl

/// `shared set quota`
enum SetQuotaCommand: Command {
    static let syntax = CommandSyntax(
        name: "set quota", summary: "bound how much each member may write, in all and a day",
        operands: [.init(name: "LIMIT|off", count: .atLeastOne)],
        notes: [
            "LIMIT is a number of entries and changes, or a size: 500/day, 20MB/day, 100000, 1GB.",
            "Owners alone may, and are not bound. What a member makes above it waits on its device;",
            "what comes all the same is refused (shared refused) until owners give more.",
        ],
        examples: ["shared set quota 500/day 1GB", "shared set quota off"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let body = RoomSettingsRequest(quota: session.arguments.operands.joined(separator: " "))
        let request = session.request("PUT", ["settings", "room"], body: .value(body))
        try session.answer(request, as: RoomSettingsAnswer.self) { answer in
            let room = Terminal.plain(answer.room.name)
            session.output.line(
                answer.quota.map { "each member of \(room) but the owners may write: \($0)" }
                    ?? "members of \(room) may write without a limit")
        }
        return .done
    }
}
