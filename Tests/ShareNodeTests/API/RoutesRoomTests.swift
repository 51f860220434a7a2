import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareNet
@testable import ShareNode

/// Rooms, invites, joins and what is said of peers, through the routes of several nodes.
@Suite struct RoutesRoomTests {
    @Test(.timeLimit(.minutes(1)))
    func `a room is created, a device invited, and both list each other`() async throws {
        let a = try await TestNode("ward-1")
        let b = try await TestNode("ward-2", peers: [a])
        let created = try await a.create("clinic")
        #expect(created.created && created.founder == NamedDevice(id: a.id, name: "ward-1"))
        let joined = try await b.join("clinic", code: try await a.invite("editor"))
        #expect(joined.room == created.room)
        #expect(!joined.created && joined.state == "member")
        #expect(joined.founder == NamedDevice(id: a.id, name: "ward-1"))
        for node in [a, b] {
            let members: [MemberAnswer] = try await node.get("/v1/members")
            #expect(members.map(\.name) == ["ward-1", "ward-2"])
            #expect(members.map(\.role) == ["owner", "editor"])
            #expect(members.map(\.isSelf) == [node === a, node === b])
        }
        let rooms: [RoomAnswer] = try await b.get("/v1/rooms")
        #expect(rooms.map(\.role) == ["editor"] && rooms.map(\.current) == [true])
        await a.stop()
        await b.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `five wrong codes end an invite, and each says how many are left`() async throws {
        let a = try await TestNode("a")
        let b = try await TestNode("b", peers: [a])
        try await a.create("clinic")
        let code = try await a.invite()
        let wrong = String(code.prefix(2)) + (code.hasSuffix("0") ? "11-1111" : "00-0000")
        for left in (0..<5).reversed() {
            let problem = try await TestNode.problem { try await b.join("clinic", code: wrong) }
            #expect(problem?.code == (left > 0 ? .wrongCode : .inviteEnded))
            if left > 0 { #expect(problem?.detail.contains("\(left) more") == true) }
            #expect(problem?.hint != nil)
        }
        let late = try await TestNode.problem { try await b.join("clinic", code: code) }
        #expect(late?.code == .noInvite)
        let rooms: [RoomAnswer] = try await b.get("/v1/rooms")
        #expect(rooms.isEmpty)
        let invites: [InviteStatus] = try await a.get("/v1/invites")
        #expect(invites.map(\.attemptsLeft) == [0] && invites.map(\.state) == ["wrong_codes"])
        // Its maker is told without asking.
        let notices = try await a.ask(.get, "/v1/status").notices
        #expect(notices.count == 1 && notices.first?.contains(code.prefix(2)) == true)
        await a.stop()
        await b.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a code that leads to another room than the one named joins nothing`() async throws {
        let a = try await TestNode("a")
        let b = try await TestNode("b", peers: [a])
        try await a.create("clinic")
        let code = try await a.invite()
        let problem = try await TestNode.problem { try await b.join("ward", code: code) }
        #expect(problem?.code == .notFoundRoom)
        #expect(problem?.detail.contains("another room: clinic") == true)
        #expect(await b.node.rooms.all().isEmpty)
        #expect(try await b.join("clinic", code: code).state == "member")
        let again = try await b.join("clinic", code: code)
        #expect(again.already && again.state == "member" && !again.created)
        await a.stop()
        await b.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `who has left needs a new code, and is told so at once`() async throws {
        let a = try await TestNode("a")
        let b = try await TestNode("b", peers: [a])
        try await a.create("clinic")
        let code = try await a.invite()
        #expect(try await b.join("clinic", code: code).state == "member")
        let _: RoomChangedAnswer = try await b.post("/v1/leave", RoomRequest(room: "clinic"))
        #expect(
            await eventually {
                (try? await a.get("/v1/members", as: [MemberAnswer].self).map(\.name)) == ["a"]
            })
        let problem = try await TestNode.problem { try await b.join("clinic", code: code) }
        #expect(problem?.code == .noInvite)
        #expect(try await b.join("clinic", code: try await a.invite()).state == "member")
        await a.stop()
        await b.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a join that cannot be says why`() async throws {
        let alone = try await TestNode("alone")
        let bad = try await TestNode.problem { try await alone.join("clinic", code: "K7QX") }
        #expect(bad?.code == .badCode)
        let nobody = try await TestNode.problem {
            try await alone.join("clinic", code: "K7QX-93MP")
        }
        #expect(nobody?.code == .nobodyInReach)
        let peer = try await TestNode("peer", peers: [alone])
        let blind = try await TestNode.problem { try await peer.join("clinic", code: nil) }
        #expect(blind?.code == .discoveryUnavailable)
        #expect(blind?.hint?.contains("shared create") == true)
        await alone.stop()
        await peer.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `without a code two rooms of one name are ambiguous, and one needs a code`() async throws {
        let node = try await TestNode("a")
        await node.node.reach.take(try Self.nearby(["aaaaaaaa", "bbbbbbbb"]))
        let two = try await TestNode.problem { try await node.join("clinic", code: nil) }
        #expect(two?.code == .roomAmbiguous)
        #expect(two?.hint?.contains("join room:aaaaaaaa") == true)
        await node.node.reach.take(try Self.nearby(["aaaaaaaa"]))
        let one = try await TestNode.problem { try await node.join("clinic", code: nil) }
        #expect(one?.code == .codeNeeded)
        // Where the user makes one of that name all the same, every look says so.
        try await node.create("clinic")
        for path in ["/v1/status", "/v1/peers"] {
            #expect(try await node.ask(.get, path).notices.count == 1)
        }
        let push = try await node.ask(.post, "/v1/push", body: PushRequest().jsonText)
        #expect(push.notices.count == 1)
        await node.stop()
    }

    /// Devices that announce rooms called clinic.
    private static func nearby(_ ids: [String]) throws -> DiscoverySnapshot {
        var snapshot = DiscoverySnapshot()
        snapshot.peers = try ids.map { id in
            DiscoveredPeer(
                key: DeviceIdentity.generate().key, name: id, port: 1, addresses: [],
                rooms: [try #require(AdvertisedRoom(name: "clinic", shortID: id))],
                protocolVersion: 1, interfaces: [])
        }
        return snapshot
    }

    @Test(.timeLimit(.minutes(1)))
    func `only owners admit owners, and the last owner stays`() async throws {
        let a = try await TestNode("a")
        let b = try await TestNode("b", peers: [a])
        let c = try await TestNode("c", peers: [a])
        try await a.create("clinic")
        try await b.join("clinic", code: try await a.invite("editor"))
        try await c.join("clinic", code: try await a.invite("viewer"))
        let upwards = try await TestNode.problem { _ = try await b.invite("owner") }
        #expect(upwards?.code == .notAllowed)
        #expect(try await b.invite("collector").count == 9)
        #expect(
            try await TestNode.problem { _ = try await c.invite("viewer") }?.code == .notAllowed)
        #expect(
            try await TestNode.problem { _ = try await a.invite("king") }?.code == .badRequest)
        let stays = try await TestNode.problem {
            let _: RoomChangedAnswer = try await a.post("/v1/leave", RoomRequest(room: "clinic"))
        }
        #expect(stays?.code == .lastOwner && stays?.hint?.contains("owner") == true)

        let left: RoomChangedAnswer = try await b.post("/v1/leave", RoomRequest(room: "clinic"))
        #expect(left.room.name == "clinic")
        #expect(await b.node.rooms.all().isEmpty)
        #expect(
            await eventually {
                (try? await a.get("/v1/members", as: [MemberAnswer].self).map(\.name))
                    == ["a", "c"]
            })
        // Who has left may come back.
        #expect(try await b.join("clinic", code: try await a.invite()).state == "member")
        #expect(try await b.status("clinic").role == "collector")
        for node in [a, b, c] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a device is in no more rooms than it can show to know`() async throws {
        let a = try await TestNode("a")
        for number in 1...SyncLimits.proofs { try await a.create("room \(number)") }
        let problem = try await TestNode.problem { try await a.create("one more") }
        #expect(problem?.code == .tooManyRooms)
        let _: RoomChangedAnswer = try await a.post("/v1/leave", RoomRequest(room: "room 3"))
        try await a.create("one more")
        await a.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `rooms are chosen by name and by id`() async throws {
        let a = try await TestNode("a")
        let clinic = try await a.create("clinic")
        try await a.create("ward")
        let taken = try await TestNode.problem { try await a.create("ward") }
        #expect(taken?.code == .roomExists)
        #expect(try await TestNode.problem { try await a.create("a/b") }?.code == .badName)
        let _: RoomChangedAnswer = try await a.post("/v1/use", RoomRequest(room: "clinic"))
        var rooms: [RoomAnswer] = try await a.get("/v1/rooms")
        #expect(rooms.filter(\.current).map(\.name) == ["clinic"])
        let short = String(clinic.room.id.dropFirst(5).prefix(8))
        let status: StatusAnswer = try await a.get("/v1/status?room=\(short)")
        #expect(status.rooms.map(\.name) == ["clinic"])
        let unknown = try await TestNode.problem {
            let _: RoomChangedAnswer = try await a.post("/v1/use", RoomRequest(room: "clinik"))
        }
        #expect(unknown?.code == .notFoundRoom && unknown?.hint?.contains("clinic") == true)
        let _: RoomChangedAnswer = try await a.post("/v1/leave", RoomRequest(room: "clinic"))
        rooms = try await a.get("/v1/rooms")
        #expect(rooms.map(\.name) == ["ward"] && rooms.map(\.current) == [true])
        await a.stop()
    }
}
