import JSON
import ShareControl
import Testing

@testable import ShareNode

/// Choices that are the entries of another form.
@Suite struct ChosenEntriesTests {
    @Test(.timeLimit(.minutes(1)))
    func `an entry that may not be chosen is told with what leaves it out`() async throws {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        for form in [
            """
            {"form_id":"house","version":"1","key":["nr"],"fields":[
              {"name":"nr","type":"text"},{"name":"area","type":"text"}]}
            """,
            """
            {"form_id":"visit","version":"1","fields":[{"name":"area","type":"text"},
              {"name":"a","type":"select_one","list":"@form:house","x":{"where":"area = 'n'"}},
              {"name":"b","type":"select_one","list":"@form:house",
               "choice_filter":"area = ${area}"}]}
            """,
        ] {
            #expect(try await device.ask("POST", "/v1/forms", form).object["code"] == nil)
        }
        _ = try await device.add(#""nr":"H1","area":"s""#, to: "house")
        for (values, hint) in [
            (#""a":"H1""#, "It is there, but the condition of the question leaves it out."),
            (#""area":"n","b":"H1""#, "It is there, but cannot be chosen with area n."),
        ] {
            let told = try await device.ask(
                "POST", "/v1/records/visit", "{\"values\":{\(values)}}")
            #expect(told.object["hint"] == .string(hint), "\(told.body)")
        }
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `entries of another form are offered by their names, and searched`() async throws {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        for form in [
            """
            {"form_id":"house","version":"1","key":["number"],
             "instance_name":"concat(${head}, ' - ', ${number})",
             "fields":[{"name":"number","type":"text"},{"name":"head","type":"text"},
              {"name":"area","type":"text"}]}
            """,
            """
            {"form_id":"call","version":"1","fields":[{"name":"area","type":"text"},
              {"name":"house","type":"select_one","list":"@form:house",
               "choice_filter":"area = ${area}"}]}
            """,
        ] {
            #expect(try await device.ask("POST", "/v1/forms", form).status < 300)
        }
        for (number, head, area) in [("1", "Ségou", "n"), ("2", "Awa", "n"), ("3", "Awa", "s")] {
            let body = #"{"values":{"number":"\#(number)","head":"\#(head)","area":"\#(area)"}}"#
            #expect(try await device.ask("POST", "/v1/records/house", body).status == 201)
        }
        func houses(_ body: String) async throws -> EntryField {
            let reply = try await device.ask("POST", "/v1/forms/call/state", body)
            let answer = try EntryStateAnswer(json: reply.json)
            return try #require(answer.fields.first { $0.name == "house" })
        }
        let all = try await houses(#"{"values":{"area":"n"}}"#)
        #expect(all.choices?.map(\.label) == ["Ségou - 1", "Awa - 2"] && all.choicesTotal == 2)
        let found = try await houses(#"{"values":{"area":"n"},"search":{"house":"awa"}}"#)
        #expect(found.choices?.map(\.label) == ["Awa - 2"] && found.choicesTotal == 1)
        let id = try #require(found.choices?.first?.name)
        let chosen = try await houses(#"{"values":{"area":"n","house":"\#(id)"}}"#)
        #expect(chosen.display == "Awa - 2")
        let other = try await houses(#"{"values":{"area":"s","house":"\#(id)"}}"#)
        #expect(other.choices?.map(\.label) == ["Awa - 3"])
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `the entity list that one XLSForm writes is one that another chooses from`() async throws {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        for form in [
            """
            {"form_id":"registration","version":"1","instance_name":"concat('No ', ${hh_area})",
             "fields":[
              {"name":"hh_head","type":"text","save_to":"head"},
              {"name":"where","type":"group","fields":[
                {"name":"hh_area","type":"text","save_to":"area"}]}],
             "entities":[{"list_name":"households","label":"concat(${hh_head}, '!')"}]}
            """,
            """
            {"form_id":"call","version":"1","fields":[{"name":"area","type":"text"},
              {"name":"house","type":"select_one_from_file","list":"households.csv",
               "choice_filter":"area = ${area}"},
              {"name":"head","type":"calculate",
               "calculation":"instance('households')/root/item[name = ${house}]/head"},
              {"name":"label","type":"calculate",
               "calculation":"instance('households')/root/item[name = ${house}]/label"}]}
            """,
        ] {
            #expect(try await device.ask("POST", "/v1/forms", form).status < 300)
        }
        for (head, area) in [("Awa", "n"), ("Jo", "s")] {
            let body = #"{"values":{"hh_head":"\#(head)","hh_area":"\#(area)"}}"#
            #expect(try await device.ask("POST", "/v1/records/registration", body).status == 201)
        }
        let added = try await device.ask(
            "POST", "/v1/records/call", #"{"values":{"area":"n","house":"awa!"}}"#)
        #expect(added.status == 201, "\(added.body)")
        let id = try #require(added.object["id"]?.string)
        let shown = try await device.ask("GET", "/v1/record/\(id)").object
        #expect(shown["head"] == "Awa" && shown["label"] == "Awa!", "\(shown)")
        let other = try await device.ask(
            "POST", "/v1/records/call", #"{"values":{"area":"n","house":"Jo!"}}"#)
        #expect(other.status >= 400, "\(other.body)")
        await device.stop()
    }

    @Test(.timeLimit(.minutes(2)))
    func `of very many entries any can be chosen, and what is not looked at is said`() async throws
    {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        for form in [
            """
            {"form_id":"house","version":"1","key":["area","number"],
             "instance_name":"concat(${name}, ' - ', ${number})",
             "fields":[{"name":"number","type":"text"},{"name":"name","type":"text"},
              {"name":"area","type":"text"}]}
            """,
            """
            {"form_id":"call","version":"1","fields":[{"name":"area","type":"text"},
              {"name":"house","type":"select_one","list":"@form:house",
               "choice_filter":"area = ${area}"},
              {"name":"others","type":"select_multiple","list":"@form:house",
               "x":{"where":"area != 's'"}},
              {"name":"all","type":"integer",
               "calculation":"count(instance('@form:house')/root/item[area = ${area}])"},
              {"name":"few","type":"integer",
               "calculation":"count(instance('@form:house')/root/item[area = 's'])"}]}
            """,
        ] {
            #expect(try await device.ask("POST", "/v1/forms", form).status < 300)
        }
        let rows = (1...2_500).map { "H\($0),Awa,\($0 % 250 == 0 ? "s" : "n")\n" }
        let file = "number,name,area\n" + rows.joined()
        #expect(try await device.importing(file, form: "house").count("added") == 2_500)
        func state(_ body: String) async throws -> EntryStateAnswer {
            try EntryStateAnswer(
                json: try await device.ask("POST", "/v1/forms/call/state", body).json)
        }
        func house(_ body: String, _ name: String = "house") async throws -> EntryField {
            try #require(try await state(body).fields.first { $0.name == name })
        }
        let north = try await state(#"{"values":{"area":"n"}}"#)
        #expect(north.values["all"] == nil && north.values["few"] == .integer(10))
        #expect(north.warnings.map(\.path) == ["all"])
        #expect(north.warnings.first?.message.contains("more entries than 2,000") == true)
        let listed = try await house(#"{"values":{"area":"n"}}"#)
        #expect(listed.choicesTotal == 2_000 && listed.choicesMore == true)
        let south = try await house(#"{"values":{"area":"s"}}"#)
        #expect(south.choicesTotal == 10 && south.choicesMore == false)
        let found = try await house(#"{"values":{"area":"n"},"search":{"house":"awa h2499"}}"#)
        #expect(found.choices?.map(\.label) == ["Awa - H2499"] && found.choicesMore == false)
        let many = try await house(#"{"values":{"area":"n"},"search":{"house":"awa"}}"#)
        #expect(many.choicesMore == true)
        let added = try await device.ask(
            "POST", "/v1/records/call",
            #"{"values":{"area":"n","house":"n H2401","others":"n h2402, Awa - H2403, n H2402"}}"#)
        #expect(added.status == 201, "\(added.body)")
        let id = try #require(added.object["id"]?.string)
        let shown = try await device.ask("GET", "/v1/record/\(id)/view").body
        #expect(shown.contains("Awa - H2402, Awa - H2403"), "\(shown)")
        for wrong in [#""house":"n H2500""#, #""others":"n H1, s H2500""#, #""house":"Awa""#] {
            let body = "{\"values\":{\"area\":\"n\",\(wrong)}}"
            let refused = try await device.ask("POST", "/v1/records/call", body)
            #expect(refused.status >= 400, "\(wrong): \(refused.body)")
        }
        // A file names them by their key.
        let visits = (2_000...2_100).map { "n,n H\($0)\n" }.filter { !$0.contains("H2000") }
        let taken = try await device.importing("area,house\n" + visits.joined(), form: "call")
        #expect(taken.count("added") == 100, "\(taken.body)")
        await device.stop()
    }
}
