internal import CArguments
internal import ControlClient
internal import JSON
internal import ShareControl
import Glibc

/// The program `shared-form`, which reads and writes files of forms.
///
/// It is a process of its own, so that this command and the daemon need no reader of spreadsheets,
/// and what a broken file does to it ends there (docs/decisions/0028).
enum FormHelper {
    private static let answerBytes = 64 << 20

    /// What the helper answers.
    ///
    /// - Parameter input: what it reads from standard input.
    /// - Throws: `Problem` with what it found wrong, `badFile` where it has failed.
    static func ask(
        _ words: [String], input: [UInt8] = []
    ) throws(Problem) -> JSONObject {
        let bytes = try run(words, input: input)
        guard let answer = (try? JSONValue(text: bytes))?.object else { throw failed(words) }
        if let problem = answer["problem"]?.object {
            throw Problem(
                .badForm, problem["message"]?.string ?? "the form cannot be read",
                hint: problem["hint"]?.string)
        }
        if let faults = answer["problems"]?.array?.compactMap(\.object), !faults.isEmpty {
            throw Problem.badForm(
                faults.map { ($0["message"]?.string ?? "", $0["hint"]?.string) })
        }
        return answer
    }

    /// The bytes of a file that the helper writes.
    static func write(_ kind: String, _ definition: [UInt8]) throws(Problem) -> [UInt8] {
        let request: JSONObject = [
            "definition": .string(String(decoding: definition, as: UTF8.self))
        ]
        let bytes = try run(["write", kind], input: JSONValue.object(request).text)
        // What it writes is no JSON object; a problem is.
        if bytes.starts(with: "{\"problem\"".utf8) {
            let problem = (try? JSONValue(text: bytes))?.object?["problem"]?.object
            throw Problem(
                .badForm, problem?["message"]?.string ?? "the form cannot be written",
                hint: problem?["hint"]?.string)
        }
        return bytes
    }

    /// The names of a form that are others in the files that the helper writes.
    static func renamed(
        _ definition: [UInt8]
    ) throws(Problem) -> [(old: String, new: String)] {
        let request: JSONObject = [
            "definition": .string(String(decoding: definition, as: UTF8.self))
        ]
        let answer = try ask(["names"], input: JSONValue.object(request).text)
        return (answer["names"]?.array ?? []).compactMap { change in
            guard let old = change.object?["old"]?.string, let new = change.object?["new"]?.string
            else { return nil }
            return (old, new)
        }
    }

    /// The tables of a workbook, or the files of an archive, in a folder.
    ///
    /// - Throws: `Problem` with `fileUnreadable`; with what is wrong with it.
    static func unpack(_ path: String, into folder: String) throws(Problem) -> JSONObject {
        // It does not say which file it is.
        _ = try InputFile(path)
        return try ask(["unpack", path, folder])
    }

    private static func run(_ words: [String], input: [UInt8]) throws(Problem) -> [UInt8] {
        let path = try program()
        guard let source = tmpfile(), let result = tmpfile() else {
            throw Problem(
                .fileUnwritable, "no temporary file: \(String(cString: strerror(errno)))",
                hint: "See whether there is room in /tmp: `df /tmp`.")
        }
        defer {
            fclose(source)
            fclose(result)
        }
        guard input.isEmpty || fwrite(input, 1, input.count, source) == input.count,
            fflush(source) == 0, lseek(fileno(source), 0, SEEK_SET) == 0
        else {
            throw Problem(
                .fileUnwritable, "no temporary file: \(String(cString: strerror(errno)))",
                hint: "See whether there is room in /tmp: `df /tmp`.")
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, fileno(source), STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, fileno(result), STDOUT_FILENO)
        var arguments: [UnsafeMutablePointer<CChar>?] = ([path] + words).map { strdup($0) }
        arguments.append(nil)
        defer { arguments.forEach { free($0) } }
        // Of the surroundings it is given the time zone alone, where that is not the system's.
        var surroundings = [Terminal.variable("TZ")].compactMap { $0.map { strdup("TZ=\($0)") } }
        surroundings.append(nil)
        defer { surroundings.forEach { free($0) } }
        var child = pid_t()
        let code = posix_spawn(&child, path, &actions, nil, arguments, surroundings)
        guard code == 0 else {
            if code == ENOENT || code == EACCES { throw missing(path) }
            throw Problem(
                .fileUnreadable,
                "shared-form cannot be started: \(String(cString: strerror(code)))",
                hint: "Free memory or end other programs, then try again.")
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { throw failed(words) }
        }
        if Interruption.isRequested { throw Problem(.interrupted, "interrupted") }
        var bytes: [UInt8] = []
        rewind(result)
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = chunk.withUnsafeMutableBytes { buffer in
                buffer.baseAddress.map { fread($0, 1, buffer.count, result) } ?? 0
            }
            if count == 0 {
                guard ferror(result) == 0 else { throw failed(words) }
                break
            }
            bytes += chunk[..<count]
            guard bytes.count <= answerBytes else { throw failed(words) }
        }
        // It answers what is wrong with a file, and exits with 1 then; where it was ended, or could not
        // write all of its answer, that may be a part of one.
        let hasExited = status & 0x7f == 0
        guard hasExited, status >> 8 <= 1, !bytes.isEmpty else { throw failed(words) }
        return bytes
    }

    private static func failed(_ words: [String]) -> Problem {
        Problem(
            .badFile,
            words.count > 1
                ? "\(words[1]) could not be read: it takes too much memory or time, or is broken"
                : "the form could not be read",
            hint: "Save it again in a spreadsheet program; delete what the form does not need.")
    }

    /// Beside this program, as it is built, or where it is installed.
    private static func program() throws(Problem) -> String {
        // The path that this program was started by, with what links stand for: /proc may be missing.
        let resolved = share_program_path().flatMap { realpath($0, nil) }
        defer { free(resolved) }
        let own = resolved.map { String(cString: $0) } ?? ""
        let folder = own.lastIndex(of: "/").map { String(own[..<$0]) } ?? "/usr/local/bin"
        let places = ["\(folder)/shared-form", "\(folder)/../libexec/shared/shared-form"]
        guard let found = places.first(where: { access($0, X_OK) == 0 }) else {
            throw missing(places[1])
        }
        return found
    }

    private static func missing(_ path: String) -> Problem {
        Problem(
            .fileUnreadable, "the program shared-form is not installed (\(path))",
            hint: "Install shared again; forms in JSON are added without it.")
    }
}
