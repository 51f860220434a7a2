import JSON
import ShareControl
import ShareCore
import ShareStore
import ShareTestKit
import Testing

@testable import ShareNode

/// Conflicts, deleted records, reviews and comments through the control routes, on two nodes that
/// were apart.
@Suite struct RecordsResolveTests {
    /// Two nodes of one room with one record; what they do to it before `meet` is done apart.
    private struct Pair {
        let a: TestNode
        let b: TestNode
        let form: OperationName
        let id: String

        init(role: String = "editor") async throws {
            a = try await TestNode("ward-1")
            try await a.create("clinic")
            form = try await a.addForm(to: "clinic")
            b = try await TestNode("ward-2", peers: [a])
            try await b.join("clinic", code: try await a.invite(role))
            let added: AddedAnswer = try await a.post(
                "/v1/records/visit", ValuesRequest(values: ["name": "Sara"]))
            id = added.id
            try await meet()
        }

        var nodes: [TestNode] { [a, b] }

        func meet() async throws {
            for node in nodes {
                let _: PushAnswer = try await node.post(
                    "/v1/push", PushRequest(timeoutMilliseconds: 20_000))
            }
            try await TestNode.untilAlike(nodes, in: "clinic")
        }

        func edit(_ node: TestNode, _ name: String) async throws {
            let _: EditedAnswer = try await node.post(
                "/v1/record/\(id)", ValuesRequest(values: ["name": .string(name)]),
                method: .patch)
            try await tick()
        }

        func delete(_ node: TestNode) async throws {
            _ = try await node.ask(.delete, "/v1/record/\(id)").decoded(as: EditedAnswer.self)
            try await tick()
        }

        /// What is done next is later: of one millisecond, the random keys of devices decide.
        private func tick() async throws { try await Task.sleep(for: .milliseconds(3)) }

        func resolve(_ node: TestNode, _ request: ResolveRequest) async throws -> ResolvedAnswer {
            try await node.post("/v1/record/\(id.suffix(8))/resolve", request)
        }

        func restore(_ node: TestNode) async throws {
            let _: RemarkAnswer = try await node.post(
                "/v1/record/\(id.suffix(8))/restore", JSONObject())
        }

        func conflicts(_ node: TestNode) async throws -> [ConflictAnswer] {
            try await node.get("/v1/conflicts")
        }

        func name(_ node: TestNode) async throws -> String? {
            let record: JSONObject = try await node.get("/v1/record/\(id)")
            return record["name"]?.string
        }

        func stop() async { for node in nodes { await node.stop() } }
    }

    @Test(.timeLimit(.minutes(2)), arguments: [ResolveRequest.Side.shown, .other])
    func `of what is computed neither side is kept, but what the answers of both come to`(
        _ side: ResolveRequest.Side
    ) async throws {
        let pair = try await Pair()
        let form = """
            {"form_id":"sum","version":"1","key":["id"],"fields":[{"name":"id","type":"text"},
            {"name":"x","type":"integer"},{"name":"y","type":"integer","required":true},
            {"name":"s","type":"integer","calculation":"${x} + ${y}"}]}
            """
        _ = try await pair.a.ask(.post, "/v1/forms", body: Array(form.utf8))
        let added: AddedAnswer = try await pair.a.post(
            "/v1/records/sum",
            ValuesRequest(values: ["id": "1", "x": .integer(1), "y": .integer(1)]))
        try await pair.meet()
        let path = "/v1/record/\(added.id)"
        let _: EditedAnswer = try await pair.a.post(
            path, ValuesRequest(values: ["x": .integer(10)]), method: .patch)
        let _: EditedAnswer = try await pair.b.post(
            path, ValuesRequest(values: ["y": .integer(20)]), method: .patch)
        try await pair.meet()
        let told = try await pair.b.ask(.get, path).text
        #expect(told.contains("of its answers the form makes 30"), "\(told)")
        let resolved: ResolvedAnswer = try await pair.b.post(
            path + "/resolve", ResolveRequest(values: [:], keep: side))
        #expect(resolved.changed == ["s"] && resolved.left.isEmpty)
        let record: JSONObject = try await pair.b.get(path)
        #expect(record["s"] == .integer(30) && record["_warnings"] == nil, "\(record)")
        await pair.stop()
    }

    @Test(
        .timeLimit(.minutes(2)),
        arguments: [
            (ResolveRequest(values: ["name": "Sara H."]), "Sara H."),
            (ResolveRequest(keep: .shown), "Zara"), (ResolveRequest(keep: .other), "Sarah"),
        ])
    func `a conflict is resolved for both`(_ request: ResolveRequest, _ name: String) async throws {
        let pair = try await Pair()
        try await pair.edit(pair.a, "Sarah")
        try await pair.edit(pair.b, "Zara")
        try await pair.meet()
        for node in pair.nodes {
            let conflicts = try await pair.conflicts(node)
            #expect(conflicts.map(\.field) == ["name"])
            #expect(conflicts[0].winner.value == "Zara")
            #expect(conflicts[0].winner.author == pair.b.id)
            #expect(conflicts[0].losers.map(\.value) == ["Sarah"])
            #expect(conflicts[0].creator == pair.a.id)
            let shown: JSONObject = try await node.get("/v1/record/\(pair.id)")
            #expect(shown["_conflicts"] == .array(["name"]))
        }
        let answer = try await pair.resolve(pair.a, request)
        #expect(answer == ResolvedAnswer(id: pair.id, form: "visit", changed: ["name"], left: []))
        try await pair.meet()
        for node in pair.nodes {
            #expect(try await pair.conflicts(node) == [])
            #expect(try await pair.name(node) == name)
            let history: [HistoryEntry] = try await node.get("/v1/record/\(pair.id)/history")
            #expect(history.count == 4)
            #expect(history.allSatisfy { $0.verified })
            #expect(
                history[3].parents.sorted() == [history[1].version, history[2].version].sorted())
            #expect(history[1].parallel == [history[2].version])
        }
        let problem = try await TestNode.problem { _ = try await pair.resolve(pair.b, request) }
        let isSo = request.keep == .shown && request.values == JSONObject()
        #expect(problem?.code == (isSo ? .alreadySo : .nothingToChange))
        #expect(problem?.hint?.contains("shared conflicts") == true)
        await pair.stop()
    }

    @Test(.timeLimit(.minutes(2)))
    func `a record that was deleted beside an edit is brought back, or stays deleted`() async throws
    {
        let pair = try await Pair()
        try await pair.edit(pair.b, "Zara")
        try await pair.delete(pair.a)
        try await pair.meet()
        for node in pair.nodes {
            let conflict = try #require(try await pair.conflicts(node).first)
            #expect(conflict.field == "_deleted")
            #expect(conflict.winner.value == .bool(true))
            #expect(conflict.winner.changed == nil)
            #expect(conflict.losers.map(\.value) == [.bool(false)])
            #expect(conflict.losers[0].changed == ["name": "Zara"])
            let gone = try await TestNode.problem { _ = try await pair.name(node) }
            #expect(gone?.code == .notFoundRecord)
            #expect(gone?.hint?.contains("shared restore \(pair.id.suffix(8))") == true)
        }
        let kept = try await pair.resolve(pair.a, ResolveRequest(keep: .shown))
        #expect(
            kept
                == ResolvedAnswer(
                    id: pair.id, form: "visit", changed: [], deleted: true, left: []))
        try await pair.meet()
        #expect(try await pair.conflicts(pair.b) == [])
        let again = try await TestNode.problem { try await pair.delete(pair.a) }
        #expect(again?.detail.contains("deleted already") == true)

        try await pair.restore(pair.b)
        try await pair.meet()
        #expect(try await pair.name(pair.a) == "Zara")
        let not = try await TestNode.problem { try await pair.restore(pair.b) }
        #expect(not?.code == .alreadySo)

        // Values bring it back as well, with these values.
        try await pair.edit(pair.a, "Sarah")
        try await pair.delete(pair.b)
        try await pair.meet()
        let back = try await pair.resolve(pair.b, ResolveRequest(values: ["name": "Sara"]))
        #expect(
            back
                == ResolvedAnswer(
                    id: pair.id, form: "visit", changed: ["name"], deleted: false, left: []))
        try await pair.meet()
        #expect(try await pair.name(pair.a) == "Sara")
        #expect(try await pair.conflicts(pair.a) == [])
        await pair.stop()
    }

    @Test(.timeLimit(.minutes(2)))
    func `reviews and comments are shown, and are a reviewer's`() async throws {
        let pair = try await Pair(role: "collector")
        func review(_ node: TestNode, _ state: String) async throws -> RemarkAnswer {
            try await node.post(
                "/v1/record/\(pair.id)/reviews", ReviewRequest(state: state, comment: "look"))
        }
        func comment(_ node: TestNode, _ text: String) async throws {
            let _: RemarkAnswer = try await node.post(
                "/v1/record/\(pair.id)/comments", CommentRequest(text: text))
        }
        // Said before anything is entered.
        let mayNot = [
            try await TestNode.problem { _ = try await review(pair.b, "approved") },
            try await TestNode.problem { try await comment(pair.b, "x") },
            try await TestNode.problem { try await pair.delete(pair.b) },
            try await TestNode.problem { try await pair.edit(pair.b, "x") },
        ]
        for problem in mayNot {
            #expect(problem?.code == .notAllowed)
            #expect(problem?.detail.hasPrefix("a collector may") == true)
            #expect(problem?.hint != nil)
        }
        #expect(try await pair.b.status("clinic").pending == 0)
        let unknown = try await TestNode.problem { _ = try await review(pair.a, "aproved") }
        #expect(unknown?.hint?.contains("approved") == true)
        let empty = try await TestNode.problem { try await comment(pair.a, " \n") }
        #expect(empty?.code == .badRequest)

        #expect(try await review(pair.a, "has-issues").state == "hasIssues")
        try await comment(pair.a, "seen again")
        try await comment(pair.a, "and again")
        try await pair.meet()
        let record: JSONObject = try await pair.b.get("/v1/record/\(pair.id)")
        #expect(record["_state"] == "hasIssues")
        #expect(record["_review"]?.object?["text"] == "look")
        #expect(record["_review"]?.object?["author"]?.string == pair.a.id)
        #expect(
            record["_comments"]?.array?.map { $0.object?["text"] } == ["seen again", "and again"])
        let list: [JSONObject] = try await pair.b.get("/v1/records/visit")
        #expect(list.map { $0["_state"] } == ["hasIssues"])
        let history: [HistoryEntry] = try await pair.b.get("/v1/record/\(pair.id)/history")
        #expect(history.map(\.kind) == ["put", "review", "comment", "comment"])
        #expect(history[1].changed["_state"] == .array([.null, "hasIssues"]))
        #expect(history.map(\.note) == [nil, "look", "seen again", "and again"])
        await pair.stop()
    }

    @Test(.timeLimit(.minutes(2)))
    func `parallel updates are listed apart, and seen`() async throws {
        let pair = try await Pair()
        try await pair.edit(pair.b, "Zara")
        let _: RemarkAnswer = try await pair.a.post(
            "/v1/record/\(pair.id)/reviews", ReviewRequest(state: "approved"))
        try await pair.meet()
        for node in pair.nodes {
            let reply = try await node.ask(.get, "/v1/conflicts")
            #expect(reply.text == "[]")
            #expect(reply.notices.contains { $0.contains("shared conflicts --parallel") })
            let updates: [ParallelAnswer] = try await node.get("/v1/parallel")
            #expect(updates.map(\.record) == [pair.id])
            let branches = try #require(updates.first?.branches)
            #expect(branches.map(\.changed) == [["name": "Zara"], [:]])
            #expect(branches.map(\.state) == [nil, "approved"])
        }
        let other = try await TestNode.problem {
            _ = try await pair.resolve(pair.a, ResolveRequest(keep: .other))
        }
        #expect(other?.detail.contains("all that was changed stands") == true)
        _ = try await pair.resolve(pair.a, ResolveRequest(keep: .shown))
        try await pair.meet()
        for node in pair.nodes {
            #expect(try await node.get("/v1/parallel", as: [ParallelAnswer].self) == [])
        }
        #expect(try await pair.name(pair.b) == "Zara")
        await pair.stop()
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: ["limit=0", "limit=x", "limit=10001", "after=x", "after=a@b@c", "after=@@"])
    func `a page that cannot be is refused`(_ query: String) async throws {
        let node = try await TestNode("pages")
        try await node.create("clinic")
        for path in ["/v1/conflicts", "/v1/parallel"] {
            let problem = try await TestNode.problem {
                _ = try await node.ask(.get, "\(path)?\(query)").decoded(as: JSONValue.self)
            }
            #expect(problem?.code == .badRequest)
        }
        await node.stop()
    }

    // MARK: Watching

    @Test(.timeLimit(.minutes(2)))
    func `what is done to records and forms is told as it happens`() async throws {
        let pair = try await Pair()
        var watches: [Task<Void, any Error>] = []
        var feeds: [Shared<[WatchEvent]>] = []
        for node in pair.nodes {
            let events = Shared<[WatchEvent]>([])
            let lines = try await node.lines("/v1/watch?room=clinic")
            feeds.append(events)
            watches.append(
                Task {
                    for try await line in lines {
                        let event = try WatchEvent(jsonText: line)
                        events.change { $0.append(event) }
                    }
                })
        }
        let form = #"{"form_id":"visit","version":"2","fields":[{"name":"name","type":"text"}]}"#
        _ = try await pair.a.ask(.post, "/v1/forms", body: Array(form.utf8))
            .decoded(as: FormAddedAnswer.self)
        try await pair.edit(pair.a, "Sarah")
        try await pair.edit(pair.b, "Zara")
        try await pair.meet()
        _ = try await pair.resolve(pair.b, ResolveRequest(keep: .other))
        try await pair.meet()
        try await pair.delete(pair.a)
        try await pair.meet()
        let seen = feeds
        @Sendable func find(_ place: Int, _ name: String, by peer: String? = nil) -> [WatchEvent] {
            seen[place].value.filter {
                $0.event == name && (peer == nil || $0.peer?.id == peer)
            }
        }
        #expect(await eventually { !find(1, "deleted").isEmpty && !find(0, "deleted").isEmpty })
        for place in 0...1 {
            let ids = [pair.a.id, pair.b.id]
            let edits = ids.map { find(place, "edited", by: $0) }
            #expect(edits.map(\.count) == [1, 2])
            #expect(edits[0][0].record == pair.id && edits[0][0].form == "visit")
            #expect(edits[0][0].fields == ["name"] && edits[0][0].count == 1)
            #expect(edits[0][0].room == "clinic")
            let conflicts = find(place, "conflict")
            #expect(conflicts.count == 1)
            #expect(conflicts.first?.record == pair.id && conflicts.first?.fields == ["name"])
            #expect(find(place, "form_changed").map(\.form) == ["visit"])
            #expect(["refused", "missed"].allSatisfy { find(place, $0) == [] })
            #expect(find(place, "received").allSatisfy { $0.peer?.id == ids[1 - place] })
        }
        for watch in watches { watch.cancel() }
        await pair.stop()
    }
}
