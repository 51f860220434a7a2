import Foundation
import Glibc

/// A command on its way; for those that a test interrupts.
package final class RunningCommand: Sendable {
    private let child: ChildProcess
    private let folder: ScratchFolder

    /// Starts `shared` with these arguments; `socket` goes into `SHARED_SOCKET`.
    package convenience init(
        _ arguments: [String], socket: String, input: String? = nil
    ) async throws {
        try await self.init(
            program: try Product.path("shared"), arguments, environment: ["SHARED_SOCKET": socket],
            input: input)
    }

    /// Starts a program that is found by its path.
    package init(
        program: String, _ arguments: [String], environment: [String: String] = [:],
        input: String? = nil
    ) async throws {
        folder = try ScratchFolder()
        var launch = ChildProcess.Launch(program, arguments)
        launch.environment = environment
        launch.output = folder.path + "/output"
        launch.errors = folder.path + "/errors"
        if let input {
            launch.input = folder.path + "/input"
            try Data(input.utf8).write(to: URL(filePath: launch.input))
        }
        child = try await ChildProcess.start(launch)
    }

    deinit { child.signal(SIGKILL) }

    package func signal(_ number: Int32) { child.signal(number) }

    /// Waits until it has a handler for that signal, or has ended.
    package func untilItCatches(_ number: Int32) async -> Bool {
        await eventually(within: .seconds(30)) { child.catches(number) || hasEnded }
    }

    /// What it has written to standard output so far.
    package var output: String { text("output") }

    package var hasEnded: Bool { child.code != nil }

    /// Waits for its end, and kills it where that does not come within `limit`.
    package func end(within limit: Duration = .seconds(60)) async throws -> CommandRun {
        let code = await child.end(within: limit)
        return CommandRun(output: output, errors: text("errors"), code: code)
    }

    private func text(_ name: String) -> String {
        let data = FileManager.default.contents(atPath: "\(folder.path)/\(name)")
        return String(decoding: data ?? Data(), as: UTF8.self)
    }
}
