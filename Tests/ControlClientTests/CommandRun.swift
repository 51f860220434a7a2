import Foundation
import Testing

/// The real command `shared`, run to its end.
struct CommandRun {
    let output: String
    let errors: String
    let code: Int32

    /// Runs it with these arguments; `socket` goes into `SHARED_SOCKET`.
    init(_ arguments: [String], socket: String = "/nonexistent", input: String = "") throws {
        let process = Process()
        process.executableURL = try Self.binary()
        process.arguments = arguments
        process.environment = ["SHARED_SOCKET": socket]
        let (output, errors, stdin) = (Pipe(), Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = stdin
        try process.run()
        stdin.fileHandleForWriting.write(Data(input.utf8))
        try stdin.fileHandleForWriting.close()
        // Errors are short and fit the pipe while the answer is read.
        self.output = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        self.errors = String(
            decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        code = process.terminationReason == .exit ? process.terminationStatus : -1
    }

    /// The binary beside the one that runs these tests.
    private static func binary() throws -> URL {
        var folder = URL(filePath: CommandLine.arguments[0]).standardizedFileURL
        while folder.path.count > 1 {
            folder.deleteLastPathComponent()
            let binary = folder.appending(path: "shared")
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: binary.path, isDirectory: &isFolder),
                !isFolder.boolValue, FileManager.default.isExecutableFile(atPath: binary.path)
            {
                return binary
            }
        }
        throw CocoaError(.fileNoSuchFile)
    }
}
