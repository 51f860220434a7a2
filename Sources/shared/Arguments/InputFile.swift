internal import ControlClient
internal import ShareControl
import Glibc

/// A file that the user named, opened for reading; `-` is standard input.
final class InputFile {
    let path: String
    /// How many bytes it has; nil for what is no ordinary file.
    let length: Int?
    private let descriptor: Int32

    /// - Throws: `Problem` with `fileUnreadable`.
    init(_ path: String) throws(Problem) {
        self.path = path
        descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.problem(path, errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let error = errno
            close(descriptor)
            throw Self.problem(path, error)
        }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            close(descriptor)
            throw Self.problem(path, EISDIR)
        }
        // Standard input may be a file that is read from its middle.
        let isWhole = path != "-" && status.st_mode & S_IFMT == S_IFREG
        length = isWhole ? Int(status.st_size) : nil
    }

    deinit { close(descriptor) }

    /// Reads up to as many bytes as `buffer` holds; 0 at the end.
    ///
    /// - Throws: `Problem` with `fileUnreadable`, or `interrupted` after Ctrl-C.
    func read(_ buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
        while true {
            if Interruption.isRequested { throw Problem(.interrupted, "interrupted") }
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw Self.problem(path, errno) }
        }
    }

    /// All of it.
    ///
    /// - Throws: also `tooLarge` where it has more than `limit` bytes.
    func contents(limit: Int) throws(Problem) -> [UInt8] {
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let outcome = chunk.withUnsafeMutableBytes { buffer in
                Result { () throws(Problem) in try read(buffer) }
            }
            let count = try outcome.get()
            if count == 0 { return contents }
            contents.append(contentsOf: chunk[..<count])
            guard contents.count <= limit else {
                let size = limit >= 1 << 20 ? "\(limit >> 20) MiB" : "\(limit) bytes"
                throw Problem(
                    .tooLarge, "\(Self.name(path)) has more than \(size)",
                    hint: "Make it smaller.")
            }
        }
    }

    /// All of it without the byte order mark that some editors put first, which JSON does not have.
    func json(limit: Int) throws(Problem) -> [UInt8] {
        let text = try contents(limit: limit)
        if text.starts(with: [0xFF, 0xFE]) || text.starts(with: [0xFE, 0xFF]) {
            throw Problem(
                .badRequest, "\(Self.name(path)) is UTF-16, not UTF-8",
                hint: "Save it as UTF-8: in Notepad, Save as, Encoding.")
        }
        return text.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(text.dropFirst(3)) : text
    }

    private static func name(_ path: String) -> String { path == "-" ? "standard input" : path }

    private static func problem(_ path: String, _ error: Int32) -> Problem {
        let reason = error == EISDIR ? "it is a directory" : String(cString: strerror(error))
        let hint =
            switch error {
            case ENOENT, ENOTDIR: "See whether the path is right."
            case EISDIR: "Name a file in it."
            case EACCES, EPERM: "See whether you may read it: `ls -l`."
            default: "See whether the disk is all right, then try again."
            }
        return Problem(.fileUnreadable, "cannot read \(name(path)): \(reason)", hint: hint)
    }
}
