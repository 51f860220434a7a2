import Glibc
import JSON
import ShareControl
import ShareTestKit
import Testing

/// What is sent and what is not, said where people look; and what is so already.
@Suite(.serialized) struct SentOrNotTests {
    @Test
    func `what is not sent is said by status, by the log at the start, and by whatever enters it`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let first = try await daemon.shared("add", "visit", "name=Sara", "age=8")
        #expect(first.errors == "shared: note: 1 entry not sent yet: shared push\n")
        let id = try await daemon.add("Zara")
        let next = try await daemon.shared("edit", id, "age=9")
        #expect(
            next.errors.contains("2 entries and 1 change not sent yet: shared push"), "\(next)")
        let imported = try await daemon.shared(
            "import", "visit", "-", input: "name,age\nMara,7\n")
        #expect(imported.errors.contains("3 entries and 1 change not sent yet"), "\(imported)")
        let words = "3 entries and 1 change here not sent yet: shared push"
        #expect(try await daemon.shared("status").words.contains(words))
        await daemon.terminate()
        try await daemon.start()
        #expect(
            daemon.log.contains(
                "notice not sent yet: shared push room=clinic entries=3 changes=1"), "\(daemon.log)"
        )
        #expect(try await daemon.shared("push").code == 0)
        await daemon.terminate()
        try await daemon.start()
        #expect(daemon.log.split(separator: "\n").count { $0.contains("not sent yet") } == 1)
    }

    @Test func `members hear of entries that are not sent while they are connected`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await Daemon.untilIdentical(a, b, records: 0)
        try await b.add("Sara")
        try await b.add("Zara")
        let isTold = await eventually {
            (try? await a.status()["others"][0]["unsent"].number) == 2
        }
        #expect(isTold)
        // All that look say so, and nobody is up to date who has kept something.
        let kept = "has 2 entries or changes that it has not sent"
        for command in ["members", "peers"] {
            let run = try await a.shared(command)
            #expect(run.output.contains(kept) && !run.output.contains("up to date"), "\(run)")
            #expect(!run.errors.contains("not sent yet"), "\(run)")
            let own = try await b.shared(command)
            #expect(own.errors.contains("2 entries not sent yet: shared push"), "\(own)")
            // Not of the others either: what is here and not sent nobody has.
            #expect(own.output.contains("has all that was sent"), "\(own)")
            #expect(!own.output.contains("up to date"), "\(own)")
        }
        let sync = try await a.shared("sync")
        #expect(sync.code == 0)
        #expect(
            sync.words
                == "nothing new here; not sent yet: 2 entries or changes of ward-2: "
                + "shared push there sends what it may",
            "\(sync)")
        let all = try await a.shared("sync", "--all")
        #expect(all.words == sync.words)
        #expect(all.code == 1 && all.errors.contains("1 member has not sent everything"))
        #expect(
            all.errors.contains(
                "`shared push` there, which sends what it may, then here: `shared sync --all`"))
        // One sentence says what is so, and it is no success.
        let own = try await b.shared("sync")
        #expect(own.code == 1 && own.output == "", "\(own)")
        own.expectProblem("up to date with ward-1 (")
        own.expectProblem("), but 2 entries here are not sent yet")
        own.expectHint("`shared push`")
        // Who goes at once after sending has kept nothing.
        #expect(try await b.shared("push").code == 0)
        await b.kill()
        #expect(try await a.status()["others"][0]["unsent"].number == 0)
    }

    @Test func `what is entered elsewhere is known to whoever asks at once`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await Daemon.untilIdentical(a, b, records: 0)
        for count in 1...3 {
            try await b.add("Sara \(count)")
            let all = try await a.shared("sync", "--all")
            let what = count == 1 ? "1 entry or change" : "\(count) entries or changes"
            #expect(
                all.code == 1 && all.words.contains("not sent yet: \(what) of ward-2"), "\(all)")
        }
        // Who has told nothing else of late is asked before it is shown.
        try await b.add("Zara")
        let isTold = await eventually {
            (try? await a.status()["others"][0]["unsent"].number) == 4
        }
        #expect(isTold)
        #expect(try await b.shared("push").code == 0)
        #expect(try await a.shared("sync", "--all").code == 0)
    }

    @Test(.timeLimit(.minutes(3)))
    func `a device that comes back says with its first word what it has not sent`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await Daemon.untilIdentical(a, b, records: 0)
        try await b.add("Sara")
        try await b.add("Zara")
        await b.terminate()
        let isAway = await eventually(within: .seconds(40)) {
            (try? await a.status()["others"][0]["state"].string) == "away"
        }
        #expect(isAway)
        try await b.start()
        var first: JSONValue?
        while first == nil {
            let member = try await a.status()["others"][0]
            // Until it has told something it is away, or unheard.
            let state = try #require(member["state"].string)
            if !["away", "unheard"].contains(state) { first = member }
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(first?["unsent"].number == 2, "\(first?.shown ?? "")")
    }

    @Test func `devices follow what the owner has set about pushing, but for their own choice`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        let run = try await b.shared("set", "autopush", "on", "--all")
        #expect(run.code == 1 && run.errors.contains("only owners"), "\(run.errors)")
        try await b.shared("set", "autopush", "follow", "--all").expectProblem(
            "'on' or 'off'", code: 2)
        try await b.add("before")
        let set = try await a.shared("set", "autopush", "on", "--all")
        #expect(set.output.contains("entries in clinic are sent as they are made"), "\(set)")
        // What waits there goes out, and so does what is entered from then on; without a push.
        try await Daemon.untilIdentical(a, b, records: 1)
        let added = try await b.shared("add", "visit", "name=after", "age=3")
        #expect(!added.errors.contains("not sent"), "\(added.errors)")
        try await Daemon.untilIdentical(a, b, records: 2)
        // Who comes later follows too.
        let c = try await Daemon.member("ward-3", of: a)
        #expect(try await c.answer("set", "autopush", "follow")["autopush"].isTrue)
        try await c.add("new")
        try await Daemon.untilIdentical(a, b, c, records: 3)

        let own = try await b.shared("set", "autopush", "off")
        #expect(own.output.contains("the room's owners have it on for all"), "\(own)")
        try await b.add("kept")
        #expect(try await b.status()["pending"].number == 1)
        await b.terminate()
        try await b.start()
        #expect(try await b.status()["pending"].number == 1, "its choice holds after a restart")
        let back = try await b.answer("set", "autopush", "follow")
        #expect(back["autopush"].isTrue && back["own"] == .null && back["everybody"].isTrue)
        try await Daemon.untilIdentical(a, b, c, records: 4)
        #expect(try await a.shared("set", "autopush", "off", "--all").code == 0)
        let isOff = await eventually {
            (try? await c.status()["autopush"]) == .bool(false)
        }
        #expect(isOff)
    }

    @Test func `an entry with its rows is one also where others are told of it`() async throws {
        let a = try await Daemon("ward-1")
        try #require(try await a.shared("create", "clinic").code == 0)
        let form = """
            {"form_id": "house", "version": "1", "fields": [
              {"name": "village", "type": "text"},
              {"name": "person", "type": "repeat", "fields": [{"name": "first", "type": "text"}]}]}
            """
        try #require(try await a.shared("form", "add", "-", input: form).code == 0)
        let b = try await Daemon.member("ward-2", of: a)
        for village in ["Koro", "Bala"] {
            let run = try await b.shared(
                "add", "house", "village=\(village)", "person[1]/first=Awa", "person[2]/first=Bo")
            try #require(run.code == 0, "\(run)")
        }
        let isTold = await eventually {
            (try? await a.status()["others"][0]["unsent"].number) == 2
        }
        let status = try await a.shared("status")
        #expect(isTold, "\(status)")
        let push = try await b.shared("push")
        #expect(push.words.contains("2 entries sent to ward-1"), "\(push)")
    }

    @Test func `who enters with nobody near is told that nobody else has it`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a, role: "editor")
        #expect(try await a.shared("set", "autopush", "on").code == 0)
        let near = try await a.shared("add", "visit", "name=Sara", "age=8")
        #expect(!near.words.contains("nobody else"), "\(near)")
        try await Daemon.untilIdentical(a, b, records: 1)
        await b.terminate()
        let isAlone = await eventually {
            (try? await a.answer("status")["peers"]["connected"].number) == 0
        }
        #expect(isAlone)
        let words = "with nobody else yet: 1 entry on this device alone; it goes out"
        let alone = try await a.shared("add", "visit", "name=Awa", "age=8")
        #expect(alone.code == 0 && alone.errors.contains(words), "\(alone)")
        let list = try await a.shared("list", "visit", "--columns", "name,_notes")
        #expect(
            list.words.contains("Awa not sent") && !list.words.contains("Sara not sent"), "\(list)")
        // Nor does who is connected and takes nothing have it.
        try await b.start()
        try await Daemon.untilIdentical(a, b, records: 2)
        try await b.freeze()
        let frozen = try await a.shared("add", "visit", "name=Zoe", "age=8")
        b.signal(SIGCONT)
        #expect(frozen.code == 0 && frozen.errors.contains(words), "\(frozen)")
        try await Daemon.untilIdentical(a, b, records: 3)
    }

    @Test(.timeLimit(.minutes(3)))
    func `what is entered with nobody near under autopush waits for a role that is lost meanwhile`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try #require(try await a.shared("set", "autopush", "on", "--all").code == 0)
        #expect(await eventually { (try? await b.status()["autopush"].isTrue) == true })
        await a.terminate()
        let isAlone = await eventually {
            (try? await b.answer("status")["peers"]["connected"].number) == 0
        }
        #expect(isAlone)
        let id = try await b.add("Sara", age: 8)
        #expect(try await b.status()["pending"].number == 1)
        await b.terminate()
        try await a.start(withPeers: false)
        #expect(
            try await a.shared("role", try await a.id(of: "ward-2").string ?? "", "viewer").code
                == 0)
        try await b.start()
        #expect(await eventually { (try? await b.status()["withheld"].number) == 1 })
        let list = try await b.shared("list", "visit", "--columns", "name,_notes")
        #expect(list.words.contains("Sara only here"), "\(list)")
        #expect(try await b.shared("show", id).code == 0)
        #expect(try await a.answer("refused").array?.isEmpty == true)
        // With the role back it goes out by itself.
        let back = try await a.shared(
            "role", try await a.id(of: "ward-2").string ?? "", "collector")
        #expect(back.code == 0, "\(back)")
        #expect(await eventually { (try? await a.names()) == ["Sara"] })
    }

    @Test func `an entry that the role does not allow any more is shown with its history`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        let id = try await b.add("Sara", age: 8)
        let device = try await b.ownID()
        #expect(try await a.shared("role", device, "viewer").code == 0)
        let isWithheld = await eventually {
            (try? await b.status()["withheld"].number) == 1
        }
        #expect(isWithheld)
        let why = "it is a viewer now; ask ward-1 ("
        let shown = try await b.shared("show", id)
        #expect(shown.words.contains("only on this device, not sent: " + why), "\(shown)")
        #expect(shown.output.contains("Sara"))
        let list = try await b.shared("list", "visit", "--columns", "name,_notes")
        #expect(list.words.contains("Sara only here"), "\(list)")
        let history = try await b.shared("history", id)
        #expect(history.words.contains("- kept on this device, not sent: " + why), "\(history)")
        #expect(!history.output.contains("no effect"), "\(history)")
        #expect(history.code == 0, "\(history.errors)")
        #expect(history.words.contains("entered, 2 values, kept on this device"), "\(history)")
        #expect(try await b.answer("history", id)[0]["refused"].string == "role")
        // Who is out is told that, and not of its role.
        #expect(try await a.shared("remove", device).code == 0)
        let isOut = await eventually {
            (try? await b.status()["role"].string) == "removed"
        }
        #expect(isOut)
        #expect(
            try await b.shared("members").words.contains(
                "1 entry or change is on this device alone"))
        for word in ["show", "history"] {
            let run = try await b.shared(word, id)
            #expect(
                run.words.contains(
                    "not sent: ward-1 has removed this device; once it has joined again,"),
                "\(run)")
        }
    }

    @Test func `what is so already is said, and is no failure`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let id = try await a.add("Sara")
        let b = try await Daemon.member("ward-2", of: a, role: "editor")
        let device = try await b.ownID()
        #expect(try await a.shared("remove", device).code == 0)
        for (arguments, words) in [
            (["join", "clinic"], "this device is in clinic already, as owner"),
            (["restore", id], "is not deleted"),
            (["resolve", id, "--keep", "shown"], "no conflict"),
            (["remove", device], "ward-2 was removed from clinic by ward-1"),
            (["use", "clinic"], "the current room is clinic"),
            (["set", "open", "off"], "clinic is closed"),
        ] {
            let run = try await a.shared(arguments)
            #expect(run.code == 0 && run.output.contains(words), "\(arguments): \(run)")
            let json = try await a.shared(arguments + ["--json"])
            #expect(json.code == 0 && json.errors == "", "\(arguments): \(json)")
            _ = try JSONValue(text: Array(json.output.utf8))
        }
        #expect(try await a.shared("delete", id).code == 0)
        let gone = try await a.shared("delete", id, "--json")
        #expect(gone.code == 0)
        #expect(try Problem(jsonText: gone.output.utf8).code == .alreadySo)
        // To give a role to who was removed is no such thing.
        let role = try await a.shared("role", device, "editor", "--json")
        #expect(role.code == 1 && role.problem?.code == .alreadyRemoved)
    }
}
