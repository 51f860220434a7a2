import ShareControl
import ShareTestKit
import Testing

/// What is refused of a removed device and comes back, with the real programs:
/// docs/operations.md, "What a removed device leaves behind".
@Suite struct AcceptanceTests {
    @Test(.timeLimit(.minutes(3)))
    func `entries in a form of a removed editor wait in sight, and come back with the form`()
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

        // It says on both that the entry waits, for what, and what helps.
        #expect(await eventually(within: .seconds(60)) { (try? await nurse.names()) == [] })
        #expect(
            await eventually(within: .seconds(60)) {
                (try? await nurse.status()["blocked"].number) == 1
            })
        let status = try await nurse.shared("status")
        #expect(status.output.contains("1 entry waiting for a form that is refused"))
        #expect(!status.output.contains("has not arrived yet"))
        let refused = try await nurse.answer("refused").array ?? []
        let waiting = try #require(refused.first { $0["reason"].string == "form refused" })
        #expect(waiting["form"].string == "visit" && waiting["record"].string != nil)
        #expect(waiting["hint"].string?.hasSuffix("shared accept \(short) --decisions") == true)
        let heard = await eventually(within: .seconds(60)) {
            let refused = try? await owner.answer("refused").array
            return refused?.contains { $0["held_by"]["name"].string == "nurse" } == true
        }
        #expect(heard)

        // Without what it decided nothing of it could count, and nothing is said to.
        let without = try await owner.shared("accept", short, "--json")
        #expect(without.problem?.code == .nothingRefused)
        #expect(without.problem?.hint?.contains("--decisions") == true)
        let run = try await owner.shared("accept", short, "--decisions")
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.contains("counts again: form visit"), "\(run.output)")
        try await Daemon.untilIdentical(owner, nurse, records: 1)
        for daemon in [owner, nurse] {
            #expect(try await daemon.names() == ["Sara"])
            #expect(try await daemon.status()["blocked"].number == 0)
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: [false, true])
    func `a device that a removed editor let in is a member again when that is accepted`(
        hasHeard: Bool
    ) async throws {
        let owner = try await Daemon.clinic("ward-1")
        let editor = try await Daemon.member("ward-2", of: owner, role: "editor")
        let witness = try await Daemon.member("ward-3", of: owner)
        try await Daemon.untilIdentical(owner, editor, witness)
        await witness.terminate()
        let short = String(
            try #require(try await owner.id(of: "ward-2").string).dropFirst(4).prefix(8))
        await owner.terminate()
        let nurse = try await Daemon("nurse", peers: [owner, editor, witness])
        try await nurse.join(editor)
        try await nurse.add("Sara")
        try #require(try await nurse.shared("push").code == 0)
        try await Daemon.untilIdentical(editor, nurse, records: 1)
        for daemon in [editor, nurse] { await daemon.terminate() }
        try await owner.start()
        try #require(try await owner.shared("remove", short).code == 0)
        if hasHeard {
            // The newcomer hears from another member that its grant is void, before it meets an owner.
            try await witness.start()
            #expect(await eventually { (try? await witness.answer("members").array?.count) == 2 })
            await owner.terminate()
            try await nurse.start()
            #expect(
                await eventually(within: .seconds(60)) {
                    (try? await nurse.status()["role"].string) == "none"
                })
            await witness.terminate()
            try await owner.start()
        } else {
            try await nurse.start()
        }
        let heard = await eventually(within: .seconds(60)) {
            let refused = try? await owner.answer("refused").array
            return refused?.contains { $0["held_by"]["name"].string == "nurse" } == true
        }
        #expect(heard)

        let run = try await owner.shared("accept", short, "--decisions")
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.contains("counts again: grant of collector to nurse"), "\(run.output)")
        try await Daemon.untilIdentical(owner, nurse, records: 1)
        let members = try await owner.answer("members").array ?? []
        #expect(members.compactMap { $0["name"].string }.sorted() == ["nurse", "ward-1", "ward-3"])
        #expect(try await owner.names() == ["Sara"])
    }

    @Test(.timeLimit(.minutes(3)))
    func `an owner accepts what only another member holds of a lost device`() async throws {
        let owner = try await Daemon.clinic("ward-1")
        let editor = try await Daemon.member("ward-2", of: owner, role: "editor")
        let tablet = try await Daemon("tablet", peers: [owner, editor])
        try await tablet.join(owner)
        try await Daemon.untilIdentical(owner, editor)
        let short = String(
            try #require(try await owner.id(of: "tablet").string).dropFirst(4).prefix(8))
        await owner.terminate()
        try await tablet.add("Sara")
        try #require(try await tablet.shared("push").code == 0)
        try await Daemon.untilIdentical(editor, tablet, records: 1)
        for daemon in [tablet, editor] { await daemon.terminate() }
        try await owner.start()
        try #require(try await owner.shared("remove", short).code == 0)
        let none = try await owner.shared("accept", short, "--json")
        #expect(none.code == 1 && none.problem?.code == .nothingRefused)

        try await editor.start()
        let heard = await eventually(within: .seconds(60)) {
            let refused = try? await owner.answer("refused").array
            return refused?.contains { $0["held_by"]["name"].string == "ward-2" } == true
        }
        #expect(heard)
        let shown = try await owner.shared("refused")
        #expect(shown.output.contains("not here: held by ward-2"), "\(shown.output)")
        let run = try await owner.shared("accept", short)
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.contains("1 entry of tablet (\(short)) counts again"), "\(run.output)")
        try await Daemon.untilIdentical(owner, editor, records: 1)
        #expect(try await owner.names() == ["Sara"])
        #expect(try await owner.answer("refused").array?.isEmpty == true)
    }

    @Test(.timeLimit(.minutes(3)))
    func `a removal says what goes with a form, and an acceptance brings back what it names`()
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
            look.output.contains("void: form visit, and with it 1 entry of other devices"),
            "\(look.output)")
        let asked = try await owner.shared("remove", short, "--since", "1h", "--json")
        #expect(asked.problem?.detail.contains("(with 1 entry of other devices)") == true)
        let gone = try await owner.shared("remove", short, "--since", "1h", "--drop-grants")
        try #require(gone.code == 0, "\(gone.errors)")
        try await Daemon.untilIdentical(owner, nurse, records: 0)
        #expect(try await owner.status()["blocked"].number == 1)

        // Its own entry would wait for its own form.
        let entries = try await owner.shared("accept", short, "--json")
        #expect(entries.code == 1 && entries.problem?.code == .formRefused)
        #expect(entries.problem?.hint?.contains("--decisions") == true)
        let answer = try await owner.answer("accept", short, "--decisions")
        #expect(answer["accepted"].number == 1 && answer["others"].number == 1)
        #expect(answer["decisions"].array?.map { $0["name"].string } == ["visit"])
        try await Daemon.untilIdentical(owner, nurse, records: 2)
        let again = try await owner.shared("accept", short, "--decisions", "--json")
        #expect(again.code == 1 && again.problem?.code == .nothingRefused)
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
        func short(_ name: String) async throws -> String {
            String(try #require(try await owner.id(of: name).string).dropFirst(4).prefix(8))
        }
        let (lowered, silenced) = (try await short("ward-2"), try await short("nurse"))

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
        try #require(try await owner.shared("role", lowered, "collector").code == 0)
        try #require(try await owner.shared("role", silenced, "viewer").code == 0)
        for daemon in [editor, nurse] { try await daemon.start() }
        try await Daemon.untilIdentical(owner, editor, nurse, records: 0)
        let refused = try await owner.answer("refused").array ?? []
        let form = refused.first { $0["what"].string == "form" }
        #expect(form?["hint"].string?.hasSuffix("shared accept \(lowered) --decisions") == true)

        // The form alone does not bring the entry back: it is a viewer's by now.
        #expect(try await owner.shared("accept", lowered, "--decisions").code == 0)
        try await Daemon.untilIdentical(owner, editor, nurse, records: 0)
        let put = try await owner.answer("refused")[0]
        #expect(put["hint"].string?.hasSuffix("shared accept \(silenced)") == true)
        let run = try await owner.shared("accept", silenced)
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.contains("1 entry of nurse (\(silenced)) counts again"), "\(run.output)")
        try await Daemon.untilIdentical(owner, editor, nurse, records: 1)
        for daemon in [owner, nurse] { #expect(try await daemon.names() == ["Sara"]) }
        try await nurse.shared("add", "visit", "name=Eve").expectProblem("may look and not write")
        let again = try await owner.shared("accept", silenced, "--json")
        #expect(again.code == 1 && again.problem?.code == .nothingRefused)
    }

    private static let secondForm = Sample.form.split(separator: "\"version\": \"1\"")
        .joined(separator: "\"version\": \"2\"")
}
