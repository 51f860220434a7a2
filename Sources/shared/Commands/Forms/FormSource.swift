internal import ControlClient
internal import JSON
internal import ShareControl
import Glibc

/// A form in a file that the user names: JSON, or tables that are turned into it.
struct FormSource {
    /// The definition, as text.
    let definition: [UInt8]
    /// Lists that lie in files beside it.
    let lists: [ListFiles.File]
    /// Findings that are no errors.
    let notes: [String]
    /// Whether the definition was made of tables: nobody has seen its lines.
    var isMade = false

    /// Errors of a file that are told one by one.
    private static let errorsTold = 100
    private static let endings = [
        ".xlsx", ".xlsm", ".xls", ".xlsb", ".ods", ".csv", ".tsv", ".md", ".markdown",
    ]

    /// Reads a form; of tables all findings are told.
    ///
    /// - Throws: `Problem` of `badForm`, with every error; `fileUnreadable`.
    static func read(_ path: String) throws(Problem) -> FormSource {
        if isTables(path) { return try tables(path) }
        let text = try InputFile(path).json(limit: ControlLimits.bodyBytes)
        let form: JSONValue
        do {
            form = try JSONValue(text: text)
        } catch {
            throw notJSON(error, path)
        }
        let lists = path == "-" ? [] : ListFiles.find(for: form, beside: path)
        // The file travels as it is, so that its version does not depend on who reads it.
        return FormSource(definition: text, lists: lists, notes: [])
    }

    /// What the form calls itself.
    var formID: String? {
        (try? JSONValue(text: definition))?.object?["form_id"]?.string
    }

    /// Findings about the definition, as they are told.
    func told(_ findings: [String]) -> [String] {
        isMade ? findings.map(Self.withoutLine) : findings
    }

    /// The text without line and column of a definition that was made of tables.
    private static func withoutLine(_ finding: String) -> String {
        guard finding.hasPrefix("line "), let end = finding.firstRange(of: ": ") else {
            return finding
        }
        return String(finding[end.upperBound...])
    }

    /// What the helper is asked to check.
    var request: [UInt8] {
        let files = JSONObject(lists.map { .init(key: $0.name, value: .string($0.path)) })
        let request: JSONObject = [
            "definition": .string(String(decoding: definition, as: UTF8.self)),
            "lists": .object(files),
        ]
        return JSONValue.object(request).text
    }

    /// Adds its lists and the form itself.
    ///
    /// - Parameter isTrial: whether it is only told what that would do.
    func add(
        _ session: Session, _ query: [(name: String, value: String)] = [], isTrial: Bool = false
    ) throws(Problem) -> JSONValue {
        for list in lists {
            let answer = try ListsAddCommand.send(session, list.name, list.path, isTrial: isTrial)
            if !session.wantsJSON, answer.change != "unchanged" {
                ListsAddCommand.show(answer, session, isTrial: isTrial)
            }
        }
        let coming = isTrial ? lists.map { (name: "list", value: $0.name) } : []
        do {
            return try session.client().answer(
                session.request(
                    "POST", ["forms"], query: query + coming, body: .json(definition),
                    silence: .reading))
        } catch {
            throw told(error)
        }
    }

    /// A problem with the definition, as it is told.
    func told(_ problem: Problem) -> Problem {
        guard isMade, problem.code == .badForm else { return problem }
        var told = problem
        told.detail = Self.withoutLine(problem.detail)
        told.problems = problem.problems.map {
            EntryProblem(
                path: $0.path, kind: $0.kind, message: Self.withoutLine($0.message), hint: $0.hint)
        }
        return told
    }

    private static func isTables(_ path: String) -> Bool {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return true }
        let name = path.lowercased()
        return endings.contains { name.hasSuffix($0) }
    }

    private static func tables(_ path: String) throws(Problem) -> FormSource {
        let answer = try FormHelper.ask(["read", path])
        let issues = (answer["issues"]?.array ?? []).compactMap(\.object)
        func line(_ issue: JSONObject) -> String {
            let hint = issue["hint"]?.string ?? ""
            let message = issue["message"]?.string ?? ""
            return hint.isEmpty ? message : "\(message); \(hint)"
        }
        let errors = issues.filter { $0["severity"] == "error" }
        guard let definition = answer["definition"]?.string, errors.isEmpty else {
            // Faults of the logic stop no form, and are told with the others so that all are known.
            let logic = issues.filter { $0["is_logic"] == .bool(true) }
            let told = (errors + logic).prefix(Self.errorsTold).map {
                (message: $0["message"]?.string ?? "", hint: $0["hint"]?.string)
            }
            let faults = Array(told.prefix(errors.count))
            throw Problem.badForm(
                faults.isEmpty ? [("no form", nil)] : faults,
                besides: Array(told.dropFirst(errors.count)), in: path)
        }
        let text = Array(definition.utf8)
        guard let form = try? JSONValue(text: text) else {
            throw Problem(.badForm, "\(path): no form", hint: nil)
        }
        return FormSource(
            definition: text, lists: ListFiles.find(for: form, beside: path),
            notes: issues.map(line), isMade: true)
    }

    /// Says in which line the text stops being JSON.
    private static func notJSON(_ error: JSONError, _ path: String) -> Problem {
        guard case .malformed(let line, let column, let reason) = error else {
            return Problem(.badForm, "\(path): \(error)")
        }
        return Problem(
            .badForm, "\(path) is not JSON: line \(line), column \(column): \(reason)",
            hint: "Correct the file, then add it again.")
    }
}
