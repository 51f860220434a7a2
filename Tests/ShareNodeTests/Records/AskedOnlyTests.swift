import JSON
import Testing

@testable import ShareNode

/// Questions that are asked and not stored: others hang on their answers.
@Suite struct AskedOnlyTests {
    private static let form = """
        {"form_id":"q","version":"1","fields":[{"name":"id","type":"text"},
        {"name":"tmp","type":"select_one","list":"yn","x":{"persist":false}},
        {"name":"n","type":"integer","relevant":"${tmp} = 'yes'"},
        {"name":"g","type":"group","relevant":"${tmp} = 'yes'","fields":[
        {"name":"m","type":"integer"}]}],
        "lists":{"yn":["yes","no"]}}
        """

    @Test(.timeLimit(.minutes(1)))
    func `an edit answers what is only asked, and what hangs on it is not called wrong`()
        async throws
    {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        #expect(try await device.ask("POST", "/v1/forms", Self.form).status == 200)
        let id = try await device.add(#""id":"1","tmp":"yes","n":3,"m":4"#, to: "q")
        func patch(_ values: String) async throws -> RecordsDevice.Reply {
            try await device.ask("PATCH", "/v1/record/\(id)", "{\"values\":{\(values)}}")
        }
        #expect(try await device.ask("GET", "/v1/record/\(id)").object["_warnings"] == nil)
        let alone = try await patch(#""n":5"#)
        #expect(alone.status >= 400 && alone.body.contains("not asked"), "\(alone.body)")
        let edited = try await patch(#""tmp":"yes","n":5"#)
        #expect(edited.status == 200, "\(edited.body)")
        let wrong = try await patch(#""tmp":"perhaps","n":6"#)
        #expect(wrong.status >= 400 && wrong.body.contains("perhaps"), "\(wrong.body)")
        let entry = try await device.ask("GET", "/v1/record/\(id)").object
        #expect(entry["n"] == .integer(5) && entry["m"] == .integer(4))
        let view = try await device.ask("GET", "/v1/record/\(id)/view").object
        #expect(view["warnings"]?.array?.isEmpty ?? true, "\(view)")
        await device.stop()
    }
}
