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
        let no = try await patch(#""tmp":"no","n":5"#)
        #expect(no.status >= 400 && no.body.contains("not asked"), "\(no.body)")
        // It was asked when the entry was made.
        let alone = try await patch(#""n":7"#)
        #expect(alone.status == 200, "\(alone.body)")
        let edited = try await patch(#""tmp":"yes","n":5"#)
        #expect(edited.status == 200, "\(edited.body)")
        let wrong = try await patch(#""tmp":"perhaps","n":6"#)
        #expect(wrong.status >= 400 && wrong.body.contains("perhaps"), "\(wrong.body)")
        let entry = try await device.ask("GET", "/v1/record/\(id)").object
        #expect(entry["n"] == .integer(5) && entry["m"] == .integer(4))
        let view = try await device.ask("GET", "/v1/record/\(id)/view").object
        #expect(view["warnings"]?.array?.isEmpty ?? true, "\(view)")
        // Said anew it decides, and what is not asked then goes.
        #expect(try await patch(#""tmp":"no""#).status == 200)
        let last = try await device.ask("GET", "/v1/record/\(id)").object
        #expect(last["n"] ?? .null == .null && last["m"] ?? .null == .null, "\(last)")
        await device.stop()
    }

    /// The same in rows, in all kinds of rules, and in what follows from them.
    private static let rows = """
        {"form_id":"q","version":"1","fields":[{"name":"id","type":"text"},
        {"name":"area","type":"select_one","list":"area","x":{"persist":false}},
        {"name":"place","type":"select_one","list":"place","choice_filter":"of = ${area}"},
        {"name":"add","type":"integer"},
        {"name":"both","type":"text","calculation":"concat(${area}, ${add})"},
        {"name":"kid","type":"repeat","fields":[
          {"name":"name","type":"text"},
          {"name":"tmp","type":"select_one","list":"yn","x":{"persist":false}},
          {"name":"n","type":"integer","relevant":"../tmp = 'yes'"},
          {"name":"m","type":"integer","relevant":"${n} > 1"},
          {"name":"double","type":"integer","calculation":"if(${tmp} = 'yes', 2, 0)"},
          {"name":"low","type":"integer","constraint":". < 5 or ${tmp} = 'yes'"},
          {"name":"toy","type":"repeat","relevant":"${tmp} = 'yes'","fields":[
            {"name":"what","type":"text"}]}]},
        {"name":"all","type":"integer","calculation":"sum(${double})"}],
        "lists":{"yn":["yes","no"],"area":["a","b"],"place":[{"name":"p","of":"a"}]}}
        """

    @Test(.timeLimit(.minutes(1)))
    func `what hangs on an answer that is not stored stays, and is not called wrong later`()
        async throws
    {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        let form = try await device.ask("POST", "/v1/forms", Self.rows)
        #expect(form.status == 200 && form.object["warnings"] == .array([]), "\(form.body)")
        let kid = #"{"name":"Ada","tmp":"yes","n":3,"m":4,"low":7,"toy":[{"what":"ball"}]}"#
        let other = #"{"name":"Cy","tmp":"no","low":3}"#
        let id = try await device.add(
            #""id":"1","area":"a","add":1,"place":"p","kid":[\#(kid),\#(other)]"#, to: "q")
        func entry() async throws -> JSONObject {
            let view = try await device.ask("GET", "/v1/record/\(id)/view").object
            #expect(view["problems"]?.array?.isEmpty ?? true, "\(view)")
            #expect(view["warnings"]?.array?.isEmpty ?? true, "\(view)")
            return try await device.ask("GET", "/v1/record/\(id)").object
        }
        func row(_ entry: JSONObject) throws -> JSONObject {
            try #require(entry["kid"]?.array?.first?.object)
        }
        let made = try await entry()
        #expect(try row(made)["double"] == .integer(2) && made["all"] == .integer(2))
        let row = try row(made)["_id"]?.string ?? ""
        // Another answer of the entry, and of the row.
        for values in [
            #""id":"2""#, #""kid":{"change":[{"_id":"\#(row)","name":"Bea"}]}"#,
        ] {
            let edited = try await device.ask(
                "PATCH", "/v1/record/\(id)", "{\"values\":{\(values)}}")
            #expect(edited.status == 200, "\(edited.body)")
        }
        // What is computed of it beside another answer is not known then.
        let more = try await device.ask("PATCH", "/v1/record/\(id)", #"{"values":{"add":2}}"#)
        #expect(more.body.contains("both stays as it is: area is asked"), "\(more.body)")
        let after = try await entry()
        #expect(after["both"] == "a1")
        let kept = try #require(after["kid"]?.array?.first?.object)
        #expect(kept["name"] == "Bea" && kept["n"] == .integer(3) && kept["m"] == .integer(4))
        #expect(kept["double"] == .integer(2) && kept["low"] == .integer(7))
        #expect(kept["toy"]?.array?.count == 1)
        #expect(after["all"] == .integer(2) && after["place"] == "p")
        // Where it is answered again, what follows is as it says, beside what stays.
        let second = after["kid"]?.array?.last?.object?["_id"]?.string ?? ""
        let yes = try await device.ask(
            "PATCH", "/v1/record/\(id)",
            #"{"values":{"kid":{"change":[{"_id":"\#(second)","tmp":"yes","n":1}]}}}"#)
        #expect(yes.status == 200, "\(yes.body)")
        #expect(try await entry()["all"] == .integer(4))
        let no = try await device.ask(
            "PATCH", "/v1/record/\(id)",
            #"{"values":{"kid":{"change":[{"_id":"\#(row)","tmp":"no","low":1}]}}}"#)
        #expect(no.status == 200, "\(no.body)")
        let last = try await entry()
        let first = try #require(last["kid"]?.array?.first?.object)
        #expect(first["n"] ?? .null == .null && first["m"] ?? .null == .null && first["toy"] == nil)
        #expect(first["double"] == .integer(0) && last["all"] == .integer(2))
        await device.stop()
    }
}
