import FoundationEssentials
import ShareControl
import ShareCore
import ShareCrypto
import ShareNode
import ShareStore
import ShareTestKit
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
        try await a.add(["in the backup"], to: "clinic", form)
        await a.stop(keeping: true)

        let backup = a.folder + "-backup"
        try FileManager.default.copyItem(atPath: a.folder, toPath: backup)
        a = try await TestNode("a", peers: [hub], folder: a.folder)
        try await a.add(["after the backup"], to: "clinic", form)
        let _: PushAnswer = try await a.post("/v1/push", PushRequest())
        try await TestNode.untilAlike([hub, a], in: "clinic")
        await a.stop()

        let restored = try await TestNode("a", peers: [hub], folder: backup)
        // Whoever is not met for seconds is not waited for.
        #expect(await eventually { await !restored.node.sync.connectedKeys().isEmpty })
        try await restored.add(["after the restore"], to: "clinic", form)
        let _: PushAnswer = try await restored.post("/v1/push", PushRequest())
        try await TestNode.untilAlike([hub, restored], in: "clinic")
        #expect(try await restored.status("clinic").records == 4)
        // Nor does anybody say that it has something left to send.
        let isAllSent = await eventually {
            (try? await hub.status("clinic").others.map(\.unsent)) == [0]
        }
        #expect(isAllSent)
        let log = LogName(author: restored.node.identity.key, kind: .records)
        let view = try await hub.room("clinic").store.view()
        #expect(view.logs[log]?.heads.map(\.number) == [3])
        await restored.stop()
        await hub.stop()
    }

    @Test(.timeLimit(.minutes(3)))
    func `a removal that the daemon did not finish goes on when it starts again`() async throws {
        let hub = try await TestNode("hub")
        let a = try await TestNode("a", peers: [hub])
        try await hub.create("clinic")
        let form = try await hub.addForm(to: "clinic")
        try await a.join("clinic", code: try await hub.invite())
        try await a.add((0..<12_000).map { "entry \($0)" }, to: "clinic", form)
        let _: PushAnswer = try await a.post("/v1/push", PushRequest())
        try await TestNode.untilAlike([hub, a], in: "clinic")
        let key = a.node.identity.key
        let path = try await hub.room("clinic").store.path
        await hub.stop(keeping: true)
        await a.stop(keeping: true)

        // The owner's file, with the removal in it and little more done.
        do {
            let data = try DataDirectory(path: hub.folder)
            defer { data.close() }
            let store = try RoomStore(
                path: path, identity: hub.node.identity)
            let after = await store.authority().latest(about: key)
            let none = CoveredHeads(control: [], records: [])
            _ = try await store.decide(
                [
                    .removal(Removal(subject: key, heads: none, supersedes: after, reason: "lost"))
                ], wall: 1_800_000_000_000)[0]
            let progress = try #require(try await store.counts().reapplying)
            #expect(progress.isTakingOut && progress.total == 12_000 && progress.done < 12_000)
            #expect(try await store.view().isReapplying)
        }
        let again = try await TestNode("hub", folder: hub.folder)
        #expect(
            await eventually(within: .seconds(60)) {
                (try? await again.status("clinic").records) == 0
            })
        #expect(
            await eventually(within: .seconds(60)) {
                guard let status = try? await again.status("clinic") else { return false }
                return status.activity == nil && status.refused == 12_000
            })
        let refused = try await again.ask(.get, "/v1/refused")
        let lines = try refused.decoded(as: [RefusedAnswer].self)
        #expect(lines.reduce(0) { $0 + $1.count } == 12_000)
        #expect(lines.allSatisfy { $0.reason == "removed" && $0.log == "records" })
        #expect(lines.allSatisfy { $0.hint?.contains("shared accept") == true && $0.batch != nil })
        await again.stop()
        try? FileManager.default.removeItem(atPath: a.folder)
    }
}
