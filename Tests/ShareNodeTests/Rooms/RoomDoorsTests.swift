import ShareControl
import ShareCore
import ShareCrypto
import ShareStore
import ShareTestKit
import Testing

@testable import ShareNet
@testable import ShareNode

/// Open and hidden rooms.
@Suite struct RoomDoorsTests {
    private func set(
        _ node: TestNode, isOpen: Bool? = nil, isHidden: Bool? = nil
    ) async throws -> RoomSettingsAnswer {
        try await node.post(
            "/v1/settings/room", RoomSettingsRequest(isOpen: isOpen, isHidden: isHidden),
            method: .put)
    }

    // MARK: Open

    @Test(.timeLimit(.minutes(1)))
    func `anybody joins an open room as collector, and nobody once it is closed`() async throws {
        let a = try await TestNode("a")
        let b = try await TestNode("b", peers: [a])
        let c = try await TestNode("c", peers: [a])
        let created = try await a.create("market", isOpen: true)
        #expect(created.isOpen)
        let joined = try await b.join("market", code: nil)
        #expect(joined.state == "member" && joined.role == "collector" && !joined.created)
        #expect(joined.founder == NamedDevice(id: a.id, name: "a"))
        #expect(joined.room == created.room)
        for node in [a, b] { #expect(try await node.status("market").isOpen) }

        #expect(try await set(a, isOpen: false).isOpen == false)
        let late = try await TestNode.problem { try await c.join("market", code: nil) }
        // A closed room is not told from none.
        let none = try await TestNode.problem { try await c.join("bazaar", code: nil) }
        #expect(late?.code == .discoveryUnavailable && late?.code == none?.code)
        #expect(await c.node.rooms.all().isEmpty)
        // Who is in stays in.
        try await TestNode.untilAlike([a, b], in: "market")
        #expect(try await b.status("market").role == "collector")
        for node in [a, b, c] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(3)))
    func `a collector does not admit, and who meets an owner later is let in by itself`()
        async throws
    {
        let owner = try await TestNode("owner")
        let member = try await TestNode("member", peers: [owner])
        try await owner.create("market", isOpen: true)
        try await member.join("market", code: nil)
        // Where the connection broke meanwhile the join has answered that it waits.
        #expect(await eventually(within: .seconds(40)) { await member.isMember(of: "market") })
        await owner.stop(keeping: true)

        let late = try await TestNode("late", peers: [member])
        let waiting = try await late.join("market", code: nil)
        #expect(waiting.state == "waiting" && waiting.role == nil && waiting.isOpen)
        #expect(waiting.founder?.id == owner.id)
        #expect(try await late.status("market").activity?.contains("waiting") == true)
        // It asks on after a restart, and again when told to.
        await late.stop(keeping: true)
        let again = try await TestNode("late", peers: [member], folder: late.folder)
        #expect(try await again.join("market", code: nil).state == "waiting")
        let back = try await TestNode("owner", peers: [again], folder: owner.folder)
        #expect(await eventually(within: .seconds(40)) { await again.isMember(of: "market") })
        #expect(try await again.status("market").role == "collector")
        let authority = await (try back.room("market")).store.authority()
        #expect(authority.members.count == 3)
        for node in [member, again, back] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `who was removed is not let in by the open door, who left is`() async throws {
        let a = try await TestNode("a")
        let b = try await TestNode("b", peers: [a])
        try await a.create("market", isOpen: true)
        try await b.join("market", code: nil)
        let _: RoomChangedAnswer = try await b.post("/v1/leave", RoomRequest(room: "market"))
        let key = b.node.identity.key
        let room = try await a.room("market")
        #expect(await eventually { await room.store.authority().currentRole(of: key) == nil })
        #expect(try await b.join("market", code: nil).state == "member")

        try await a.node.sealing.control(in: room, as: .owner) { store in
            [
                .removal(
                    Removal(
                        subject: key, heads: CoveredHeads(control: [], records: []),
                        supersedes: store.authority().latest(about: key), reason: "guesses"))
            ]
        }
        let _: RoomChangedAnswer = try await b.post("/v1/leave", RoomRequest(room: "market"))
        let problem = try await TestNode.problem { try await b.join("market", code: nil) }
        #expect(problem?.code == .notAllowed && problem?.detail.contains("removed") == true)
        #expect(await eventually { await b.node.rooms.all().isEmpty })
        #expect(try await b.join("market", code: try await a.invite()).state == "member")
        await a.stop()
        await b.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `the open door takes back no role that an owner has given`() async throws {
        let a = try await TestNode("a")
        let b = try await TestNode("b", peers: [a])
        try await a.create("market", isOpen: true)
        try await b.join("market", code: nil)
        let key = b.node.identity.key
        let room = try await a.room("market")
        let _: RoleAnswer = try await a.post(
            "/v1/role", RoleRequest(device: b.id, role: "viewer"))
        #expect(await eventually { (try? await b.status("market").role) == "viewer" })
        let _: RoomChangedAnswer = try await b.post("/v1/leave", RoomRequest(room: "market"))
        #expect(await eventually { await room.store.authority().currentRole(of: key) == nil })
        let problem = try await TestNode.problem { try await b.join("market", code: nil) }
        #expect(problem?.code == .notAllowed)
        #expect(await room.store.authority().currentRole(of: key) == nil)
        // A code is somebody's word for it.
        #expect(try await b.join("market", code: try await a.invite()).state == "member")
        await a.stop()
        await b.stop()
    }

    @Test(.timeLimit(.minutes(2)))
    func `an open room admits ten a minute, and the others wait`() async throws {
        let a = try await TestNode("a")
        try await a.create("market", isOpen: true)
        let room = try await a.room("market").id
        await a.node.joins.count(admissions: 9, to: room)
        let tenth = try await TestNode("tenth", peers: [a])
        #expect(try await tenth.join("market", code: nil).state == "member")
        let next = try await TestNode("next", peers: [a])
        #expect(try await next.join("market", code: nil).state == "waiting")
        #expect(await next.node.rooms.role(in: room) == nil)
        // With a code nobody has to wait.
        #expect(try await next.join("market", code: try await a.invite()).state == "member")
        for node in [a, tenth, next] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `who comes after too many is told so, and when to come back`() async throws {
        let a = try await TestNode("a")
        try await a.create("market", isOpen: true)
        await a.node.joins.count(questions: JoinLimits.attemptsPerAddress, from: "127.0.0.1")
        let late = try await TestNode("late", peers: [a])
        let problem = try await TestNode.problem { try await late.join("market", code: nil) }
        #expect(problem?.code == .tooManyAttempts, "\(problem?.detail ?? "")")
        let hint = problem?.hint ?? ""
        #expect(hint.wholeMatch(of: /Try again in \d{1,2} s\./) != nil, "\(hint)")
        await a.stop()
        await late.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a code that is another device's is no attempt, and a wrong one is`() async throws {
        let a = try await TestNode("a")
        try await a.create("clinic")
        let code = try await a.invite()
        let late = try await TestNode("late", peers: [a])
        // A class behind one address asks everybody for codes that one of them has made.
        let others = code.hasPrefix("ZZ") ? "YY" : "ZZ"
        for _ in 0...JoinLimits.attemptsPerAddress {
            let problem = try await TestNode.problem {
                try await late.join("clinic", code: others + code.dropFirst(2))
            }
            #expect(problem?.code == .noInvite, "\(problem?.detail ?? "")")
        }
        await a.node.joins.count(attempts: JoinLimits.attemptsPerAddress - 1, from: "127.0.0.1")
        let wrong = String(code.dropLast()) + (code.hasSuffix("7") ? "8" : "7")
        let first = try await TestNode.problem { try await late.join("clinic", code: wrong) }
        #expect(first?.code == .wrongCode, "\(first?.detail ?? "")")
        let next = try await TestNode.problem { try await late.join("clinic", code: code) }
        #expect(next?.code == .tooManyAttempts, "\(next?.detail ?? "")")
        await a.stop()
        await late.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `what a stranger announces as open leads nowhere`() async throws {
        let a = try await TestNode("a")
        let closed = try await a.create("clinic")
        let b = try await TestNode("b")
        // Somebody says that the closed room of a is open.
        let short = String(closed.room.id.dropFirst(5).prefix(8))
        var snapshot = DiscoverySnapshot()
        snapshot.peers = [
            DiscoveredPeer(
                key: a.node.identity.key, name: "a", port: a.endpoint.port,
                addresses: ["127.0.0.1"],
                rooms: [
                    try #require(
                        AdvertisedRoom(name: "clinic", shortID: short, isOpen: true))
                ], protocolVersion: 1, interfaces: [])
        ]
        await b.node.reach.take(snapshot)
        let problem = try await TestNode.problem { try await b.join("clinic", code: nil) }
        #expect(problem?.code == .codeNeeded)
        #expect(await b.node.rooms.all().isEmpty)
        let members = await (try a.room("clinic")).store.authority().members
        #expect(members.count == 1)
        await a.stop()
        await b.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `two open rooms of one name are ambiguous, and an id chooses`() async throws {
        let a = try await TestNode("a")
        let b = try await TestNode("b")
        let first = try await a.create("market", isOpen: true)
        try await b.create("market", isOpen: true)
        let c = try await TestNode("c", peers: [a, b])
        let problem = try await TestNode.problem { try await c.join("market", code: nil) }
        let short = String(first.room.id.dropFirst(5).prefix(8))
        #expect(problem?.code == .roomAmbiguous && problem?.hint?.contains(short) == true)
        #expect(try await c.join("room:\(short)", code: nil).room == first.room)
        for node in [a, b, c] { await node.stop() }
    }

    // MARK: Hidden

    @Test(.timeLimit(.minutes(1)))
    func `a hidden room is announced by no member, and joined with a code`() async throws {
        let a = try await TestNode("a")
        let b = try await TestNode("b", peers: [a])
        try await a.create("shelter", isHidden: true)
        #expect(await a.node.advertising.advertisedRooms().isEmpty)
        let blind = try await TestNode.problem { try await b.join("shelter", code: nil) }
        #expect(blind?.code == .discoveryUnavailable)
        let joined = try await b.join("shelter", code: try await a.invite("owner"))
        #expect(joined.state == "member" && joined.isHidden)
        #expect(await eventually { await b.isMember(of: "shelter") })
        #expect(await b.node.advertising.advertisedRooms().isEmpty)

        // Shown again by one owner, it is announced by all; hidden again, by none.
        #expect(try await set(b, isHidden: false).isHidden == false)
        for node in [a, b] {
            #expect(
                await eventually {
                    await node.node.advertising.advertisedRooms().map(\.name) == ["shelter"]
                })
        }
        #expect(try await set(a, isHidden: true).isHidden)
        for node in [a, b] {
            #expect(await eventually { await node.node.advertising.advertisedRooms().isEmpty })
        }
        await a.stop()
        await b.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `an open room is not hidden, and a hidden one not opened, before the other is undone`()
        async throws
    {
        let a = try await TestNode("a")
        let b = try await TestNode("b", peers: [a])
        let both = try await TestNode.problem {
            try await a.create("market", isOpen: true, isHidden: true)
        }
        #expect(both?.code == .badRequest)
        try await a.create("market", isOpen: true)
        let open = try await TestNode.problem { _ = try await set(a, isHidden: true) }
        #expect(open?.code == .openAndHidden && open?.hint?.contains("set open off") == true)
        let status = try await a.status("market")
        #expect(status.isOpen && !status.isHidden)
        let mixed = try await TestNode.problem {
            _ = try await set(a, isOpen: true, isHidden: true)
        }
        #expect(mixed?.code == .badRequest)
        // Both at once is said clearly, and so is done.
        let hidden = try await set(a, isOpen: false, isHidden: true)
        #expect(hidden.isHidden && !hidden.isOpen)
        let closed = try await TestNode.problem { _ = try await set(a, isOpen: true) }
        #expect(closed?.code == .openAndHidden && closed?.hint?.contains("hidden off") == true)
        let problem = try await TestNode.problem { try await b.join("market", code: nil) }
        #expect(problem?.code == .discoveryUnavailable)
        // Shown again it is closed, as nobody has said that it should be open.
        let shown = try await set(a, isHidden: false)
        #expect(!shown.isHidden && !shown.isOpen)
        await a.stop()
        await b.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `owners alone open and hide a room`() async throws {
        let a = try await TestNode("a")
        let b = try await TestNode("b", peers: [a])
        try await a.create("clinic")
        try await b.join("clinic", code: try await a.invite("editor"))
        let open = try await TestNode.problem { _ = try await set(b, isOpen: true) }
        let hide = try await TestNode.problem { _ = try await set(b, isHidden: true) }
        #expect(open?.code == .notAllowed && hide?.code == .notAllowed)
        #expect(try await a.status("clinic").isOpen == false)
        await a.stop()
        await b.stop()
    }
}

extension JoinService {
    /// As if so many attempts of an address with a code had come to nothing just now.
    fileprivate func count(attempts number: Int, from address: String) {
        for _ in 0..<number { attempts.note(address, now: .now) }
    }

    /// The same of its questions for open rooms.
    fileprivate func count(questions number: Int, from address: String) {
        for _ in 0..<number { questions.note(address, now: .now) }
    }

    /// As if so many devices had been admitted just now.
    fileprivate func count(admissions number: Int, to room: RoomID) {
        for _ in 0..<number { admissions.note(room, now: .now) }
    }
}
