import Foundation

/// Files of the repository that tests read.
enum Fixture {
    static func bytes(_ path: String) throws -> [UInt8] {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return Array(try Data(contentsOf: root.appendingPathComponent(path)))
    }
}
