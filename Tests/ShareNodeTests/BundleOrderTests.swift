import ShareControl
import ShareCore
import ShareStore
import ShareTestKit
import Testing

@testable import ShareNode

/// Files whose batches undo what has been decided about batches before them.
@Suite struct BundleOrderTests {
    @Test(.timeLimit(.minutes(1)))
    func `what lay past a cutoff as it came is taken in once the file takes the cutoff away`()
        async throws
    {
        let a = try await TestNode("a")
        let created = try await a.create("clinic")
        let b = try await TestNode("b", peers: [a])
        try await b.join("clinic", code: try await a.invite("owner"))
        let c = try await TestNode("c", peers: [a, b])
        try await c.join("clinic", code: try await a.invite())
        try await TestNode.untilAlike([a, b, c], in: "clinic")
        await b.stop(keeping: true)

        // A thief who has the first owner's device removes the other owner, and all hear of it.
        let since = WallClock.milliseconds()
        try await Task.sleep(for: .milliseconds(5))
        try await a.remove(b, grants: .revoked)
        #expect(await eventually { (try? await c.members().count) == 2 })
        await a.stop()

        // The other one, who has not, goes on working; then it takes back what the thief did.
        let b2 = try await TestNode("b", folder: b.folder)
        let form = try await b2.addForm(to: "clinic")
        try await b2.push(["Sara"], to: "clinic", form)
        let _: RemovedAnswer = try await b2.post(
            "/v1/remove",
            RemoveRequest(
                device: a.short, sinceMilliseconds: Int(since), grants: .revoked,
                recovery: created.recovery))
        let file = try await b2.ask(.get, "/v1/bundle")
        let read: BundleAnswer = try await c.ask(.post, "/v1/bundle", body: file.bytes).decoded()
        #expect(read.batches.leftOut == 0 && read.removed.isEmpty)
        #expect(read.identical == true)
        #expect(try await c.status("clinic").records == 1)
        for node in [b2, c] { await node.stop() }
    }
}
