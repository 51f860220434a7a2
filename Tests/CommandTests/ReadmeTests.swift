import Foundation
import ShareTestKit
import Testing

/// README prints what is printed: its session on two devices, typed again.
@Suite(.serialized) struct ReadmeTests {
    /// A command, and what README shows below it.
    private struct Step {
        var command: String
        /// Whether README says that it is typed on the newcomer's device.
        var isNewcomer = false
        var shown: [String] = []
    }

    private static let root = Repository.folder

    /// The sessions of a section, each a list of commands.
    private func sessions(of section: String) throws -> [[Step]] {
        let text = try String(
            contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        let start = try #require(text.range(of: "\n## \(section)\n")).upperBound
        let end = text[start...].range(of: "\n## ")?.lowerBound ?? text.endIndex
        var sessions: [[Step]] = []
        var isInside = false
        for line in text[start..<end].split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "```" {
                isInside.toggle()
                if isInside { sessions.append([]) }
            } else if isInside, line.hasPrefix("$ ") {
                let command = line.dropFirst(2).split(separator: " # ").first ?? ""
                sessions[sessions.count - 1].append(
                    Step(
                        command: command.trimmingCharacters(in: .whitespaces),
                        isNewcomer: line.contains("# on the new device")))
            } else if isInside, var step = sessions[sessions.count - 1].popLast() {
                step.shown.append(String(line))
                sessions[sessions.count - 1].append(step)
            }
        }
        return sessions
    }

    /// Without what differs each time: ids, codes and moments; notes as a terminal shows them.
    private func masked(_ lines: [String]) -> [String] {
        lines.filter { !$0.isEmpty && !$0.contains("coming in") }.map { line in
            line.replacing("shared: note: ", with: "").replacing("nothing new; up", with: "up")
                .replacing(/\([0-9a-z]{8}\)/, with: "(ID)")
                .replacing(/[0-9A-Z]{4}-[0-9A-Z]{4}/, with: "CODE")
                .replacing(/\d{4}-\d\d-\d\d \d\d:\d\d/, with: "TIME")
                .replacing(/shared 0\.\d+\.\d+/, with: "shared VERSION")
                .replacing(/([0-9a-z]{4} ){3}[0-9a-z]{4}/, with: "LETTERS")
                .replacing(/dev:[0-9a-z]{16}/, with: "dev:ID").replacing(
                    /[\d,]+ bytes/, with: "BYTES")
        }
    }

    @Test func `the session on two devices prints what README shows`() async throws {
        let sessions = try sessions(of: "Two devices on one machine")
        try #require(sessions.count >= 2)
        let ward1 = try await Daemon("ward-1")
        let ward2 = try await Daemon("ward-2", peers: [ward1])
        var code = ""
        var compared = 0
        let ward9 = try await Daemon("ward-9")
        let stick = try ScratchFolder()
        var letters = ""
        let played =
            [(ward1, sessions[0]), (ward2, sessions[1])]
            + (try self.sessions(of: "Finding things")).map { (ward1, $0) }
            + (try self.sessions(of: "Without any network")).flatMap(\.self)
            .map { ($0.isNewcomer ? ward9 : ward1, [$0]) }
        for (daemon, steps) in played {
            for step in steps where step.command.hasPrefix("shared ") {
                var written = step.command.replacing("/media/stick", with: stick.path)
                    .replacing("/tmp/viruses.svg", with: stick.path + "/viruses.svg")
                if !code.isEmpty {
                    written = written.replacing(/[0-9A-Z]{4}-[0-9A-Z]{4}/, with: code)
                }
                if !letters.isEmpty {
                    written = written.replacing(/dev:[0-9a-z]{16}/, with: "dev:" + letters)
                }
                let run = try await CommandRun(
                    program: "/bin/sh", ["-c", "cd \"$0\" && \(written)", Self.root.path],
                    environment: [
                        "SHARED_SOCKET": daemon.socket, "LC_ALL": "C.UTF-8",
                        "PATH": URL(filePath: try Product.path("shared"))
                            .deletingLastPathComponent().path + ":/usr/bin:/bin",
                    ])
                #expect(run.code == 0, "\(written): \(run.errors)")
                if let made = run.output.firstMatch(of: /code     ([0-9A-Z-]+)/) {
                    code = String(made.1)
                }
                if let made = run.output.firstMatch(of: /([0-9a-z]{4} ){3}[0-9a-z]{4}/) {
                    letters = made.0.filter { $0 != " " }
                }
                // Lists are as wide as a terminal.
                guard !step.shown.isEmpty, !written.hasPrefix("shared list") else { continue }
                let lines = (run.output + run.errors).split(separator: "\n").map(String.init)
                try compare(
                    masked(lines.map { $0.replacing(stick.path, with: "/media/stick") }),
                    masked(step.shown), written)
                compared += 1
            }
        }
        #expect(compared >= 16)
    }

    /// Holds what was printed against what README shows; `...` there stands for any lines.
    private func compare(_ printed: [String], _ shown: [String], _ command: String) throws {
        guard let gap = shown.firstIndex(of: "...") else {
            // A terminal breaks long lines.
            #expect(printed.joined(separator: " ") == shown.joined(separator: " "), "\(command)")
            return
        }
        #expect(Array(printed.prefix(gap)) == Array(shown[..<gap]), "\(command)")
        let rest = Array(shown[(gap + 1)...])
        #expect(Array(printed.suffix(rest.count)) == rest, "\(command)")
    }

    @Test func `the verifier runs as README says`() async throws {
        let a = try await Daemon.clinic()
        try await a.add("Sara")
        #expect(try await a.shared("push").code == 0)
        let file = a.folder.path + "/audit"
        #expect(try await a.shared("export", "--audit", file).code == 0)
        let verifier = Self.root.appending(path: "Tests/interop/verify_audit.py").path
        let run = try await CommandRun(program: verifier, [file])
        #expect(run.code == 0, "\(run.errors)")
    }
}
