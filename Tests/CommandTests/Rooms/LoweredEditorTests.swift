import JSON
import ShareTestKit
import Testing

/// An editor who changed a form while away, and was none any more by then.
@Suite(.serialized) struct LoweredEditorTests {
    private static let goats = Sample.form
        .replacing("\"version\": \"1\"", with: "\"version\": \"2\"")
        .replacing(
            "{\"name\": \"weight\"",
            with: "{\"name\": \"goats\", \"type\": \"integer\"}, {\"name\": \"weight\"")

    @Test(.timeLimit(.minutes(3)))
    func `what it entered by its own version counts as far as others ask the same`() async throws {
        let coord = try await Daemon.clinic("coord")
        let amina = try await Daemon.member("amina", of: coord, role: "editor")
        try await Daemon.untilIdentical(coord, amina)
        let id = try await amina.ownID()
        try await Daemon.apart(
            coord,
            {
                let lowered = try await coord.shared("role", id, "collector")
                try #require(lowered.code == 0, "\(lowered)")
            }, amina,
            {
                let added = try await amina.shared("form", "add", "-", input: Self.goats)
                try #require(added.code == 0, "\(added)")
                try await amina.add("Ann")
                let wide = try await amina.shared("add", "visit", "name=Bela", "age=3", "goats=4")
                try #require(wide.code == 0, "\(wide)")
                try #require(try await amina.shared("push").code == 0)
            })
        // They are one batch's, of unlike fields.
        for daemon in [coord, amina] {
            #expect(await eventually { (try? await daemon.names()) == ["Ann"] })
            let status = try await daemon.shared("status")
            #expect(status.output.contains("1 entry or change waiting for a form that is refused"))
            let refused = try await daemon.shared("refused", "--answers")
            #expect(refused.output.contains("new visit Bela"), "\(refused)")
            #expect(refused.output.contains("goats: 4"), "\(refused)")
            #expect(
                refused.errors.contains(
                    "it counts as soon as a version of visit that counts asks goats (integer):"
                        + " shared form add"), "\(refused)")
        }
        let again = try await coord.shared("form", "add", "-", input: Self.goats)
        try #require(again.code == 0, "\(again)")
        try await Daemon.untilIdentical(coord, amina, records: 2)
        for daemon in [coord, amina] {
            #expect(try await daemon.names() == ["Ann", "Bela"])
            let shown = try await daemon.answer("show", "visit", "Bela")
            #expect(shown["goats"].number == 4, "\(shown)")
            #expect(try await daemon.status()["blocked"].number == 0)
        }
    }
}
