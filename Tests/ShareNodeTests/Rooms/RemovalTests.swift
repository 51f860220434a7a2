import FoundationEssentials
import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareStore
import ShareTestKit
import Testing

@testable import ShareNode

/// Removing a device and what it is told, between whole nodes over TLS.
@Suite struct RemovalTests {
    @Test(.timeLimit(.minutes(1)))
    func `a removed device is told at once, keeps what it has, and can say nothing more`()
        async throws
    {
        let a = try await TestNode("ward-1")
        try await a.create("clinic")
        let form = try await a.addForm(to: "clinic")
        let c = try await TestNode("tablet", peers: [a])
        try await c.join("clinic", code: try await a.invite())
        try await c.push(["Sara", "Jacob"], to: "clinic", form)
        let watched = Shared<[WatchEvent]>([])
        let lines = try await c.lines("/v1/watch")
        let watching = Task {
            for try await line in lines {
                let event = try WatchEvent(jsonText: line)
                watched.change { $0.append(event) }
            }
        }

        let answer = try await a.remove(c, reason: "lost on the bus")
        #expect(answer.done && answer.notified && answer.counted == 2 && answer.refused == 0)
        #expect(answer.revoked.isEmpty && answer.heard.isEmpty && answer.notHeard.isEmpty)
        await c.untilRemoved(from: "clinic")
        await a.untilParted(from: c)
        let status = try await c.status("clinic")
        #expect(status.records == 2 && status.refused == 0)
        #expect(status.removed?.by == NamedDevice(id: a.id, name: "ward-1"))
        #expect(status.removed?.reason == "lost on the bus")
        let rooms: [RoomAnswer] = try await c.get("/v1/rooms")
        #expect(rooms.map(\.role) == ["removed"] && rooms[0].removed == status.removed)
        #expect(await eventually { watched.value.contains { $0.event == "removed" } })
        watching.cancel()

        let words: [@Sendable () async throws -> Void] = [
            { let _: PushAnswer = try await c.post("/v1/push", PushRequest()) },
            { _ = try await c.sync() },
            { _ = try await c.invite() },
            {
                let _: AddedAnswer = try await c.post(
                    "/v1/records/visit", ValuesRequest(values: ["name": "Mary"]))
            },
            { try await c.remove(a) },
        ]
        for word in words {
            let problem = try await TestNode.problem(word)
            #expect(problem?.code == .removed)
            #expect(problem?.detail.contains("ward-1") == true)
            #expect(problem?.detail.contains("lost on the bus") == true)
        }
        #expect(try await c.ask(.get, "/v1/records/visit").text.contains("Jacob"))
        #expect(try await c.ask(.get, "/v1/export/visit").text.contains("Sara"))

        let former = try await a.members(all: true).filter { $0.removed != nil }
        #expect(former.map(\.id) == [c.id] && former[0].role == "removed")
        #expect(try await a.members().map(\.id) == [a.id])
        let again = try await TestNode.problem { try await a.remove(c) }
        #expect(again?.code == .alreadySo)
        for node in [a, c] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(3)))
    func `entries that arrived before the removal go, and an owner who holds them accepts them`()
        async throws
    {
        var a = try await TestNode("ward-1")
        try await a.create("clinic")
        let form = try await a.addForm(to: "clinic")
        var b = try await TestNode("ward-2", peers: [a])
        try await b.join("clinic", code: try await a.invite("owner"))
        var c = try await TestNode("tablet", peers: [b])
        try await c.join("clinic", code: try await b.invite())
        try await c.push(["Sara"], to: "clinic", form)
        for node in [a, b] { await node.until(records: 1, in: "clinic") }
        // The owner is away while the tablet goes on with the other ward.
        await a.stop(keeping: true)
        try await c.push(["Jacob", "Mary"], to: "clinic", form)
        await b.until(records: 3, in: "clinic")
        for node in [b, c] { await node.stop(keeping: true) }

        a = try await TestNode("ward-1", folder: a.folder)
        let answer = try await a.remove(c)
        #expect(answer.counted == 1 && answer.notHeard.map(\.name) == ["ward-2"])
        // The other ward hears of the removal after the batch.
        b = try await TestNode("ward-2", peers: [a], folder: b.folder)
        await b.until(records: 1, refused: 2, in: "clinic")
        try await TestNode.untilAlike([a, b], in: "clinic")
        c = try await TestNode("tablet", peers: [b], folder: c.folder)
        await c.untilRemoved(from: "clinic")
        await c.until(records: 1, refused: 2, in: "clinic")
        let refused: [RefusedAnswer] = try await b.get("/v1/refused")
        #expect(Set(refused.map(\.author)) == [c.id])

        // It was not lost: an owner who holds the entries can let them count for all.
        let none = try await TestNode.problem { try await a.accept(c) }
        #expect(none?.code == .nothingRefused && none?.hint?.contains("bundle write") == true)
        let accepted = try await b.accept(c)
        #expect(accepted.accepted == 2 && accepted.refused == 0)
        for node in [a, b] { await node.until(records: 3, in: "clinic") }
        try await TestNode.untilAlike([a, b], in: "clinic")
        for node in [a, b, c] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a removed device that comes back is sent its removal and nothing else`() async throws {
        let a = try await TestNode("ward-1")
        try await a.create("clinic")
        let form = try await a.addForm(to: "clinic")
        let b = try await TestNode("ward-2", peers: [a])
        try await b.join("clinic", code: try await a.invite("owner"))
        var c = try await TestNode("tablet", peers: [a])
        try await c.join("clinic", code: try await a.invite())
        try await TestNode.untilAlike([a, b, c], in: "clinic")
        await c.stop(keeping: true)

        // The remover's grant is older than what follows; nobody tells the tablet of the rest.
        let removed = try await b.remove(c, reason: "stolen")
        #expect(removed.heard.map(\.name) == ["ward-1"] && !removed.notified)
        let last = try #require(try await b.room("clinic").store.ownHead(.control))
        for node in [a, b] {
            _ = try await node.node.sealing.control(in: node.room("clinic"), as: .owner) { _ in
                [.set(Setting(key: "name", value: "secret", parents: []))]
            }
            try await node.push(["secret"], to: "clinic", form)
        }
        try await TestNode.untilAlike([a, b], in: "clinic")

        let before = try await a.room("clinic").store.view().logs
        c = try await TestNode("tablet", peers: [a, b], folder: c.folder)
        await c.untilRemoved(from: "clinic")
        #expect(try await c.status("clinic").removed?.by.id == b.id)
        for node in [a, b] { await node.untilParted(from: c) }
        let logs = try await c.room("clinic").store.view().logs
        let control = LogName(author: b.node.identity.key, kind: .control)
        #expect(logs[control]?.heads == [last])
        let founder = LogName(author: a.node.identity.key, kind: .control)
        #expect((logs[founder]?.number ?? 0) < (before[founder]?.number ?? 0))
        #expect(logs.keys.allSatisfy { $0.kind == .control })
        #expect(try await c.room("clinic").store.settings().name == "clinic")
        for node in [a, b, c] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `after a new invite all is normal, and what was written while removed stays refused`()
        async throws
    {
        var a = try await TestNode("ward-1")
        try await a.create("clinic")
        let form = try await a.addForm(to: "clinic")
        var c = try await TestNode("tablet", peers: [a])
        try await c.join("clinic", code: try await a.invite())
        try await c.push(["before"], to: "clinic", form)
        await a.stop(keeping: true)
        try await c.push(["meanwhile"], to: "clinic", form)
        await c.stop(keeping: true)
        a = try await TestNode("ward-1", folder: a.folder)
        try await a.remove(c)
        c = try await TestNode("tablet", peers: [a], folder: c.folder)
        await c.untilRemoved(from: "clinic")
        await c.until(records: 1, refused: 1, in: "clinic")

        let joined = try await c.join("clinic", code: try await a.invite())
        #expect(joined.state == "member" && !joined.created)
        try await c.push(["after"], to: "clinic", form)
        for node in [a, c] { await node.until(records: 2, refused: 1, in: "clinic") }
        try await TestNode.untilAlike([a, c], in: "clinic")
        #expect(try await c.status("clinic").removed == nil)
        #expect(try await a.members(all: true).count == 2)
        #expect(try await c.sync().identical)

        #expect(try await a.accept(c).accepted == 1)
        for node in [a, c] { await node.until(records: 3, in: "clinic") }

        // Whoever is removed again is told again.
        #expect(try await a.remove(c).notified)
        await c.untilRemoved(from: "clinic")
        for node in [a, c] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `nobody but an owner can make a device believe that it was removed`() async throws {
        let a = try await TestNode("ward-1")
        try await a.create("clinic")
        let c = try await TestNode("tablet", peers: [a])
        try await c.join("clinic", code: try await a.invite())
        let liar = try await TestNode("liar", peers: [a, c])
        try await liar.join("clinic", code: try await a.invite("editor"))
        try await TestNode.untilAlike([a, c, liar], in: "clinic")
        let room = try await a.room("clinic").id
        let grants = await a.node.rooms.all()[0].store.authority()
            .latest(about: c.node.identity.key)
        for author in [liar.node.identity, DeviceIdentity.generate()] {
            let entry = ControlBlock.Entry(
                clock: Timestamp(milliseconds: 1, counter: 0),
                operation: .removal(
                    Removal(
                        subject: c.node.identity.key,
                        heads: CoveredHeads(control: [], records: []), supersedes: grants,
                        reason: "go")))
            let lie = Batch.seal(
                room: room, kind: .control, number: 1, previous: BatchID(room.digest),
                clock: Timestamp(milliseconds: 1, counter: 0),
                blocks: [.control(ControlBlock(firstIndex: 0, entries: [entry]))], by: author)
            let report = try await c.room("clinic").store.merge([IncomingBatch(lie)])
            #expect(report.outcomes.count == 1)
            try await c.node.sync.changed(room)
            #expect(try await c.status("clinic").role == "collector")
        }
        for node in [a, c, liar] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a removal from one room leaves another one shared`() async throws {
        let a = try await TestNode("ward-1")
        let c = try await TestNode("tablet", peers: [a])
        try await a.create("clinic")
        try await c.join("clinic", code: try await a.invite())
        try await a.create("garden")
        let form = try await a.addForm(to: "garden")
        try await c.join("garden", code: try await a.invite())
        let answer: RemovedAnswer = try await a.post(
            "/v1/remove?room=clinic", RemoveRequest(device: c.short))
        #expect(answer.notified)
        await c.untilRemoved(from: "clinic")
        try await a.push(["rose"], to: "garden", form)
        await c.until(records: 1, in: "garden")
        let peers: [PeerAnswer] = try await a.get("/v1/peers")
        #expect(peers.map(\.rooms) == [["garden"]] && peers.map(\.state) == ["connected"])
        for node in [a, c] { await node.stop() }
    }
}
