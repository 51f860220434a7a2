package import Foundation

/// The working copy that the tests were built from.
package enum Repository {
    /// The folder that holds Package.swift.
    package static let folder: URL = {
        var folder = URL(filePath: #filePath)
        repeat {
            folder.deleteLastPathComponent()
        } while !FileManager.default.fileExists(
            atPath: folder.appending(path: "Package.swift").path) && folder.path.count > 1
        return folder
    }()

    /// A file or folder by its path from there, as in `docs/forms.md`.
    package static func url(_ path: String) -> URL {
        folder.appending(path: path)
    }
}
