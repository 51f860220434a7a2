import Foundation

/// The programs of this package, as they were built for the tests.
package enum Product {
    package struct Missing: Error {
        let name: String
    }

    /// The path of the program of that name, in the folder of the binary that runs the tests or
    /// the nearest above it.
    package static func path(_ name: String) throws -> String {
        var folder = URL(filePath: CommandLine.arguments[0]).standardizedFileURL
        while folder.path.count > 1 {
            folder.deleteLastPathComponent()
            let path = folder.appending(path: name).path
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
                !isFolder.boolValue, FileManager.default.isExecutableFile(atPath: path)
            {
                return path
            }
        }
        throw Missing(name: name)
    }
}
