import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareNode

/// What those who watch are told of peers.
@Suite struct PresenceTests {
    private let peer = DeviceIdentity.generate().key
    private let room = RoomID(Hash.digest([1]))

    @Test(.timeLimit(.minutes(1)))
    func `a peer that lags for a moment is no news, one that lags on is`() async {
        let presence = Presence()
        let told = Shared<[Bool]>([])
        func note(_ isIdentical: Bool) async {
            await presence.note(peer, in: room, isIdentical: isIdentical) { isBehind in
                told.change { $0.append(isBehind) }
            }
        }
        await note(true)
        #expect(told.value == [false])
        var wasShort = false
        // A machine may take longer than a moment for it: then it is done again.
        while !wasShort {
            told.value = [false]
            let began = ContinuousClock.now
            await note(false)
            await note(true)
            wasShort = ContinuousClock.now - began < .seconds(1)
        }
        #expect(told.value == [false])
        await note(false)
        #expect(await eventually { told.value == [false, true] })
        await note(true)
        #expect(told.value == [false, true, false])
    }

    @Test(.timeLimit(.minutes(1)))
    func `watch tells who comes, is identical, and goes, and nothing of strangers`() async throws {
        let a = try await TestNode("a")
        try await a.create("clinic")
        let seen = Shared<[WatchEvent]>([])
        let lines = try await a.lines("/v1/watch")
        let watching = Task {
            for try await line in lines {
                let event = try WatchEvent(jsonText: line)
                seen.change { $0.append(event) }
            }
        }
        let stranger = try await TestNode("stranger", peers: [a])
        #expect(await eventually { await !a.node.sync.connectedKeys().isEmpty })
        await stranger.stop()
        let b = try await TestNode("b", peers: [a])
        try await b.join("clinic", code: try await a.invite())
        #expect(await eventually { seen.value.contains { $0.event == "identical" } })
        await b.stop()
        #expect(await eventually { seen.value.contains { $0.event == "peer_disconnected" } })
        let events = seen.value
        for name in ["peer_connected", "identical", "peer_disconnected"] {
            #expect(events.contains { $0.event == name && $0.peer?.name == "b" }, "\(name)")
        }
        #expect(!events.contains { $0.peer?.id == stranger.id })
        watching.cancel()
        await a.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `strangers with any number of keys are not all remembered`() async throws {
        let node = try await TestNode("a")
        for number in 0..<1_300 {
            let digest = Hash.digest(Array("stranger \(number)".utf8))
            await node.node.reach.met(DeviceKey(digest.value), name: "x", address: nil)
        }
        #expect(await node.node.reach.peers().count == 1_024)
        await node.stop()
    }

    @Test(.timeLimit(.minutes(5)))
    func `who is dialled by all keeps no more than it accepts, and the others find each other`()
        async throws
    {
        let hub = try await TestNode("hub")
        try await hub.create("market")
        let code = try await hub.invite(uses: Overlay.accepted + 6)
        var others: [TestNode] = []
        for number in 0..<Overlay.accepted + 6 {
            let node = try await TestNode("phone \(number)", peers: [hub])
            try await node.join("market", code: code)
            others.append(node)
        }
        let room = try await hub.room("market").id
        let nodes = others
        let isEven = await eventually(within: .seconds(120)) {
            for node in nodes where await node.node.sync.linkedKeys(in: room).count < 2 {
                return false
            }
            return await hub.node.sync.linkedKeys(in: room).count <= Overlay.accepted
        }
        #expect(isEven)
        try await TestNode.untilAlike(others + [hub], in: "market")
        for node in others + [hub] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `members that a third one alone dialled find each other by what they say themselves`()
        async throws
    {
        let a = try await TestNode("a")
        try await a.create("market")
        let form = try await a.addForm(to: "market")
        let b = try await TestNode("b", peers: [a])
        try await b.join("market", code: try await a.invite())
        let c = try await TestNode("c", peers: [a])
        try await c.join("market", code: try await a.invite())
        let key = c.node.identity.key
        #expect(await eventually { await b.node.sync.connectedKeys().contains(key) })
        await a.stop()
        try await b.push(["Ada"], to: "market", form)
        await c.until(records: 1, in: "market")
        for node in [b, c] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `what others call a member holds until it says its name itself`()
        async throws
    {
        let a = try await TestNode("a")
        try await a.create("market")
        let b = try await TestNode("b", peers: [a])
        try await b.join("market", code: try await a.invite())
        let c = try await TestNode("c", peers: [a])
        try await c.join("market", code: try await a.invite())
        let key = c.node.identity.key
        // b has heard of c from a, which met it.
        #expect(await eventually { await b.node.reach.peerName(key) == "c" })
        await b.node.reach.note([key: "liar"])
        #expect(await b.node.reach.peerName(key) == "c", "a name stays for a minute")
        await a.node.reach.note([key: "liar"])
        #expect(await a.node.reach.peerName(key) == "c", "its own word goes before")
        for node in [a, b, c] { await node.stop() }
    }
}
