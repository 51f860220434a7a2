import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareNet
import ShareStore
import ShareTestKit
import Testing

@testable import ShareNode

/// Invites from their making to their end.
@Suite struct InvitesTests {
    @Test func `more devices than ten join from one address within a minute`() async throws {
        let a = try await TestNode("a")
        try await a.create("clinic")
        let code = try await a.invite(uses: 12)
        for number in 1...12 {
            let b = try await TestNode("b-\(number)", peers: [a])
            #expect(try await b.join("clinic", code: code).room.name == "clinic")
            await b.stop()
        }
        await a.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `invites are listed with their code while they hold, and with why they ended`()
        async throws
    {
        let a = try await TestNode("a")
        try await a.create("clinic")
        try await a.create("ward")
        let made: InviteAnswer = try await a.post(
            "/v1/invites?room=clinic", InviteRequest(role: "editor", expiresSeconds: 60, uses: 3))
        #expect(made.uses == 3)
        let link = try #require(JoinLink(text: made.link))
        #expect(link.room == "clinic" && link.code == made.code)
        #expect(link.at == ["127.0.0.1:\(a.endpoint.port)"])
        let other = try await a.invite()

        // The older one comes first; two of one millisecond, in any order.
        let all = try await a.invites().sorted { one, _ in one.code == made.code }
        #expect(all.map(\.code) == [made.code, other])
        #expect(all.map(\.room.name) == ["clinic", "ward"])
        #expect(all.map(\.state) == ["live", "live"])
        let first = try #require(all.first)
        #expect(first.role == "editor" && first.uses == 3 && first.usesLeft == 3)
        #expect(first.attempts == 0 && first.attemptsLeft == 5 && first.usedBy.isEmpty)
        #expect((1...60).contains(first.expiresIn) && first.expires == made.expires)
        let wards: [InviteStatus] = try await a.get("/v1/invites?room=ward")
        #expect(wards.map(\.code) == [other])

        // By its first characters in any spelling, or by the whole code, but by no other one.
        let wrong = String(made.code.dropLast()) + (made.code.hasSuffix("0") ? "1" : "0")
        for text in [wrong, "ZZ99-9999", "Z", "not a code"] {
            let reply = try await a.ask(.delete, "/v1/invites/\(PercentEncoding.encode(text))")
            #expect(reply.status >= 400, "\(text)")
        }
        #expect(try await a.invites().allSatisfy { $0.state == "live" })
        for text in [made.code.lowercased(), String(other.prefix(2).lowercased())] {
            let ended: InviteStatus = try await a.ask(.delete, "/v1/invites/\(text)").decoded()
            #expect(ended.state == "withdrawn" && ended.code == nil)
            // Twice is no harm.
            let again: InviteStatus = try await a.ask(.delete, "/v1/invites/\(text)").decoded()
            #expect(again == ended || again.expiresIn <= ended.expiresIn)
        }
        #expect(try await a.invites().map(\.state) == ["withdrawn", "withdrawn"])

        // All of it is there after a restart.
        await a.stop(keeping: true)
        let again = try await TestNode("a", folder: a.folder)
        #expect(try await again.invites().map(\.state) == ["withdrawn", "withdrawn"])
        // A room that is left takes its invites with it.
        let _: RoomChangedAnswer = try await again.post("/v1/leave", RoomRequest(room: "ward"))
        #expect(try await again.invites().map(\.room.name) == ["clinic"])
        await again.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a withdrawn invite is answered like one that never was`() async throws {
        let a = try await TestNode("a")
        let b = try await TestNode("b", peers: [a])
        try await a.create("clinic")
        let code = try await a.invite()
        let unknown = (code.hasPrefix("ZZ") ? "YY" : "ZZ") + code.dropFirst(2)
        let never = try await TestNode.problem { try await b.join("clinic", code: unknown) }
        _ = try await a.ask(.delete, "/v1/invites/\(code)")
        let withdrawn = try await TestNode.problem { try await b.join("clinic", code: code) }
        #expect(withdrawn?.code == .noInvite)
        #expect(withdrawn?.jsonText == never?.jsonText)
        #expect(await b.node.rooms.all().isEmpty)
        await a.stop()
        await b.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `two devices join at once with an invite for two, and no third`() async throws {
        let a = try await TestNode("a")
        try await a.create("clinic")
        let code = try await a.invite(uses: 2)
        let b = try await TestNode("b", peers: [a])
        let c = try await TestNode("c", peers: [a])
        async let first = b.join("clinic", code: code)
        async let second = c.join("clinic", code: code)
        let states = try await [first.state, second.state]
        #expect(states == ["member", "member"])
        let invite = try #require(try await a.invites().first)
        #expect(invite.usesLeft == 0 && invite.state == "used_up")
        #expect(Set(invite.usedBy.map(\.id)) == [b.id, c.id])
        let d = try await TestNode("d", peers: [a])
        let third = try await TestNode.problem { try await d.join("clinic", code: code) }
        #expect(third?.code == .noInvite)
        for node in [a, b, c, d] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)), arguments: [0, -3, 1_001])
    func `an invite for no device, or for too many, is not made`(uses: Int) async throws {
        let a = try await TestNode("a")
        try await a.create("clinic")
        let problem = try await TestNode.problem { _ = try await a.invite(uses: uses) }
        #expect(problem?.code == .badRequest && problem?.detail.contains("1000") == true)
        #expect(try await a.invites().isEmpty)
        await a.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `joining again is harmless, and a better role is taken`() async throws {
        let a = try await TestNode("a")
        let b = try await TestNode("b", peers: [a])
        try await a.create("clinic")
        try await b.join("clinic", code: try await a.invite())
        let log = LogName(author: a.node.identity.key, kind: .control)
        func length() async throws -> UInt64? {
            try await a.room("clinic").store.view().logs[log]?.number
        }
        let joined = try await length()
        #expect(joined == 2)

        for role in ["collector", "viewer"] {
            let code = try await a.invite(role)
            let again = try await b.join("clinic", code: code)
            #expect(again.already && again.role == "collector")
            // Nothing was granted, and the code is still good for somebody else.
            let now = try await length()
            #expect(now == 2)
            #expect(try await a.invites().last?.usesLeft == 1)
        }
        let better = try await b.join("clinic", code: try await a.invite("editor"))
        #expect(!better.already && better.state == "member" && better.role == "editor")
        let raised = try await length()
        #expect(raised == 3)
        #expect(try await b.status("clinic").role == "editor")
        #expect(try await b.get("/v1/rooms", as: [RoomAnswer].self).count == 1)
        try await TestNode.untilAlike([a, b], in: "clinic")
        await a.stop()
        await b.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a join that another one has begun is waited for`() async throws {
        let a = try await TestNode("a")
        let b = try await TestNode("b", peers: [a])
        try await a.create("clinic")
        let code = try await a.invite()
        // As after Ctrl-C, when somebody types the command again at once.
        let answers = try await withThrowingTaskGroup(of: JoinAnswer.self) { group in
            for _ in 0..<4 { group.addTask { try await b.join("clinic", code: code) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.state == "member" && $0.role == "collector" })
        #expect(try await a.members().count == 2)
        let ended = try await a.invites()
        _ = try await a.ask(.delete, "/v1/invites/\(ended[0].selector)")
        let late = try await TestNode.problem { try await b.join("clinic", code: code) }
        #expect(late?.code == .noInvite)
        #expect(late?.hint?.contains("in clinic already, as collector") == true)
        for node in [a, b] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `an invite whose maker may not admit any more says so, until it may again`() async throws {
        let a = try await TestNode("a")
        let b = try await TestNode("b", peers: [a])
        try await a.create("clinic")
        try await b.join("clinic", code: try await a.invite("editor"))
        let code = try await b.invite()
        try await a.setRole("collector", of: b)
        #expect(await eventually { (try? await b.status("clinic").role) == "collector" })
        let ended = try await b.invites()
        #expect(ended.map(\.state) == ["not_allowed"] && ended[0].code == nil)
        let c = try await TestNode("c", peers: [b])
        let problem = try await TestNode.problem { try await c.join("clinic", code: code) }
        #expect(problem?.code == .notAllowed)
        #expect(problem?.detail.contains("may not admit") == true)
        #expect(await c.node.rooms.all().isEmpty)

        try await a.setRole("editor", of: b)
        #expect(await eventually { (try? await b.invites().first?.state) == "live" })
        #expect(try await c.join("clinic", code: code).state == "member")
        for node in [a, b, c] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a removed device joins again by a new invite, and not by the old one`() async throws {
        let a = try await TestNode("a")
        let b = try await TestNode("b", peers: [a])
        try await a.create("clinic")
        let form = try await a.addForm(to: "clinic")
        let code = try await a.invite(uses: 2)
        try await b.join("clinic", code: code)
        try await b.add(["before"], to: "clinic", form)
        let _: PushAnswer = try await b.post("/v1/push", PushRequest())
        try await TestNode.untilAlike([a, b], in: "clinic")
        let room = try await a.room("clinic")
        let key = b.node.identity.key
        let heads = try await b.room("clinic").ownHeads()
        try await a.node.sealing.control(in: room, as: .owner) { store in
            [
                .removal(
                    Removal(
                        subject: key, heads: heads,
                        supersedes: store.authority().latest(about: key), reason: "lost"))
            ]
        }
        // It has not to know of it to be let in again.
        let old = try await TestNode.problem { try await b.join("clinic", code: code) }
        #expect(old != nil)
        let role = await room.store.authority().currentRole(of: key)
        #expect(role == nil)
        let _: RoomChangedAnswer = try await b.post("/v1/leave", RoomRequest(room: "clinic"))
        let back = try await b.join("clinic", code: try await a.invite())
        #expect(back.state == "member")
        try await b.add(["after"], to: "clinic", form)
        let _: PushAnswer = try await b.post("/v1/push", PushRequest())
        #expect(
            await eventually { (try? await a.status("clinic").records) == 2 })
        try await TestNode.untilAlike([a, b], in: "clinic")
        await a.stop()
        await b.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a code leads to its maker where that was met before`() async throws {
        let a = try await TestNode("a")
        try await a.create("clinic")
        let b = try await TestNode("b", peers: [a])
        try await b.join("clinic", code: try await a.invite())
        _ = try await a.remove(b)
        #expect(await eventually { (try? await b.status("clinic").removed) != nil })
        await b.stop(keeping: true)
        // It was found again, and nobody types addresses.
        let again = try await TestNode("b", folder: b.folder)
        let answer = try await again.join("clinic", code: try await a.invite())
        #expect(answer.state == "member")
        for node in [a, again] { await node.stop() }
    }
}
