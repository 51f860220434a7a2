internal import Glibc

/// Folders that only this user may enter, and what is in them.
enum Folder {
    struct Failure: Error {
        let path: String
        let code: Int32
    }

    /// Creates a folder and those above it that are missing, each with mode 0700.
    static func create(_ path: String) throws(Failure) {
        if mkdir(path, 0o700) == 0 { return }
        switch errno {
        case EEXIST:
            var status = stat()
            guard stat(path, &status) == 0 else { throw Failure(path: path, code: errno) }
            guard status.st_mode & S_IFMT == S_IFDIR else {
                throw Failure(path: path, code: ENOTDIR)
            }
        case ENOENT:
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
                throw Failure(path: path, code: ENOENT)
            }
            try create(String(path[..<slash]))
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw Failure(path: path, code: errno)
            }
        case let code: throw Failure(path: path, code: code)
        }
    }

    static func remove(_ path: String) { unlink(path) }

    /// The content of a small file; nil where it cannot be read.
    static func text(in path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// The names in a folder, in no order; none for one that cannot be read.
    static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Why nothing can be written in a folder, in the system's words; nil where something can.
    static func writingError(in path: String) -> String? {
        let probe = path + "/.writable-" + String(getpid())
        let file = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return errno == EEXIST ? nil : SystemError.text(errno) }
        defer {
            close(file)
            unlink(probe)
        }
        return nil
    }

    /// Whether there is a file of that path with anything in it.
    static func holds(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > 0
    }
}

/// The words of the system for its error numbers.
enum SystemError {
    static func text(_ code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        // Thread-safe, unlike strerror.
        guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
        let text = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Repeats a call that a signal interrupted.
    static func retry(_ call: () -> Int32) -> Int32 {
        while true {
            let result = call()
            if result != -1 || errno != EINTR { return result }
        }
    }
}
