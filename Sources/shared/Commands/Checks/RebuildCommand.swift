internal import JSON
internal import ShareControl

/// `shared rebuild`
enum RebuildCommand: Command {
    static let syntax = CommandSyntax(
        name: "rebuild", summary: "make the tables again from the signed batches",
        notes: [
            "No sound batch is touched, and what is pending stays. A batch that is damaged is taken",
            "out, and fetched again from a device that has it. A room that cannot be opened is made",
            "anew from what can be read of its file, and the damaged file is kept.",
        ], examples: ["shared rebuild", "shared rebuild --room clinic"],
        interrupted: (
            "stopped waiting; the daemon goes on with it to its end, and no entry is touched",
            "See afterwards whether all is well: `shared verify`."
        ))

    /// Entries that are listed by their ids.
    private static let listed = 20

    private static func show(_ lost: LostAnswer, _ session: Session) {
        let count = Text.changes(lost.count)
        session.output.line(
            "\(count) made here and not sent could not be read any more: enter"
                + " \(lost.count == 1 ? "it" : "them") again.")
        for entry in lost.entries.prefix(listed) {
            session.output.line("  \(Terminal.plain(entry.form)) \(entry.id.suffix(8))")
        }
        let more = lost.count - min(lost.entries.count, listed)
        if more > 0, !lost.entries.isEmpty { session.output.line("  and \(more) more") }
    }

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let request = session.request("POST", ["rebuild"], silence: .reading)
        let answer: RebuildAnswer = try session.work(request, "rebuilding")
        if session.wantsJSON {
            session.output.line(answer.jsonText)
        } else {
            session.output.line(
                "rebuilt \(Text.entries(answer.records)) from what was signed; "
                    + (answer.kept != nil
                        ? "the file had been damaged"
                        : answer.changed ? "the tables had been different" : "nothing had changed"))
            if let kept = answer.kept {
                session.output.line("What it was before is kept as \(Terminal.plain(kept)).")
            }
            if let lost = answer.lost { show(lost, session) }
            if answer.refilling {
                session.output.line(
                    "Nothing is sent before a member, or a bundle, has given back what was lost.")
                session.output.line(
                    "If nobody else has the room, begin a new one: man shared, at rebuild.")
            }
        }
        return answer.lost == nil ? .done : .failed
    }
}
