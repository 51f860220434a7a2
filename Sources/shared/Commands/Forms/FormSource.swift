internal import ControlClient
internal import JSON
internal import ShareControl
import Glibc

/// A form in a file that the user names: JSON, or tables that are turned into it.
struct FormSource {
    /// The definition, as text.
    let definition: [UInt8]
    /// The text of CSV files of lists beside it, by name.
    let lists: JSONObject
    /// Findings that are no errors.
    let notes: [String]

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
        var text = try InputFile(path).contents(limit: ControlLimits.bodyBytes)
        // Some editors put a byte order mark first, which JSON does not have.
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
        let form: JSONValue
        do {
            form = try JSONValue(text: text)
        } catch {
            throw notJSON(error, path)
        }
        let lists = path == "-" ? JSONObject() : try ListFiles.read(for: form, beside: path)
        // The file travels as it is, so that its version does not depend on who reads it.
        return FormSource(definition: text, lists: lists, notes: [])
    }

    /// The body of a request that adds it.
    var body: [UInt8] { lists.members.isEmpty ? definition : request.jsonText }

    var request: FormRequest {
        FormRequest(definition: String(decoding: definition, as: UTF8.self), listFiles: lists)
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
            guard errors.count > 1 else {
                throw Problem(
                    .badForm, "\(path): \(errors.first?["message"]?.string ?? "no form")",
                    hint: errors.first?["hint"]?.string)
            }
            let all = errors.prefix(Self.errorsTold).map { error in
                EntryProblem(
                    path: "", kind: .type, message: error["message"]?.string ?? "",
                    hint: error["hint"]?.string)
            }
            throw Problem(
                .badForm, "\(path): \(errors.count) things are wrong", problems: Array(all))
        }
        let text = Array(definition.utf8)
        guard let form = try? JSONValue(text: text) else {
            throw Problem(.badForm, "\(path): no form", hint: nil)
        }
        return FormSource(
            definition: text, lists: try ListFiles.read(for: form, beside: path),
            notes: issues.map(line))
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
