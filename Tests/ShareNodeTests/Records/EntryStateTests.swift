import JSON
import ShareControl
import ShareNode
import Testing

@testable import ShareNode

/// The logic of forms on every way in: the state call, entering, changing, files.
@Suite struct EntryStateTests {
    private static let survey = """
        {"form_id":"visit","version":"1","default_language":"en","fields":[
          {"name":"region","type":"select_one","list":"region"},
          {"name":"town","type":"select_one","list":"town","choice_filter":"parent=${region}"},
          {"name":"temp","type":"decimal","constraint":". < 60",
           "constraint_message":{"en":"Too hot","de":"Zu heiß"},
           "x":{"warn":". > 45","warn_message":"Check the thermometer","tip":"Measure again"}},
          {"name":"ill","type":"select_one","list":"yes_no","required":true,
           "required_message":"Say whether"},
          {"name":"since","type":"date","relevant":"${ill}='yes'","constraint":". <= today()"},
          {"name":"double","type":"decimal","calculation":"${temp} * 2"},
          {"name":"more","type":"text","x":{"persist":false}},
          {"name":"unit","type":"text","default":"C"},
          {"name":"who","type":"username"}],
         "lists":{"region":["n","s"],"yes_no":["yes","no"],
          "town":[{"name":"a","parent":"n","label":{"en":"Aton","de":"Ahausen"}},
                  {"name":"b","parent":"n"},{"name":"c","parent":"s"}]}}
        """

    private func device() async throws -> RecordsDevice {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        let added = try await device.ask("POST", "/v1/forms", Self.survey)
        #expect(added.object["warnings"] == .array([]), "\(added.body)")
        return device
    }

    private func state(_ device: RecordsDevice, _ body: String) async throws -> EntryStateAnswer {
        let reply = try await device.ask("POST", "/v1/forms/visit/state", body)
        #expect(reply.status == 200, "\(reply.body)")
        return try EntryStateAnswer(json: reply.json)
    }

    @Test(.timeLimit(.minutes(1)))
    func `the state of an entry says what is asked, offered and wrong`() async throws {
        let device = try await device()
        let first = try await state(device, #"{"values":{}}"#)
        #expect(first.values == ["unit": "C", "who": "ward-1"])
        #expect(first.problems.map(\.message) == ["Say whether"])
        #expect(first.progress == EntryProgress(answered: 1, relevant: 6))
        #expect(first.languages == ["en", "de"] && first.language == "en")
        #expect(first.fields.first { $0.name == "since" }?.isRelevant == false)
        let next = try await state(
            device,
            """
            {"values":{"region":"n","town":"a","temp":"50","ill":"yes","since":"2999-01-01",
             "more":"x","unit":null},"language":"de","search":{"town":"ahaus"}}
            """)
        let town = try #require(next.fields.first { $0.name == "town" })
        #expect(town.choices == [EntryChoice(name: "a", label: "Ahausen")])
        #expect(town.choicesTotal == 1 && town.display == "Ahausen")
        let temp = try #require(next.fields.first { $0.name == "temp" })
        #expect(temp.warning == "Check the thermometer" && temp.tip == "Measure again")
        #expect(next.values["double"] == .double(100) && next.values["unit"] == .null)
        #expect(next.values["more"] == "x")
        #expect(next.problems.map(\.path) == ["since"])
        let other = try await state(
            device, #"{"values":{"region":"s","town":"a","temp":"hot","ill":"no"},"language":"de"}"#
        )
        #expect(other.values["town"] == nil && other.values["temp"] == "hot")
        #expect(other.problems.map(\.kind) == [.type])
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `entering says all that is wrong at once, and computes`() async throws {
        let device = try await device()
        let bad = try await device.ask(
            "POST", "/v1/records/visit",
            #"{"values":{"temp":"70","region":"s","town":"a","since":"2020-01-01"}}"#)
        #expect(bad.status == 400 && bad.object["code"] == "unknown_choice")
        #expect(
            bad.object["problems"]?.array?.map { $0.object?["path"] } == [
                "town", "temp", "ill", "since",
            ], "\(bad.body)")
        #expect(bad.object["detail"] == "4 answers cannot be taken")
        let good = try await device.ask(
            "POST", "/v1/records/visit",
            #"{"values":{"temp":"50","ill":"yes","since":"2020-01-01","more":"gone"}}"#)
        #expect(good.status == 201, "\(good.body)")
        #expect(good.object["warnings"]?.array?.count == 1)
        let id = good.object["id"]?.string ?? ""
        let given = try await device.ask("PATCH", "/v1/record/\(id)", #"{"values":{"double":7}}"#)
        #expect(
            given.object["warnings"]?.array?.first?.object?["message"]
                == "double is worked out by the form: 100", "\(given.body)")
        let shown = try await device.ask("GET", "/v1/record/\(id)")
        #expect(shown.object["double"] == .double(100) && shown.object["unit"] == "C")
        #expect(shown.object["who"] == "ward-1" && shown.object["more"] == nil)
        let edited = try await device.ask(
            "PATCH", "/v1/record/\(id)", #"{"values":{"temp":20,"ill":"no"}}"#)
        #expect(
            edited.object["changed"] == .array(["temp", "ill", "since", "double"]),
            "\(edited.body)")
        let after = try await device.ask("GET", "/v1/record/\(id)")
        #expect(after.object["double"] == .double(40) && after.object["since"] == nil)
        let hot = try await device.ask("PATCH", "/v1/record/\(id)", #"{"values":{"temp":99}}"#)
        #expect(hot.object["code"] == "constraint_failed")
        #expect(hot.object["detail"] == "temp: Too hot")
        await device.stop()
    }

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
        let found = try await state(device, #"{"values":{"v":"c"},"search":{"w":"ETE"}}"#)
        #expect(found.fields[1].choices == [EntryChoice(name: "a", label: "Été")])
        let near = try await device.ask("POST", "/v1/records/visit", #"{"values":{"v":"Segoo"}}"#)
        #expect(near.object["hint"] == "Did you mean Ségou?", "\(near.body)")
        let same = try await device.ask(
            "POST", "/v1/records/visit", #"{"values":{"v":"b","w":"segou"}}"#)
        #expect(same.object["hint"] == "It is there, but cannot be chosen with v Ségou.")
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `an edit is not refused for what was wrong before`() async throws {
        let device = try await device()
        let id = try await device.add(#""temp":50,"ill":"no","region":"n","town":"a""#, to: "visit")
        let stricter = Self.survey.replacing("\"version\":\"1\"", with: "\"version\":\"2\"")
            .replacing("\". < 60\"", with: "\". < 40\"")
            .replacing("{\"name\":\"a\",\"parent\":\"n\"", with: "{\"name\":\"z\",\"parent\":\"n\"")
        #expect(try await device.ask("POST", "/v1/forms", stricter).object["change"] == "updated")
        let edited = try await device.ask(
            "PATCH", "/v1/record/\(id)", #"{"values":{"unit":"K"}}"#)
        #expect(edited.status == 200, "\(edited.body)")
        #expect(edited.object["changed"] == .array(["unit"]))
        #expect(edited.object["warnings"]?.array?.count == 1)
        let shown = try await device.ask("GET", "/v1/record/\(id)")
        #expect(shown.object["town"] == "a" && shown.object["temp"] == .double(50))
        let touched = try await device.ask(
            "PATCH", "/v1/record/\(id)", #"{"values":{"temp":55}}"#)
        #expect(touched.object["code"] == "constraint_failed")
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a file is checked row by row and computed`() async throws {
        let device = try await device()
        let bad = try await device.importing(
            "temp,ill,since\n50,no,\n70,,\n20,no,2020-01-01\n", form: "visit")
        let errors = bad.result["rejected"]?.array?.compactMap { row in
            "\(row.object?["line"]?.plain ?? "") \(row.object?["column"]?.string ?? ""): "
                + "\(row.object?["reason"]?.string ?? "")"
        }
        #expect(
            errors == [
                "3 ill: field ill is required", "3 temp: 70: Too hot",
                "4 since: it is not asked with the other answers of the row",
            ], "\(bad.body)")
        let good = try await device.importing("temp,ill\n50,no\n20,yes\n", form: "visit")
        #expect(good.count("added") == 2, "\(good.body)")
        let list = try await device.ask("GET", "/v1/records/visit?sort=temp")
        let first = list.json.array?.first?.object
        #expect(first?["double"] == .double(40) && first?["unit"] == "C")
        #expect(first?["who"] == nil)
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `entries of another form are offered by their names, and searched`() async throws {
        let device = try await device()
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
        let device = try await device()
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

    @Test(.timeLimit(.minutes(1)))
    func `rows without end and long keys end in words`() async throws {
        let device = try await device()
        let many = (0..<500).map { #"{"name":"d\#($0)","type":"text","default":"uuid()"}"# }
            .joined(separator: ",")
        for form in [
            """
            {"form_id":"rows","version":"1","fields":[{"name":"t","type":"text"},
              {"name":"r","type":"repeat","repeat_count":"1000","fields":[\(many)]}]}
            """,
            """
            {"form_id":"wide","version":"1","fields":[{"name":"t","type":"integer"},
              {"name":"r","type":"repeat","repeat_count":"${t}","fields":[\(many)]}]}
            """,
            #"{"form_id":"long","version":"1","key":["k"],"fields":[{"name":"k","type":"text"}]}"#,
        ] {
            #expect(try await device.ask("POST", "/v1/forms", form).status < 300)
        }
        for (path, form, values) in [
            ("/v1/forms/rows/state", "rows", "{}"), ("/v1/records/rows", "rows", "{}"),
            ("/v1/forms/wide/state", "wide", #"{"t":"30"}"#),
        ] {
            let reply = try await device.ask("POST", path, #"{"values":\#(values)}"#)
            #expect(reply.status == 413, "\(reply.body.prefix(300))")
            let hint = reply.object["hint"]?.string ?? ""
            #expect(hint.contains("import \(form)/REPEAT"))
        }
        let few = try await device.ask("POST", "/v1/forms/wide/state", #"{"values":{"t":"5"}}"#)
        let fields = few.object["fields"]?.array?.count
        #expect(few.status == 200 && fields == 2 + 5 * 500)

        let key = String(repeating: "é", count: 30_000)
        let body = #"{"values":{"k":"\#(key)"}}"#
        #expect(try await device.ask("POST", "/v1/records/long", body).status == 201)
        let again = try await device.ask("POST", "/v1/records/long", body)
        #expect(again.status == 201, "\(again.body.prefix(300))")
        let state = try await device.ask("POST", "/v1/forms/long/state", body)
        let duplicate = state.object["duplicate"]?.string ?? ""
        #expect(duplicate.contains("é... is there already (") && duplicate.utf8.count < 400)
        await device.stop()
    }

    @Test(.timeLimit(.minutes(2)))
    func `of very many entries any can be chosen, and what is not looked at is said`() async throws
    {
        let device = try await device()
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

    @Test(.timeLimit(.minutes(1)))
    func `answers without a question are given back, and a key that is there is told`()
        async throws
    {
        let device = try await device()
        let form = """
            {"form_id":"h","version":"1","key":["place","nr"],"fields":[
            {"name":"place","type":"text"},{"name":"nr","type":"integer"},
            {"name":"n","type":"integer"}]}
            """
        _ = try await device.ask("POST", "/v1/forms", form)
        let id = try await device.add(#""place":"koro","nr":7"#, to: "h")
        func state(_ body: String) async throws -> EntryStateAnswer {
            let reply = try await device.ask("POST", "/v1/forms/h/state", body)
            #expect(reply.status == 200, "\(reply.body)")
            return try EntryStateAnswer(json: reply.json)
        }
        let first = try await state(
            #"{"values":{"place":"koro","gps":"1 2","old":[{"a":1}],"nr":null}}"#)
        #expect(first.dropped == ["gps": "1 2", "old": .array([["a": .integer(1)]])])
        #expect(first.values["gps"] == nil && first.duplicate == nil && first.problems.isEmpty)
        let second = try await state(#"{"values":{"place":"koro","nr":"7"}}"#)
        let told = try #require(second.duplicate)
        #expect(told.hasPrefix("h koro 7 is there already (\(id.suffix(8)), by "), "\(told)")
        #expect(second.dropped == nil && second.problems.isEmpty)
        #expect(try await state(#"{"values":{"n":"1"},"record":"\#(id)"}"#).duplicate == nil)
        let other = try await device.add(#""place":"koro","nr":8"#, to: "h")
        #expect(
            try await state(#"{"values":{"nr":"7"},"record":"\#(other)"}"#).duplicate == told)
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

extension JSONValue {
    fileprivate var plain: String {
        if case .integer(let number) = self { String(number) } else { "" }
    }
}
