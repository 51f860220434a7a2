import JSON
import ShareControl
import Testing

@testable import ShareNode

/// Answers as people write them, and labels that name them.
@Suite struct TypedAnswersTests {
    @Test(.timeLimit(.minutes(1)))
    func `labels name answers where an entry is shown as well`() async throws {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        let form = """
            {"form_id":"visit","version":"1","fields":[
              {"name":"site","type":"text"},
              {"name":"p","type":"repeat","fields":[
                {"name":"name","type":"text"},
                {"name":"age","type":"integer","label":"Age of ${name} in ${site}, ${zz}"}]}]}
            """
        #expect(try await device.ask("POST", "/v1/forms", form).object["code"] == nil)
        let id = try await device.add(
            #""site":"Koro","p":[{"name":"Ami","age":3}]"#, to: "visit")
        let view = try await device.ask("GET", "/v1/record/\(id)/view")
        #expect(view.body.contains("Age of Ami in Koro, ${zz}"), "\(view.body)")
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `choices are found whatever their case and accents, and told by their labels`()
        async throws
    {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        let form = """
            {"form_id":"visit","version":"1","fields":[
              {"name":"v","type":"select_one","list":"v"},
              {"name":"w","type":"select_one","list":"v","choice_filter":"name != ${v}"}],
             "lists":{"v":[{"name":"a","label":"Été"},{"name":"b","label":"Ségou"},
              {"name":"c","label":"Москва"}]}}
            """
        #expect(try await device.ask("POST", "/v1/forms", form).object["code"] == nil)
        let added = try await device.ask(
            "POST", "/v1/records/visit", #"{"values":{"v":"МОСКВА","w":"segou"}}"#)
        #expect(added.status == 201, "\(added.body)")
        let found = try await device.state(#"{"values":{"v":"c"},"search":{"w":"ETE"}}"#)
        #expect(found.fields[1].choices == [EntryChoice(name: "a", label: "Été")])
        let near = try await device.ask("POST", "/v1/records/visit", #"{"values":{"v":"Segoo"}}"#)
        #expect(near.object["hint"] == "Did you mean Ségou?", "\(near.body)")
        let same = try await device.ask(
            "POST", "/v1/records/visit", #"{"values":{"v":"b","w":"segou"}}"#)
        #expect(same.object["hint"] == "It is there, but cannot be chosen with v Ségou.")
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `values are taken as people write them, wherever they are typed`() async throws {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        let fields = """
            {"name":"d","type":"date"},{"name":"t","type":"time"},{"name":"at","type":"dateTime"},
            {"name":"n","type":"decimal"},{"name":"i","type":"integer"}
            """
        let form = """
            {"form_id":"w","version":"1","fields":[\(fields),
            {"name":"row","type":"repeat","fields":[\(fields)]}]}
            """
        #expect(try await device.ask("POST", "/v1/forms", form).status == 200)
        let typed = #""d":"22.11.2026","t":"9.30","at":"22.11.2026 9:30 pm","n":"38,5","i":"1 000""#
        let stored: JSONObject = [
            "d": "2026-11-22", "t": "09:30", "at": "2026-11-22T21:30", "n": .double(38.5),
            "i": .integer(1000),
        ]
        func isRead(_ values: JSONObject?) -> Bool {
            stored.members.allSatisfy { values?[$0.key] == $0.value }
        }
        let all = #"\#(typed),"row":[{\#(typed)}]"#
        let id = try await device.add(all, to: "w")
        let entry = try await device.ask("GET", "/v1/record/\(id)").object
        #expect(isRead(entry) && isRead(entry["row"]?.array?.first?.object), "\(entry)")
        let row = try #require(entry["row"]?.array?.first?.object?["_id"]?.string)
        let emptied = #""d":null,"t":null,"at":null,"n":null,"i":null"#
        for values in [emptied, typed] {
            let part = #"{"values":{"row":{"change":[{"_id":"\#(row)",\#(values)}]}}}"#
            let edited = try await device.ask("PATCH", "/v1/record/\(id)", part)
            #expect(edited.status == 200, "\(edited.body)")
        }
        let changed = try await device.ask("GET", "/v1/record/\(id)").object
        #expect(isRead(changed["row"]?.array?.first?.object), "\(changed)")
        let state = try await device.ask("POST", "/v1/forms/w/state", #"{"values":{\#(all)}}"#)
        let values = state.object["values"]?.object
        #expect(isRead(values) && isRead(values?["row"]?.array?.first?.object), "\(state.body)")
        let refused = try await device.ask(
            "POST", "/v1/records/w", #"{"values":{"d":"0026-10-01","at":"26-10-01 9:30"}}"#)
        #expect(refused.object["problems"]?.array?.count == 2, "\(refused.body)")
        for word in ["today", "Tomorrow", "YESTERDAY"] {
            let taken = try await device.ask(
                "POST", "/v1/records/w", #"{"values":{"at":"\#(word) 9:30"}}"#)
            #expect(taken.status == 201, "\(taken.body)")
        }
        await device.stop()
    }
}
