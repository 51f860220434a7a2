internal import ControlClient
internal import ShareControl

/// `shared ping`
enum PingCommand: Command {
    static let syntax = CommandSyntax(
        name: "ping", summary: "ask one device for a sign of life",
        operands: [.init(name: "DEVICE")], takesRoom: false,
        notes: [
            "DEVICE is its name or the beginning of its id. It ends with 1 where it does not answer."
        ],
        examples: ["shared ping ward-2"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let body = PingRequest(device: session.arguments.operand(0))
        let request = ControlRequest("POST", ["ping"], body: .value(body), silence: .seconds(60))
        let answer = try session.answered(request, as: PingAnswer.self, waiting: "asking it") {
            answer in
            let at = answer.address.map { " at \(Terminal.plain($0))" } ?? ""
            for time in answer.milliseconds {
                session.output.line("\(Text.device(answer.device))\(at): \(milliseconds(time)) ms")
            }
            session.output.line("\(answer.milliseconds.count) of \(answer.sent) answered")
        }
        return answer.milliseconds.count == answer.sent ? .done : .failed
    }

    /// With one digit behind the point.
    private static func milliseconds(_ time: Double) -> String {
        let tenths = Int((min(max(time, 0), 1e9) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
