import JSON
import ShareTestKit
import Testing

/// A form that two people change while they do not meet.
@Suite(.serialized) struct ParallelFormTests {
    private static func form(_ version: String, asking fields: String...) -> String {
        let asked = fields.map { "{\"name\": \"\($0)\", \"type\": \"integer\"}," }.joined()
        return Sample.form.replacing("\"version\": \"1\"", with: "\"version\": \"\(version)\"")
            .replacing("{\"name\": \"weight\"", with: "\(asked)\n{\"name\": \"weight\"")
    }

    private func add(_ form: String, on daemon: Daemon) async throws {
        let added = try await daemon.shared("form", "add", "-", input: form)
        try #require(added.code == 0, "\(added.errors)")
    }

    /// Has each of them add a form while the other is off, the editor later; then they meet.
    private func addApart(
        _ one: String, on owner: Daemon, _ other: String, on editor: Daemon
    ) async throws {
        try await Daemon.apart(
            owner, { try await add(one, on: owner) }, editor, { try await add(other, on: editor) })
    }

    /// What each way to look says of the form, which is one line.
    private func looks(_ daemon: Daemon) async throws -> [String] {
        let status = try await daemon.shared("status")
        let forms = try await daemon.shared("forms")
        let shown = try await daemon.shared("form", "show", "visit")
        #expect(forms.output.contains("Visit") && !forms.output.contains("at once"))
        return [status.words, forms.errors, shown.errors]
    }

    @Test(.timeLimit(.minutes(3)))
    func `who looks at a form that was changed twice at once is told until it is changed again`()
        async throws
    {
        let coord = try await Daemon.clinic("coord")
        let amina = try await Daemon.member("amina", of: coord, role: "editor")
        try await Daemon.untilIdentical(coord, amina)
        try await addApart(
            Self.form("2", asking: "goats"), on: coord, Self.form("2", asking: "sheep"), on: amina)
        for daemon in [coord, amina] {
            for text in try await looks(daemon) {
                #expect(
                    text.contains("visit: two versions 2 were made at once, by coord ("), "\(text)")
                #expect(
                    text.contains(
                        "): amina's is in force. To ask what both ask, add a version 3 made of both:"
                            + " shared form show visit --by coord shows the other, with --json as a"
                            + " file"), "\(text)")
            }
            let told = try await daemon.status()["parallel_forms"]
            #expect(told.array?.count == 1 && told[0]["form"].string == "visit")
            #expect(told[0]["in_force"]["by"]["name"].string == "amina")
            #expect(told[0]["others"].array?.count == 1)
            #expect(told[0]["others"][0]["by"]["name"].string == "coord")
            #expect(told[0]["others"][0]["version"].string == "2")
            #expect(try await daemon.answer("forms")[0]["parallel"] == told[0])
            // A definition is as it was added, for scripts.
            let shown = try await daemon.answer("form", "show", "visit")
            #expect(shown["parallel"] == .null && shown["version"].string == "2")
            // Each can be looked at, on every device.
            for (name, asked) in [("coord", "goats"), ("AMINA", "sheep")] {
                let one = try await daemon.answer("form", "show", "visit", "--by", name)
                let fields = one["fields"].array?.compactMap { $0["name"].string } ?? []
                #expect(
                    fields.contains(asked)
                        && !fields.contains { $0 != asked && ["goats", "sheep"].contains($0) })
                let sheet = try await daemon.shared("form", "show", "visit", "--by", name)
                #expect(sheet.output.contains(asked), "\(sheet)")
            }
            let nobody = try await daemon.shared("form", "show", "visit", "--by", "bela")
            nobody.expectProblem("bela made none of the versions of visit", code: 1)
        }
        try await add(Self.form("3", asking: "goats", "sheep"), on: coord)
        try await Daemon.untilIdentical(coord, amina)
        for daemon in [coord, amina] {
            for text in try await looks(daemon) { #expect(!text.contains("at once"), "\(text)") }
            #expect(try await daemon.status()["parallel_forms"].array?.isEmpty == true)
            #expect(try await daemon.answer("forms")[0]["parallel"] == .null)
        }
        let late = try await coord.shared("form", "show", "visit", "--by", "amina")
        late.expectProblem("nobody has changed visit at once", code: 2)
    }

    @Test(.timeLimit(.minutes(3)))
    func `the same file on both is no other version; another number is`() async throws {
        let coord = try await Daemon.clinic("coord")
        let amina = try await Daemon.member("amina", of: coord, role: "editor")
        try await Daemon.untilIdentical(coord, amina)
        let same = Self.form("2", asking: "goats")
        try await addApart(same, on: coord, same, on: amina)
        for text in try await looks(coord) { #expect(!text.contains("at once"), "\(text)") }
        try await addApart(
            Self.form("3", asking: "cows"), on: coord, Self.form("5", asking: "goats"), on: amina)
        for daemon in [coord, amina] {
            for text in try await looks(daemon) {
                #expect(text.contains("visit: version 3 by coord ("), "\(text)")
                #expect(text.contains(") and version 5 by amina ("), "\(text)")
                #expect(
                    text.contains(
                        ") were made at once: amina's is in force. To ask what both ask, add a"
                            + " version 6 made of both"), "\(text)")
            }
        }
    }
}
