internal import ControlClient
internal import ShareControl

/// `shared accept`
enum AcceptCommand: Command {
    static let syntax = CommandSyntax(
        name: "accept", summary: "let entries of a removed device count that are refused",
        operands: [.init(name: "DEVICE")],
        notes: [
            "Owners alone accept. It is about entries that are here and refused because the",
            "device was removed before they were known (shared refused lists them). What it",
            "decided about members and forms stays refused.",
        ],
        examples: ["shared accept k7qx93mp"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let body = AcceptRequest(device: session.arguments.operand(0))
        let request = session.request("POST", ["accept"], body: .value(body))
        try session.answer(request, as: AcceptedAnswer.self) { answer in
            let output = session.output
            output.line(
                "\(Text.entries(answer.accepted)) of \(Text.device(answer.device)) "
                    + (answer.accepted == 1 ? "counts" : "count") + " again in "
                    + Terminal.plain(answer.room.name))
            if answer.refused > 0 {
                output.line("\(Text.entries(answer.refused)) stay refused: shared refused")
            }
            Text.hearing(answer.heard, answer.notHeard).forEach(output.line)
        }
        return .done
    }
}
