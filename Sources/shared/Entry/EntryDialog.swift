internal import ControlClient
internal import JSON
internal import ShareControl
import Glibc

/// Enters or edits entries by questions: carries an interview between the terminal, the daemon and
/// the folder of drafts.
final class EntryDialog {
    private let session: Session
    private let terminal: DialogTerminal
    private let folder: DraftFolder
    private let language: String?
    private var draft: Draft
    /// Whether the draft is in its folder.
    private var isKept: Bool
    private var hasSaved = false
    /// Answers of the entry before.
    private var before = JSONObject()

    /// - Parameters:
    ///   - draft: one that goes on; nil for a new entry of `form`, or for changing `entry`.
    init(
        _ session: Session, form: String, editing entry: EntryView? = nil, draft: Draft? = nil
    ) throws(Problem) {
        self.session = session
        terminal = DialogTerminal(descriptor: session.wantsJSON ? STDERR_FILENO : STDOUT_FILENO)
        folder = try DraftFolder()
        language = session.arguments.value("--language") ?? draft?.language
        isKept = draft != nil
        if let draft {
            self.draft = draft
            session.room = draft.room
        } else {
            try session.settleRoom()
            guard let room = session.room else {
                throw Problem(
                    .noRoom, "this device is in no room yet",
                    hint:
                        "Join one: `shared join CODE`; or found one: `shared create NAME`.")
            }
            self.draft = Draft(
                id: folder.newID(), room: room, form: form, record: entry?.id,
                name: entry.map { Text.entry($0.form, $0.key, $0.id) }, values: JSONObject(), at: 0)
        }
    }

    /// Asks until all that somebody wants to enter is saved.
    func run() throws(Problem) -> ExitCode {
        while true {
            do {
                guard let code = try runOne() else { continue }
                return code
            } catch {
                if error.code == .interrupted, error.detail == Interruption.detail, isKept {
                    throw Problem(
                        .interrupted, "interrupted; what was answered is kept as a draft",
                        hint: "Look whether it is in: `shared list \(Shell.quoted(draft.form))"
                            + " --since today`; if not: `\(resume)`.")
                }
                guard isKept, error.code != .interrupted else { throw error }
                throw Problem(
                    error.code, error.detail,
                    hint: "What was answered is kept: `\(resume)`."
                        + (error.hint.map { " \($0)" } ?? ""),
                    errors: error.errors, problems: error.problems)
            }
        }
    }

    private var resume: String { "shared add --draft \(draft.id)" }

    /// - Returns: nil where another entry follows.
    private func runOne() throws(Problem) -> ExitCode? {
        var interview = Interview(
            values: draft.values, seen: draft.seen, at: draft.place, record: draft.record,
            language: language,
            before: before, width: Terminal.columns)
        var step = interview.begin()
        var isAskedAgain = false
        while true {
            terminal.show(interview.takeLines())
            switch step {
            case .request(let body):
                let wasBegun = interview.state != nil
                let answer: EntryStateAnswer
                do {
                    answer = try session.client().answer(
                        request("POST", ["forms", draft.form, "state"], .value(body)))
                } catch  where [.tooLarge, .constraintFailed].contains(error.code) && wasBegun {
                    guard let again = interview.refused(error) else { throw error }
                    step = again
                    continue
                }
                if !wasBegun, draft.record == nil, before.members.isEmpty,
                    answer.fields.contains(where: { $0.lastSaved != nil })
                {
                    before = lastSaved()
                    interview.before = before
                }
                step = interview.take(answer)
                if wasBegun { try keep(interview) }
            case .ask(let prompt):
                guard let line = try ask(prompt, interview) else { return try left() }
                if terminal.isTerminal, line.utf8.count >= DialogTerminal.cutLine {
                    terminal.show([
                        Interview.Line(
                            text: "A terminal cuts lines of that length, and this is not all.",
                            kind: .refusal, indent: 2),
                        Interview.Line(
                            text: "For a long text: shared add FORM FIELD=VALUE, or a file.",
                            kind: .aside, indent: 4),
                    ])
                    continue
                }
                step = interview.answer(line)
            case .save(let values):
                do {
                    try save(values, seen: interview.seen)
                } catch  where error.code == .changedMeanwhile && terminal.isTerminal {
                    step = interview.changed(error.problems)
                    continue
                } catch  where error.code == .unknownField && !isAskedAgain {
                    // The form has been changed since the last question.
                    isAskedAgain = true
                    step = interview.again()
                    continue
                }
                before = interview.values
                return try another() ? nil : .done
            case .unchanged:
                session.output.line("nothing was changed")
                discard()
                return .done
            case .leave: return try left()
            }
        }
    }

    /// The last entry of the form that this device has made; empty without one.
    private func lastSaved() -> JSONObject {
        guard let client = try? session.client(),
            let identity: IdentityAnswer = try? client.answer(ControlRequest("GET", ["identity"]))
        else { return JSONObject() }
        let request = ControlRequest(
            "GET", ["records", draft.form],
            query: [
                ("room", draft.room), ("author", identity.device.id), ("sort", "-_created"),
                ("limit", "1"),
            ])
        let found: [JSONValue]? = try? client.answer(request)
        return found?.first?.object ?? JSONObject()
    }

    private func ask(
        _ prompt: String, _ interview: Interview
    ) throws(Problem) -> String? {
        do {
            return try terminal.line(prompt)
        } catch {
            guard error.code == .interrupted else { throw error }
            guard isKept else {
                let (what, again) =
                    draft.record.map { ("changed", "edit \($0)") }
                    ?? ("entered", "add \(Shell.quoted(draft.form))")
                throw Problem(
                    .interrupted, "interrupted; nothing \(hasSaved ? "more " : "")was \(what)",
                    hint: "Start again: `shared \(again)`.")
            }
            throw Problem(
                .interrupted, "interrupted; what was answered is kept as a draft",
                hint: "Go on: `\(resume)`.")
        }
    }

    // MARK: Drafts

    private func keep(_ interview: Interview) throws(Problem) {
        guard !interview.values.members.isEmpty else { return }
        draft.language = language
        draft.about = interview.about
        draft.values = interview.kept
        draft.seen = interview.seen
        draft.place = interview.place
        draft.at = TimestampText.now()
        try folder.save(draft)
        isKept = true
    }

    private func discard() {
        if isKept { folder.remove(draft.id) }
        isKept = false
    }

    /// The answers ended before the entry was saved.
    private func left() throws(Problem) -> ExitCode {
        guard isKept else {
            throw Problem(
                .interrupted, "nothing was answered, and nothing is saved", hint: nil)
        }
        throw Problem(
            .interrupted, "not saved; what was answered is kept as a draft",
            hint: "Go on: `\(resume)`.")
    }

    // MARK: Saving

    private func request(
        _ method: String, _ path: [String], _ body: ControlRequest.Body = .none
    ) -> ControlRequest {
        ControlRequest(
            method, path,
            query: [("room", draft.room)] + (language.map { [("language", $0)] } ?? []), body: body)
    }

    private func save(_ values: JSONObject, seen: JSONObject?) throws(Problem) {
        let body = ControlRequest.Body.value(ValuesRequest(values: values, seen: seen))
        if let record = draft.record {
            try answer(request("PATCH", ["record", record], body), as: EditedAnswer.self) {
                EditedText.lines($0)
            }
        } else {
            try answer(request("POST", ["records", draft.form], body), as: AddedAnswer.self) {
                ["added \(Text.entry($0.form, $0.key, $0.id))"]
            }
        }
        hasSaved = true
        discard()
    }

    private func answer<Answer: Codable & Sendable>(
        _ request: ControlRequest, as: Answer.Type, _ lines: (Answer) -> [String]
    ) throws(Problem) {
        try session.answer(request, as: Answer.self) { answer in
            lines(answer).forEach(session.output.line)
        }
        session.output.flush()
    }

    /// Whether somebody at a terminal enters one more.
    private func another() throws(Problem) -> Bool {
        guard terminal.isTerminal, draft.record == nil else { return false }
        let prompt = "Enter for another \(Terminal.plain(draft.form)), q ends > "
        asking: while true {
            guard let line = try? terminal.line(prompt) else { return false }
            switch Typed.trimmed(line).lowercased() {
            case "": break asking
            case "q", "quit", "n", "no": return false
            // An answer of the next entry, perhaps: no question of it was asked yet.
            default:
                terminal.show([
                    Interview.Line(
                        text: "Nothing is asked yet: Enter begins another one, q ends.",
                        kind: .aside, indent: 2)
                ])
            }
        }
        draft = Draft(
            id: folder.newID(), room: draft.room, form: draft.form, values: JSONObject(), at: 0)
        return true
    }
}
