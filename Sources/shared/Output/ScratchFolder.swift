internal import ShareControl
import Glibc

/// A folder for files that a command needs for a moment; gone with this object, with all in it.
final class ScratchFolder {
    let path: String

    /// - Parameter place: a file beside which it is; nil for where temporary files are.
    /// - Throws: `Problem` with `fileUnwritable`.
    init(beside place: String? = nil) throws(Problem) {
        let folder: String
        if let place {
            folder = place.lastIndex(of: "/").map { String(place[...$0]) } ?? "./"
        } else {
            folder = (getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp") + "/"
        }
        var template = Array("\(folder).shared-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Problem(
                .fileUnwritable, "cannot write in \(folder): \(String(cString: strerror(errno)))",
                hint: "Choose another place, or see what may be written there: `ls -ld`.")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { ScratchFolder.remove(path) }

    /// Removes a folder with all in it, as far as that can be done.
    static func remove(_ path: String) {
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                        String(cString: $0)
                    }
                }
                guard name != ".", name != ".." else { continue }
                let inner = "\(path)/\(name)"
                if entry.pointee.d_type == UInt8(DT_DIR) { remove(inner) } else { unlink(inner) }
            }
            closedir(folder)
        }
        rmdir(path)
    }
}
