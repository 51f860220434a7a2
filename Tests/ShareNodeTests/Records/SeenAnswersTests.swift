import JSON
import ShareControl
import ShareTestKit
import Testing

@testable import ShareNode

/// A change says which answers its author has seen, and is written over none that it has not.
@Suite struct SeenAnswersTests {
    private static let form = """
        {"form_id":"visit","version":"1","key":["id"],"fields":[
          {"name":"id","type":"text"},{"name":"fever","type":"decimal"},
          {"name":"weight","type":"decimal"},{"name":"height","type":"decimal"},
          {"name":"ratio","type":"decimal","calculation":"${weight} div ${height}"},
          {"name":"sick","type":"select_one","list":"yes_no"},
          {"name":"note","type":"text","relevant":"${sick}='yes'"},
          {"name":"kid","type":"repeat","relevant":"${sick}='yes'","fields":[
            {"name":"name","type":"text"},{"name":"age","type":"integer"}]}],
         "lists":{"yes_no":["yes","no"]}}
        """

    /// An entry, and what the state call says that it has.
    private func entry(
        _ values: String
    ) async throws -> (device: RecordsDevice, id: String, seen: JSONObject) {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        let added = try await device.ask("POST", "/v1/forms", Self.form)
        try #require(added.status == 200, "\(added.body)")
        let id = try await device.add(values, to: "visit")
        return (device, id, try await seen(device, id))
    }

    private func seen(_ device: RecordsDevice, _ id: String) async throws -> JSONObject {
        let body = EntryStateRequest(values: [:], record: id)
        let reply = try await device.ask(
            "POST", "/v1/forms/visit/state", String(decoding: body.jsonText, as: UTF8.self))
        try #require(reply.status == 200, "\(reply.body)")
        return try EntryStateAnswer(json: reply.json).values
    }

    private func edit(
        _ device: RecordsDevice, _ id: String, _ values: JSONObject, seen: JSONObject? = nil
    ) async throws -> RecordsDevice.Reply {
        let body = ValuesRequest(values: values, seen: seen)
        return try await device.ask(
            "PATCH", "/v1/record/\(id)", String(decoding: body.jsonText, as: UTF8.self))
    }

    private func paths(_ reply: RecordsDevice.Reply) -> [String] {
        (reply.object["problems"]?.array ?? []).compactMap { $0.object?["path"]?.string }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a field that is another than was seen is not written over`() async throws {
        let (device, id, seen) = try await entry(#""id":"D1","fever":36.5,"weight":50"#)
        #expect(try await edit(device, id, ["fever": "40.1"]).status == 200)
        let refused = try await edit(device, id, ["fever": "38,1", "weight": "51"], seen: seen)
        #expect(refused.status == 409 && refused.object["code"] == "changed_meanwhile")
        #expect(paths(refused) == ["fever"])
        let detail = refused.object["detail"]?.string ?? ""
        #expect(
            detail.contains(
                /^fever was changed meanwhile, 36.5 -> 40.1 by ward-1 \(.*\), \d\d:\d\d$/),
            "\(detail)")
        let shown = try await device.ask("GET", "/v1/record/\(id)").object
        #expect(shown["fever"] == .double(40.1) && shown["weight"] == .double(50))
        // What was seen is written over, also by a value that came to be the same.
        #expect(try await edit(device, id, ["weight": "51"], seen: seen).status == 200)
        #expect(try await edit(device, id, ["fever": "40.1"], seen: seen).status == 200)
        let now = try await self.seen(device, id)
        #expect(try await edit(device, id, ["fever": "38,1"], seen: now).status == 200)
        #expect(try await edit(device, id, ["fever": "39"]).status == 200, "as before without it")
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `what is worked out, or goes with an answer, counts as written`() async throws {
        let (device, id, seen) = try await entry(
            #""id":"D1","weight":50,"height":2,"sick":"yes""#)
        #expect(try await edit(device, id, ["height": "4"]).status == 200)
        #expect(paths(try await edit(device, id, ["weight": "60"], seen: seen)) == ["ratio"])
        #expect(try await edit(device, id, ["note": "seen by a doctor"]).status == 200)
        #expect(paths(try await edit(device, id, ["sick": "no"], seen: seen)) == ["note"])
        let kid: JSONObject = ["name": "Ada"]
        let kids: JSONObject = ["kid": .object(["change": .array([.object(kid)])])]
        var withNote = seen
        withNote["note"] = "seen by a doctor"
        #expect(try await edit(device, id, kids).status == 200)
        #expect(paths(try await edit(device, id, ["sick": "no"], seen: withNote)) == ["kid[1]"])
        #expect(
            try await edit(device, id, ["sick": "no"], seen: self.seen(device, id)).status == 200)
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `rows are held against what was seen by their ids`() async throws {
        let (device, id, seen) = try await entry(
            #""id":"D1","sick":"yes","kid":[{"name":"Ada","age":3},{"name":"Bo","age":4}]"#)
        let rows = (seen["kid"]?.array ?? []).compactMap(\.object)
        try #require(rows.count == 2)
        let (ada, bo) = (try #require(rows[0]["_id"]), try #require(rows[1]["_id"]))
        func change(_ id: JSONValue, _ age: String) -> JSONObject {
            ["kid": .object(["change": .array([.object(["_id": id, "age": .string(age)])])])]
        }
        func without(_ id: JSONValue) -> JSONObject { ["kid": .object(["delete": .array([id])])] }
        #expect(try await edit(device, id, change(bo, "5")).status == 200)
        #expect(paths(try await edit(device, id, change(bo, "6"), seen: seen)) == ["kid[2]/age"])
        #expect(paths(try await edit(device, id, without(bo), seen: seen)) == ["kid[2]/age"])
        #expect(try await edit(device, id, change(ada, "2"), seen: seen).status == 200)
        #expect(
            try await edit(device, id, without(bo), seen: self.seen(device, id)).status == 200)
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `who may not save an entry is not asked for its answers`() async throws {
        let owner = try await TestNode("owner")
        try await owner.create("clinic")
        _ = try await owner.addForm(to: "clinic")
        let viewer = try await TestNode("viewer", peers: [owner])
        try await viewer.join("clinic", code: try await owner.invite("viewer"))
        let isViewer = await eventually { (try? await viewer.status("clinic").role) == "viewer" }
        try #require(isViewer)
        let refused = try await TestNode.problem {
            let _: EntryStateAnswer = try await viewer.post(
                "/v1/forms/visit/state", EntryStateRequest(values: [:]))
        }
        #expect(refused?.code == .notAllowed)
        #expect(refused?.detail == "a viewer may look and not write")
        for node in [viewer, owner] { await node.stop() }
    }
}
