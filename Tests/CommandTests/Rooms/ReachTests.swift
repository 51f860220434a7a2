import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// What people are told of other devices: by ping, doctor, peers and watch.
@Suite(.serialized) struct ReachTests {
    @Test func `ping measures, takes a name or an id, and fails where nobody answers`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        let id = String(try await b.ownID().dropFirst(4).prefix(8))
        for name in ["ward-2", "WARD-2", id] {
            let run = try await a.shared("ping", name)
            #expect(run.code == 0, "\(run.errors)")
            let lines = run.output.split(separator: "\n")
            #expect(lines.count == 5 && lines.last == "4 of 4 answered", "\(run.output)")
            let line = /ward-2 \([a-z2-7]{8}\) at 127\.0\.0\.1:\d+: \d+\.\d ms/
            #expect(lines.dropLast().allSatisfy { $0.wholeMatch(of: line) != nil }, "\(run)")
        }
        try await a.shared("ping", "ward-1").expectProblem("this device")
        try await a.shared("ping", "nobody").expectProblem("no device \"nobody\" is known")
        await b.kill()
        try await a.shared("ping", "ward-2").expectProblem("ward-2 does not answer")
    }

    @Test func `a device that has gone is met, and seen no more, within half a minute`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        #expect(try await a.answer("peers")[0]["state"].string == "connected")
        await b.kill()
        let isKnown = await eventually(within: .seconds(40)) {
            (try? await a.answer("peers")[0]["state"].string) == "known"
        }
        #expect(isKnown)
        let peer = try await a.answer("peers")[0]
        #expect(peer["last_met"].string != nil && peer["last_seen"] == .null)
        let peers = try await a.shared("peers").output
        #expect(peers.contains("last met ") && !peers.contains("seen"), "\(peers)")
        let member = try await a.answer("members").array?.first { $0["name"].string == "ward-2" }
        #expect(member?["progress"]["state"].string == "away")
        #expect(member?["progress"]["seen"] == .bool(false))
    }

    @Test func `status and peers say the same of a device with which no room is common`()
        async throws
    {
        let a = try await Daemon("ward-1")
        let b = try await Daemon("ward-2", peers: [a])
        let isMet = await eventually {
            let state = try? await b.answer("peers")[0]["state"].string
            return ["connected", "nearby"].contains(state ?? "")
        }
        #expect(isMet)
        // Strangers come and go.
        let isTold = await eventually {
            let words = try? await b.shared("status").words
            return words?.contains("1 device seen nearby, and no room in common yet") == true
        }
        #expect(isTold)
        // In its line, and not below the table once more.
        let isListed = await eventually {
            let peers = try? await b.shared("peers").output.split(separator: "\n")
            return peers?.count == 2 && peers?.last?.contains("none of your rooms") == true
        }
        #expect(isListed)
        #expect(await eventually { (try? await b.answer("peers")[0]["stranger"].isTrue) == true })
        let isWarned = await eventually {
            let words = try? await b.shared("doctor").words
            return words?.contains("warning rooms: ward-1 answers, and no room is common") == true
        }
        #expect(isWarned)
    }

    /// What doctor says once the other device has answered within the second that it may take.
    private func doctor(_ daemon: Daemon, _ options: String...) async throws -> CommandRun {
        for _ in 0..<30 {
            let run = try await daemon.shared(["doctor"] + options)
            if run.words.contains("ok connection: 1 device answers") { return run }
        }
        Issue.record("nobody answers: \(daemon.log)")
        return try await daemon.shared(["doctor"] + options)
    }

    @Test func `doctor speaks plainly, and in figures where it is asked to`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        let plain = try await doctor(a)
        #expect(plain.code == 0, "\(plain.output)")
        for word in ["digest", "batch", "session", "info "] {
            #expect(!plain.output.contains(word), "\(plain.output)")
        }
        let verbose = try await doctor(a, "--verbose")
        #expect(verbose.code == 0)
        #expect(verbose.words.contains("info room clinic: "))
        #expect(verbose.words.contains("digest") && verbose.words.contains("batches in"))
        #expect(verbose.words.contains("ward-2 ("))
        let checks = try await a.answer("doctor", "--verbose")["checks"].array ?? []
        #expect(checks.count { $0["state"].string == "info" } >= 3)
        // The connection stands, and nobody is there: it is asked, not trusted.
        try await b.freeze()
        let frozen = try await a.shared("doctor")
        b.signal(SIGCONT)
        #expect(frozen.code == 1, "\(frozen.output)")
        #expect(
            frozen.words.contains("failed connection: ward-2 is connected, and does not answer"),
            "\(frozen.output)")
        await b.terminate()
        // Who is switched off is no fault of this device.
        let isWell = await eventually {
            let away = try? await a.shared("doctor")
            return away?.code == 0 && away?.output.contains("failed") == false
        }
        #expect(isWell)
    }

    @Test func `releases, and names of who was never met, are heard from others and kept`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        let id = try await b.ownID()
        await b.terminate()
        let c = try await Daemon.member("ward-3", of: a)
        // ward-3 has met the owner alone.
        let isNamed = await eventually {
            let members = try? await c.answer("members").array
            return members?.first { $0["id"].string == id }?["name"].string == "ward-2"
        }
        #expect(isNamed)
        let own = try #require(try await c.answer("status")["version"].string)
        @Sendable func release(of member: String, at daemon: Daemon) async throws -> JSONValue {
            let members = try await daemon.answer("members").array ?? []
            return members.first { $0["name"].string == member }?["release"] ?? .null
        }
        let isTold = await eventually {
            (try? await release(of: "ward-1", at: c).string) == own
        }
        #expect(isTold)
        #expect(try await release(of: "ward-2", at: c) == .null, "it has never said so here")
        #expect(try await release(of: "ward-2", at: a).string == own)
        #expect(try await !a.shared("doctor").output.contains("release"))
        // As if ward-2 had run an older one when it was met last.
        await a.terminate()
        try await CommandRun.sqlite(
            a.data + "/node.sqlite", "UPDATE device SET release = '0.0.9' WHERE name = 'ward-2'")
        try await a.start()
        #expect(try await release(of: "ward-2", at: a).string == "0.0.9")
        let wide = try await a.shared("members", "--wide").output
        #expect(wide.contains(/NAME +ID +ROLE +RANK +RELEASE\s/), "\(wide)")
        #expect(wide.contains(/ward-2 .* 0\.0\.9\s/), "\(wide)")
        let doctor = try await a.shared("doctor")
        #expect(doctor.words.contains("warning release: ward-2 runs 0.0.9, this device \(own)"))
        try await b.start()
        let isNew = await eventually {
            (try? await release(of: "ward-2", at: a).string) == own
        }
        #expect(isNew)
    }

    @Test func `doctor fails where a folder cannot be written`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let rooms = a.data + "/rooms"
        try FileManager.default.moveItem(atPath: rooms, toPath: rooms + "-away")
        let run = try await a.shared("doctor")
        #expect(run.code == 1)
        #expect(run.words.contains("failed data directory"), "\(run.output)")
        try FileManager.default.moveItem(atPath: rooms + "-away", toPath: rooms)
        #expect(try await a.shared("doctor").code == 0)
    }

    @Test func `watch tells people which entry changed and how`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a, role: "editor")
        let watch = try await a.watch()
        let verbose = try await a.watch("--verbose")
        let peers = try await RunningCommand(["peers", "--watch"], socket: a.socket)
        #expect(await eventually { !peers.output.isEmpty })
        let id = try await b.add("Sara", age: 8)
        #expect(try await b.shared("push").code == 0)
        #expect(await eventually { watch.output.contains("Sara") })
        #expect(try await b.shared("edit", id, "age=9").code == 0)
        #expect(try await b.shared("push").code == 0)
        #expect(await eventually { watch.output.contains("->") })
        #expect(await eventually { verbose.output.contains("->") })
        let lines = watch.output.split(separator: "\n").map(String.init)
        #expect(
            lines.contains {
                $0.wholeMatch(of: /\d\d:\d\d:\d\d  ward-2    visit Sara: new/) != nil
            },
            "\(lines)")
        #expect(
            lines.contains {
                $0.wholeMatch(of: /\d\d:\d\d:\d\d  ward-2    visit Sara: age 8 -> 9/) != nil
            }, "\(lines)")
        // Two changes of one entry that come together are two.
        #expect(try await b.shared("edit", id, "weight=30").code == 0)
        #expect(try await b.shared("edit", id, "age=10").code == 0)
        #expect(try await b.shared("push").code == 0)
        #expect(await eventually { watch.output.contains("age 9 -> 10") })
        #expect(watch.output.contains("weight (nothing) -> 30"), "\(watch.output)")
        #expect(watch.output.components(separatedBy: "age 9 -> 10").count == 2)
        // Who lacks something for more than a second, and has it then, is told.
        try await b.freeze()
        try await a.add("Tom")
        _ = try await a.shared("push", "--timeout", "2s")
        b.signal(SIGCONT)
        #expect(
            await eventually { verbose.output.contains("ward-2 has the same as this device") },
            "\(verbose.output)")
        #expect(
            verbose.output.contains("received 1 entry or other change of ward-2"),
            "\(verbose.output)")
        #expect(!watch.output.contains("has the same") && !watch.output.contains("received"))
        #expect(try await a.shared("set", "open", "on").code == 0)
        #expect(
            await eventually { verbose.output.contains("ward-2 has stored what was sent") },
            "\(verbose.output)")
        #expect(verbose.output.contains("what was made here goes out"), "\(verbose.output)")
        for word in ["batch", "operation", "identical", "seal", "digest", "pending", "ahead"] {
            #expect(!watch.output.contains(word), "\(watch.output)")
            #expect(!verbose.output.contains(word), "\(verbose.output)")
        }
        #expect(
            peers.output.contains(
                try Regex(#"\d\d:\d\d:\d\d  ward-2 \([a-z2-7]{8}\) connected at "#)))
        // Entries that go out to a peer are no news of that peer.
        let told = peers.output.split(separator: "\n").filter { $0.contains("ward-2") }
            .map { $0.dropFirst(10) }
        #expect(!zip(told, told.dropFirst()).contains { $0 == $1 }, "\(peers.output)")
        for command in [watch, verbose, peers] {
            command.signal(2)
            _ = try await command.end(within: .seconds(10))
        }
    }

    /// Runs a command line on a terminal of 80 columns, with what is typed once it asks.
    private func onTerminal(
        _ daemon: Daemon, _ line: String, typed: String, locale: String = "C.UTF-8"
    ) async throws -> CommandRun {
        let shared = try Product.path("shared")
        let shown = "'\(daemon.folder.path)/shown'"
        let asked = "for n in {1..300}; do grep -qF '[y/N]' \(shown) && break; sleep 0.1; done"
        return try await CommandRun(
            program: "/bin/bash",
            [
                "-c",
                ": >\(shown); (\(typed.isEmpty ? "sleep 1" : asked); printf '\(typed)'; sleep 1) |"
                    + " script -qefc 'stty cols 80; \(shared) \(line)' \(shown)",
            ],
            environment: [
                "SHARED_SOCKET": daemon.socket, "LC_ALL": locale, "TERM": "dumb",
                "PATH": "/usr/bin:/bin", "SHELL": "/bin/sh",
            ])
    }

    @Test func `on a terminal a name is enough, and is asked about with its id`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        let id = String(try await b.ownID().dropFirst(4).prefix(8))
        let no = try await onTerminal(a, "role ward-2 viewer", typed: "n\\n")
        #expect(no.output.contains("make ward-2 (\(id), collector) viewer?"), "\(no.output)")
        #expect(try await a.id(of: "ward-2").string?.contains(id) == true)
        #expect(!no.output.contains("is viewer"))
        let yes = try await onTerminal(a, "role WARD-2 viewer", typed: "y\\n")
        #expect(yes.output.contains("is viewer in clinic now"), "\(yes.output)")
        // Where nothing would change, nobody is asked.
        for line in ["role ward-2 viewer", "remove ward-2 --dry-run"] {
            let run = try await onTerminal(a, line, typed: "")
            #expect(run.code == 0 && !run.output.contains("[y/N]"), "\(run.output)")
        }
    }

    @Test func `entries that would stay on a device are named before it is removed`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await b.add("Sara")
        try await b.add("Zara")
        let isTold = await eventually {
            (try? await a.status()["others"][0]["unsent"].number) == 2
        }
        #expect(isTold)
        let unsent = "ward-2 has 2 entries or changes that it has not sent:"
        let no = try await onTerminal(a, "remove ward-2", typed: "n\\n")
        #expect(no.words.contains("\(unsent) nobody takes them from it once"), "\(no.output)")
        let lower = try await onTerminal(a, "role ward-2 viewer", typed: "n\\n")
        #expect(lower.words.contains("\(unsent) what a viewer may not do"), "\(lower.output)")
        let higher = try await onTerminal(a, "role ward-2 editor", typed: "n\\n")
        #expect(!higher.words.contains("not sent"), "\(higher.output)")
        let id = try await b.ownID()
        // By its name also where nobody can be asked: nothing is changed.
        for device in [id, "ward-2"] {
            #expect(try await a.answer("remove", device, "--dry-run")["unsent"].number == 2)
        }
        try await a.shared("remove", "ward-2").expectProblem("a device is meant by its id")
        let removed = try await a.shared("remove", id)
        #expect(removed.words.contains("2 entries or changes were not sent from it"), "\(removed)")
        // It has met those who put it out.
        let isOut = await eventually {
            (try? await b.status()["role"].string) == "removed"
        }
        #expect(isOut)
        let owner = try await b.answer("members").array?.first { $0["name"].string == "ward-1" }
        #expect(owner?["progress"]["state"].string == "away", "\(owner?.shown ?? "")")
        // There it is no matter of roles, and not all is well.
        let doctor = try await b.shared("doctor")
        #expect(doctor.code == 1)
        #expect(doctor.words.contains("failed room clinic: removed by ward-1"), "\(doctor)")
        #expect(doctor.words.contains("; 2 entries here not sent"), "\(doctor)")
        let status = try await b.shared("status")
        #expect(
            status.words.contains("once it has joined again, shared push sends them"), "\(status)")
        #expect(!status.words.contains("its role does not allow"), "\(status)")
    }

    @Test func `a misspelt name of one's own room founds none, and any other is asked about`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let near = try await onTerminal(a, "join clinci", typed: "")
        #expect(!near.output.contains("[y/N]"), "\(near.output)")
        #expect(near.words.contains("You are in clinic: `shared status`"), "\(near.output)")
        try await a.shared("join", "clinci").expectHint("You are in clinic: `shared status`.")
        let other = try await onTerminal(a, "join harvest", typed: "n\\n")
        #expect(
            other.words.contains("Found a new room called harvest, whose name everybody"),
            "\(other.output)")
        #expect(try await a.answer("rooms").array?.count == 1)
    }

    @Test func `a QR symbol that does not fit in plain ASCII says what it needs`() async throws {
        let a = try await Daemon("ward-1")
        _ = try await a.answer("create", String(repeating: "long-", count: 8) + "name")
        let run = try await onTerminal(a, "invite --qr", typed: "", locale: "C")
        #expect(run.output.contains("needs UTF-8"), "\(run.output)")
        #expect(!run.output.contains("####"))
        let lines = run.output.split(separator: "\r\n")
        #expect(lines.contains { $0.hasPrefix("what it says can be typed too: shared join ") })
        let wide = try await onTerminal(a, "invite --qr", typed: "")
        #expect(wide.output.contains("\u{2580}"))
    }
}
