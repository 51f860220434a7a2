internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared bundle write`
enum BundleWriteCommand: Command {
    static let syntax = CommandSyntax(
        name: "bundle write", summary: "write the room to a file, for a USB stick",
        operands: [.init(name: "FILE")],
        options: [
            .init(
                name: "--for", value: "DEVICE",
                help: "what this member may read: for contributors less, for owners more"),
            .init(name: "--join", help: "write a request to be admitted instead, for an owner"),
        ],
        refused: [
            "--where": "it takes no --where: it has all that members wrote, as they signed it;"
                + " `shared export` takes conditions"
        ],
        notes: [
            "What is not sent yet goes in too. The file is signed but not encrypted: whoever has",
            "it can read all of it. It replaces an older one only when it is complete.",
            "With --join no room is needed; --room names one that this device was in before.",
        ],
        examples: [
            "shared bundle write /media/stick/clinic.bundle",
            "shared bundle write /media/stick/ward-9.request --join",
        ])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let path = session.arguments.operand(0)
        guard session.arguments.has("--join") else {
            let query = session.arguments.value("--for").map { [(name: "for", value: $0)] } ?? []
            return try Download.bundle(session, query, to: path)
        }
        guard !session.arguments.has("--for") else {
            throw syntax.problem("--join and --for do not go together")
        }
        let status: StatusAnswer = try session.client().answer(
            ControlRequest("GET", ["status"]))
        let written = try Download.save(
            session, session.request("GET", ["bundle", "request"]), to: path, "writing, bytes")
        if session.wantsJSON {
            session.answer([
                "file": path.json, "bytes": written.json, "device": status.device.json,
            ])
        } else {
            session.output.line("wrote a request to be admitted to \(Terminal.plain(path))")
            session.output.line(
                "take it to the room's owner; the owner's screen must show the same letters:")
            session.output.line("    \(Text.grouped(status.device.id))")
        }
        return .done
    }
}
