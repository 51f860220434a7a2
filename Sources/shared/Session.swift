internal import ControlClient
internal import JSON
internal import ShareControl
import Glibc

/// What a command works with: its arguments, the daemon, and where its answer goes.
final class Session {
    let arguments: ParsedArguments
    let output: Output
    let wantsJSON: Bool
    let diagnostics: Diagnostics
    /// The room that requests are about: that which `--room` names, or one that was settled; nil
    /// for the current one.
    var room: String?
    /// Whether somebody has named the room.
    private let isRoomNamed: Bool
    /// What an interruption leaves behind by now, where that is more than its syntax says.
    var interrupted: (what: String, hint: String)?
    private let socket: String?
    private var opened: ControlClient?
    /// What the daemon has said beside its answers, which come first.
    private var notices: [String] = []

    init(_ invocation: Invocation, _ arguments: ParsedArguments, _ output: Output) {
        self.arguments = arguments
        self.output = output
        wantsJSON = invocation.wantsJSON
        diagnostics = Diagnostics(asJSON: invocation.wantsJSON, output: output)
        room = invocation.room
        isRoomNamed = room != nil
        socket = invocation.socket
    }

    /// The client of the daemon; nothing is connected before the first request.
    func client() throws(Problem) -> ControlClient {
        if let opened { return opened }
        var environment: [String: String] = [:]
        for name in ["SHARED_SOCKET", "XDG_RUNTIME_DIR"] {
            environment[name] = getenv(name).map { String(cString: $0) }
        }
        let location = try SocketLocation(option: socket, environment: environment)
        let client = ControlClient(location) { [self] in
            // Several requests of one command may be told the same.
            if !notices.contains($0) { notices.append($0) }
        } stalled: { [self] in
            if isatty(STDERR_FILENO) == 1 {
                diagnostics.note("waiting for sharedd, which does not answer")
            }
        }
        opened = client
        return client
    }

    /// Asks how much was made here and is not sent, or is with nobody else.
    func unsent() throws(Problem) -> UnsentAnswer {
        try client().answer(request("GET", ["unsent"]))
    }

    /// Lets all requests that follow be about one room: what is the current one may change between
    /// them. Where there is none, the first of them is told so.
    func settleRoom() throws(Problem) {
        guard room == nil else { return }
        let rooms: [RoomAnswer] = try client().answer(ControlRequest("GET", ["rooms"]))
        room = rooms.first(where: \.current)?.id
    }

    /// Says which room this was about, where nobody named it and it may be another one than was meant.
    func noteRoom() {
        guard !wantsJSON, !isRoomNamed,
            let rooms = try? client().answer(ControlRequest("GET", ["rooms"])) as [RoomAnswer]
        else { return }
        let open = rooms.filter { $0.removed == nil && $0.problem == nil }
        guard open.count > 1,
            let meant = open.first(where: { room == nil ? $0.current : $0.id == room })
        else { return }
        let which = meant.current ? "the current one" : "one"
        notices.append("in \(Terminal.plain(meant.name)), \(which) of \(open.count) rooms")
    }

    /// Says how much is not sent, or is with nobody else as nobody is near, where there is anything.
    func noteUnsent() {
        guard !wantsJSON,
            let unsent = try? unsent()
        else { return }
        if unsent.pending > 0 {
            let what = Text.unsent(unsent.pending, new: unsent.entries)
            notices.append("\(what) not sent yet: shared push")
        } else if unsent.goingOut > 0 {
            notices.append(
                "with nobody else yet: "
                    + Text.alone(unsent.goingOut, new: unsent.goingOutEntries))
        }
    }

    /// Says what the daemon has said beside its answers.
    ///
    /// - Parameter inJSON: also where the answer, all of which is the daemon's, is JSON.
    func writeNotices(inJSON: Bool = false) {
        if inJSON || !wantsJSON { notices.forEach(diagnostics.noteAlways) }
        notices = []
    }

    /// Says something beside the answer of this command: at once, or with `--json` in it.
    func note(_ text: String) {
        if wantsJSON { notices.append(text) } else { diagnostics.note(text) }
    }

    /// Writes an answer of this command's own as JSON: what was said beside it is its `notes`.
    func answer(_ answer: JSONObject) {
        var answer = answer
        if !notices.isEmpty { answer["notes"] = .array(notices.map { .string($0) }) }
        notices = []
        output.line(.object(answer))
    }

    /// A request about the room of the session.
    func request(
        _ method: String, _ path: [String], query: [(name: String, value: String)] = [],
        body: ControlRequest.Body = .none, silence: Duration = .seconds(30)
    ) -> ControlRequest {
        let room = room.map { [(name: "room", value: $0)] } ?? []
        return ControlRequest(method, path, query: room + query, body: body, silence: silence)
    }

    /// Asks, and shows the answer: as it came with `--json`, else as `show` writes it.
    ///
    /// - Parameters:
    ///   - hasNotes: whether what is said beside it is its `notes` in JSON, where there is any.
    ///   - what: what takes a while of it, for a terminal.
    ///   - later: what may be the matter where that takes some seconds.
    func answer<Answer: Codable & Sendable>(
        _ request: ControlRequest, as: Answer.Type = Answer.self, waiting what: String? = nil,
        later: String? = nil, hasNotes: Bool = false, _ show: (Answer) throws(Problem) -> Void
    ) throws(Problem) {
        let json = try json(request, waiting: what, later: later)
        if wantsJSON, hasNotes, !notices.isEmpty, case .object(let object) = json {
            answer(object)
        } else if wantsJSON {
            output.line(json)
        } else {
            try show(ControlClient.understood(json.text))
        }
    }

    /// The same where something follows from the answer, with `--json` as without.
    func answered<Answer: Codable & Sendable>(
        _ request: ControlRequest, as: Answer.Type = Answer.self, waiting what: String? = nil,
        _ show: (Answer) throws(Problem) -> Void
    ) throws(Problem) -> Answer {
        let json = try json(request, waiting: what)
        if wantsJSON { output.line(json) }
        let answer: Answer = try ControlClient.understood(json.text)
        if !wantsJSON { try show(answer) }
        return answer
    }

    /// The answer as it came.
    ///
    /// - Parameters: as of `answer`.
    func json(
        _ request: ControlRequest, waiting what: String? = nil, later: String? = nil
    ) throws(Problem) -> JSONValue {
        let waiting = what.map { Waiting($0, later: later) }
        defer { waiting?.end() }
        return try client().answer(request)
    }

    /// Says that what was asked for is so already, which is no failure.
    func answer(so problem: Problem) -> ExitCode {
        if wantsJSON {
            output.line(problem.jsonText)
        } else {
            output.line(Terminal.plain(problem.detail))
            if let hint = problem.hint { diagnostics.note(hint) }
        }
        return .done
    }

    /// Does long work and shows how far it is.
    func work<Answer: Codable & Sendable>(
        _ request: ControlRequest, _ what: String, as: Answer.Type = Answer.self
    ) throws(Problem) -> Answer {
        let progress = Progress(what)
        defer { progress.clear() }
        return try client().work(request) { progress.show($0, $1, $2) }
    }
}

extension Duration {
    /// How long a daemon may be silent that reads every entry of a room for an answer.
    static let reading = Duration.seconds(600)
}
