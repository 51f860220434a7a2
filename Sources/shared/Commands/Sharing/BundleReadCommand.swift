internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared bundle read`
enum BundleReadCommand: Command {
    static let syntax = CommandSyntax(
        name: "bundle read", summary: "take in a room from a file, checked like what others send",
        operands: [.init(name: "FILE")],
        options: [
            .init(name: "--join", help: "join the room, where the file admits this device"),
            .init(
                name: "--admit", value: "DEVICE",
                help: "admit a device that asks in the file; 16 characters of its id or more"),
            .init(name: "--role", value: "ROLE", help: "as what (usual: collector)"),
        ],
        notes: [
            "Reading a file twice, or again after it was interrupted, changes nothing more. Of a",
            "damaged file what is sound is kept; the exit code is then 1.",
        ],
        examples: [
            "shared bundle read /media/stick/clinic.bundle",
            "shared bundle read ward-9.request --admit dev:k7qx93mpab2c4d5e --role editor",
            "shared bundle read /media/stick/clinic.bundle --join",
        ],
        interrupted: (
            "interrupted; what was read stays",
            "Read the file again to go on: `shared bundle read FILE`."
        ))

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let arguments = session.arguments
        let path = arguments.operand(0)
        guard arguments.has("--admit") || !arguments.has("--role") else {
            throw syntax.problem("--role is for a device that is admitted: --admit DEVICE")
        }
        let file = try InputFile(path)
        var query: [(name: String, value: String)] = []
        if arguments.has("--join") { query.append(("join", "true")) }
        for option in ["admit", "role"] {
            if let value = arguments.value("--\(option)") { query.append((option, value)) }
        }
        let progress = Progress("reading, bytes")
        defer { progress.clear() }
        var done = 0
        let read = { (buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int in
            let count = try file.read(buffer)
            done += count
            progress.show(done, file.length)
            return count
        }
        let request = session.request(
            "POST", ["bundle"], query: query,
            body: .stream(
                mediaType: "application/vnd.shared.bundle", length: file.length, read: read),
            silence: file.length == nil ? .seconds(86_400) : .seconds(300))
        let json: JSONValue = try session.client().answer(request)
        progress.clear()
        let answer: BundleAnswer = try ControlClient.understood(json.text)
        if session.wantsJSON { session.output.line(json) } else { show(answer, session, path) }
        guard answer.complete, answer.broken == nil else { throw broken(answer, path) }
        guard !answer.digestDiffers else {
            throw Problem(
                .damaged, "the same entries, and another state than the writer's",
                hint: "Run on both devices: `shared verify`.")
        }
        return .done
    }

    private static func show(_ answer: BundleAnswer, _ session: Session, _ path: String) {
        let output = session.output
        if let room = answer.room, answer.batches.inFile > 0 {
            let name = Terminal.plain(room.name)
            if answer.joined {
                let founder = answer.founder.map { Text.device($0) } ?? "unknown"
                output.line("joined \(name) as \(answer.role ?? "?"), founded by \(founder)")
            }
            output.line("\(name): \(counts(answer))")
            // What breaks off need not be all.
            if answer.identical == true, answer.broken == nil {
                let writer = answer.writer.map { Text.device($0) } ?? "the writer"
                output.line("everything that \(writer) had sent is here now")
            }
            showPastCutoff(answer, session)
        }
        if let admitted = answer.admitted, let room = answer.room {
            show(admitted, in: Terminal.plain(room.name), session)
        }
        for request in answer.requests where request.id != answer.admitted?.id {
            output.line(
                "\(Terminal.plain(request.name)) asks to be admitted"
                    + (request.role.map { "; it is \($0) already" } ?? ""))
            output.line("    \(Text.grouped(request.id))")
            guard request.role == nil else { continue }
            let short = String(request.id.prefix(4 + 16))
            session.diagnostics.note(
                "if that is what the device showed as it wrote the file: "
                    + "shared bundle read \(Shell.quoted(path)) --admit \(short) --role collector")
        }
    }

    /// Batches past the cutoff of removed devices: an owner's device keeps the records among them,
    /// others leave all of them out.
    private static func showPastCutoff(_ answer: BundleAnswer, _ session: Session) {
        var what: String {
            "what \(Text.names(answer.removed)) wrote after the removal"
        }
        let (kept, leftOut) = (answer.batches.kept, answer.batches.leftOut)
        if leftOut > 0 { session.output.line("left out: \(what)") }
        if kept > 0 {
            session.output.line("kept, and counting for nothing: \(what)")
            let device = answer.removed.count == 1 ? Text.short(answer.removed[0].id) : "DEVICE"
            session.diagnostics.note(
                "to see what: shared refused; to let it count: shared accept \(device)")
        } else if leftOut > 0, answer.role != "owner" {
            session.diagnostics.note(
                "an owner can let entries count: read the file on an owner's device")
        }
    }

    /// What became of a device that was to be admitted: a member stays what it is, unless it has
    /// been given more.
    private static func show(
        _ admitted: BundleRequestAnswer, in room: String, _ session: Session
    ) {
        let device = Text.device(admitted.name, admitted.id)
        let role = Terminal.plain(admitted.role ?? "?")
        let asked = session.arguments.value("--role") ?? "collector"
        if admitted.before != nil, admitted.before == admitted.role {
            session.output.line("\(device) is \(role) in \(room) already, and stays that")
            if role != asked {
                session.diagnostics.note(
                    "to give it another role: shared role \(Text.short(admitted.id)) "
                        + Terminal.plain(asked))
            }
        } else {
            let before = admitted.before.map { ", and was \(Terminal.plain($0))" } ?? ""
            session.output.line("\(device) is now \(role) in \(room)\(before)")
        }
        session.diagnostics.note("carry the room to it: shared bundle write FILE")
    }

    /// What has come of the file; an entry that was corrected counts with its corrections.
    private static func counts(_ answer: BundleAnswer) -> String {
        let changes = answer.accepted - answer.newEntries - answer.decisions
        var parts: [String] = []
        if answer.newEntries + changes > 0 || answer.decisions == 0 {
            parts.append("\(Text.entries(answer.newEntries, changes: changes)) read")
        }
        if answer.decisions > 0 {
            let read = parts.isEmpty ? " read" : ""
            parts.append(
                Text.count(answer.decisions, "decision", "decisions")
                    + " on members and forms\(read)")
        }
        if answer.batches.new == 0 { parts = ["nothing new"] }
        if answer.waiting > 0 { parts.append("\(Text.number(answer.waiting)) waiting") }
        if answer.refused > 0 {
            parts.append("\(Text.number(answer.refused)) refused: shared refused")
        }
        let damaged = answer.batches.damaged + answer.batches.refused
        if damaged > 0 { parts.append("\(Text.count(damaged, "piece", "pieces")) damaged") }
        return parts.joined(separator: ", ")
    }

    private static func broken(_ answer: BundleAnswer, _ path: String) -> Problem {
        let kept =
            answer.batches.new + answer.batches.known > 0
            ? "what was sound is kept" : "nothing of it could be used"
        return Problem(
            .badFile, "\(path): \(answer.broken ?? "it is not complete"); \(kept)",
            hint: "Have it written again, and read the new file: `shared bundle write FILE`.")
    }
}
