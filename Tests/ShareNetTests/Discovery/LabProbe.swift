import Foundation

/// A running `discovery-probe` on a host of the lab.
final class LabProbe {
    private let process: Process
    private let input = Pipe()
    private let output: URL
    /// Lines before this are no longer looked at.
    private var read = 0

    init(_ process: Process, output: URL) throws {
        self.process = process
        self.output = output
        try Data().write(to: output)
        let file = try FileHandle(forWritingTo: output)
        process.standardOutput = file
        process.standardError = file
        process.standardInput = input
        try process.run()
        try file.close()
    }

    deinit { if process.isRunning { process.terminate() } }

    var isRunning: Bool { process.isRunning }

    var lines: [String] {
        let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// Gives the probe a command.
    func tell(_ command: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
    }

    /// From now on only lines that are not there yet count.
    func forget() { read = lines.count }

    /// Waits until every text is the beginning of a line, or the deadline has passed.
    ///
    /// - Throws: `LabFailure` with all that the probe has said.
    @discardableResult
    func waitFor(_ beginnings: String..., within limit: Duration = .seconds(60)) async throws
        -> [String]
    {
        let deadline = ContinuousClock.now + limit
        while true {
            let new = lines.dropFirst(read)
            let found = beginnings.compactMap { text in new.last { $0.hasPrefix(text) } }
            if found.count == beginnings.count { return found }
            guard ContinuousClock.now < deadline, process.isRunning else {
                let status =
                    process.isRunning ? "running" : "ended with \(process.terminationStatus)"
                throw LabFailure(
                    text: "no \(beginnings) from a probe that is \(status):\n"
                        + lines.joined(separator: "\n"))
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Has the probe take its advertisement back and end.
    ///
    /// - Returns: its exit status.
    func finish(within limit: Duration = .seconds(30)) async throws -> Int32 {
        // Not by closing its input, of which probes begun later hold a copy.
        try tell("quit")
        let deadline = ContinuousClock.now + limit
        while process.isRunning {
            guard ContinuousClock.now < deadline else {
                throw LabFailure(text: "the probe does not end:\n" + lines.joined(separator: "\n"))
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        return process.terminationStatus
    }
}
