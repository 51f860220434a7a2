internal import ShareControl
import Glibc

/// A file that appears under its name only when all of it is written.
final class OutputFile {
    let output: Output
    private let path: String
    private let descriptor: Int32
    /// Where it is until then; nil for a device or a pipe, which is written directly.
    private var temporary: String?

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

    private static func problem(_ path: String, _ error: Int32) -> Problem {
        let reason = error == EISDIR ? "it is a directory" : String(cString: strerror(error))
        return Problem(
            .fileUnwritable, "cannot write \(path): \(reason)",
            hint: error == EISDIR
                ? "Name a file in it."
                : "Choose another place, or see what may be written there: `ls -l`.")
    }
}
