import JSON
import ShareControl
import ShareCore
import ShareTestKit
import Testing

@testable import ShareNode

/// Codes and roles that bind a member to forms and areas, between whole nodes over TLS.
@Suite struct AssignmentTests {
    private static let north = [
        ScopeForm(
            form: "visit", conditions: [ScopeCondition(field: "name", values: ["north", "east"])])
    ]

    private func enter(_ name: String, on node: TestNode) async throws {
        let _: AddedAnswer = try await node.post(
            "/v1/records/visit", ValuesRequest(values: ["name": .string(name)]))
    }

    @Test(.timeLimit(.minutes(1)))
    func `a code of a team binds who joins with it, until a role lifts that`() async throws {
        let a = try await TestNode("ward-1")
        try await a.create("clinic")
        _ = try await a.addForm(to: "clinic")
        let invite: InviteAnswer = try await a.post(
            "/v1/invites", InviteRequest(uses: 5, name: "Team A", scope: Self.north))
        let expected = [
            ScopeForm(
                form: "visit",
                conditions: [ScopeCondition(field: "name", values: ["east", "north"])])
        ]
        #expect(invite.scope == expected)
        let listed = try await a.invites()
        #expect(listed.map(\.name) == ["Team A"] && listed.map(\.scope) == [expected])

        let b = try await TestNode("ward-2", peers: [a])
        try await b.join("clinic", code: invite.code)
        #expect(await eventually { (try? await b.status("clinic").role) == "collector" })
        for node in [a, b] {
            let members = try await node.members()
            #expect(members.first { $0.name == "ward-2" }?.scopes == [expected])
            #expect(members.first { $0.name == "ward-1" }?.scopes == [])
        }
        try await enter("north", on: b)
        let problem = try await TestNode.problem { try await enter("south", on: b) }
        #expect(problem?.code == .notAllowed)
        #expect(problem?.detail.contains("name must be east or north") == true)
        #expect(try await b.status("clinic").records == 1)

        // The same role without a scope lifts it.
        try await a.setRole("collector", of: b)
        #expect(await eventually { (try? await b.members())?.allSatisfy(\.scopes.isEmpty) == true })
        try await enter("south", on: b)
        let again = try await TestNode.problem { try await a.setRole("collector", of: b) }
        #expect(again?.code == .alreadySo)
        for node in [a, b] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `an area may be named as people read it, and others are not offered`() async throws {
        let a = try await TestNode("ward-1")
        try await a.create("clinic")
        let form = """
            {"form_id":"call","version":"1","fields":[
            {"name":"region","type":"select_one","list":"r"}],"lists":{"r":[
            {"name":"n","label":"Nord"},{"name":"s","label":"Sud"}]}}
            """
        _ = try await a.ask(.post, "/v1/forms", body: Array(form.utf8))
        func scope(_ values: String...) -> InviteRequest {
            InviteRequest(
                scope: [
                    ScopeForm(
                        form: "call",
                        conditions: [ScopeCondition(field: "region", values: values)])
                ])
        }
        let unknown = try await TestNode.problem {
            let _: InviteAnswer = try await a.post("/v1/invites", scope("Nord", "zz"))
        }
        #expect(
            unknown?.detail.contains("no choice \"zz\"") == true, "\(String(describing: unknown))")
        let invite: InviteAnswer = try await a.post("/v1/invites", scope("nord"))
        let told = [
            ScopeForm(
                form: "call",
                conditions: [ScopeCondition(field: "region", values: ["n"], labels: ["Nord"])])
        ]
        #expect(invite.scope == told)
        #expect(try await a.invites().map(\.scope) == [told])
        let b = try await TestNode("ward-2", peers: [a])
        try await b.join("clinic", code: invite.code)
        #expect(
            await eventually { (try? await b.members())?.contains { !$0.scopes.isEmpty } == true })
        #expect(await eventually { (try? await b.status("clinic").role) == "collector" })
        #expect(await eventually { (try? await b.status("clinic").scopes) == [told] })
        #expect(try await b.members().map(\.scopes).filter { !$0.isEmpty } == [[told]])
        #expect(try await a.status("clinic").scopes.isEmpty)
        let refused = try await TestNode.problem {
            let _: AddedAnswer = try await b.post(
                "/v1/records/call", ValuesRequest(values: ["region": "Sud"]))
        }
        #expect(refused?.detail.hasPrefix("region must be Nord in entries") == true)
        let state: EntryStateAnswer = try await b.post(
            "/v1/forms/call/state", EntryStateRequest(values: ["region": "Sud"]))
        #expect(state.fields[0].choices?.map(\.name) == ["n"])
        #expect(state.problems.map(\.message) == ["This device was not assigned Sud."])
        #expect(state.problems.first?.hint == "It enters Nord.")
        let rows = try await b.ask(
            .post, "/v1/import/call?dry_run=true", body: Array("region\nNord\nSud\n".utf8))
        #expect(
            rows.text.contains("Sud is not what this device was assigned: Nord"), "\(rows.text)")
        #expect(rows.text.contains("\"line\":3"), "\(rows.text)")

        // What an entry has when its author gets another area may stay as it is.
        let own: AddedAnswer = try await b.post(
            "/v1/records/call", ValuesRequest(values: ["region": "Nord"]))
        let _: PushAnswer = try await b.post("/v1/push", PushRequest())
        let _: RoleAnswer = try await a.post(
            "/v1/role",
            RoleRequest(device: b.short, role: "collector", scope: scope("Sud").scope))
        #expect(
            await eventually {
                let scopes = (try? await b.members())?.flatMap(\.scopes).flatMap { $0 } ?? []
                return scopes.map { $0.conditions.first?.values } == [["s"]]
            })
        let kept: EntryStateAnswer = try await b.post(
            "/v1/forms/call/state", EntryStateRequest(values: [:], record: own.id))
        #expect(kept.problems.isEmpty && kept.fields[0].choices?.map(\.name) == ["n", "s"])
        let new: EntryStateAnswer = try await b.post(
            "/v1/forms/call/state", EntryStateRequest(values: ["region": "Nord"]))
        #expect(new.problems.map(\.message) == ["This device was not assigned Nord."])
        for node in [a, b] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `rows outside of an assignment are put aside, and the others come in`() async throws {
        let a = try await TestNode("ward-1")
        try await a.create("clinic")
        let form = """
            {"form_id":"call","version":"1","key":["id"],"fields":[{"name":"id","type":"text"},
            {"name":"zone","type":"select_one","list":"z"},{"name":"n","type":"integer"}],
            "lists":{"z":[{"name":"n","label":"Nord"},{"name":"s","label":"Sud"}]}}
            """
        _ = try await a.ask(.post, "/v1/forms", body: Array(form.utf8))
        let invite: InviteAnswer = try await a.post(
            "/v1/invites",
            InviteRequest(scope: [
                ScopeForm(
                    form: "call", conditions: [ScopeCondition(field: "zone", values: ["n"])])
            ]))
        let b = try await TestNode("ward-2", peers: [a])
        try await b.join("clinic", code: invite.code)
        #expect(
            await eventually { (try? await b.members())?.contains { !$0.scopes.isEmpty } == true })
        #expect(await eventually { (try? await b.status("clinic").role) == "collector" })
        #expect(
            await eventually {
                (try? await b.ask(.get, "/v1/forms"))?.text.contains("call") == true
            })
        func imported(_ csv: String, _ query: String = "") async throws -> String {
            try await b.ask(.post, "/v1/import/call\(query)", body: Array(csv.utf8)).text
        }
        let rows = "id,zone,n\n1,n,1\n2,Nord,2\n3,Sud,3\n4,n,4\n"
        for query in ["", "?dry_run=true"] {
            let told = try await imported(rows, query)
            #expect(told.contains("Sud is not what this device was assigned: Nord"), "\(told)")
            #expect(told.contains("\"rejected_count\":1"), "\(told)")
        }
        #expect(try await b.status("clinic").records == 0)
        let kept = try await imported(rows, "?keep_good=true")
        #expect(kept.contains("\"added\":3"), "\(kept)")
        #expect(kept.contains(#""rejected_csv":"id,zone,n\n3,Sud,3\n""#), "\(kept)")
        #expect(try await b.status("clinic").records == 3)
        // A change is looked at for what it changes alone.
        let changed = try await imported("id,zone,n\n1,s,1\n2,n,9\n", "?keep_good=true")
        #expect(changed.contains("\"updated\":1"), "\(changed)")
        #expect(changed.contains("\"line\":2"), "\(changed)")
        // Of an entry that lies outside by now as well.
        _ = try await b.ask(.post, "/v1/push", body: Array("{}".utf8))
        #expect(await eventually { (try? await a.status("clinic").records) == 3 })
        let _: RoleAnswer = try await a.post(
            "/v1/role",
            RoleRequest(
                device: b.short, role: "collector",
                scope: [
                    ScopeForm(
                        form: "call", conditions: [ScopeCondition(field: "zone", values: ["s"])])
                ]))
        #expect(
            await eventually {
                let scopes = (try? await b.members())?.flatMap(\.scopes).flatMap { $0 } ?? []
                return scopes.map { $0.conditions.first?.values } == [["s"]]
            })
        let outside = try await imported("id,zone,n\n1,n,7\n4,n,4\n5,n,5\n", "?keep_good=true")
        #expect(outside.contains("\"updated\":1,"), "\(outside)")
        #expect(outside.contains("\"unchanged\":1,"), "\(outside)")
        #expect(outside.contains("\"rejected_count\":1"), "\(outside)")
        for node in [a, b] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a scope that no entry could lie in is refused with a hint`() async throws {
        let a = try await TestNode("ward-1")
        try await a.create("clinic")
        _ = try await a.addForm(to: "clinic")
        func problem(_ request: InviteRequest) async throws -> Problem? {
            try await TestNode.problem {
                let _: InviteAnswer = try await a.post("/v1/invites", request)
            }
        }
        let noField = [
            ScopeForm(form: "visit", conditions: [ScopeCondition(field: "area", values: ["x"])])
        ]
        #expect(try await problem(InviteRequest(scope: noField))?.code == .badRequest)
        #expect(
            try await problem(InviteRequest(scope: [ScopeForm(form: "nothing")]))?.code
                == .notFoundForm)
        #expect(
            try await problem(InviteRequest(role: "editor", scope: Self.north))?.code == .badRequest
        )
        #expect(
            try await problem(
                InviteRequest(scope: [ScopeForm(form: "visit"), ScopeForm(form: "visit")]))?.code
                == .badRequest)
        #expect(try await problem(InviteRequest(name: ""))?.code == .badName)
        await a.stop()
    }
}
