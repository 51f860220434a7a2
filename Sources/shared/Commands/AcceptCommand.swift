internal import ControlClient
internal import ShareControl

/// `shared accept`
enum AcceptCommand: Command {
    static let syntax = CommandSyntax(
        name: "accept", summary: "let entries of a removed device count that are refused",
        operands: [.init(name: "DEVICE")],
        options: [
            .init(
                name: "--decisions",
                help: "also what it decided: forms that it added, devices that it let in, roles")
        ],
        notes: [
            "Owners alone accept. It is about entries that are refused because the device was",
            "removed before they were known, here or at a device that is connected (shared",
            "refused lists them). What it decided stays refused without --decisions; with it",
            "all of that counts, so think of who has held the device.",
        ],
        examples: ["shared accept k7qx93mp", "shared accept k7qx93mp --decisions"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let body = AcceptRequest(
            device: session.arguments.operand(0), decisions: session.arguments.has("--decisions"))
        let request = session.request("POST", ["accept"], body: .value(body), silence: .seconds(90))
        var code = ExitCode.done
        try session.answer(request, as: AcceptedAnswer.self) { answer in
            lines(answer).forEach(session.output.line)
            let counts = answer.accepted + answer.others + answer.decisions.count
            if counts == 0, !answer.settling { code = .failed }
        }
        return code
    }

    private static func lines(_ answer: AcceptedAnswer) -> [String] {
        let device = Text.device(answer.device)
        var lines: [String] = []
        if answer.accepted > 0 {
            lines.append(
                "\(Text.entries(answer.accepted)) of \(device) "
                    + (answer.accepted == 1 ? "counts" : "count") + " again in "
                    + Terminal.plain(answer.room.name))
        }
        lines += answer.decisions.map { "counts again: \(RemoveCommand.text($0))" }
        if answer.others > 0 {
            lines.append(
                "\(Text.entries(answer.others)) of other devices "
                    + (answer.others == 1 ? "counts" : "count") + " again")
        }
        for item in answer.blocked {
            let form = item.form.map { " \(Terminal.plain($0))" } ?? ""
            lines.append(
                "\(Text.entries(item.count)) of \(device) "
                    + (item.count == 1 ? "waits" : "wait")
                    + " for the form\(form), which is refused")
            if let author = item.device {
                lines.append("to let it count: shared accept \(Text.short(author.id)) --decisions")
            }
        }
        if answer.refused > 0 {
            lines.append(
                "\(Text.entries(answer.refused)) "
                    + (answer.refused == 1 ? "stays" : "stay") + " refused: shared refused")
        }
        for item in answer.held {
            lines.append(
                "\(Text.device(item.by)) holds more of it that has not come: accept it again")
        }
        if answer.settling { lines.append("records still follow: shared status") }
        return lines + Text.hearing(answer.heard, answer.notHeard)
    }
}
