import JSON
import ShareControl
import ShareTestKit
import Testing

/// What is refused of a removed device and comes back, with the real programs:
/// docs/operations.md, "What a removed device leaves behind".
@Suite(.serialized) struct AcceptanceTests {
    @Test(.timeLimit(.minutes(3)))
    func `entries in a form of a removed editor stay in sight, and the form is revoked`()
        async throws
    {
        let owner = try await Daemon.clinic("ward-1")
        let editor = try await Daemon.member("ward-2", of: owner, role: "editor")
        let nurse = try await Daemon("nurse", peers: [owner, editor])
        try await nurse.join(owner)
        try await Daemon.untilIdentical(owner, editor, nurse)
        let lost = try #require(try await owner.id(of: "ward-2").string)
        let short = String(lost.dropFirst(4).prefix(8))

        await owner.terminate()
        let added = try await editor.shared("form", "add", "-", input: Self.secondForm)
        try #require(added.code == 0, "\(added.errors)")
        #expect(
            await eventually {
                (try? await nurse.answer("form", "show", "visit"))?["version"].string == "2"
            })
        try await nurse.add("Sara")
        try #require(try await nurse.shared("push").code == 0)
        try await Daemon.untilIdentical(editor, nurse, records: 1)
        for daemon in [editor, nurse] { await daemon.terminate() }
        try await owner.start()
        try #require(try await owner.shared("remove", short).code == 0)
        try await nurse.start()

        // It says that the entry waits, and for what.
        #expect(await eventually(within: .seconds(60)) { (try? await nurse.names()) == [] })
        #expect(
            await eventually(within: .seconds(60)) {
                (try? await nurse.status()["blocked"].number) == 1
            })
        let status = try await nurse.shared("status")
        #expect(status.output.contains("1 entry or change waiting for a form that is refused"))
        #expect(!status.output.contains("has not arrived yet"))
        let refused = try await nurse.answer("refused", "--answers").array ?? []
        let plain = try await nurse.answer("refused").array ?? []
        #expect(plain.count == refused.count)
        #expect(plain.allSatisfy { $0["answers"].array?.isEmpty == true })
        let waiting = try #require(refused.first { $0["reason"].string == "form refused" })
        #expect(waiting["form"].string == "visit" && waiting["record"].string != nil)
        #expect(waiting["hint"].string?.contains("enter it again") == true)
        #expect(waiting["answers"][0]["name"].string == "Sara")
        let told = try await nurse.shared("refused", "--answers")
        #expect(told.output.contains("\n  name: Sara"), "\(told)")
        let none = try await owner.shared("accept", short, "--json")
        #expect(none.problem?.code == .nothingRefused)
    }

    @Test(.timeLimit(.minutes(3)))
    func `what lies outside of an assignment is not accepted, and it is said why`() async throws {
        let owner = try await Daemon.clinic("ward-1")
        let nurse = try await Daemon.member("nurse", of: owner)
        let aide = try await Daemon("aide", peers: [owner, nurse])
        try await aide.join(owner)
        try await Daemon.untilIdentical(owner, nurse, aide)
        let id = try await nurse.ownID()
        await owner.terminate()
        try await nurse.add("Sara")
        try #require(try await nurse.shared("push").code == 0)
        try await Daemon.untilIdentical(nurse, aide, records: 1)
        for daemon in [nurse, aide] { await daemon.terminate() }
        try await owner.start()
        let narrowed = try await owner.shared(
            "role", id, "collector", "--forms", "visit", "--where", "name=Ann")
        try #require(narrowed.code == 0, "\(narrowed)")
        try await aide.start()
        let isRefused = await eventually(within: .seconds(60)) {
            (try? await owner.answer("refused"))?.array?.first?["reason"].string == "scope"
        }
        try #require(isRefused)
        let accepted = try await owner.shared("accept", id)
        #expect(accepted.code != 0, "\(accepted)")
        #expect(
            accepted.errors.contains(
                "1 change of it is refused for another reason"),
            "\(accepted)")
        #expect(accepted.errors.contains("shared refused --answers"), "\(accepted)")
    }

    @Test(.timeLimit(.minutes(3)))
    func `a removal says what goes with a form, and entries in that form are not accepted`()
        async throws
    {
        let owner = try await Daemon.clinic("ward-1")
        let editor = try await Daemon.member("ward-2", of: owner, role: "editor")
        let nurse = try await Daemon.member("nurse", of: owner)
        let short = String(
            try #require(try await owner.id(of: "ward-2").string).dropFirst(4).prefix(8))
        let added = try await editor.shared("form", "add", "-", input: Self.secondForm)
        try #require(added.code == 0, "\(added.errors)")
        #expect(
            await eventually {
                (try? await nurse.answer("form", "show", "visit"))?["version"].string == "2"
            })
        for daemon in [editor, nurse] {
            try await daemon.add(daemon.name)
            try #require(try await daemon.shared("push").code == 0)
        }
        try await Daemon.untilIdentical(owner, nurse, records: 2)
        await editor.terminate()

        let look = try await owner.shared(
            "remove", short, "--since", "1h", "--drop-grants", "--dry-run")
        #expect(
            look.output.contains(
                "revoked: form visit, and with it 1 entry or change of other devices"),
            "\(look.output)")
        let asked = try await owner.shared("remove", short, "--since", "1h", "--json")
        #expect(asked.problem?.detail.contains("(with 1 entry of other devices)") == true)
        let gone = try await owner.shared("remove", short, "--since", "1h", "--drop-grants")
        try #require(gone.code == 0, "\(gone.errors)")
        try await Daemon.untilIdentical(owner, nurse, records: 0)
        #expect(try await owner.status()["blocked"].number == 1)

        // Its own entry would wait for its own form, which is revoked.
        let entries = try await owner.shared("accept", short, "--json")
        #expect(entries.code == 1 && entries.problem?.code == .formRefused)
        let decided = try await owner.answer("refused").array?.first { $0["what"].string == "form" }
        #expect(decided?["hint"].string?.contains("decide it again") == true)
    }

    @Test(.timeLimit(.minutes(3)))
    func `what a lower role took away unknowingly can be accepted like after a removal`()
        async throws
    {
        let owner = try await Daemon.clinic("ward-1")
        let editor = try await Daemon.member("ward-2", of: owner, role: "editor")
        let nurse = try await Daemon("nurse", peers: [owner, editor])
        try await nurse.join(owner)
        try await Daemon.untilIdentical(owner, editor, nurse)
        let short = String(
            try #require(try await owner.id(of: "nurse").string).dropFirst(4).prefix(8))

        await owner.terminate()
        try await nurse.add("Sara")
        try #require(try await nurse.shared("push").code == 0)
        try await Daemon.untilIdentical(editor, nurse, records: 1)
        for daemon in [editor, nurse] { await daemon.terminate() }
        try await owner.start()
        try #require(try await owner.shared("role", short, "viewer").code == 0)
        for daemon in [editor, nurse] { try await daemon.start() }
        try await Daemon.untilIdentical(owner, editor, nurse, records: 0)
        let put = try await owner.answer("refused")[0]
        #expect(put["hint"].string?.hasSuffix("shared accept \(short)") == true)
        #expect(put["key"].string == "Sara", "as people call it")
        #expect(try await owner.shared("refused").output.hasPrefix("nurse: new visit Sara ("))
        // Who looks for it learns where it is, the device that entered it too.
        for daemon in [owner, nurse] {
            for name in [["visit", "Sara"], [try #require(put["record"].string)]] {
                for command in ["show", "history", "delete"] {
                    let missing = try await daemon.shared([command] + name)
                    #expect(missing.errors.contains("no entry"), "\(missing)")
                    #expect(missing.errors.contains("shared refused"), "\(missing)")
                }
            }
        }
        let run = try await owner.shared("accept", short)
        #expect(run.code == 0, "\(run.errors)")
        #expect(
            run.output.contains("1 entry or change of nurse (\(short)) counts again"),
            "\(run.output)")
        try await Daemon.untilIdentical(owner, editor, nurse, records: 1)
        for daemon in [owner, nurse] { #expect(try await daemon.names() == ["Sara"]) }
        try await nurse.shared("add", "visit", "name=Eve").expectProblem("may look and not write")
        let again = try await owner.shared("accept", short, "--json")
        #expect(again.code == 1 && again.problem?.code == .nothingRefused)
    }

    static let secondForm = Sample.form.split(separator: "\"version\": \"1\"")
        .joined(separator: "\"version\": \"2\"")
}
