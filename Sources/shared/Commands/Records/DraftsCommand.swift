internal import JSON
internal import ShareControl

/// `shared drafts`
enum DraftsCommand: Command {
    static let syntax = CommandSyntax(
        name: "drafts", summary: "entries that were begun and not saved",
        options: [.init(name: "--remove", value: "ID", help: "throw one away")],
        takesRoom: false,
        notes: [
            "They are files of yours, in shared/drafts under $XDG_STATE_HOME or ~/.local/state,",
            "and go nowhere. Go on with one: shared add --draft ID.",
        ],
        examples: ["shared drafts", "shared drafts --remove k7qx"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let folder = try DraftFolder()
        if let id = session.arguments.value("--remove") {
            let draft = try folder.load(id)
            folder.remove(draft.id)
            if session.wantsJSON {
                session.output.line(draft.jsonText)
            } else {
                session.output.line("removed draft \(draft.id)")
            }
            return .done
        }
        let drafts = folder.all()
        guard !session.wantsJSON else {
            session.output.line(drafts.jsonText)
            return .done
        }
        guard !drafts.isEmpty else {
            session.output.line("no drafts")
            return .done
        }
        var table = Table(["DRAFT", "SAVED", "OF"])
        for draft in drafts {
            table.add([
                draft.id, TimestampText.text(draft.at),
                draft.name ?? "new \(draft.form)" + (draft.about.map { ": \($0)" } ?? ""),
            ])
        }
        table.write(to: session.output)
        return .done
    }
}
