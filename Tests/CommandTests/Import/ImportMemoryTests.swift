import Foundation
import ShareTestKit
import Testing

/// What a daemon takes for an import, as the kernel counts it.
@Suite(.serialized) struct ImportMemoryTests {
    /// The most that a daemon had in memory so far, in KiB.
    private static func peak(_ daemon: Daemon) throws -> Int {
        let status = try String(
            contentsOfFile: "/proc/\(daemon.processID)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.filter(\.isNumber)))
    }

    @Test(.timeLimit(.minutes(2)))
    func `rows of repeats that are held against their entries wait in a file`() async throws {
        let daemon = try await Daemon.clinic()
        let texts = (0..<3).map { "t\($0)" }
        let form = """
            {"form_id":"p","version":"1","fields":[{"name":"n","type":"text"},
            {"name":"c","type":"repeat","fields":[
            \(texts.map { #"{"name":"\#($0)","type":"text"},"# }.joined())
            {"name":"z","type":"integer","constraint":". < 10"}]}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let entries = (0..<500).map { "e\($0),\($0)\n" }.joined()
        let added = try await daemon.shared("import", "p", "-", input: "n,KEY\n" + entries)
        try #require(added.output == "added 500 entries\n", "\(added.errors)")
        let before = try Self.peak(daemon)
        // The rows of each entry lie all over the file.
        let rows = (0..<3_000).map { row in
            let cells = texts.map { String(repeating: "\(row) \($0) ", count: 400) }
            return "\(row % 500),\(cells.joined(separator: ",")),1\n"
        }
        let csv = "PARENT_KEY," + texts.joined(separator: ",") + ",z\n" + rows.joined()
        let run = try await daemon.shared("import", "p/c", "-", input: csv)
        #expect(run.output == "added 3,000 rows\n", "\(run.errors)")
        let grown = try Self.peak(daemon) - before
        #expect(grown < 32 << 10, "\(grown) KiB")
    }
}
