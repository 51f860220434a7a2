import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareStore
import ShareTestKit
import Testing

@testable import ShareNode

/// Changing roles, and who may decide what, between whole nodes over TLS.
@Suite struct RolesTests {
    @Test(.timeLimit(.minutes(1)))
    func `a downgrade in the middle of a session stops the data`() async throws {
        let a = try await TestNode("ward-1")
        try await a.create("clinic")
        let form = try await a.addForm(to: "clinic")
        let b = try await TestNode("ward-2", peers: [a])
        try await b.join("clinic", code: try await a.invite())
        try await a.push(["seen"], to: "clinic", form)
        await b.until(records: 1, in: "clinic")
        let session = await a.node.sync.peers().map(\.session)
        let answer = try await a.setRole("contributor", of: b)
        #expect(answer.before == "collector" && answer.role == "contributor")
        #expect(answer.heard.map(\.name) == ["ward-2"])
        try await a.push(["unseen"], to: "clinic", form)
        try await b.push(["mine"], to: "clinic", form)
        await a.until(records: 3, in: "clinic")
        // What comes after on the same session shows that nothing before it is under way.
        _ = try await a.node.sealing.control(in: a.room("clinic"), as: .owner) { _ in
            [.set(Setting(key: "name", value: "after", parents: []))]
        }
        #expect(
            await eventually { (try? await b.room("clinic").store.settings().name) == "after" })
        #expect(try await b.status("clinic").records == 2)
        #expect(await a.node.sync.peers().map(\.session) == session)
        for node in [a, b] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `what a viewer pushes that has not heard of its new role is refused`() async throws {
        var a = try await TestNode("ward-1")
        try await a.create("clinic")
        let form = try await a.addForm(to: "clinic")
        var b = try await TestNode("ward-2", peers: [a])
        try await b.join("clinic", code: try await a.invite("editor"))
        try await b.push(["as editor"], to: "clinic", form)
        await a.until(records: 1, in: "clinic")
        await a.stop(keeping: true)
        try await b.push(["too late"], to: "clinic", form)
        await b.stop(keeping: true)
        a = try await TestNode("ward-1", folder: a.folder)
        #expect(try await a.setRole("viewer", of: b).notHeard.map(\.name) == ["ward-2"])
        b = try await TestNode("ward-2", peers: [a], folder: b.folder)
        for node in [a, b] { await node.until(records: 1, refused: 1, in: "clinic") }
        let refused: [RefusedAnswer] = try await a.get("/v1/refused")
        #expect(refused.map(\.author) == [b.id] && refused.map(\.reason) == ["role"])
        let problem = try await TestNode.problem {
            let _: AddedAnswer = try await b.post(
                "/v1/records/visit", ValuesRequest(values: ["name": "Mary"]))
        }
        #expect(problem?.code == .notAllowed)
        // Nobody is asked for values that would be refused all the same.
        let empty = try await TestNode.problem {
            let _: AddedAnswer = try await b.post(
                "/v1/records/visit", ValuesRequest(values: ["nobody": "Mary"]))
        }
        #expect(empty?.code == .notAllowed)
        for node in [a, b] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `what somebody wrote as an editor stays when it is let in as less`() async throws {
        let a = try await TestNode("ward-1")
        try await a.create("clinic")
        let b = try await TestNode("ward-2", peers: [a])
        try await b.join("clinic", code: try await a.invite("editor"))
        let form = try await b.addForm(to: "clinic")
        try await b.push(["one"], to: "clinic", form)
        await a.until(records: 1, in: "clinic")
        _ = try await a.setRole("viewer", of: b)
        // It has lost its files, and names no heads.
        let room = try await a.room("clinic")
        _ = try await room.admit(
            b.node.identity.key, as: .collector, firstControl: 1, firstRecords: 1,
            through: a.node.sealing, within: .seconds(10))
        let authority = await room.store.authority()
        #expect(authority.currentRole(of: b.node.identity.key) == .collector)
        for node in [a, b] { await node.until(records: 1, in: "clinic") }
        #expect(try await a.status("clinic").refused == 0)
        for node in [a, b] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a grant begins behind what a removal names, held or not`() async throws {
        let a = try await TestNode("ward-1")
        try await a.create("clinic")
        let room = try await a.room("clinic")
        let key = DeviceIdentity.generate().key
        func admit() async throws {
            _ = try await room.admit(
                key, as: .collector, firstControl: 1, firstRecords: 1, through: a.node.sealing,
                within: .seconds(10))
        }
        try await admit()
        let named = LogHead(number: 5, batch: BatchID(Hash.digest([1])))
        _ = try await a.node.sealing.control(in: room, as: .owner) { store in
            [
                .removal(
                    Removal(
                        subject: key, heads: CoveredHeads(control: [], records: [named]),
                        supersedes: store.authority().latest(about: key), reason: ""))
            ]
        }
        try await admit()
        let authority = await room.store.authority()
        func role(at number: UInt64) -> Role? {
            let batch = LogHead(number: number, batch: BatchID(Hash.digest([2])))
            return authority.standing(
                of: key, kind: .records, at: batch, in: StraightLog { _ in nil }
            ).role
        }
        // The fourth counts as it did, the fifth stays refused, the sixth is the first one anew.
        #expect(role(at: 4) == .collector && role(at: 5) == nil && role(at: 6) == .collector)
        await a.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a room has several owners and never none`() async throws {
        let a = try await TestNode("ward-1")
        try await a.create("clinic")
        let b = try await TestNode("ward-2", peers: [a])
        try await b.join("clinic", code: try await a.invite("editor"))
        func code(_ body: () async throws -> Void) async throws -> ErrorCode? {
            try await TestNode.problem(body)?.code
        }
        #expect(try await code { try await a.setRole("viewer", of: a) } == .lastOwner)
        #expect(try await code { try await a.setRole("editor", of: b) } == .alreadySo)
        #expect(try await code { try await a.setRole("king", of: b) } == .badRequest)
        #expect(try await code { try await b.setRole("owner", of: b) } == .notAllowed)
        #expect(try await code { try await b.remove(a) } == .notAllowed)
        #expect(try await code { try await b.accept(a) } == .notAllowed)
        #expect(try await code { try await a.remove(a) } == .ownDevice)
        #expect(
            try await code { try await a.remove(b, since: WallClock.milliseconds() + 3_600_000) }
                == .badRequest)
        #expect(try await code { try await a.accept(b) } == .nothingRefused)
        let leaving = {
            let _: LeftAnswer = try await a.post("/v1/leave", RoomRequest(room: "clinic"))
        }
        #expect(try await code(leaving) == .lastOwner)

        #expect(try await a.setRole("owner", of: b).heard.map(\.id) == [b.id])
        #expect(await eventually { (try? await b.status("clinic").role) == "owner" })
        // Nobody lowers or removes who was an owner before.
        #expect(try await code { try await b.setRole("viewer", of: a) } == .outranked)
        #expect(try await code { try await b.remove(a) } == .outranked)
        #expect(try await a.members().map(\.rank) == [1, 2])

        try await b.create("garden")
        let _: RoomChangedAnswer = try await b.post("/v1/use", RoomRequest(room: "clinic"))
        let left: LeftAnswer = try await b.post("/v1/leave", RoomRequest(room: "clinic"))
        #expect(left.heard.map(\.id) == [a.id] && left.current?.name == "garden")
        #expect(await eventually { (try? await a.members().count) == 1 })
        let former = try await a.members(all: true).last
        #expect(former?.role == "left" && former?.removed?.by.id == b.id)
        for node in [a, b] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a role that is given is the role that everybody sees, whatever was decided elsewhere`()
        async throws
    {
        var a = try await TestNode("ward-1")
        try await a.create("clinic")
        var b = try await TestNode("ward-2", peers: [a])
        try await b.join("clinic", code: try await a.invite("owner"))
        let tablet = DeviceIdentity.generate().key
        _ = try await a.room("clinic").admit(
            tablet, as: .collector, firstControl: 1, firstRecords: 1, through: a.node.sealing,
            within: .seconds(10))
        try await TestNode.untilAlike([a, b], in: "clinic")
        func give(_ role: String, by node: TestNode) async throws -> RoleAnswer {
            try await node.post("/v1/role", RoleRequest(device: tablet.short, role: role))
        }
        // Two owners who do not hear each other decide about the tablet.
        await b.stop(keeping: true)
        _ = try await give("editor", by: a)
        await a.stop(keeping: true)
        b = try await TestNode("ward-2", folder: b.folder)
        _ = try await give("viewer", by: b)
        a = try await TestNode("ward-1", peers: [b], folder: a.folder)
        try await TestNode.untilAlike([a, b], in: "clinic")

        let answer = try await give("owner", by: b)
        #expect(answer.before == "viewer" && answer.role == "owner")
        try await TestNode.untilAlike([a, b], in: "clinic")
        for node in [a, b] {
            let role = try await node.room("clinic").store.authority().currentRole(of: tablet)
            #expect(role == .owner)
        }
        for node in [a, b] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a role can be changed often, and who has had its role changed too often can be removed`()
        async throws
    {
        let a = try await TestNode("ward-1")
        try await a.create("clinic")
        let b = try await TestNode("ward-2", peers: [a])
        try await b.join("clinic", code: try await a.invite())
        // The grant with which it came is the first.
        for round in 1..<Limits.operationsInForce {
            try await a.setRole(round.isMultiple(of: 2) ? "collector" : "editor", of: b)
        }
        try await TestNode.untilAlike([a, b], in: "clinic")
        #expect(try await b.status("clinic").role == "editor")
        // No more; but it can be removed.
        let problem = try await TestNode.problem { try await a.setRole("viewer", of: b) }
        #expect(problem?.code == .tooManyChanges)
        _ = try await a.remove(b)
        #expect(await eventually { (try? await b.status("clinic").removed) != nil })
        for node in [a, b] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)), arguments: [RemoveRequest.Grants.again, .revoked])
    func `what a removed owner granted past the cutoff is given again or revoked`(
        grants: RemoveRequest.Grants
    ) async throws {
        let a = try await TestNode("ward-1")
        try await a.create("clinic")
        let b = try await TestNode("ward-2", peers: [a])
        try await b.join("clinic", code: try await a.invite("owner"))
        let before = WallClock.milliseconds()
        #expect(await eventually { WallClock.milliseconds() > before })
        let c = try await TestNode("ward-3", peers: [b])
        try await c.join("clinic", code: try await b.invite("collector"))
        try await b.setRole("editor", of: c)
        let form = try await b.addForm(to: "clinic")
        try await TestNode.untilAlike([a, b, c], in: "clinic")
        #expect(try await a.status("clinic").members == 3)

        let asked = try await TestNode.problem { try await a.remove(b, since: before) }
        #expect(asked?.code == .grantsAtStake)
        #expect(asked?.detail.contains("ward-3") == true)
        let look: RemovedAnswer = try await a.post(
            "/v1/remove",
            RemoveRequest(
                device: b.short, sinceMilliseconds: Int(before), grants: grants, dryRun: true))
        #expect(!look.done && look.revoked.map(\.what) == ["grant", "role change", "form"])
        #expect(look.revoked.map(\.repeated) == [grants == .again, grants == .again, false])
        #expect(try await a.members().count == 3)

        let answer = try await a.remove(b, since: before, grants: grants)
        #expect(answer.done && answer.revoked == look.revoked)
        let members = try await a.members().map(\.role)
        #expect(members == (grants == .again ? ["owner", "editor"] : ["owner"]))
        #expect(try await a.get("/v1/forms", as: [FormAnswer].self).isEmpty)
        _ = form
        for node in [a, b, c] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a device is meant by its id and never by its name`() async throws {
        let a = try await TestNode("ward-1")
        try await a.create("clinic")
        let b = try await TestNode("ward-2", peers: [a])
        try await b.join("clinic", code: try await a.invite())
        for text in [b.id, b.short, String(b.id.dropFirst(4).prefix(5)), "dev:" + b.short] {
            let role = try await a.members().last?.role == "editor" ? "viewer" : "editor"
            let answer: RoleAnswer = try await a.post(
                "/v1/role", RoleRequest(device: text, role: role))
            #expect(answer.device.id == b.id)
        }
        for text in ["ward-2", "nobody"] {
            let problem = try await TestNode.problem {
                let _: RoleAnswer = try await a.post(
                    "/v1/role", RoleRequest(device: text, role: "owner"))
            }
            #expect(problem?.code == .notFoundMember)
            if text == "ward-2" { #expect(problem?.hint?.contains(b.short) == true) }
        }
        for text in [String(b.short.prefix(3)), ""] {
            let problem = try await TestNode.problem {
                let _: RoleAnswer = try await a.post(
                    "/v1/role", RoleRequest(device: text, role: "owner"))
            }
            #expect(problem?.code == .badRequest && problem?.detail.contains("too short") == true)
        }
        let one = try #require(DeviceKey([UInt8](repeating: 0, count: 32)))
        let other = try #require(DeviceKey([UInt8](repeating: 0, count: 31) + [1]))
        let lookup = MemberLookup(devices: [one: "x", other: "y"])
        #expect(throws: Problem.self) { try lookup.find(one.short) }
        #expect(try lookup.find(other.text) == other)
        for node in [a, b] { await node.stop() }
    }
}
