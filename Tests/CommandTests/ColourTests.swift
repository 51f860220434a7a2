import ShareTestKit
import Testing

/// Colours on a terminal: they stand on words that say the same, and only where somebody wants them.
@Suite(.serialized) struct ColourTests {
    private static let yellow = "\u{1B}[33m"
    private static let red = "\u{1B}[31m"

    private func colourless(_ text: String) -> String {
        text.replacing(/\u{1B}\[\d+m/, with: "")
    }

    @Test func `what somebody has to do something about stands out`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await Daemon.untilIdentical(a, b, records: 0)
        let terminal = ["TERM": "xterm"]
        func shown(_ words: String...) async throws -> String {
            try await a.onTerminal(words, [], environment: terminal).output
        }
        // Nothing is to be done.
        for command in ["status", "members", "peers"] {
            let quiet = try await shown(command)
            #expect(!quiet.contains("\u{1B}["), "\(command): \(quiet)")
        }
        try await a.add("Sara")
        await b.terminate()
        let isAlone = await eventually {
            (try? await a.answer("status")["peers"]["nearby"].number) == 0
        }
        #expect(isAlone)
        let status = try await shown("status")
        let first = try #require(status.split(separator: "\n").first)
        #expect(first.contains(Self.yellow) && first.contains("0 of 2 up to date"), "\(status)")
        #expect(status.contains("1 entry here not sent yet"), "\(status)")
        let members = try await shown("members")
        #expect(members.contains(Self.yellow + "has our last"), "\(members)")
        #expect(try await shown("peers").contains(Self.yellow + "last met"))
        let wrong = try await shown("show", "visit", "Zara")
        #expect(wrong.hasPrefix(Self.red + "shared: error:\u{1B}[0m no entry"), "\(wrong)")
        // The words are the same without.
        for (command, coloured) in [("status", status), ("members", members)] {
            for environment in [["TERM": "dumb"], ["TERM": "xterm", "NO_COLOR": "1"]] {
                let plain = try await a.onTerminal([command], [], environment: environment)
                #expect(plain.output == colourless(coloured), "\(environment)")
            }
            #expect(try await !a.shared(command).output.contains("\u{1B}["))
        }
        #expect(try await a.shared("show", "visit", "Zara").errors.hasPrefix("shared: error: no"))
    }
}
