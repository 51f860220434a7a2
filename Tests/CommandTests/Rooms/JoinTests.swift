import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Invites and joins as people meet them: the real binaries.
@Suite(.serialized) struct JoinTests {
    private func wrong(_ code: String) -> String {
        code.prefix(2) + (code.hasSuffix("0") ? "11-1111" : "00-0000")
    }

    @Test func `five wrong codes end an invite, its maker is told, and a new one works`()
        async throws
    {
        let a = try await Daemon.clinic()
        let watching = try await RunningCommand(["watch"], socket: a.socket)
        let b = try await Daemon("ward-2", peers: [a])
        let code = try #require(try await a.answer("invite")["code"].string)
        for left in (1...4).reversed() {
            try await b.shared("join", "clinic", "--code", wrong(code))
                .expectProblem("wrong code; \(left) more \(left == 1 ? "try" : "tries")")
        }
        // Half of it after a power cut: what was tried counts.
        await a.kill()
        try await a.start()
        try await b.shared("join", "clinic", "--code", wrong(code))
            .expectProblem("wrong code; the invite has ended")
        try await b.shared("join", "clinic", "--code", code)
            .expectProblem("this code is not valid here")

        let selector = String(code.prefix(2))
        let status = try await a.shared("status")
        #expect(status.errors.contains("note: wrong codes have ended the invite \(selector)"))
        let listed = try await a.shared("invites")
        #expect(listed.output.contains("5 of 5") && listed.output.contains("ended by wrong codes"))
        #expect(!listed.output.contains(code))
        #expect(a.log.contains("somebody on this network guesses"))
        #expect(!a.log.contains(code) && !b.log.contains(code))
        watching.signal(SIGINT)
        _ = try await watching.end()

        try await b.join(a)
        #expect(try await b.status()["role"].string == "collector")
    }

    @Test func `join does not wait for the entries, and says that they come in`() async throws {
        let rows = 20_000
        let a = try await Daemon.clinic()
        let imported = try await a.shared("import", "visit", "-", input: Sample.csv(rows: rows))
        try #require(imported.code == 0, "\(imported.errors)")
        try #require(try await a.shared("push", "--timeout", "0s").code == 0)
        let code = try #require(try await a.answer("invite")["code"].string)
        let b = try await Daemon("ward-2", peers: [a])
        let joined = try await b.shared("join", "clinic", "--code", code)
        #expect(joined.code == 0, "\(joined.errors)")
        #expect(joined.output.contains("role: collector"))
        // On a busy machine all of them may be there by then.
        let lines = joined.output.split(separator: "\n")
        if let line = lines.first(where: { $0.contains("coming in") }) {
            #expect(
                line.wholeMatch(of: /[0-9,]+ entries or other changes are coming in: shared status/)
                    != nil)
        }
        #expect(try await b.shared("form", "show", "visit").code == 0)
        let sync = try await b.shared("sync", "--wait", "60s")
        #expect(sync.code == 0, "\(sync.errors)")
        #expect(try await b.status()["records"].number == rows)
    }

    @Test func `joining founds no room unless it is told to, and a code is no name`() async throws {
        let a = try await Daemon()
        let mistyped = try await a.shared("join", "korosurve")
        mistyped.expectProblem("no room \"korosurve\" is nearby")
        mistyped.expectHint("shared create korosurve")
        for arguments in [["create", "S0FH-A3TW"], ["join", "s0fha3tw", "--create"]] {
            let run = try await a.shared(arguments)
            run.expectProblem("looks like a code", code: 2)
            run.expectHint("shared join ")
        }
        try await a.shared("join", "S0FH-A3TW").expectProblem("no device answers")
        // One letter off a code is no name either, and nobody is led to found a room of it.
        for (arguments, slip) in [
            (["join", "S0FH-A3T"], "a letter missing"),
            (["join", "s0fha3twx"], "a letter too many"),
            (["join", "S0FH-A3TU"], "a U"), (["join", "camp2west"], "a letter too many"),
            (["create", "S0FH-A3T"], "a letter missing"),
            (["join", "S0FH-A3T", "--create"], "a letter missing"),
        ] {
            let run = try await a.shared(arguments)
            run.expectProblem("looks like a code with \(slip)", code: 2)
            #expect(!run.errors.contains("shared create"), "\(run.errors)")
        }
        for arguments in [
            ["create", "SPGR-M204"], ["create", "spgr-m204"], ["join", "SPGR-M204", "--create"],
            ["join", "spgr-m204", "--create"], ["join", "SPGR-M204"],
        ] {
            let run = try await a.shared(arguments)
            run.expectProblem("looks like a code that was misread", code: 2)
            run.expectHint("code")
        }
        #expect(try await a.shared("rooms").output.hasPrefix("this device is in no room"))
        #expect(try await a.shared("rooms", "--nearby").output == "no other room is nearby\n")
    }

    @Test func `a code leads to its room by itself, and names match in either case`() async throws {
        let a = try await Daemon.clinic()
        let b = try await Daemon("ward-2", peers: [a])
        let code = try #require(try await a.answer("invite")["code"].string)
        try await b.shared("join", "elsewhere", "--code", code).expectProblem(
            "that code leads to another room: clinic")
        let joined = try await b.shared("join", code.lowercased())
        #expect(joined.code == 0 && joined.output.hasPrefix("joined clinic ("), "\(joined.errors)")
        #expect(try await b.shared("use", "CLINIC").output == "the current room is clinic\n")
        try await b.shared("create", "Clinic").expectProblem("in a room \"Clinic\" already")
        let c = try await Daemon("ward-3", peers: [a])
        let other = try #require(try await a.answer("invite")["code"].string)
        #expect(try await c.shared("join", "Clinic", "--code", other).code == 0)
        // Who is in already is told so, and the code lives on.
        let spare = try #require(try await a.answer("invite")["code"].string)
        #expect(try await c.shared("join", spare).output.contains("in clinic"))
        #expect(try await a.shared("invites").output.contains(spare))
    }

    @Test func `without discovery a room of another name is not said to exist`() async throws {
        let a = try await Daemon.clinic()
        let b = try await Daemon("ward-2", peers: [a])
        for name in ["clinic", "nowhere"] {
            let run = try await b.shared("join", name)
            run.expectProblem("no room \"\(name)\" is known here")
            #expect(run.errors.contains("A room is joined with a code: `shared join CODE`"))
        }
    }

    @Test func `a room that join creates where nobody could be asked says so`() async throws {
        let a = try await Daemon()
        let joined = try await a.shared("join", "clinic", "--create")
        #expect(joined.code == 0, "\(joined.errors)")
        #expect(joined.output.contains("created a new room, clinic"))
        #expect(joined.errors.contains("nobody was asked whether there is a room clinic nearby"))
        #expect(joined.errors.contains("shared leave"))
        // Who founds a room has asked for nothing else.
        #expect(try await a.shared("create", "other").errors == "")
    }

    @Test func `an invite is listed, read out again, and withdrawn`() async throws {
        let a = try await Daemon.clinic()
        #expect(try await a.shared("invites").output.contains("no invites"))
        let made = try await a.answer("invite", "--role", "viewer", "--uses", "3")
        let code = try #require(made["code"].string)
        #expect(made["uses"].number == 3)
        let listed = try await a.shared("invites").output
        for word in [code, "viewer", "clinic", "3 of 3", "in 10 min", "live"] {
            #expect(listed.contains(word), "\(word) in \(listed)")
        }
        let run = try await a.shared("withdraw", code.lowercased())
        #expect(run.output == "withdrew the invite \(code.prefix(2)) to clinic\n")
        let again = try await a.shared("withdraw", String(code.prefix(2)))
        #expect(again.code == 0, "\(again.errors)")
        #expect(again.output.contains("\(code.prefix(2)) to clinic had ended already: withdrawn"))
        #expect(try await a.answer("withdraw", code)["had_ended"].isTrue)
        // A device that knows nobody says what is wrong all the same.
        let own = try #require(try await a.answer("invite")["code"].string)
        try await a.shared("join", "clinic", "--code", own).expectProblem("this device's own")
        #expect(!(try await a.shared("invites").output.contains(code)))

        let none = try #require(
            ["ZZ", "YY", "XX"].first { !code.hasPrefix($0) && !own.hasPrefix($0) })
        try await a.shared("withdraw", none).expectProblem("no invite \"\(none)\"")
        let joined = try await a.shared("join", "clinic")
        #expect(joined.code == 0 && joined.output.contains("in clinic already, as owner"))
        try await a.shared("invite", "--role", "colector").expectHint("collector")
        for words in [
            ["invite", "--expires", "400d"], ["invite", "--uses", "many"],
            ["invite", "--uses", "0"], ["withdraw"],
            ["set", "open", "yes"], ["set", "hidden"], ["set", "opne", "on"],
            ["create", "x", "--open", "--hidden"],
            ["join", "shared:join?room=clinic&code=K7QX-93MP", "--code", "K7QX-93MP"],
        ] {
            #expect(try await a.shared(words).code == 2, "\(words)")
        }
    }

    @Test(arguments: ["C.UTF-8", "C"])
    func `the QR symbol holds the link, and the link joins`(locale: String) async throws {
        let a = try await Daemon.clinic()
        let run = try await CommandRun(
            program: try Product.path("shared"), ["invite", "--qr"],
            environment: ["SHARED_SOCKET": a.socket, "LC_ALL": locale])
        #expect(run.code == 0 && run.errors == "")
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
        let start = try #require(lines.firstIndex(of: ""))
        let end = try #require(lines[(start + 1)...].firstIndex(of: ""))
        #expect(run.output.utf8.allSatisfy { $0 < 0x80 } == (locale == "C"))
        let text = try QRReader(lines: Array(lines[(start + 1)..<end])).text()
        #expect(lines.contains("what it says can be typed too: shared join '\(text)'"))
        // It names the device, so that none has to be known before.
        let b = try await Daemon("ward-2")
        let joined = try await b.answer("join", text)
        #expect(joined["room"]["name"].string == "clinic" && joined["state"].string == "member")
    }

    @Test func `a name that is long or odd survives link and symbol`() async throws {
        let a = try await Daemon()
        for room in ["Krankenhaus S\u{FC}d 'a' & b?=#%+", String(repeating: "x", count: 63)] {
            _ = try await a.answer("create", room)
            let run = try await CommandRun(
                program: try Product.path("shared"), ["invite", "--qr"],
                environment: ["SHARED_SOCKET": a.socket, "LC_ALL": "C.UTF-8"])
            #expect(run.code == 0 && run.errors == "")
            let b = try await Daemon("ward-2")
            let link = try #require(try await a.answer("invite")["link"].string)
            #expect(try await b.answer("join", link)["room"]["name"].string == room)
        }
    }

    @Test func `two devices join at once with one invite for two`() async throws {
        let a = try await Daemon.clinic()
        let b = try await Daemon("ward-2", peers: [a])
        let c = try await Daemon("ward-3", peers: [a])
        let code = try #require(try await a.answer("invite", "--uses", "2")["code"].string)
        async let first = b.shared("join", "clinic", "--code", code)
        async let second = c.shared("join", "clinic", "--code", code)
        for run in try await [first, second] { #expect(run.code == 0, "\(run.errors)") }
        let listed = try await a.shared("invites").output
        #expect(
            listed.contains("ward-2") && listed.contains("ward-3") && listed.contains("used by"))
        try await Daemon.untilIdentical(a, b, c)
    }

    @Test func `who may not invite is told whom to ask`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let id = try await a.ownID().dropFirst(4).prefix(8)
        let b = try await Daemon.member("ward-2", of: a)
        let run = try await b.shared("invite")
        run.expectProblem("collectors cannot invite")
        run.expectHint("Ask an owner: ward-1 (\(id)).")
        let c = try await Daemon.member("ward-3", of: a, role: "editor")
        let owner = try await c.shared("invite", "--role", "owner")
        owner.expectProblem("editors cannot invite owners")
        owner.expectHint("They invite collectors, contributors and viewers. Ask an owner: ward-1")
    }

    @Test func `an open room is joined by its name, with a plain warning to who opens it`()
        async throws
    {
        let a = try await Daemon()
        let created = try await a.shared("create", "market", "--open")
        #expect(created.output.contains("created a new room, market"))
        #expect(created.errors.contains("anyone on this Wi-Fi can join it as collector"))
        #expect(created.errors.contains("read everything"))
        let id = try await a.ownID()
        #expect(try await a.shared("status").output.contains("market (owner, open)"))
        let b = try await Daemon("ward-2", peers: [a])
        let joined = try await b.shared("join", "market")
        #expect(joined.code == 0, "\(joined.errors)")
        let short = id.dropFirst("dev:".count).prefix(8)
        #expect(joined.output.contains("founded by ward-1 (\(short))"))
        #expect(joined.output.contains("role: collector"))
        let outsider = try await b.shared("set", "open", "off")
        outsider.expectProblem("only owners set what holds for all members of a room")
        outsider.expectHint("ward-1 (\(short))")
        #expect(try await a.shared("set", "open", "off").output.contains("market is closed"))
        let c = try await Daemon("ward-3", peers: [a])
        #expect(try await c.shared("join", "market").code == 1)
        #expect(try await c.answer("rooms") == .array([]))
        let again = try await a.shared("set", "open", "on")
        #expect(again.errors.contains("anyone on this Wi-Fi"))
        #expect(try await c.shared("join", "market").code == 0)
        let refused = try await a.shared("set", "hidden", "on")
        refused.expectProblem("market is open, and an open room cannot be hidden")
        refused.expectHint("shared set open off")
        #expect(try await a.shared("set", "open", "off").code == 0)
        let hidden = try await a.shared("set", "hidden", "on")
        #expect(hidden.output.contains("market is hidden"))
        let opened = try await a.shared("set", "open", "on")
        opened.expectProblem("market is hidden, and a hidden room cannot be open")
        opened.expectHint("shared set hidden off")
        #expect(try await a.shared("status").output.contains("market (owner, hidden)"))
    }

    /// A join of ward-2 whose inviter is killed after so many records on the wire.
    private func cutJoin(
        after records: Int
    ) async throws -> (
        a: Daemon, b: Daemon, code: String, proxy: CuttingProxy, joining: RunningCommand
    ) {
        let a = try await Daemon.clinic()
        let code = try #require(try await a.answer("invite")["code"].string)
        let proxy = try CuttingProxy(to: a.port, cutAfter: records)
        let b = try await Daemon("ward-2", peers: [], "--peer", "127.0.0.1:\(proxy.port)")
        let joining = try await RunningCommand(
            ["join", "clinic", "--code", code], socket: b.socket)
        #expect(await eventually { proxy.isCut || joining.hasEnded })
        await a.kill()
        return (a, b, code, proxy, joining)
    }

    @Test(arguments: [14, 20, 21, 22, 23, 24])
    func `a join whose inviter is killed meanwhile succeeds only if this device is a member`(
        records: Int
    ) async throws {
        let (a, b, code, proxy, joining) = try await cutJoin(after: records)
        proxy.cut()
        let run = try await joining.end(within: .seconds(120))
        let rooms = try await b.answer("rooms")
        let isMember = rooms[0]["role"].string == "collector"
        #expect((run.code == 0) == isMember, "\(run) \(rooms)")
        guard !isMember else { return }
        #expect(run.code == 1 && run.errors.contains("shared: hint: "), "\(run)")

        // Nothing is lost by it.
        try await a.start()
        await b.kill()
        try await b.start(with: ["--peer", a.address])
        let again = try await b.shared("join", "clinic", "--code", code)
        #expect(again.code == 0 || again.errors.contains("in clinic already"), "\(again.errors)")
        #expect(try await b.status()["role"].string == "collector")
    }

    @Test(arguments: [4, 8, 11, 13, 14, 15, 17, 20])
    func `a join cut by SIGKILL on both sides goes on with the same code`(records: Int)
        async throws
    {
        let (a, b, code, proxy, joining) = try await cutJoin(after: records)
        await b.kill()
        proxy.cut()
        _ = try await joining.end(within: .seconds(120))
        try await a.start()
        let rooms = try FileManager.default.contentsOfDirectory(atPath: b.data + "/rooms")
        let members = try await a.answer("members").array ?? []
        // No grant before the joiner has written down that it joins.
        if rooms.isEmpty { #expect(members.count == 1) }
        #expect(members.count <= 2)

        try await b.start(with: ["--peer", a.address])
        let again = try await b.shared("join", "clinic", "--code", code)
        #expect(again.code == 0 || again.errors.contains("in clinic already"), "\(again.errors)")
        try await Daemon.untilIdentical(a, b)
        #expect(try await a.answer("members").array?.count == 2)
        #expect(try await a.shared("invites").output.contains("used by ward-2"))
    }
}
