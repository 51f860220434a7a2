import JSON
import ShareControl
import ShareCore
import ShareNet
import ShareStore
import ShareTestKit
import Testing

@testable import ShareNode

/// Push, sync, and the truth about peers, through the routes of several nodes.
@Suite struct RoutesShareTests {
    private static func push(_ node: TestNode, _ milliseconds: Int? = nil) async throws
        -> PushAnswer
    {
        try await node.post("/v1/push", PushRequest(timeoutMilliseconds: milliseconds))
    }

    @Test(.timeLimit(.minutes(1)))
    func `a push says who has it, who is away, and that nothing is new`() async throws {
        let a = try await TestNode("a")
        try await a.create("clinic")
        let form = try await a.addForm(to: "clinic")
        try await a.add(["Sara", "Jacob"], to: "clinic", form)
        #expect(try await a.status("clinic").pending == 2)
        let alone = try await Self.push(a)
        #expect(alone.entries == 2 && alone.batches == 1)
        #expect(alone.delivered.isEmpty && alone.notConnected.isEmpty)

        let b = try await TestNode("b", peers: [a])
        try await b.join("clinic", code: try await a.invite())
        #expect(try await b.sync().identical)
        let again = try await Self.push(a)
        #expect(again.entries == 0 && again.batches == 0)
        #expect(again.delivered == [NamedDevice(id: b.id, name: "b")])

        try await b.add(["Mary"], to: "clinic", form)
        let back = try await Self.push(b)
        #expect(back.entries == 1 && back.delivered.map(\.name) == ["a"])
        #expect(back.unconfirmed.isEmpty && back.refusing.isEmpty)

        await b.stop()
        #expect(await eventually { await a.node.sync.peers().isEmpty })
        try await a.add(["Tim"], to: "clinic", form)
        let late = try await Self.push(a)
        #expect(late.entries == 1 && late.delivered.isEmpty)
        #expect(late.notConnected == [NamedDevice(id: b.id, name: "b")])
        let nobody = try await TestNode.problem {
            let _: SyncAnswer = try await a.work(
                "/v1/sync", SyncRequest(waitMilliseconds: 200).jsonText)
        }
        #expect(nobody?.code == .nobodyInReach)
        await a.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `status and peers tell who is connected and identical`() async throws {
        let a = try await TestNode("a")
        try await a.create("clinic")
        let form = try await a.addForm(to: "clinic")
        let b = try await TestNode("b", peers: [a])
        let watched = Shared<[PeerAnswer]>([])
        let lines = try await a.lines("/v1/peers/watch")
        let watching = Task {
            for try await line in lines {
                let peer = try PeerAnswer(jsonText: line)
                watched.change { $0.append(peer) }
            }
        }
        try await b.join("clinic", code: try await a.invite())
        try await a.add(["Sara"], to: "clinic", form)
        _ = try await Self.push(a)
        #expect(try await b.sync().identical)
        #expect(try await a.sync().identical)

        let status: StatusAnswer = try await a.get("/v1/status")
        #expect(status.peers.connected == 1 && status.peers.identical == 1)
        #expect(status.peers.differing.isEmpty)
        #expect(status.discovery.state == "off")
        let digests = [try await a.status("clinic").digest, try await b.status("clinic").digest]
        #expect(digests[0] == digests[1] && digests[0].utf8.count == 64)
        #expect(try await b.status("clinic").records == 1)

        let peers: [PeerAnswer] = try await b.get("/v1/peers")
        #expect(peers.map(\.name) == ["a"] && peers.map(\.state) == ["connected"])
        #expect(peers.map(\.identical) == [true] && peers.map(\.rooms) == [["clinic"]])
        #expect(peers.map(\.address) == [a.endpoint.text])
        #expect(
            await eventually {
                watched.value.contains { $0.name == "b" && $0.state == "connected" && $0.identical }
            })

        await b.stop()
        #expect(await eventually { await a.node.sync.peers().isEmpty })
        let gone: StatusAnswer = try await a.get("/v1/status")
        #expect(gone.peers.connected == 0 && gone.peers.identical == 0)
        #expect(
            await eventually { watched.value.last?.state != "connected" })
        watching.cancel()
        await a.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `with a contributor a push ends at once and a sync is identical`() async throws {
        let a = try await TestNode("a")
        try await a.create("clinic")
        let form = try await a.addForm(to: "clinic")
        let phone = try await TestNode("phone", peers: [a])
        try await phone.join("clinic", code: try await a.invite("contributor"))
        try await a.add(["Sara"], to: "clinic", form)
        let push = try await Self.push(a, 20_000)
        #expect(push.entries == 1 && push.delivered.isEmpty && push.unconfirmed.isEmpty)
        try await phone.add(["Own"], to: "clinic", form)
        #expect(try await Self.push(phone, 20_000).delivered.map(\.name) == ["a"])
        #expect(try await a.sync().identical)
        let synced = try await phone.sync()
        #expect(synced.identical, "\(synced)")
        #expect(try await phone.status("clinic").records == 1)
        #expect(try await a.status("clinic").records == 2)
        await phone.stop()
        await a.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `with autopush entries go out by themselves and watch tells of them`() async throws {
        let a = try await TestNode("a")
        try await a.create("clinic")
        let form = try await a.addForm(to: "clinic")
        let b = try await TestNode("b", peers: [a])
        try await b.join("clinic", code: try await a.invite())
        let seen = Shared<Set<String>>([])
        let lines = try await b.lines("/v1/watch?room=clinic")
        let watching = Task {
            for try await line in lines {
                let event = try WatchEvent(jsonText: line)
                seen.change { _ = $0.insert(event.event) }
            }
        }
        let off: AutopushAnswer = try await a.get("/v1/settings/autopush")
        #expect(!off.autopush)
        try await a.add(["before"], to: "clinic", form)
        let on: AutopushAnswer = try await a.post(
            "/v1/settings/autopush", AutopushRequest(autopush: true), method: .put)
        #expect(on.autopush)
        let room = try await a.room("clinic")
        for number in 0..<20 {
            try await a.add(["entry \(number)"], to: "clinic", form)
            await a.node.autopush.noteEntry(in: room.id)
        }
        #expect(await eventually { (try? await b.status("clinic").records) == 21 })
        #expect(await eventually { (try? await a.status("clinic").pending) == 0 })
        #expect(await eventually { seen.value.contains("received") })
        watching.cancel()
        await a.stop()
        await b.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `with autopush an entry is sealed as it is made, and who may not make it seals nothing`()
        async throws
    {
        let a = try await TestNode("a")
        try await a.create("clinic")
        let form = #"{"form_id":"visit","fields":[{"name":"name","type":"text"}]}"#
        #expect(try await a.ask(.post, "/v1/forms", body: Array(form.utf8)).status == 200)
        let b = try await TestNode("b", peers: [a])
        try await b.join("clinic", code: try await a.invite())
        try await TestNode.untilAlike([a, b], in: "clinic")
        let room = try await a.room("clinic")
        try await a.node.rooms.setAutopush(true, for: room)
        for count in 1...5 {
            let body = Array(#"{"values":{"name":"Sara"}}"#.utf8)
            #expect(try await a.ask(.post, "/v1/records/visit", body: body).status == 201)
            // Nothing is under way, so it is not gathered with others.
            #expect(try await room.store.counts().pending == 0)
            #expect(await eventually { (try? await b.status("clinic").records) == count })
            // Until no push is under way; `giveUp` takes back what `begin` has begun, in a task.
            #expect(await eventually { a.node.autopush.begin(in: room) })
            a.node.autopush.giveUp(in: room)
            try await Task.sleep(for: .milliseconds(200))
        }
        let bad = Array(#"{"values":{"nobody":"Sara"}}"#.utf8)
        #expect(try await a.ask(.post, "/v1/records/visit", body: bad).status == 400)
        // What failed holds up nothing that comes after it.
        let good = Array(#"{"values":{"name":"Omar"}}"#.utf8)
        #expect(try await a.ask(.post, "/v1/records/visit", body: good).status == 201)
        #expect(await eventually { (try? await b.status("clinic").records) == 6 })
        for node in [a, b] { await node.stop() }
    }

    @Test func `an older look at a room that arrives after a newer one changes nothing`()
        async throws
    {
        let a = try await TestNode("a")
        try await a.create("clinic")
        let form = try await a.addForm(to: "clinic")
        let room = try await a.room("clinic")
        let old = try await room.store.view()
        try await a.add(["Sara"], to: "clinic", form)
        _ = try await Self.push(a)
        let now = try await room.store.view()
        #expect(now.vector != old.vector)
        try await a.node.sync.changed(room.id, view: old)
        #expect(await a.node.sync.view(of: room.id)?.vector == now.vector)
        await a.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `the doctor looks at the port, the disk and who has not answered`() async throws {
        let gone = try await TestNode("gone")
        let a = try await TestNode("a", peers: [gone])
        await gone.stop()
        let answer: DoctorAnswer = try await a.get("/v1/doctor")
        let states = Dictionary(
            answer.checks.map { ($0.name, $0.state) }, uniquingKeysWith: { first, _ in first })
        #expect(states["port"] == "ok" && states["discovery"] == "skipped")
        #expect(states["clock"] == "ok" && states["disk"] != nil)
        for check in answer.checks where check.state != "ok" {
            #expect(check.hint != nil || check.name == "disk")
        }
        let version: VersionAnswer = try await a.get("/v1/version")
        #expect(version.version == Release.version && version.api == Release.controlAPI)
        await a.stop()
    }
}
