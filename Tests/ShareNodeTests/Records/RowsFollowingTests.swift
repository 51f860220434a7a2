import JSON
import Testing

@testable import ShareNode

/// What an import of rows, or of entries, makes of the other answers of its entries.
@Suite struct RowsFollowingTests {
    private static let form = """
        {"form_id":"m","version":"1","key":["id"],"fields":[{"name":"id","type":"text"},
        {"name":"k","type":"text"},{"name":"why","type":"text","relevant":"${k} = 'yes'"},
        {"name":"p","type":"repeat","fields":[{"name":"age","type":"integer"},
        {"name":"adult","type":"text","relevant":"${age} >= 18"},
        {"name":"q","type":"repeat","relevant":"${age} >= 18","fields":[
        {"name":"c","type":"integer"}]}]},
        {"name":"sc","type":"integer","calculation":"sum(${c})"}]}
        """
    private static let entry = #"""
        "id":"1","k":"yes","why":"because","p":[{"age":20,"adult":"yes","q":[{"c":1},{"c":2}]},
        {"age":30,"adult":"too","q":[{"c":4}]}]
        """#

    private func device() async throws -> (device: RecordsDevice, id: String) {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        #expect(try await device.ask("POST", "/v1/forms", Self.form).status == 200)
        let id = try await device.add(Self.entry, to: "m")
        try await Task.sleep(for: .milliseconds(3))
        return (device, id)
    }

    private func entry(_ device: RecordsDevice, _ id: String) async throws -> JSONObject {
        try await device.ask("GET", "/v1/record/\(id)").object
    }

    private func rows(_ entry: JSONObject) -> [JSONObject] {
        (entry["p"]?.array ?? []).compactMap(\.object)
    }

    @Test(.timeLimit(.minutes(1)))
    func `answers and rows in a row of a file go where it has them not asked, and it is said`()
        async throws
    {
        let (device, id) = try await device()
        let row = try #require(rows(try await entry(device, id))[0]["_id"]?.string)
        // What is given there is a fault, unless it is what was there.
        let refused = try await device.importing(
            "PARENT_KEY,KEY,age,adult\n\(id),\(row),10,no\n", form: "m%2Fp")
        #expect(refused.body.contains("it is not asked with the other answers"), "\(refused.body)")
        #expect(rows(try await entry(device, id))[0]["age"] == .integer(20))
        let told = try await device.importing(
            "PARENT_KEY,KEY,age,adult\n\(id),\(row),10,yes\n", form: "m%2Fp")
        #expect(told.body.contains(#""updated":1"#), "\(told.body)")
        #expect(told.body.contains("yes goes: with the other answers"), "\(told.body)")
        #expect(told.body.contains("2 rows go: the form does not ask"), "\(told.body)")
        let after = try await entry(device, id)
        #expect(after["sc"] == .integer(4))
        let rows = rows(after)
        #expect(rows[0]["age"] == .integer(10) && rows[0]["adult"] == nil, "\(rows)")
        #expect(rows[0]["q"]?.array?.isEmpty != false, "\(rows)")
        #expect(rows[1]["adult"] == "too" && rows[1]["q"]?.array?.count == 1, "\(rows)")
        let left = try await device.ask("GET", "/v1/records/m%2Fp%2Fq").json.array
        #expect(left?.count == 1)
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `an answer that an entry of a file has not asked any more is named`() async throws {
        let (device, id) = try await device()
        let told = try await device.importing("id,k\n1,no\n", form: "m")
        #expect(told.body.contains(#""updated":1"#), "\(told.body)")
        #expect(told.body.contains("because goes: with the other answers"), "\(told.body)")
        #expect(try await entry(device, id)["why"] == nil)
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `of a row that was wrong before only what is changed is held against an edit`()
        async throws
    {
        let (device, id) = try await device()
        let next = Self.form.replacing(#""version":"1""#, with: #""version":"2""#)
            .replacing(
                #""name":"age","type":"integer""#,
                with: #""name":"age","type":"integer","constraint":". > 25""#)
        #expect(try await device.ask("POST", "/v1/forms", next).status == 200)
        let first = rows(try await entry(device, id))[0]
        let row = try #require(first["_id"]?.string)
        let inner = try #require(first["q"]?.array?[0].object?["_id"]?.string)
        for change in [
            #"{"_id":"\#(row)","adult":"y"}"#,
            #"{"_id":"\#(row)","q":{"change":[{"_id":"\#(inner)","c":51}]}}"#,
        ] {
            let reply = try await device.ask(
                "PATCH", "/v1/record/\(id)", #"{"values":{"p":{"change":[\#(change)]}}}"#)
            #expect(reply.status == 200, "\(reply.body)")
        }
        for change in [#"{"_id":"\#(row)","age":21}"#, #"{"age":22}"#] {
            let reply = try await device.ask(
                "PATCH", "/v1/record/\(id)", #"{"values":{"p":{"change":[\#(change)]}}}"#)
            #expect(reply.status != 200, "\(reply.body)")
        }
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `what is not asked in rows of an entry is told, and what the form makes another of`()
        async throws
    {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        let before = Self.form.replacing(#","relevant":"${age} >= 18""#, with: "")
        #expect(try await device.ask("POST", "/v1/forms", before).status == 200)
        let id = try await device.add(
            Self.entry.replacing(#""age":20"#, with: #""age":10"#), to: "m")
        #expect(try await entry(device, id)["_warnings"] == nil)
        let next = Self.form.replacing(#""version":"1""#, with: #""version":"2""#)
        #expect(try await device.ask("POST", "/v1/forms", next).status == 200)
        let told = (try await entry(device, id)["_warnings"]?.array ?? []).compactMap {
            $0.object?["message"]?.string
        }
        #expect(
            told == [
                "field p[1]/adult is not asked with the other answers",
                "2 rows of p[1]/q are not asked with the other answers",
                "sc is 7: of its answers the form makes 4",
            ])
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `what a version of the form makes that an entry was not made under is not missed in it`()
        async throws
    {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        func form(_ version: Int, _ c: String, _ more: String = "") -> String {
            """
            {"form_id":"v","version":"\(version)","fields":[{"name":"id","type":"text"},
            {"name":"c","type":"integer"\(c)},
            {"name":"s","type":"integer","calculation":"${c} * 2"},
            {"name":"p","type":"repeat","fields":[{"name":"x","type":"integer"}\(more)]}]}
            """
        }
        #expect(try await device.ask("POST", "/v1/forms", form(1, "")).status == 200)
        let id = try await device.add(#""id":"1","p":[{"x":1}]"#, to: "v")
        let next = form(
            2, #","calculation":"1 + 1""#,
            #",{"name":"y","type":"integer","calculation":"${x} + 1"}"#)
        #expect(try await device.ask("POST", "/v1/forms", next).status == 200)
        #expect(try await entry(device, id)["_warnings"] == nil)
        let later = try await device.add(#""id":"2","p":[{"x":1}]"#, to: "v")
        #expect(try await entry(device, later)["s"] == .integer(4))
        #expect(try await entry(device, later)["_warnings"] == nil)
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `what looks at rows waits for them in an entry of a file, which has none`() async throws {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        let form = """
            {"form_id":"w","version":"1","key":["id"],"fields":[{"name":"id","type":"text"},
            {"name":"n","type":"integer","calculation":"count(${p})"},
            {"name":"m","type":"integer","calculation":"${n} + 1"},
            {"name":"p","type":"repeat","repeat_count":"1 + 1",
            "fields":[{"name":"x","type":"integer"}]}]}
            """
        #expect(try await device.ask("POST", "/v1/forms", form).status == 200)
        let told = try await device.importing("id\n1\n", form: "w")
        #expect(told.body.contains(#""added":1"#), "\(told.body)")
        let list = try await device.ask("GET", "/v1/records/w").json.array ?? []
        let id = try #require(list.first?.object?["_id"]?.string)
        let whole = try await entry(device, id)
        #expect(whole["_warnings"] == nil, "\(whole)")
        // Rows beyond what the form counts are taken, and told of.
        let rows = try await device.importing(
            "PARENT_KEY,x\n\(id),1\n\(id),2\n\(id),3\n", form: "w%2Fp")
        #expect(rows.body.contains("the form asks for fewer rows"), "\(rows.body)")
        let warnings = (try await entry(device, id)["_warnings"]?.array ?? []).compactMap {
            $0.object?["message"]?.string
        }
        #expect(warnings == ["1 row of p is not asked with the other answers"])
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a question and a repeat have not one name, whichever came first`() async throws {
        let (device, _) = try await device()
        let question = """
            {"form_id":"m","version":"2","key":["id"],"fields":[{"name":"id","type":"text"},
            {"name":"p","type":"text"}]}
            """
        let reply = try await device.ask("POST", "/v1/forms?force=true", question)
        #expect(
            reply.body.contains("p was a repeat in an earlier version"), "\(reply.body)")
        let repetition = """
            {"form_id":"m","version":"2","key":["id"],"fields":[{"name":"id","type":"text"},
            {"name":"why","type":"repeat","fields":[{"name":"n","type":"text"}]}]}
            """
        let other = try await device.ask("POST", "/v1/forms?force=true", repetition)
        #expect(
            other.body.contains("why was a question in an earlier version"), "\(other.body)")
        await device.stop()
    }
}
