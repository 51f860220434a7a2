import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// The recovery code on paper, with the real programs: docs/operations.md, "A lost device".
@Suite(.serialized) struct RecoveryTests {
    /// A room of the coordinator's, with the code that it has shown once.
    private static func clinic() async throws -> (coordinator: Daemon, code: String) {
        let daemon = try await Daemon("coord")
        let code = try #require(try await daemon.answer("create", "clinic")["recovery"].string)
        let run = try await daemon.shared("form", "add", "-", input: Sample.form)
        try #require(run.code == 0, "\(run.errors)")
        return (daemon, code)
    }

    private static func short(_ id: String) -> String { String(id.dropFirst(4).prefix(8)) }

    /// Waits until a device takes others for members of these names and roles.
    private static func until(
        _ daemon: Daemon, sees roles: [String: String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let isSo = await eventually(within: .seconds(90)) { await seen(by: daemon) == roles }
        if !isSo {
            let seen = await seen(by: daemon)
            Issue.record("\(daemon.name): \(seen)\n\(daemon.log)", sourceLocation: sourceLocation)
        }
    }

    private static func seen(by daemon: Daemon) async -> [String: String] {
        let members = (try? await daemon.answer("members").array) ?? []
        return Dictionary(
            members.compactMap { member in
                member["name"].string.flatMap { name in member["role"].string.map { (name, $0) } }
            }, uniquingKeysWith: { first, _ in first })
    }

    @Test func `the code is shown once, in words, and stands nowhere on the device`() async throws {
        let daemon = try await Daemon("coord")
        let run = try await daemon.shared("create", "clinic")
        let line = try #require(
            run.output.split(separator: "\n").first { $0.hasPrefix("recovery code:") })
        let code = line.dropFirst("recovery code:".count).drop { $0 == " " }
        #expect(code.filter { $0 != "-" }.count == 27)
        #expect(run.output.contains("Write this down on paper"))
        #expect(run.output.contains("this one too"))
        let plain = code.filter { $0 != "-" }
        await daemon.terminate()
        for place in try FileManager.default.subpathsOfDirectory(atPath: daemon.folder.path) {
            guard let data = FileManager.default.contents(atPath: daemon.folder.path + "/" + place)
            else { continue }
            for text in [String(code), String(plain)] {
                #expect(data.range(of: Data(text.utf8)) == nil, "\(place) holds the code")
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func `the only owner's disk dies, and a collector's device becomes owner`() async throws {
        let (coordinator, code) = try await Self.clinic()
        let amina = try await Daemon.member("amina", of: coordinator)
        let bakary = try await Daemon("bakary", peers: [coordinator, amina])
        try await bakary.join(coordinator)
        try await amina.add("Sara")
        try #require(try await amina.shared("push").code == 0)
        try await Daemon.untilIdentical(coordinator, amina, bakary, records: 1)
        await coordinator.kill()
        try FileManager.default.removeItem(atPath: coordinator.data)

        let own = Self.short(try await amina.ownID())
        let refused = try await amina.shared("role", own, "owner", "--json")
        #expect(refused.problem?.code == .notAllowed)
        let made = try await amina.shared(
            "role", own, "owner", "--recovery-file", "-", input: code.lowercased() + "\n")
        try #require(made.code == 0, "\(made.errors)")
        #expect(made.output.contains("amina (\(own)) is owner in clinic now, and was collector"))
        let roles = ["coord": "owner", "amina": "owner", "bakary": "collector"]
        await Self.until(bakary, sees: roles)

        // It does what owners do, and outranks nobody that was an owner before.
        let dead = Self.short(try #require(try await amina.id(of: "coord").string))
        let outranked = try await amina.shared("remove", dead, "--json")
        #expect(outranked.problem?.code == .outranked)
        #expect(outranked.problem?.hint?.contains("--recovery") == true)
        let gone = try await amina.shared("remove", dead, "--recovery-file", "-", input: code)
        #expect(gone.code == 0, "\(gone.errors)")
        let chloe = try await Daemon.member("chloe", of: amina)
        try await Daemon.untilIdentical(amina, bakary, chloe, records: 1)
        #expect(try await bakary.answer("members").array?.count == 3)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a stolen founder's laptop removes everybody, and is removed with all that it did`()
        async throws
    {
        let (laptop, code) = try await Self.clinic()
        let amina = try await Daemon.member("amina", of: laptop)
        let bakary = try await Daemon("bakary", peers: [laptop, amina])
        try await bakary.join(laptop)
        try await amina.add("Sara")
        try #require(try await amina.shared("push").code == 0)
        try await Daemon.untilIdentical(laptop, amina, bakary, records: 1)
        let before = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 1))
        try await Task.sleep(for: .seconds(2))

        // The thief removes everybody, and lets in a device of its own.
        for name in ["amina", "bakary"] {
            let id = Self.short(try #require(try await laptop.id(of: name).string))
            let run = try await laptop.shared("remove", id, "--drop-grants")
            try #require(run.code == 0, "\(run.errors)")
        }
        let thief = try await Daemon.member("thief", of: laptop, role: "owner")
        for daemon in [amina, bakary] {
            #expect(
                await eventually(within: .seconds(60)) {
                    (try? await daemon.status()["role"].string) == "removed"
                })
        }

        let id = Self.short(
            try #require(try await amina.answer("members").array?.first?["id"].string))
        let asked = try await amina.shared(
            "remove", id, "--recovery-file", "-", "--json", input: code)
        #expect(asked.problem?.code == .removalsAtStake, "\(asked.errors)")
        #expect(asked.problem?.hint?.contains("--since") == true)
        let run = try await amina.shared(
            "remove", id, "--recovery-file", "-", "--since", before, "--drop-grants",
            "--reason", "stolen", input: code)
        try #require(run.code == 0, "\(run.errors)")

        // All honest devices agree, what was entered before stays, and work goes on.
        let roles = ["amina": "collector", "bakary": "collector"]
        await Self.until(amina, sees: roles)
        await Self.until(bakary, sees: roles)
        try await bakary.add("Ada")
        try #require(try await bakary.shared("push").code == 0)
        try await Daemon.untilIdentical(amina, bakary, records: 2)
        let own = Self.short(try await bakary.ownID())
        let owner = try await bakary.shared(
            "role", own, "owner", "--recovery-file", "-", input: code)
        #expect(owner.code == 0, "\(owner.errors)")
        await Self.until(amina, sees: ["amina": "collector", "bakary": "owner"])
        // Its grantee is nobody any more, whether it has heard of that or not.
        _ = try await thief.shared("add", "visit", "name=Mallory", "age=30")
        _ = try await thief.shared("push", "--timeout", "2s")
        try await Daemon.untilIdentical(amina, bakary, records: 2)
    }

    @Test(.timeLimit(.minutes(3)))
    func `the code is used on two devices that have not met`() async throws {
        let (coordinator, code) = try await Self.clinic()
        let amina = try await Daemon.member("amina", of: coordinator)
        let bakary = try await Daemon.member("bakary", of: coordinator)
        try await Daemon.untilIdentical(coordinator, amina, bakary)
        await coordinator.kill()
        for daemon in [amina, bakary] {
            let own = Self.short(try await daemon.ownID())
            let run = try await daemon.shared(
                "role", own, "owner", "--recovery-file", "-", input: code)
            try #require(run.code == 0, "\(run.errors)")
        }
        await amina.terminate()
        try await amina.start(with: ["--peer", bakary.address])
        let roles = ["coord": "owner", "amina": "owner", "bakary": "owner"]
        await Self.until(amina, sees: roles)
        await Self.until(bakary, sees: roles)
        try await Daemon.untilIdentical(amina, bakary)
        #expect(try await amina.answer("verify")["ok"].isTrue)
    }

    @Test(.timeLimit(.minutes(3)))
    func `a member that has never heard of later members uses the code`() async throws {
        let (coordinator, code) = try await Self.clinic()
        let amina = try await Daemon.member("amina", of: coordinator)
        await amina.terminate()
        let bakary = try await Daemon.member("bakary", of: coordinator)
        try await bakary.add("Sara")
        try #require(try await bakary.shared("push").code == 0)
        try await Daemon.untilIdentical(coordinator, bakary, records: 1)
        await coordinator.kill()

        try await amina.start(with: [])
        let own = Self.short(try await amina.ownID())
        let run = try await amina.shared(
            "role", own, "owner", "--recovery-file", "-", input: code)
        try #require(run.code == 0, "\(run.errors)")
        await amina.terminate()
        try await amina.start(with: ["--peer", bakary.address])
        let roles = ["coord": "owner", "amina": "owner", "bakary": "collector"]
        await Self.until(amina, sees: roles)
        await Self.until(bakary, sees: roles)
        try await Daemon.untilIdentical(amina, bakary, records: 1)
    }

    @Test func `a wrong code is told apart from a code of another room`() async throws {
        let (daemon, code) = try await Self.clinic()
        let other = try #require(try await daemon.answer("create", "garden")["recovery"].string)
        let own = Self.short(try await daemon.ownID())
        func problem(_ input: String) async throws -> ErrorCode? {
            let run = try await daemon.shared(
                "--room", "clinic", "role", own, "owner", "--recovery-file", "-", "--json",
                input: input)
            // That it is so already is an answer.
            return run.code == 0 ? try Problem(jsonText: run.output.utf8).code : run.problem?.code
        }
        let first = try #require(code.first)
        let wrong = (first == "0" ? "1" : "0") + code.dropFirst()
        #expect(try await problem(wrong) == .badRecoveryCode)
        #expect(try await problem(String(code.dropLast())) == .badRecoveryCode)
        #expect(try await problem(code + "!") == .badRecoveryCode)
        #expect(try await problem("") == .badRecoveryCode)
        #expect(try await problem(other) == .wrongRecoveryCode)
        #expect(try await problem(code) == .alreadySo)
        let asked = try await daemon.shared("role", own, "owner", "--recovery")
        #expect(asked.code == 2 && asked.errors.contains("--recovery-file"))
        let both = try await daemon.shared(
            "role", own, "owner", "--recovery", "--recovery-file", "-", input: code)
        #expect(both.code == 2)
    }
}
