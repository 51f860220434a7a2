internal import ControlClient
internal import ShareControl

/// `shared identity new`
enum IdentityNewCommand: Command {
    static let syntax = CommandSyntax(
        name: "identity new", summary: "give this device a new identity and keep the old one aside",
        takesRoom: false,
        notes: [
            "For a device whose identity is on another machine too, or may be in other hands.",
            "What is not sent yet goes out first. Where this device is an owner it admits its new",
            "identity as one, where it is an editor as a collector; elsewhere it has to be",
            "invited again. What it has entered stays under the old identity, which remains a",
            "member until an owner removes it.",
        ],
        examples: ["shared identity new"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let request = ControlRequest("POST", ["identity"], silence: .seconds(120))
        try session.answer(request, as: IdentityChangedAnswer.self) { answer in
            let former = Text.short(answer.former.id)
            session.output.line(
                "this device is \(Text.short(answer.device.id)) from now on; it was \(former), "
                    + "whose key is kept as \(Terminal.plain(answer.kept))")
            for change in answer.rooms { show(change, former, session.output) }
        }
        return .done
    }

    private static func show(_ change: IdentityRoom, _ former: String, _ output: Output) {
        let room = Terminal.plain(change.room.name)
        switch (change.role, change.formerRole) {
        case (let role?, let before?) where role == before:
            output.line("\(room): \(Terminal.plain(role)), as before")
        case (let role?, let before?):
            output.line(
                "\(room): \(Terminal.plain(role)) instead of \(Terminal.plain(before)); an owner "
                    + "can change that: shared role")
        case (nil, _):
            output.line(
                "\(room): no member yet; ask there for an invite, then: "
                    + "shared join CODE")
        case (let role?, nil): output.line("\(room): \(Terminal.plain(role))")
        }
        if change.formerRole != nil {
            // It was an owner before what this device is now, and so outranks it.
            let recovery = change.formerRole == "owner" ? " --recovery" : ""
            output.line("    if nobody uses \(former) any more: shared remove \(former)\(recovery)")
        }
        guard !change.missing.isEmpty else { return }
        let names = change.missing.prefix(5).map { Text.device($0) }
        let more = change.missing.count > 5 ? " and \(change.missing.count - 5) more" : ""
        output.line(
            "    not yet with all that \(former) wrote: \(names.joined(separator: ", "))\(more)")
    }
}
