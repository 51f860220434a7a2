import JSON
import ShareControl
import ShareTestKit
import Testing

@testable import ShareNode

/// Views that editors write down for everybody.
@Suite struct ViewsTests {
    private func set(_ text: String, on node: TestNode) async throws -> ViewsAnswer {
        try await node.post("/v1/views", try JSONValue(text: Array(text.utf8)), method: .put)
    }

    private let two = """
        {"views": [{"name": "all", "kind": "figure", "form": "visit"},
                   {"name": "koro", "kind": "target", "form": "visit", "goal": 20}]}
        """

    @Test(.timeLimit(.minutes(1)))
    func `views travel, and a collector may not set them`() async throws {
        let a = try await TestNode("a")
        let b = try await TestNode("b", peers: [a])
        try await a.create("market", isOpen: true)
        let before: ViewsAnswer = try await a.get("/v1/views")
        #expect(before.views.isEmpty)
        #expect(try await set(two, on: a).views.count == 2)

        try await b.join("market", code: nil)
        #expect(await eventually(within: .seconds(40)) { await b.isMember(of: "market") })
        let arrived = await eventually {
            let answer: ViewsAnswer? = try? await b.get("/v1/views")
            return answer?.views.count == 2
        }
        #expect(arrived)
        let refused = try await TestNode.problem { _ = try await self.set(two, on: b) }
        #expect(refused?.code == .notAllowed)
        for node in [a, b] { await node.stop() }
    }

    @Test func `what is no view is refused, and what was there stays`() async throws {
        let node = try await TestNode("views-bad")
        try await node.create("market")
        _ = try await set(two, on: node)
        let bad = try await TestNode.problem {
            _ = try await self.set(
                "{\"views\": [{\"name\": \"x\", \"kind\": \"figur\"}]}", on: node)
        }
        #expect(bad?.code == .badView && bad?.hint == "Did you mean figure?")
        let rows = (0..<90).map {
            """
            {"name": "v\($0)", "kind": "figure", "form": "visit",
             "where": "\(String(repeating: "x", count: 900))"}
            """
        }
        let long = try await TestNode.problem {
            _ = try await self.set("{\"views\": [\(rows.joined(separator: ","))]}", on: node)
        }
        #expect(long?.code == .badView && long?.detail.contains("32 KiB") == true)
        let now: ViewsAnswer = try await node.get("/v1/views")
        #expect(now.views.count == 2)
        await node.stop()
    }
}
