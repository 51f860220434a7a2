internal import Glibc
import ShareStore
import Synchronization

/// Bytes that would take too much memory: a file without a name beside the room's, gone with the
/// last who holds it.
final class SpillFile: Sendable {
    private let descriptor: Int32
    private let length = Mutex(0)

    /// - Throws: `SQLiteError`, as everything else that cannot write there.
    init(beside path: String) throws(SQLiteError) {
        var template = Array((path + ".import-XXXXXX").utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw Self.failure() }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(template)
    }

    deinit { close(descriptor) }

    /// Writes bytes at the end, and returns where they begin.
    ///
    /// - Throws: `SQLiteError.isDiskFull`, for instance.
    func append(_ bytes: [UInt8]) throws -> Int {
        try length.withLock { length in
            let start = length
            try bytes.withUnsafeBytes { bytes in
                var left = bytes[...]
                while !left.isEmpty {
                    let part = UnsafeRawBufferPointer(rebasing: left)
                    let count = pwrite(
                        descriptor, part.baseAddress, part.count, off_t(start + left.startIndex))
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { throw Self.failure() }
                    left = left.dropFirst(count)
                }
            }
            length += bytes.count
            return start
        }
    }

    /// The bytes in a range that was written.
    func read(_ range: Range<Int>) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        try bytes.withUnsafeMutableBytes { bytes in
            var done = 0
            while done < bytes.count {
                let part = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
                let count = pread(
                    descriptor, part.baseAddress, part.count, off_t(range.lowerBound + done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Self.failure() }
                done += count
            }
        }
        return bytes
    }

    private static func failure() -> SQLiteError {
        SQLiteError.ofFile(isFull: errno == ENOSPC || errno == EDQUOT)
    }
}
