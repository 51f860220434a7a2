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
        #expect(invite.scope?.first?.conditions.first?.values == ["n"])
        let b = try await TestNode("ward-2", peers: [a])
        try await b.join("clinic", code: invite.code)
        #expect(
            await eventually { (try? await b.members())?.contains { !$0.scopes.isEmpty } == true })
        #expect(await eventually { (try? await b.status("clinic").role) == "collector" })
        let state: EntryStateAnswer = try await b.post(
            "/v1/forms/call/state", EntryStateRequest(values: ["region": "Sud"]))
        #expect(state.fields[0].choices?.map(\.name) == ["n"])
        #expect(state.problems.map(\.message) == ["This device was not assigned Sud."])
        #expect(state.problems.first?.hint == "It enters Nord.")
        let rows = try await b.ask(
            .post, "/v1/import/call?dry_run=true", body: Array("region\nNord\nSud\n".utf8))
        #expect(rows.text.contains("is not what this device was assigned"), "\(rows.text)")
        #expect(rows.text.contains("\"line\":3"), "\(rows.text)")
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
