import JSON
import ShareControl
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

    @Test(.timeLimit(.minutes(1)))
    func `the state of an entry says what is asked, offered and wrong`() async throws {
        let device = try await device()
        let first = try await device.state(#"{"values":{}}"#)
        #expect(first.values == ["unit": "C", "who": "ward-1"])
        #expect(first.problems.map(\.message) == ["Say whether"])
        #expect(first.progress == EntryProgress(answered: 1, relevant: 6))
        #expect(first.languages == ["en", "de"] && first.language == "en")
        #expect(first.fields.first { $0.name == "since" }?.isRelevant == false)
        let next = try await device.state(
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
        let other = try await device.state(
            #"{"values":{"region":"s","town":"a","temp":"hot","ill":"no"},"language":"de"}"#
        )
        #expect(other.values["town"] == nil && other.values["temp"] == "hot")
        #expect(other.problems.map(\.kind) == [.type])
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `what is wrong with an answer is of one kind wherever it is given`() async throws {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        let form = #"""
            {"form_id":"visit","version":"1","fields":[
              {"name":"n","type":"integer"},{"name":"a","type":"select_multiple","list":"l"}],
             "lists":{"l":["x","y"]}}
            """#
        #expect(try await device.ask("POST", "/v1/forms", form).status == 200)
        let many = String(repeating: "x ", count: 1_001)
        let body = #"{"values":{"n":"z","a":"\#(many)"}}"#
        let state = try await device.state(body)
        #expect(state.problems.map(\.kind) == [.type, .choice])
        #expect(state.problems.map(\.wanted) == ["a whole number", nil])
        let added = try await device.ask("POST", "/v1/records/visit", body)
        let told = (added.object["problems"]?.array ?? []).compactMap { $0.object?["kind"] }
        #expect(told == ["type", "choice"], "\(added.body.prefix(400))")
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
}

extension JSONValue {
    fileprivate var plain: String {
        if case .integer(let number) = self { String(number) } else { "" }
    }
}
