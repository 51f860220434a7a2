internal import ControlClient
internal import ShareControl

/// `shared join`
enum JoinCommand: Command {
    static let syntax = CommandSyntax(
        name: "join", summary: "join a room: by its code, or an open one by its name",
        operands: [
            .init(name: "CODE|ROOM", mayBeEmpty: true), .init(name: "REST", count: .optional),
        ],
        options: [
            .init(
                name: "--code", value: "CODE",
                help: "the code, where ROOM says which room it must lead to"),
            .init(
                name: "--create",
                help: "found the room where there surely is none of that name nearby"),
        ],
        takesRoom: false,
        notes: [
            "The code is what `shared invite` showed a member; the link (shared:join?...) that a",
            "QR symbol holds may stand in its place. Without --create it never founds a room. A",
            "room's name also takes back a leave that nobody has heard.",
        ],
        examples: [
            "shared join K7QX-93MP", "shared join clinic --code K7QX-93MP", "shared join market",
        ],
        interrupted: (
            "interrupted; sharedd goes on with the join that it has begun, for 30 s at most",
            "see whether this device is in: shared status; to leave again: shared leave ROOM"
        ))

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let body = try body(session.arguments)
        let request = ControlRequest("POST", ["join"], body: .value(body), silence: .seconds(60))
        do {
            try session.answer(
                request, as: JoinAnswer.self, waiting: "asking the devices nearby",
                later: "waiting for an answer: is there a firewall, or another Wi-Fi?"
            ) { show($0, session) }
        } catch {
            guard error.code == .roomNotNearby, let room = body.room, !session.wantsJSON,
                Question.canBeAsked
            else { throw error }
            if try isNear(room, session) { throw error }
            session.diagnostics.note(error.detail)
            let question =
                "Found a new room called \(Terminal.plain(room)), whose name everybody on this Wi-Fi"
                + " will see?"
            guard try Question.yes(question) else {
                throw error
            }
            let request = ControlRequest(
                "POST", ["rooms"], body: .value(CreateRequest(room: room)))
            try session.answer(request, as: JoinAnswer.self) { show($0, session) }
        }
        return .done
    }

    /// Whether a name was probably meant for another room, which the hint then names: one of this
    /// device's own, or one nearby.
    private static func isNear(_ room: String, _ session: Session) throws(Problem) -> Bool {
        let client = try session.client()
        let own: [RoomAnswer] = try client.answer(ControlRequest("GET", ["rooms"]))
        let nearby: [NearbyRoom] = try client.answer(ControlRequest("GET", ["rooms", "nearby"]))
        return NearestWord.guess(room, among: own.map(\.name) + nearby.map(\.name)) != nil
    }

    /// The first word; or a code that is typed as it is read out, in two words.
    private static func room(_ words: [String]) throws(Problem) -> String {
        guard words.count > 1 else { return words[0] }
        guard words.allSatisfy({ hasLetters($0, 4) }) else {
            throw syntax.problem(
                "a name with spaces goes in quotes: '\(words.joined(separator: " "))'")
        }
        return words.joined(separator: "-")
    }

    /// Whether a word is so many letters and figures, as codes have them.
    private static func hasLetters(_ word: String, _ count: Int) -> Bool {
        word.utf8.count == count
            && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    private static func body(_ arguments: ParsedArguments) throws(Problem) -> JoinRequest {
        var operands = arguments.operands
        var code = arguments.value("--code")
        // `join clinic K7QX-93MP`: the room and its code.
        if code == nil, operands.count == 2,
            hasLetters(operands[1].filter { $0 != "-" }, 8)
        {
            code = operands.removeLast()
        }
        let room = try room(operands)
        let create = arguments.has("--create")
        if create, code != nil { throw syntax.problem("a room with a code is there already") }
        guard room.lowercased().hasPrefix("shared:") else {
            return JoinRequest(room: room, code: code, create: create)
        }
        guard let link = JoinLink(text: room) else {
            throw Problem(
                .badCode, "that link is not whole: a room or a code is missing in it",
                hint: "Copy all of it, in quotes: `shared join 'shared:join?room=...&code=...'`.")
        }
        guard !create else { throw syntax.problem("a room with a code is there already") }
        guard code == nil else { throw syntax.problem("a link has its code; leave out --code") }
        return JoinRequest(room: link.room, code: link.code, at: link.at)
    }

    static func show(_ answer: JoinAnswer, _ session: Session) {
        let output = session.output
        let name = Terminal.plain(answer.room.name)
        let room = "\(name) (\(Text.short(answer.room.id)))"
        if answer.created {
            output.line("created a new room, \(room); nobody else is in it")
            output.line("it is the current room now")
            if !answer.isOpen { output.line("invite somebody: shared invite") }
            if let recovery = answer.recovery {
                show(recovery: recovery, output)
                output.line("")
            }
            if answer.isOpen { warn(ofOpen: name, session) }
            output.text(SetAutopushCommand.advice(to: "owner"))
            return
        }
        if answer.stays {
            let role = answer.role.map { ", as \(Terminal.plain($0))" } ?? ""
            output.line("stays in \(room)\(role): nobody had heard that it leaves")
            return output.line("it is the current room now")
        }
        if answer.already {
            let role = answer.role.map { ", as \(Terminal.plain($0))" } ?? ""
            output.line("this device is in \(room) already\(role); the code gives it no more")
            return output.line("it is the current room now")
        }
        let founder = answer.founder.map {
            ", founded by \(Text.device($0))"
        }
        guard let role = answer.role else {
            output.line("asked to join \(room), an open room\(founder ?? "")")
            output.line(
                "not a member yet: an owner or editor has to let it in, and none is in reach, or"
                    + " too many")
            output.line(
                "devices came in this minute; it goes on asking by itself: leave it running")
            return
        }
        output.line("joined \(room)\(founder ?? "")")
        output.line("it is the current room now")
        output.line("role: \(Terminal.plain(role))")
        for scope in assigned(in: answer.room, session) {
            output.line("you enter \(ScopeOptions.text(scope))")
        }
        if answer.incoming > 0 {
            let are = answer.incoming == 1 ? "is" : "are"
            output.line("\(Text.anyChanges(answer.incoming)) \(are) coming in: shared status")
        }
    }

    /// What this device may enter in a room that it has just joined, where it is bound.
    private static func assigned(in room: NamedRoom, _ session: Session) -> [[ScopeForm]] {
        let request = ControlRequest("GET", ["status"], query: [("room", room.id)])
        let status: StatusAnswer? = try? session.client().answer(request)
        return status?.rooms.first { $0.id == room.id }?.scopes ?? []
    }

    private static func show(recovery: String, _ output: Output) {
        output.line("")
        output.line("recovery code:  \(Terminal.plain(recovery))")
        output.line("")
        output.line("Write this down on paper now: it is shown this once, and no device keeps it.")
        output.line("Whoever has it can remove any device of this room, this one too, and make any")
        output.line("other an owner: when a device is lost or stolen, it is the last word.")
    }

    /// What an open room means for who opens it.
    static func warn(ofOpen room: String, _ session: Session) {
        session.diagnostics.note(
            "\(room) is open: anyone on this Wi-Fi can join it as collector, without a code, and"
                + " read everything in it")
        session.diagnostics.note("to close it: shared --room \(Shell.quoted(room)) set open off")
    }
}
