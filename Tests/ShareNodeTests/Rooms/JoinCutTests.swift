import ShareControl
import ShareCore
import ShareCrypto
import ShareNet
import ShareStore
import ShareTestKit
import Testing

@testable import ShareNode

/// A join cut after each message, both devices started again from their folders.
@Suite(.serialized) struct JoinCutTests {
    enum Door: CaseIterable { case code, open }

    /// What was on both disks after the cut.
    private struct Left {
        var a: TestNode
        var b: TestNode
        let code: String?
    }

    /// Cuts a join after so many TLS records; nil where it was over before.
    private func cut(_ door: Door, after records: Int) async throws -> Left? {
        let a = try await TestNode("a")
        try await a.create("clinic", isOpen: door == .open)
        let code = door == .code ? try await a.invite() : nil
        let proxy = try CuttingProxy(to: a.endpoint.port, cutAfter: records)
        let b = try await TestNode("b", ports: [proxy.port])
        let joining = Task { try? await b.join("clinic", code: code) }
        // Where the connection broke by itself the joiner waits, and asks again by itself.
        let hasHappened = await eventually(within: .seconds(60)) {
            if proxy.isCut { return true }
            return await b.isMember(of: "clinic")
        }
        #expect(hasHappened)
        let wasCut = proxy.isCut
        if wasCut {
            // What was on its way has been dealt with when nobody holds the session any more, or
            // the two have found each other beside the proxy.
            #expect(
                await eventually {
                    let left = await a.node.sync.peers().count + b.node.sync.peers().count
                    if left == 0 { return true }
                    return await b.isMember(of: "clinic")
                })
        }
        joining.cancel()
        await b.stop(keeping: wasCut)
        await a.stop(keeping: wasCut)
        proxy.cut()
        _ = await joining.value
        guard wasCut else { return nil }
        let again = try await TestNode("a", folder: a.folder)
        return Left(
            a: again, b: try await TestNode("b", peers: [again], folder: b.folder), code: code)
    }

    @Test(.timeLimit(.minutes(10)), arguments: Door.allCases)
    func `a join cut after any message leaves no ghost, and a retry makes one grant`(
        door: Door
    ) async throws {
        var stages: Set<String> = []
        var records = 1
        while let left = try await cut(door, after: records) {
            stages.insert(try await check(left, "cut after \(records) records"))
            records += 1
            try #require(records < 100)
        }
        // The cuts fell before the joiner had accepted, and after.
        print("\(door): \(records - 1) cuts, \(stages.sorted())")
        #expect(stages.contains("nothing"))
        // Into an open room the moment between accepting and being in is too short to be hit by
        // each series of cuts.
        #expect(door == .open || stages.contains("joining"))
    }

    /// What the joiner had written down: `nothing`, `joining`, or `member`.
    private func check(_ left: Left, _ place: Comment) async throws -> String {
        let (a, b) = (left.a, left.b)
        let room = await b.node.rooms.all().first
        let key = b.node.identity.key
        let before = await a.node.rooms.all()[0].store.authority()
        // No grant exists before the joiner has durably accepted.
        if room == nil { #expect(before.currentRole(of: key) == nil, place) }
        let stage = room.map { $0.isJoining ? "joining" : "member" } ?? "nothing"

        // The user tries again; by then the grant may have come by itself.
        let problem = try await TestNode.problem {
            let answer = try await b.join("clinic", code: left.code)
            #expect(answer.state == "member", place)
        }
        #expect(problem == nil || problem?.code == .alreadySo, "\(place): \(problem)")
        #expect(await eventually { await b.isMember(of: "clinic") }, place)
        let shared = try await a.room("clinic")
        let authority = await shared.store.authority()
        #expect(authority.currentRole(of: key) == .collector, place)
        #expect(authority.members.count == 2, place)
        // The founding and one grant is all that the inviter ever wrote.
        let log = LogName(author: a.node.identity.key, kind: .control)
        #expect(try await shared.store.view().logs[log]?.heads.map(\.number) == [2], place)
        if left.code != nil {
            let invite = try await a.invites().first
            #expect(invite?.usesLeft == 0 && invite?.usedBy.map(\.id) == [b.id], place)
            #expect(invite?.attempts == 0, place)
        }
        try await TestNode.untilAlike([a, b], in: "clinic")
        await b.stop()
        await a.stop()
        return stage
    }

    @Test(.timeLimit(.minutes(2)), arguments: [6, 8, 10, 12, 14])
    func `a connection that breaks once is asked again, whatever others answer`(
        records: Int
    ) async throws {
        let a = try await TestNode("a")
        try await a.create("clinic")
        let code = try await a.invite()
        // Has no invite, and says so while the connection to the inviter is away.
        let c = try await TestNode("c")
        let proxy = try CuttingProxy(to: a.endpoint.port, cutAfter: records, forGood: false)
        let b = try await TestNode("b", peers: [c], ports: [proxy.port])
        let answer = try await b.join("clinic", code: code)
        #expect(answer.state == "member")
        #expect(proxy.isCut)
        for node in [a, b, c] { await node.stop() }
        proxy.cut()
    }
}
