import Foundation
import Glibc
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Two and three devices on loopback, from the room to equal databases.
@Suite(.serialized) struct SharingTests {
    @Test func `two devices share ten records and a correction`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let rows = try await a.answer("import", "visit", "-", input: Sample.csv(rows: 5))
        #expect(rows["added"].number == 5)
        let b = try await Daemon.member("ward-2", of: a)
        for number in 6...10 { try await b.add("person \(number)") }
        for daemon in [a, b] {
            let peers = try await daemon.answer("peers")
            #expect(peers.array?.count == 1)
            #expect(peers[0]["name"].string == (daemon === a ? "ward-2" : "ward-1"))
            #expect(peers[0]["state"].string == "connected")
            #expect(peers[0]["rooms"] == .array(["clinic"]))
        }
        let pushed = try await a.answer("push", "--timeout", "30s")
        #expect(pushed["entries"].number == 5)
        #expect(pushed["delivered"][0]["name"].string == "ward-2")
        let back = try await b.answer("push", "--timeout", "30s")
        #expect(back["delivered"][0]["name"].string == "ward-1")
        #expect(try await a.answer("sync", "--wait", "30s")["identical"].isTrue)
        try await Daemon.untilIdentical(a, b, records: 10)
        #expect(try await a.names() == b.names())
        #expect(try await a.dump() == b.dump())

        let own = try await b.answer("list", "visit", "--where", "name=person 7")
        let id = try #require(own[0]["_id"].string)
        #expect(try await b.shared("edit", String(id.suffix(8)), "age=77").code == 0)
        #expect(try await b.shared("push").code == 0)
        let isSeen = await eventually {
            (try? await a.answer("show", id)["age"].number) == 77
        }
        #expect(isSeen)
        try await Daemon.untilIdentical(a, b, records: 10)
        #expect(try await a.dump() == b.dump())
        #expect(try await a.shared("verify").code == 0)
    }

    @Test func `a collector may not edit what another entered`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let id = try await a.add("Sara")
        #expect(try await a.shared("push").code == 0)
        let b = try await Daemon.member("ward-2", of: a)
        try await Daemon.untilIdentical(a, b, records: 1)
        for command in [["edit", id, "age=1"], ["delete", id]] {
            try await b.shared(command).expectProblem("only entries of its own")
        }
        for command in [["invite"], ["form", "add", "-"]] {
            let form = Sample.form.replacing("\"1\"", with: "\"2\"")
            let run = try await b.shared(command, input: form)
            #expect(run.code == 1)
            #expect(run.errors.contains("collector"), "\(run.errors)")
        }
        // Its role comes before what would be wrong with the form.
        let changed = try await b.shared(
            "form", "add", "-", input: Sample.form.replacing("\"weight\"", with: "\"mass\""))
        #expect(changed.code == 1 && changed.errors.contains("collector"), "\(changed.errors)")
        #expect(!changed.errors.contains("--force"), "\(changed.errors)")
        #expect(try await b.names() == ["Sara"])
    }

    @Test func `a name that two devices have is said to be that of both`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-1", of: a)
        try await a.add("Ann")
        try await b.add("Ben")
        #expect(try await b.shared("push").code == 0)
        try #require(await eventually { (try? await a.names().count) == 2 })
        let id = try await b.ownID().dropFirst(4).prefix(8)
        for command in [
            ["count", "visit", "author=ward-1"], ["list", "visit", "--author", "WARD-1"],
            ["export", "visit", "_author=ward-1"],
        ] {
            let run = try await a.shared(command)
            #expect(run.errors.contains("2 devices are called ward-1"), "\(command): \(run)")
            #expect(run.errors.contains("_author=\(id)"), "\(command): \(run)")
        }
        let one = try await a.shared("count", "visit", "_author=\(id)")
        #expect(one.output == "1\n" && !one.errors.contains("devices"), "\(one)")
    }

    @Test func `an invite that was withdrawn had not been used up`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let code = try #require(try await a.answer("invite", "--uses", "2")["code"].string)
        let b = try await Daemon("ward-2", peers: [a])
        try #require(try await b.shared("join", "clinic", "--code", code).code == 0)
        let selector = String(code.prefix(2))
        try #require(try await a.shared("withdraw", selector).code == 0)
        let again = try await a.shared("withdraw", selector)
        #expect(again.words.contains("had ended already: withdrawn; used by ward-2"), "\(again)")
    }

    @Test func `an answer typed ahead of its question leaves a line of its own behind it`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        _ = try await Daemon.member("ward-2", of: a)
        let run = try await a.onTerminal(["remove", "ward-2"], [.init(after: "", line: "y")])
        #expect(run.code == 0 && run.output.contains("[y/N] \n"), "\(run.output)")
    }

    @Test func `a new version of a form brings its column to every device`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await b.add("old")
        let next = Sample.form.replacing("\"version\": \"1\"", with: "\"version\": \"2\"")
            .replacing(
                "{\"name\": \"weight\"",
                with: "{\"name\": \"height\", \"type\": \"integer\"},"
                    + "{\"name\": \"weight\"")
        let added = try await a.shared("form", "add", "-", input: next)
        #expect(added.output.contains("updated form visit, version 2"), "\(added.output)")
        #expect(added.output.contains("height"))
        #expect(try await a.shared("form", "add", "-", input: next).output.contains("already"))
        let hasArrived = await eventually {
            (try? await b.answer("forms")[0]["version"].string) == "2"
        }
        #expect(hasArrived)
        let id = try #require(
            try await b.answer("add", "visit", "name=new", "age=3", "height=120")["id"].string)
        #expect(try await b.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 2)
        #expect(try await a.answer("show", id)["height"].number == 120)
        #expect(try await a.names() == ["new", "old"])
        #expect(
            try await a.sqlite("SELECT name, height FROM visit ORDER BY name") == "new|120\nold|\n")
        #expect(try await a.dump() == b.dump())
    }

    @Test func `A and C share through B without ever meeting`() async throws {
        let b = try await Daemon.clinic("ward-b")
        let a = try await Daemon.member("ward-a", of: b)
        let c = try await Daemon.member("ward-c", of: b)
        try await a.add("from a")
        try await c.add("from c")
        #expect(try await a.shared("push").code == 0)
        #expect(try await c.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, c, records: 2)
        #expect(try await a.names() == ["from a", "from c"])
        #expect(try await a.dump() == c.dump())
    }

    @Test func `A passes on to C what B left with it`() async throws {
        let a = try await Daemon.clinic("ward-a")
        let b = try await Daemon.member("ward-b", of: a)
        try await b.add("from b")
        #expect(try await b.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 1)
        await b.terminate()
        let c = try await Daemon.member("ward-c", of: a)
        try await Daemon.untilIdentical(a, c, records: 1)
        #expect(try await c.names() == ["from b"])
        // The device that is away is named, not passed over.
        try await c.add("from c")
        let pushed = try await c.answer("push", "--timeout", "20s")
        #expect(pushed["delivered"].array?.map { $0["name"].string } == ["ward-a"])
        let away = try #require(pushed["not_connected"].array)
        #expect(away.map { $0["id"] } == [try await a.id(of: "ward-b")])
    }

    @Test func `addresses are remembered, and both reconnect after a restart without --peer`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await Daemon.untilIdentical(a, b)
        for daemon in [a, b] { await daemon.terminate() }
        for daemon in [a, b] { try await daemon.start(withPeers: false) }
        let isIdentical = await eventually(within: .seconds(40)) {
            (try? await b.answer("sync", "--wait", "5s")["identical"].isTrue) == true
        }
        #expect(isIdentical, "\(b.log)")
        try await b.add("after the restart")
        let pushed = try await b.answer("push", "--timeout", "30s")
        #expect(pushed["delivered"][0]["name"].string == "ward-1")
        try await Daemon.untilIdentical(a, b, records: 1)
    }

    @Test func `with nobody in reach push is done and says who lacks it, and sync fails`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        try await a.add("alone")
        let alone = try await a.shared("push")
        #expect(alone.code == 0)
        #expect(alone.output.contains("nobody else is in the room yet"))
        let b = try await Daemon.member("ward-2", of: a)
        await b.kill()
        try await a.add("with nobody near")
        let pushed = try await a.shared("push", "--timeout", "1s")
        #expect(pushed.code == 0)
        #expect(pushed.output.contains("ward-2"))
        let isAlone = await eventually {
            (try? await a.answer("status")["peers"]["connected"].number) == 0
        }
        #expect(isAlone)
        try await a.add("another")
        let json = try await a.answer("push", "--timeout", "1s")
        #expect(json["delivered"] == .array([]))
        #expect(json["not_connected"][0]["name"].string == "ward-2")
        try await a.shared("sync", "--wait", "1s").expectProblem("in reach")
        let problem = try await a.shared("sync", "--wait", "1s", "--json")
        #expect(problem.code == 1)
        #expect(problem.problem?.code == .nobodyInReach)
        // What nobody else has is not out of sight once it is sealed, nor after a restart.
        for isRestarted in [false, true] {
            if isRestarted {
                await a.terminate()
                try await a.start()
            }
            #expect(try await a.status()["pending"].number == 0)
            #expect(try await a.status()["only_here"].number == 2)
            #expect(
                try await a.shared("status").words.contains(
                    "2 entries on this device alone; they go out when another is near"))
            let peer = try await a.answer("peers")[0]
            #expect(peer["behind"].number == 2)
            #expect(peer["ahead"].number == 0, "after a restart too: \(isRestarted)")
            #expect(try await a.shared("peers").output.contains("lacks 2 entries or other changes"))
        }
        try await b.start()
        try await Daemon.untilIdentical(a, b, records: 3)
        let isShared = await eventually {
            (try? await a.status()["only_here"].number) == 0
        }
        #expect(isShared)
        await b.terminate()
        await a.terminate()
        try await a.start()
        #expect(try await a.status()["only_here"].number == 0)
        // How the others stood is known after a restart.
        #expect(try await a.answer("peers")[0]["behind"].number == 0)
        #expect(try await a.shared("peers").output.contains("has our last entry"))
        #expect(try await a.shared("status").words.contains("not met since"))
        let members = try await a.answer("members").array ?? []
        #expect(members.compactMap { $0["progress"]["state"].string } == ["away"])
    }

    @Test func `a contributor reads that others' changes do not come, and what has stopped`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await a.add("of others")
        #expect(try await a.shared("push").code == 0)
        let id = try await b.add("own")
        #expect(try await b.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 2)
        #expect(!(try await b.shared("list", "visit").errors.contains("as you sent it")))
        #expect(try await b.status()["stale"].isTrue == false)

        let device = String(try await b.ownID().dropFirst(4).prefix(8))
        let lowered = try await a.shared("role", device, "contributor")
        #expect(lowered.code == 0, "\(lowered.errors)")
        let isLowered = await eventually {
            (try? await b.status()["role"].string) == "contributor"
        }
        #expect(isLowered)
        let note = "this device is a contributor: what others enter and change is not sent to it"
        let entries = try await b.answer("list", "visit")
        let others = try #require(entries.array?.first { $0["name"].string == "of others" })
        for (command, told) in [
            (["list", "visit"], note), (["show", String(id.suffix(8))], "as you sent it"),
            (["show", String((others["_id"].string ?? "").suffix(8))], note),
        ] {
            let run = try await b.shared(command)
            #expect(run.code == 0 && run.errors.contains(told), "\(run.errors)")
            #expect(run.errors.components(separatedBy: "contributor").count == 2, "\(run.errors)")
            #expect(try await b.shared(command + ["--json"]).errors == "")
        }
        // So it is with figures, which would be those of the whole room elsewhere.
        for command in [
            ["count", "visit"], ["stats", "visit"], ["chart", "bar", "visit", "age"],
            ["search", "own"],
        ] {
            let run = try await b.shared(command)
            #expect(run.code == 0 && run.errors.contains(note), "\(command): \(run)")
            let json = try await b.shared(command + ["--json"])
            #expect(json.errors == "" && json.output.contains(note), "\(command): \(json)")
        }
        let file = b.folder.path + "/own.csv"
        let export = try await b.shared("export", "visit", "--output", file)
        #expect(export.errors.components(separatedBy: note).count == 2, "\(export)")
        let sync = try await b.shared("sync")
        #expect(sync.code == 0 && !sync.words.contains("up to date"), "\(sync)")
        #expect(sync.words.contains(") has what this device has sent; what others"), "\(sync)")
        #expect(try await b.status()["stale"].isTrue)
        let words = try await b.shared("status").words
        #expect(words.contains("as you sent them"), "\(words)")
        #expect(words.contains("the other one has what this device has sent"), "\(words)")
        #expect(!words.contains("both up to date"), "\(words)")
        #expect(words.contains("entries of others are no longer brought up to date"), "\(words)")
    }

    @Test func `where all others are contributors push and status say that nobody is sent it`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a, role: "contributor")
        try await a.add("Sara")
        for _ in 1...2 {
            let push = try await a.shared("push", "--timeout", "1s")
            #expect(push.code == 0)
            #expect(push.words.contains("the others in the room are contributors"), "\(push.words)")
            #expect(!push.words.contains("nobody else"))
        }
        #expect(try await a.status()["only_here"].number == 1)
        #expect(try await a.status()["readers"].number == 0)
        let words = try await a.shared("status").words
        #expect(
            words.contains("1 entry only on this device; the others are contributors"), "\(words)")
        #expect(!words.contains("when it meets"), "\(words)")
        // What a contributor enters is sent to the owner.
        #expect(try await b.status()["readers"].number == 1)
    }

    @Test func `two devices of one name are told apart by their ids`() async throws {
        let a = try await Daemon.clinic("tablet")
        let b = try await Daemon.member("tablet", of: a)
        try await b.add("x")
        #expect(try await b.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 1)
        let members = try await a.answer("members")
        #expect(members.array?.map { $0["name"].string } == ["tablet", "tablet"])
        #expect(Set(members.array?.compactMap { $0["id"].string } ?? []).count == 2)
        let list = try await a.shared("members")
        for member in members.array ?? [] {
            let id = try #require(member["id"].string)
            #expect(list.output.contains(id.dropFirst(4).prefix(8)))
        }
        let other = String(try await b.ownID().dropFirst(4).prefix(8))
        await b.terminate()
        let pushed = try await a.shared("push", "--timeout", "0s")
        #expect(
            pushed.words.contains("goes by itself to tablet (\(other)) (not in reach)"),
            "\(pushed)")
    }

    @Test func `of two members with one name the ids are told, of others not`() async throws {
        let a = try await Daemon.clinic("office")
        let b = try await Daemon.member("tablet", of: a)
        let c = try await Daemon.member("tablet", of: a)
        let d = try await Daemon.member("ward-2", of: a)
        try await Daemon.untilIdentical(a, b, c, d)
        let ids = [
            String(try await b.ownID().dropFirst(4).prefix(8)),
            String(try await c.ownID().dropFirst(4).prefix(8)),
        ]
        try await b.add("Sara")
        try await d.add("Zara")
        let sync = try await a.shared("sync")
        #expect(sync.words.contains("of tablet (\(ids[0]))"), "\(sync)")
        #expect(sync.words.contains("of ward-2"), "\(sync)")
        #expect(!sync.words.contains("of ward-2 ("), "\(sync)")
        let activity = try await a.shared("members", "--activity")
        for id in ids { #expect(activity.output.contains("tablet (\(id))"), "\(activity)") }
        #expect(activity.output.contains("ward-2  "), "\(activity)")
        for other in [b, c, d] { await other.terminate() }
        let alone = try await a.shared("sync", "--wait", "1s")
        for id in ids { #expect(alone.errors.contains("tablet (\(id))"), "\(alone)") }
        #expect(!alone.errors.contains("ward-2 ("), "\(alone)")
    }
}
