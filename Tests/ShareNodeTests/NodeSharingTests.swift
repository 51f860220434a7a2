import FoundationEssentials
import ShareControl
import ShareCore
import ShareCrypto
import ShareNode
import ShareStore
import Testing

/// Whole nodes in this process over real TLS on loopback.
@Suite struct NodeSharingTests {
    @Test(.timeLimit(.minutes(1)))
    func `two devices share through a third without ever meeting`() async throws {
        let hub = try await TestNode("hub")
        let a = try await TestNode("a", peers: [hub])
        let c = try await TestNode("c", peers: [hub])
        try await hub.create("relay")
        let form = try await hub.addForm(to: "relay")
        for node in [a, c] { try await node.join("relay", code: try await hub.invite()) }
        try await a.add((0..<900).map { "entry \($0)" }, to: "relay", form)
        let _: PushAnswer = try await a.post("/v1/push", PushRequest())
        try await TestNode.untilAlike([hub, a, c], in: "relay")
        #expect(try await c.status("relay").records == 900)
        for node in [hub, a, c] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a device restored from a backup takes its own batches back before it seals`() async throws
    {
        let hub = try await TestNode("hub")
        var a = try await TestNode("a", peers: [hub])
        try await hub.create("clinic")
        let form = try await hub.addForm(to: "clinic")
        try await a.join("clinic", code: try await hub.invite())
        try await a.add(["before"], to: "clinic", form)
        let _: PushAnswer = try await a.post("/v1/push", PushRequest())
        await a.stop(keeping: true)

        let backup = a.folder + "-backup"
        try FileManager.default.copyItem(atPath: a.folder, toPath: backup)
        a = try await TestNode("a", peers: [hub], folder: a.folder)
        try await a.add(["after the backup"], to: "clinic", form)
        let _: PushAnswer = try await a.post("/v1/push", PushRequest())
        try await TestNode.untilAlike([hub, a], in: "clinic")
        await a.stop()

        let restored = try await TestNode("a", peers: [hub], folder: backup)
        try await restored.add(["after the restore"], to: "clinic", form)
        let _: PushAnswer = try await restored.post("/v1/push", PushRequest())
        try await TestNode.untilAlike([hub, restored], in: "clinic")
        #expect(try await restored.status("clinic").records == 3)
        let log = LogName(author: restored.node.identity.key, kind: .records)
        let view = try await hub.room("clinic").store.view()
        #expect(view.logs[log]?.heads.map(\.number) == [3])
        await restored.stop()
        await hub.stop()
    }
}
