import Foundation
import ShareTestKit
import Testing

/// A data directory as a backup has it.
final class DataCopy: Sendable {
    private let folder: ScratchFolder

    init(of data: String) throws {
        folder = try ScratchFolder()
        try FileManager.default.copyItem(atPath: data, toPath: path)
    }

    var path: String { folder.path + "/data" }
}

extension Daemon {
    /// A copy of all that it has on the disk, whether it runs or not.
    ///
    /// It stands still meanwhile: a database and its journal are copied one after the other.
    func copyData() async throws -> DataCopy {
        if isRunning { try await freeze() }
        defer { signal(SIGCONT) }
        return try DataCopy(of: data)
    }

    /// Puts a copy in the place of what it has; it must not run.
    ///
    /// - Parameter part: only these: files and folders by their names, `rooms` for the rooms.
    func restore(_ copy: DataCopy, only part: (String) -> Bool = { _ in true }) throws {
        let files = FileManager.default
        try remove(part)
        for name in try files.contentsOfDirectory(atPath: copy.path) where part(name) {
            try files.copyItem(atPath: "\(copy.path)/\(name)", toPath: "\(data)/\(name)")
        }
    }

    /// Removes files and folders by their names, as a disk that loses them does.
    func remove(_ part: (String) -> Bool) throws {
        let files = FileManager.default
        for name in try files.contentsOfDirectory(atPath: data) where part(name) {
            try files.removeItem(atPath: "\(data)/\(name)")
        }
    }

    /// How many heads each log with more than one has in the room's file.
    func branches() async throws -> [Int] {
        try await sqlite(
            "SELECT count(*) FROM _head GROUP BY author, kind HAVING count(*) > 1"
        ).split(separator: "\n").compactMap { Int($0) }
    }
}
