import Foundation
import Glibc

/// A command run to its end: what it wrote and its exit code.
package struct CommandRun: Sendable {
    package let output: String
    package let errors: String
    /// 128 and the signal's number where a signal ended it.
    package let code: Int32

    /// Runs `shared` with these arguments; `socket` goes into `SHARED_SOCKET`.
    package init(
        _ arguments: [String], socket: String = "/nonexistent", input: String? = nil,
        limit: Duration = .seconds(60)
    ) async throws {
        let command = try await RunningCommand(arguments, socket: socket, input: input)
        self = try await command.end(within: limit)
    }

    /// Runs a program that is found by its path.
    package init(
        program: String, _ arguments: [String], environment: [String: String] = [:],
        input: String? = nil, limit: Duration = .seconds(60)
    ) async throws {
        let command = try await RunningCommand(
            program: program, arguments, environment: environment, input: input)
        self = try await command.end(within: limit)
    }

    init(output: String, errors: String, code: Int32) {
        self.output = output
        self.errors = errors
        self.code = code
    }
}
