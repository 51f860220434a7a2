import Glibc

/// A folder that may be somebody else's: its links could lead to any file of its user.
struct FolderBounds {
    private let folder: String

    /// - Parameter folder: with a `/` at its end, or empty for the working directory.
    init(_ folder: String) { self.folder = folder.isEmpty ? "./" : folder }

    /// Whether a file in it leads out of it, where all links are followed; of a folder in it also
    /// whether a file in that does.
    func isLeft(by path: String) -> Bool {
        guard let real = Self.real(path) else { return false }
        guard var base = Self.real(folder) else { return true }
        if base.last != 0x2F { base.append(0x2F) }
        guard real.starts(with: base) else { return true }
        guard let inner = opendir(path) else { return false }
        defer { closedir(inner) }
        while let entry = readdir(inner) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != ".", name != "..", let real = Self.real("\(path)/\(name)") else {
                continue
            }
            guard real.starts(with: base) else { return true }
        }
        return false
    }

    /// A path without links; nil where nothing is there.
    private static func real(_ path: String) -> [UInt8]? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }
}
