import Glibc
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Which version of a form the devices of others have.
@Suite(.serialized) struct MemberFormsTests {
    private static func form(_ version: String) -> String {
        Sample.form.replacing("\"version\": \"1\"", with: "\"version\": \"\(version)\"")
    }

    private func line(_ name: String, _ daemon: Daemon) async throws -> String {
        let run = try await daemon.shared("members", "--forms")
        #expect(run.code == 0, "\(run.errors)")
        return try #require(
            run.output.split(separator: "\n").first { $0.hasPrefix(name) }.map(String.init),
            "\(run.output)")
    }

    @Test func `members tells which version of a form each device has, also of who is away`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await Daemon.untilIdentical(a, b)
        let isTold = await eventually {
            (try? await self.line("ward-2", a).hasSuffix("  visit 1")) == true
        }
        #expect(isTold)
        #expect(try await line("ward-1", a).hasSuffix("  visit 1"))
        #expect(
            try await a.shared("members", "--wide").words
                .contains("forms in force: visit 1: everybody has them"))
        await b.terminate()
        let added = try await a.shared("form", "add", "-", input: Self.form("2"))
        try #require(added.code == 0, "\(added.errors)")
        let isBehind = await eventually {
            (try? await self.line("ward-2", a).hasSuffix("  visit 1 (2 is in force)")) == true
        }
        #expect(isBehind)
        let wide = try await a.shared("members", "--wide")
        #expect(
            wide.words.contains("forms in force: visit 2 not there yet: ward-2 (visit 1)"),
            "\(wide)")
        await a.terminate()
        try await a.start()
        #expect(try await line("ward-2", a).hasSuffix("  visit 1 (2 is in force)"))
        let answer = try await a.answer("members", "--forms")
        let known = answer.array?.first { $0["name"].string == "ward-2" }?["forms"][0]
        #expect(known?["version"].string == "1" && known?["in_force"].string == "2")
        try await b.start()
        let isHere = await eventually {
            (try? await self.line("ward-2", a).hasSuffix("  visit 2")) == true
        }
        #expect(isHere)
    }
}
