import Foundation
import JSON
import ShareTestKit
import Testing

/// Answers to questions that come through a pipe, in zones and lengths that terminals seldom see.
@Suite(.serialized) struct PipedAnswersTests {
    private static let form = """
        {"form_id": "note", "version": "1", "fields": [
          {"name": "text", "type": "text", "label": "Text"},
          {"name": "before", "type": "date", "label": "The day before"},
          {"name": "day", "type": "date", "label": "The day"}]}
        """

    private func room() async throws -> Daemon {
        let daemon = try await Daemon.clinic()
        let run = try await daemon.shared("form", "add", "-", input: Self.form)
        try #require(run.code == 0, "\(run.errors)")
        return daemon
    }

    /// Answers the questions of one new entry in a time zone.
    private func add(_ daemon: Daemon, in zone: String, input: String) async throws -> CommandRun {
        try await CommandRun(
            program: Product.path("shared"), ["add", "note", "--ask"],
            environment: [
                "SHARED_SOCKET": daemon.socket, "XDG_STATE_HOME": daemon.folder.path + "/state",
                "TZ": zone,
            ], input: input, limit: .seconds(120))
    }

    @Test func `yesterday is the day before today in every zone`() async throws {
        let daemon = try await room()
        for zone in ["Pacific/Auckland", "NZST-12", "LINT-14", "UTC0", "SST11"] {
            let run = try await add(daemon, in: zone, input: "\(zone)\ny\nt\n\n")
            #expect(run.code == 0, "\(run)")
            let entry = try await daemon.answer("list", "note", "text=\(zone)")[0]
            let days = try ["before", "day"].map { name in
                try Date(try #require(entry[name].string) + "T00:00:00Z", strategy: .iso8601)
            }
            #expect(days[1].timeIntervalSince(days[0]) == 86_400, "\(zone): \(days)")
        }
    }

    @Test func `an answer is saved whole or not at all`() async throws {
        let daemon = try await room()
        let long = String(repeating: "long ", count: 30_000) + "end"
        let run = try await add(daemon, in: "UTC0", input: long + "\n\n\n\n")
        #expect(run.code == 0, "\(run.errors)")
        #expect(try await daemon.answer("list", "note")[0]["text"].string == long)

        let endless = String(repeating: "x", count: 600_000)
        let refused = try await add(daemon, in: "UTC0", input: endless + "\n\n\n\n")
        #expect(refused.code != 0)
        #expect(refused.errors.contains("an answer is longer than 512 KiB"), "\(refused.errors)")
        #expect(try await daemon.answer("list", "note").array?.count == 1)
    }
}
