internal import ControlClient
internal import ShareControl

/// `shared remove`
enum RemoveCommand: Command {
    static let syntax = CommandSyntax(
        name: "remove", summary: "remove a device from a room, such as a lost one",
        operands: [.init(name: "DEVICE")],
        options: [
            .init(
                name: "--reason", value: "TEXT", mayBeEmpty: true,
                help: "why; everybody in the room reads it"),
            .init(
                name: "--since", value: "TIME",
                help: "nothing counts that it wrote from then on: 3h, 2026-11-21, "
                    + "2026-11-21T14:30, now"),
            .init(
                name: "--repeat-grants",
                help: "give roles again that it gave after that time"),
            .init(name: "--drop-grants", help: "let what it decided after that time be revoked"),
            .init(name: "--dry-run", help: "only say what would be done"),
        ] + RecoveryInput.options,
        notes: [
            "Owners alone remove devices, and nobody removes who was an owner before; the recovery",
            "code removes any. What is here of the device stays; what it writes from then on",
            "everybody refuses, also where it arrived before.",
            "--since counts by the clock of the device itself, which a thief can set back: look",
            "at --dry-run, and name an earlier time where in doubt: shared accept lets refused",
            "entries count again. Decisions past the cutoff are revoked; decide them again.",
            "A removal cannot recall what the device has received.",
        ],
        examples: [
            "shared remove k7qx93mp --reason \"lost on the bus\"",
            "shared remove k7qx93mp --since 2026-11-21T14:30 --dry-run",
            "shared remove k7qx93mp --recovery --since 3h",
        ],
        look: { _ in "shared members --all" })

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let arguments = session.arguments
        guard !(arguments.has("--repeat-grants") && arguments.has("--drop-grants")) else {
            throw syntax.problem("--repeat-grants and --drop-grants exclude each other")
        }
        let body = RemoveRequest(
            device: try DeviceOperand.id(
                arguments.operand(0), to: "remove", session, owners: true,
                isTrial: arguments.has("--dry-run"),
                beware: { member in
                    ProgressText.unsent(member).map {
                        "\($0): nobody takes \(member.progress?.unsent == 1 ? "it" : "them")"
                            + " from it once it is removed"
                    }
                }),
            reason: arguments.value("--reason"),
            sinceMilliseconds: try TimestampText.milliseconds("--since", arguments),
            grants: arguments.has("--repeat-grants")
                ? .again : arguments.has("--drop-grants") ? .revoked : .ask,
            dryRun: arguments.has("--dry-run"), recovery: try RecoveryInput.code(session))
        let request = session.request("POST", ["remove"], body: .value(body), silence: .seconds(90))
        try session.answer(request, as: RemovedAnswer.self, waiting: "telling the members") {
            show($0, session.output)
        }
        return .done
    }

    private static func show(_ answer: RemovedAnswer, _ output: Output) {
        let device = Text.device(answer.device)
        let room = Terminal.plain(answer.room.name)
        output.line(
            answer.done
                ? "removed \(device) from \(room)" : "would remove \(device) from \(room)")
        let last = answer.last.map { " up to \(Text.time($0))" } ?? ""
        output.line(
            answer.counted == 0
                ? "nothing of it is in the room"
                : "its \(Text.changes(answer.counted))\(last) \(answer.counted == 1 ? "stays" : "stay")"
                    + " in the room")
        if let unsent = answer.unsent, unsent > 0 {
            output.text(
                "\(Text.changes(unsent)) \(unsent == 1 ? "was" : "were") not sent from it, and"
                    + " nobody takes \(unsent == 1 ? "it" : "them") from it any more")
        }
        if answer.refused > 0 {
            output.line(
                "refused: \(Text.changes(answer.refused)) after that; to let"
                    + " \(answer.refused == 1 ? "it" : "them") count: "
                    + "shared accept \(Text.short(answer.device.id))")
        }
        for item in answer.revoked {
            output.line((item.repeated ? "given again: " : "revoked: ") + text(item))
        }
        guard answer.done else { return }
        Text.hearing(answer.heard, answer.notHeard).forEach(output.line)
        output.line(
            answer.notified
                ? "the device has been told"
                : "the device has not been told yet: it is when it meets one of you")
    }

    /// Something that was decided.
    static func text(_ item: RevokedAnswer) -> String {
        var text = Terminal.plain(item.what)
        if let role = item.role { text += " of \(Terminal.plain(role))" }
        if let name = item.name { text += " \(Terminal.plain(name))" }
        if let device = item.device {
            text += (item.role == nil ? " of " : " to ") + Text.device(device)
        }
        if item.entries > 0 {
            text += ", and with it \(Text.changes(item.entries)) of other devices"
        }
        return text
    }
}
