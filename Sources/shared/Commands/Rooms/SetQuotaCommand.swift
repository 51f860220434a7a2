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
                answer.quota.map {
                    "each member of \(room) but the owners may write: \(Self.words($0))"
                }
                    ?? "members of \(room) may write without a limit")
        }
        return .done
    }

    /// Sizes in their largest unit that divides them: `20MB/day` for `20000000B/day`.
    private static func words(_ quota: String) -> String {
        quota.split(separator: " ").map { limit in
            let digits = limit.prefix { $0.isNumber }
            guard limit.dropFirst(digits.count).first == "B", let bytes = Int(digits) else {
                return String(limit)
            }
            let units = [("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1_000)]
            let unit = units.first { bytes > 0 && bytes.isMultiple(of: $0.1) } ?? ("B", 1)
            return "\(bytes / unit.1)\(unit.0)\(limit.dropFirst(digits.count + 1))"
        }.joined(separator: " ")
    }
}
