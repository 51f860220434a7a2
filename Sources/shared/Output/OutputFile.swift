internal import ControlClient
internal import JSON
internal import ShareControl
import Glibc

/// A file that appears under its name only when all of it is written.
final class OutputFile {
    let output: Output
    private let path: String
    private let descriptor: Int32
    /// Where it is until then; nil for a device or a pipe, which is written directly.
    private var temporary: String?

    /// Where it is written until `commit`; nil for a device or a pipe.
    var temporaryPath: String? { temporary }

    /// Whether a file of that name is there, and would be replaced.
    static func replaces(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// - Throws: `Problem` with `fileUnwritable`.
    init(_ path: String) throws(Problem) {
        self.path = path
        var status = stat()
        let exists = stat(path, &status) == 0
        let kind = status.st_mode & S_IFMT
        guard !exists || kind != S_IFDIR else { throw Self.problem(path, EISDIR) }
        if exists, kind != S_IFREG {
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
        } else {
            let temporary = "\(path).\(getpid()).tmp"
            let mode = exists ? status.st_mode & 0o777 : 0o666
            descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
            if descriptor >= 0 { self.temporary = temporary }
        }
        guard descriptor >= 0 else { throw Self.problem(path, errno) }
        output = Output(descriptor: descriptor)
    }

    deinit {
        close(descriptor)
        if let temporary { unlink(temporary) }
    }

    /// Makes what was written the file of that name.
    func commit() throws(Problem) {
        do {
            try output.finish()
        } catch {
            throw Problem(
                .fileUnwritable, "\(path) was not written: \(error.detail)", hint: error.hint)
        }
        guard let temporary else { return }
        guard fsync(descriptor) == 0, rename(temporary, path) == 0 else {
            throw Self.problem(path, errno)
        }
        self.temporary = nil
    }

    /// - Throws: `Problem` where a folder has that name.
    static func requireNoFolder(_ path: String) throws(Problem) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
        throw problem(path, EISDIR)
    }

    private static func problem(_ path: String, _ error: Int32) -> Problem {
        let reason = error == EISDIR ? "it is a directory" : String(cString: strerror(error))
        return Problem(
            .fileUnwritable, "cannot write \(path): \(reason)",
            hint: error == EISDIR
                ? "Name a file in it."
                : "Choose another place, or see what may be written there: `ls -l`.")
    }
}

/// An answer that becomes a file.
enum Download {
    /// Streams the answer into a file that appears under its name when all of it is there.
    ///
    /// - Returns: how many bytes it has.
    static func save(
        _ session: Session, _ request: ControlRequest, to path: String, _ what: String
    ) throws(Problem) -> Int {
        let file = try OutputFile(path)
        let progress = Progress(what)
        defer { progress.clear() }
        try session.client().send(request) { bytes in
            file.output.write(bytes)
            progress.show(file.output.written, nil)
            return !file.output.isClosed
        }
        try file.commit()
        return file.output.written
    }

    /// Writes the room's batches to a file, and says how many bytes that were.
    static func bundle(
        _ session: Session, _ query: [(name: String, value: String)], to path: String
    ) throws(Problem) -> ExitCode {
        let request = session.request("GET", ["bundle"], query: query, silence: .reading)
        let written = try save(session, request, to: path, "writing, bytes")
        if session.wantsJSON {
            session.answer(["file": path.json, "bytes": written.json])
        } else {
            let bytes = Text.count(written, "byte", "bytes")
            session.output.line("wrote \(bytes) to \(Terminal.plain(path)), not encrypted")
        }
        return .done
    }
}

/// Answers that go on until the user has had enough.
enum Stream {
    /// A line as it stands; on a terminal in as many as it takes, behind the time that it begins with.
    private static func lines(of text: String, _ output: Output) -> [String] {
        guard output.isTerminal, Terminal.width(text) > Terminal.columns else { return [text] }
        let margin = String(repeating: " ", count: "15:20:14  ".count)
        let lines = Terminal.wrap(text, max(20, Terminal.columns - margin.count))
        return lines.prefix(1) + lines.dropFirst().map { margin + $0 }
    }

    /// Shows each line as it comes: itself with `--json`, else what `show` makes of it, if
    /// anything.
    static func run(
        _ session: Session, _ request: ControlRequest,
        _ show: @escaping ([UInt8]) throws(Problem) -> String?
    ) throws(Problem) -> ExitCode {
        var request = request
        request.silence = ControlLimits.silence
        let output = session.output
        let wantsJSON = session.wantsJSON
        do {
            let ended = try session.client().lines(request) { (line) throws(Problem) in
                if wantsJSON {
                    output.line(line)
                } else if let text = try show(line) {
                    lines(of: text, output).forEach(output.line)
                }
                output.flush()
                return !output.isClosed
            }
            guard ended else { return .done }
        } catch {
            // Ctrl-C is how one ends it.
            if error.code == .interrupted { return .done }
            throw error
        }
        throw Problem(
            .connectionLost, "the daemon ended", hint: "Start it again: `sharedd`.")
    }
}
