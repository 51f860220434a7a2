internal import ControlClient
internal import ShareControl

/// `shared accept`
enum AcceptCommand: Command {
    static let syntax = CommandSyntax(
        name: "accept", summary: "let entries of a removed device count that are refused",
        operands: [.init(name: "DEVICE")],
        options: RecoveryInput.options,
        notes: [
            "Owners alone accept. Entries are refused because the device was removed, or got a",
            "lower role, before they were known (shared refused lists them). Entries that only",
            "another member holds come in a file: there shared bundle write FILE --for, with the",
            "id of the owner, and here shared bundle read FILE. Or that member accepts them, if",
            "it is an owner. What the device decided past its cutoff is revoked: decide it again.",
        ],
        examples: ["shared accept k7qx93mp"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let body = AcceptRequest(
            device: try DeviceOperand.id(
                session.arguments.operand(0), to: "accept entries of", session, owners: true),
            recovery: try RecoveryInput.code(session))
        let request = session.request("POST", ["accept"], body: .value(body), silence: .seconds(90))
        let answer = try session.answered(
            request, as: AcceptedAnswer.self, waiting: "telling the members"
        ) {
            lines($0).forEach(session.output.line)
        }
        return answer.accepted + answer.others == 0 && !answer.reapplying ? .failed : .done
    }

    private static func lines(_ answer: AcceptedAnswer) -> [String] {
        let device = Text.device(answer.device)
        var lines: [String] = []
        if answer.accepted > 0 {
            lines.append(
                "\(Text.changes(answer.accepted)) of \(device) "
                    + (answer.accepted == 1 ? "counts" : "count") + " again in "
                    + Terminal.plain(answer.room.name))
        }
        if answer.others > 0 {
            lines.append(
                "\(Text.changes(answer.others)) of other devices "
                    + (answer.others == 1 ? "counts" : "count") + " again")
        }
        for item in answer.blocked {
            let form = item.form.map { " \(Terminal.plain($0))" } ?? ""
            lines.append(
                "\(Text.changes(item.count)) of \(device) "
                    + (item.count == 1 ? "waits" : "wait")
                    + " for the form\(form), which is refused")
        }
        if answer.refused > 0 {
            lines.append(
                "\(Text.changes(answer.refused)) "
                    + (answer.refused == 1 ? "stays" : "stay") + " refused: shared refused")
        }
        if answer.accepted + answer.others == 0, !answer.reapplying {
            lines.insert("nothing of \(device) counts that did not count before", at: 0)
        }
        if answer.reapplying { lines.append("records still follow: shared status") }
        return lines + Text.hearing(answer.heard, answer.notHeard)
    }
}
