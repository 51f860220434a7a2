import JSON
import ShareControl
import ShareTestKit
import Testing

/// The members of the JSON answers that scripts rely on: they stay, whatever is added.
@Suite(.serialized) struct AnswerTests {
    private func expect(
        _ value: JSONValue, has keys: [String], _ what: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let missing = Set(keys).subtracting(value.keys)
        #expect(
            missing.isEmpty, "\(what) lacks \(missing.sorted()): \(value.shown)",
            sourceLocation: sourceLocation)
    }

    @Test func `answers about rooms and devices have the members of the contract`() async throws {
        let a = try await Daemon("ward-1")
        let created = try await a.answer("create", "clinic")
        expect(created, has: ["room", "created", "founder"], "create")
        expect(created["room"], has: ["name", "id"], "create's room")
        #expect(created["created"].isTrue)
        #expect(created["room"]["id"].string?.hasPrefix("room:") == true)
        try #require(try await a.shared("form", "add", "-", input: Sample.form).code == 0)
        let invite = try await a.answer("invite", "--expires", "5m")
        expect(invite, has: ["code", "expires"], "invite")
        #expect(invite["code"].string?.wholeMatch(of: /[0-9A-Z]{4}-[0-9A-Z]{4}/) != nil)
        let code = try #require(invite["code"].string)
        let b = try await Daemon("ward-2", peers: [a])
        let joined = try await b.answer("join", "clinic", "--code", code)
        expect(joined, has: ["room", "created", "founder"], "join")
        #expect(joined["room"] == created["room"])
        #expect(joined["founder"]["name"].string == "ward-1")
        try await Daemon.untilIdentical(a, b)

        let status = try await a.answer("status")
        expect(status, has: ["device", "version", "rooms", "peers", "discovery"], "status")
        expect(status["device"], has: ["id", "name"], "status's device")
        #expect(status["device"]["id"].string?.hasPrefix("dev:") == true)
        expect(
            status["rooms"][0],
            has: [
                "name", "id", "role", "members", "records", "pending", "waiting", "refused",
                "conflicts", "digest",
            ], "status's room")
        expect(status["peers"], has: ["nearby", "connected", "identical"], "status's peers")
        expect(status["discovery"], has: ["state", "hint"], "status's discovery")
        let peers = try await a.answer("peers")
        expect(
            peers[0],
            has: [
                "id", "name", "state", "address", "rooms", "identical", "behind", "ahead",
                "last_seen",
            ], "peers")
        let members = try await a.answer("members")
        #expect(members.array?.count == 2)
        expect(members[0], has: ["id", "name", "role", "self"], "members")
        #expect(members.array?.filter { $0["self"].isTrue }.count == 1)
        let rooms = try await a.answer("rooms")
        expect(rooms[0], has: ["name", "id", "role", "current"], "rooms")
        let push = try await a.answer("push", "--timeout", "30s")
        expect(
            push, has: ["entries", "batches", "delivered", "not_connected", "refusing"], "push")
        expect(push["delivered"][0], has: ["id", "name"], "push's delivered")
        let sync = try await a.answer("sync")
        expect(sync, has: ["identical", "peers"], "sync")
        expect(try await a.answer("version"), has: ["version", "daemon"], "version")
        expect(try await a.answer("use", "clinic"), has: ["room"], "use")
        expect(try await a.answer("set", "autopush", "off"), has: ["room", "autopush"], "set")
        expect(try await a.answer("doctor"), has: ["ok", "checks"], "doctor")
    }

    @Test func `answers about forms and records have the members of the contract`() async throws {
        let daemon = try await Daemon.clinic()
        let forms = try await daemon.answer("forms")
        expect(forms[0], has: ["form_id", "title", "version", "records"], "forms")
        #expect(forms[0]["form_id"].string == "visit")
        let added = try await daemon.answer(
            "add", "visit", "name=Sara", "age=8", "weight=30.5", "symptoms=rash,cough",
            "seen=2026-11-21")
        let id = try #require(added["id"].string)
        let list = try await daemon.answer("list", "visit")
        let own = ["_id", "_author", "_created", "_updated", "_state"]
        expect(list[0], has: own + ["name", "age", "weight", "symptoms", "seen"], "list")
        #expect(list[0]["_id"].string == id)
        #expect(list[0]["age"] == .integer(8))
        #expect(list[0]["weight"] == .double(30.5))
        #expect(try await daemon.answer("show", id).keys.contains("_id"))
        let rows = "name,age\nMary,4\nSara,9\n"
        let imported = try await daemon.answer("import", "visit", "-", input: rows)
        expect(imported, has: ["added", "updated", "unchanged", "rejected"], "import")
        #expect(imported["added"].number == 1 && imported["updated"].number == 1)
        let history = try await daemon.answer("history", id)
        expect(history[0], has: ["version", "author", "at", "changed", "verified"], "history")
        #expect(try await daemon.answer("conflicts") == .array([]))
        #expect(try await daemon.answer("refused") == .array([]))
        let verify = try await daemon.answer("verify")
        expect(verify, has: ["ok", "findings"], "verify")
        #expect(verify["ok"].isTrue && verify["findings"] == .array([]))
        let before = try await daemon.dump()
        _ = try await daemon.answer("rebuild")
        #expect(try await daemon.dump() == before)
        #expect(try await daemon.answer("form", "show", "visit")["form_id"].string == "visit")
        let limited = try await daemon.answer("list", "visit", "--sort", "name", "--limit", "1")
        #expect(limited.array?.map { $0["name"].string } == ["Mary"])
    }

    @Test func `a conflict names the field, the value that shows and the one that was kept`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let id = try await a.add("Sara", age: 1)
        #expect(try await a.shared("push").code == 0)
        let b = try await Daemon.member("ward-2", of: a, role: "editor")
        try await Daemon.untilIdentical(a, b, records: 1)
        await b.terminate()
        #expect(try await a.shared("edit", id, "age=2").code == 0)
        #expect(try await a.shared("push").code == 0)
        await a.terminate()
        try await b.start()
        #expect(try await b.shared("edit", id, "age=3").code == 0)
        #expect(try await b.shared("push").code == 0)
        try await a.start()
        try await Daemon.untilIdentical(a, b, records: 1)
        for daemon in [a, b] {
            let conflicts = try await daemon.answer("conflicts")
            #expect(conflicts.array?.count == 1)
            expect(conflicts[0], has: ["record", "field", "winner", "losers"], "conflicts")
            #expect(conflicts[0]["field"].string == "age")
            expect(conflicts[0]["losers"][0], has: ["value", "author", "at"], "conflicts' loser")
            #expect(conflicts[0]["losers"][0]["value"] == .integer(2))
            #expect(try await daemon.answer("show", id)["age"] == .integer(3))
            #expect(try await daemon.status()["conflicts"].number == 1)
        }
    }

    @Test func `peers --watch tells of each peer that changes, one object a line`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let watch = try await RunningCommand(
            ["peers", "--watch", "--json"], socket: a.socket)
        let b = try await Daemon.member("ward-2", of: a)
        @Sendable func states() -> [String] {
            watch.output.split(separator: "\n").compactMap { line in
                let peer = try? JSONValue(text: Array(line.utf8))
                return peer?["name"].string == "ward-2" ? peer?["state"].string : nil
            }
        }
        #expect(await eventually { states().contains("connected") })
        await b.terminate()
        #expect(
            await eventually { ![nil, "connected"].contains(states().last) })
        // The daemon's end is the end of what can be watched.
        await a.terminate()
        let run = try await watch.end(within: .seconds(10))
        #expect(run.code == 1)
        #expect(try JSONValue(text: Array(run.errors.utf8))["code"].string == "connection_lost")
    }

    @Test func `watch tells what happens, one object a line, until Ctrl-C`() async throws {
        let daemon = try await Daemon.clinic()
        let watch = try await daemon.watch("--json")
        watch.signal(2)
        let run = try await watch.end(within: .seconds(10))
        #expect(run.errors == "")
        for line in run.output.split(separator: "\n") {
            let event = try JSONValue(text: Array(line.utf8))
            #expect(event["event"].string?.isEmpty == false, "\(line)")
        }
        #expect(try await daemon.shared("status").code == 0)
    }
}
