import JSON
import Testing

@testable import ShareNode

/// Rows of repeats when an entry is changed in its other answers.
@Suite struct RowsAfterTests {
    private static let form = """
        {"form_id":"h","version":"1","key":["id"],"fields":[{"name":"id","type":"text"},
        {"name":"has","type":"text"},{"name":"rate","type":"integer"},
        {"name":"wanted","type":"integer"},
        {"name":"n","type":"integer","calculation":"count(${ch})"},
        {"name":"ch","type":"repeat","label":"Child","relevant":"${has} = 'y'","fields":[
        {"name":"name","type":"text","label":"Name"},
        {"name":"due","type":"integer","calculation":"${rate} * 2"},
        {"name":"school","type":"text","relevant":"${rate} > 5"}]},
        {"name":"plot","type":"repeat","repeat_count":"${wanted}","fields":[
        {"name":"crop","type":"text"}]}]}
        """
    private static let entry = #"""
        "id":"1","has":"y","rate":10,"wanted":2,"ch":[{"name":"Ami","school":"A"},{"name":"Bob"}],
        "plot":[{"crop":"rice"},{"crop":"maize"}]
        """#

    private func device() async throws -> (device: RecordsDevice, id: String) {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        #expect(try await device.ask("POST", "/v1/forms", Self.form).status == 200)
        let id = try await device.add(Self.entry, to: "h")
        try await Task.sleep(for: .milliseconds(3))
        return (device, id)
    }

    /// The values of one field in all rows of a repeat.
    private func rows(
        _ device: RecordsDevice, _ id: String, _ name: String, _ field: String
    ) async throws -> [JSONValue] {
        let entry = try await device.ask("GET", "/v1/record/\(id)").object
        return (entry[name]?.array ?? []).map { $0.object?[field] ?? .null }
    }

    private func change(
        _ device: RecordsDevice, _ id: String, _ values: String
    ) async throws -> JSONObject {
        let reply = try await device.ask(
            "PATCH", "/v1/record/\(id)", #"{"values":{\#(values)}}"#)
        try #require(reply.status == 200, "\(reply.body)")
        try await Task.sleep(for: .milliseconds(3))
        return reply.object
    }

    private func shown(_ answer: JSONObject) -> [String] {
        (answer["changes"]?.array ?? []).compactMap { change in
            guard let change = change.object else { return nil }
            return ["field", "before", "after"].map { change[$0]?.string ?? "" }
                .joined(separator: "|")
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `rows that are not asked any more go with an edit, and come back with undo`() async throws
    {
        let (device, id) = try await device()
        let changed = try await change(device, id, #""has":"n""#)
        #expect(shown(changed) == ["has|y|n", "n|2|0", "ch|2 rows|"], "\(changed)")
        #expect(changed["changed"] == .array(["has", "n", "ch"]))
        #expect(try await rows(device, id, "ch", "name").isEmpty)
        #expect(try await rows(device, id, "plot", "crop") == ["rice", "maize"])
        #expect(try await device.ask("GET", "/v1/records/h%2Fch").json.array?.isEmpty == true)
        let undone = try await device.ask("POST", "/v1/record/\(id)/undo")
        try #require(undone.status == 200, "\(undone.body)")
        #expect(try await rows(device, id, "ch", "name") == ["Ami", "Bob"])
        #expect(try await rows(device, id, "ch", "school") == ["A", .null])
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `what the form makes of rows follows an edit of what is around them`() async throws {
        let (device, id) = try await device()
        #expect(try await rows(device, id, "ch", "due") == [.integer(20), .integer(20)])
        let changed = try await change(device, id, #""rate":4"#)
        #expect(try await rows(device, id, "ch", "due") == [.integer(8), .integer(8)])
        #expect(try await rows(device, id, "ch", "school") == [.null, .null])
        #expect(
            shown(changed) == [
                "rate|10|4", "ch[1]/due|20|8", "ch[1]/school|A|", "ch[2]/due|20|8",
            ], "\(changed)")
        let counted = try await change(device, id, #""wanted":1"#)
        #expect(shown(counted) == ["wanted|2|1", "plot|2 rows|1 row"], "\(counted)")
        #expect(try await rows(device, id, "plot", "crop") == ["rice"])
        _ = try await change(device, id, #""wanted":3"#)
        #expect(try await rows(device, id, "plot", "crop") == ["rice", .null, .null])
        let nothing = try await change(device, id, #""wanted":3"#)
        #expect(nothing["changed"] == .array([]))
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `rows that are given where they are not asked are refused`() async throws {
        let (device, id) = try await device()
        for (method, path, values) in [
            ("POST", "/v1/records/h", #""has":"n","ch":[{"name":"Ami"}]"#),
            ("PATCH", "/v1/record/\(id)", #""has":"n","ch":[{"name":"Ami"}]"#),
        ] {
            let reply = try await device.ask(method, path, #"{"values":{\#(values)}}"#)
            #expect(reply.status == 400, "\(reply.body)")
            #expect(
                reply.object["detail"]?.string == "field ch is not asked with these answers",
                "\(reply.body)")
        }
        let inRow = try await device.ask(
            "PATCH", "/v1/record/\(id)",
            #"{"values":{"rate":1,"ch":[{"name":"Ami","school":"B"}]}}"#)
        #expect(inRow.body.contains("ch[1]/school is not asked"), "\(inRow.body)")
        // A list says what all rows are: taken away with what hides them.
        _ = try await change(device, id, #""has":"n","ch":[]"#)
        #expect(try await rows(device, id, "ch", "name").isEmpty)
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `an import takes away rows that are not asked any more, and says so`() async throws {
        let (device, id) = try await device()
        for isTried in [true, false] {
            let query = isTried ? "?dry_run=true" : ""
            let done = try await device.ask(
                "POST", "/v1/import/h\(query)", "id,has\n1,n\n2,y\n")
            let answer = done.result
            #expect(answer["updated"] == .integer(1) && answer["added"] == .integer(1))
            let warnings = (answer["warnings"]?.array ?? []).compactMap {
                $0.object?["reason"]?.string
            }
            #expect(warnings == ["2 rows go: the form does not ask for them any more"])
            #expect(
                try await rows(device, id, "ch", "name") == (isTried ? ["Ami", "Bob"] : []))
        }
        let entry = try await device.ask("GET", "/v1/record/\(id)").object
        #expect(entry["n"] == .integer(0))
        try await Task.sleep(for: .milliseconds(3))
        #expect(try await device.ask("POST", "/v1/record/\(id)/undo").status == 200)
        #expect(try await rows(device, id, "ch", "name") == ["Ami", "Bob"])
        await device.stop()
    }
}
