import FoundationEssentials
import ShareCore
import ShareCrypto
import ShareNet
import ShareNode
import ShareStore
import Testing

/// Real nodes in this process over real TLS on loopback.
@Suite struct NodeSharingTests {
    @Test(.timeLimit(.minutes(1)))
    func `a device joins with a code and both come to the same`() async throws {
        let a = try await SharingNode("ward-1")
        let b = try await SharingNode("ward-2")
        let room = try await a.node.rooms.create("clinic", isOpen: false)
        let form = try await a.addForm(to: room)
        try await a.add(["Sara", "Jacob"], to: room, form)
        _ = try await a.node.seal(room)

        try await b.join(a, room: room.id)
        try await SharingNode.untilIdentical([a, b], in: room.id)
        #expect(try await b.names(in: room.id) == ["Jacob", "Sara"])

        let copy = try #require(await b.node.rooms.open(room.id))
        try await b.add(["Mary"], to: copy, form)
        let sealed = try await b.node.seal(copy)
        let deliveries = await b.node.sync.delivery(
            of: sealed.map(\.id), in: room.id, within: .seconds(10))
        #expect(deliveries == [a.node.identity.key: .delivered])
        try await SharingNode.untilIdentical([a, b], in: room.id)
        #expect(try await a.names(in: room.id) == ["Jacob", "Mary", "Sara"])
        await a.stop()
        await b.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `two devices share through a third without ever meeting`() async throws {
        let hub = try await SharingNode("hub")
        let a = try await SharingNode("a")
        let c = try await SharingNode("c")
        let room = try await hub.node.rooms.create("relay", isOpen: false)
        let form = try await hub.addForm(to: room)
        try await a.join(hub, room: room.id)
        try await c.join(hub, room: room.id)
        let own = try #require(await a.node.rooms.open(room.id))
        try await a.add((0..<900).map { "entry \($0)" }, to: own, form)
        _ = try await a.node.seal(own)
        try await SharingNode.untilIdentical([hub, a, c], in: room.id)
        #expect(try await c.names(in: room.id).count == 900)
        for node in [hub, a, c] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a wrong code admits nobody and five end the invite`() async throws {
        let a = try await SharingNode("a")
        let b = try await SharingNode("b")
        let room = try await a.node.rooms.create("clinic", isOpen: false)
        let code = try await a.invite(to: room.id)
        let wrong = JoinCode(
            selector: code.selector, secret: try #require(JoinSecret("000000")))
        for left in (0..<5).reversed() {
            let outcome = try await b.tryJoin(a, with: wrong)
            #expect(outcome == .failed(.refused(.wrongCode(attemptsLeft: left))))
        }
        #expect(try await b.tryJoin(a, with: code) == .failed(.refused(.noInvite)))
        #expect(await b.node.rooms.all().isEmpty)
        await a.stop()
        await b.stop()
    }
}

/// A node with a folder of its own.
final class SharingNode: Sendable {
    let node: Node
    let folder: String
    private let data: DataDirectory
    private let running: Task<Void, Never>

    init(_ name: String) async throws {
        folder =
            FileManager.default.temporaryDirectory.path + "/node-" + name + "-"
            + UUID().uuidString
        data = try DataDirectory(path: folder)
        var setup = Node.Setup(data: data, name: name, log: Log(level: .error))
        setup.listen = Endpoint(host: "127.0.0.1", port: 0)
        setup.discovers = false
        let node = try await Node(setup)
        self.node = node
        running = Task { await node.run() }
    }

    func stop() async {
        await node.stop()
        running.cancel()
        await running.value
        data.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func addForm(to room: OpenRoom) async throws -> OperationName {
        let batch = try await room.store.seal(
            control: [
                .form(
                    FormDefinition(
                        formID: "visit", version: "1", bases: [],
                        fields: [FormField(name: "name", type: .text)], json: "{}"))
            ], wall: Node.wall())
        try await node.sync.changed(room.id, sealed: [batch])
        return OperationName(batch: batch.id, index: 0)
    }

    func add(_ names: [String], to room: OpenRoom, _ form: OperationName) async throws {
        try await room.store.append(
            [
                .put(
                    NewRows(definition: form, fields: [0], rows: names.map { [.text($0)] }))
            ], wall: Node.wall())
    }

    func invite(to room: RoomID) async throws -> JoinCode {
        try await node.joins.invite(to: room, role: .collector).code
    }

    func tryJoin(
        _ other: SharingNode, with code: JoinCode
    ) async throws -> JoinJoiner.Outcome {
        let session = try #require(
            await node.reach.connect(to: other.node.listener.endpoint, within: .seconds(10)))
        return await node.joins.join(with: code, on: session, expecting: nil)
    }

    func join(_ other: SharingNode, room: RoomID) async throws {
        let outcome = try await tryJoin(other, with: try await other.invite(to: room))
        #expect(outcome == .joined(room))
    }

    func names(in room: RoomID) async throws -> [String] {
        let store = try #require(await node.rooms.open(room)).store
        guard let form = await store.form("visit") else { return [] }
        let reader = try RoomReader(path: store.path)
        return try await reader.records(form).compactMap {
            if case .text(let name) = $0.values[0] { name } else { nil }
        }.sorted()
    }

    static func untilIdentical(_ nodes: [SharingNode], in room: RoomID) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
            var digests: Set<Digest> = []
            var vectors: Set<Digest> = []
            for node in nodes {
                guard let store = await node.node.rooms.open(room)?.store else { continue }
                let view = try await store.view()
                digests.insert(view.digest)
                vectors.insert(view.vector)
            }
            if digests.count == 1, vectors.count == 1 { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("not identical within 30 s")
    }
}
