import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareForms
import ShareStore
import Testing

@testable import ShareNode

/// Rows of repeats are known by their ids: what an edit does to some leaves the others alone.
@Suite struct RowsByIDTests {
    private static let form = """
        {"form_id":"tal","version":"1","fields":[{"name":"rate","type":"integer"},
        {"name":"lim","type":"integer"},
        {"name":"item","type":"repeat","fields":[{"name":"what","type":"text"},
        {"name":"at","type":"text","calculation":"if(${what} != '', now(), '')"},
        {"name":"cost","type":"integer","calculation":"${rate} * 2"}]},
        {"name":"row","type":"repeat","repeat_count":"${rate}","fields":[
        {"name":"crop","type":"text"}]},
        {"name":"late","type":"repeat","relevant":"position(.) > ${lim}","fields":[
        {"name":"x","type":"text"}]}]}
        """

    private func device(
        ticks: Bool = false
    ) async throws -> (device: RecordsDevice, room: OpenRoom) {
        let device = try await RecordsDevice(ticks: ticks)
        let room = try await device.makeRoom()
        let reply = try await device.ask("POST", "/v1/forms", Self.form)
        try #require(reply.status == 200, "\(reply.body)")
        return (device, room)
    }

    private func rows(
        _ device: RecordsDevice, _ id: String, _ name: String
    ) async throws -> [JSONObject] {
        let entry = try await device.ask("GET", "/v1/record/\(id)").object
        return (entry[name]?.array ?? []).compactMap(\.object)
    }

    private func patch(
        _ device: RecordsDevice, _ id: String, _ values: String
    ) async throws -> RecordsDevice.Reply {
        try await Task.sleep(for: .milliseconds(5))
        return try await device.ask("PATCH", "/v1/record/\(id)", "{\"values\":{\(values)}}")
    }

    private static let three = #""item":[{"what":"A"},{"what":"B"},{"what":"C"}]"#

    @Test(.timeLimit(.minutes(1)))
    func `a row that goes changes no time in the others, and the history is read`() async throws {
        let (device, _) = try await device()
        let id = try await device.add(Self.three, to: "tal")
        let before = try await rows(device, id, "item")
        let left = before.dropFirst().compactMap { $0["_id"]?.string }
        let reply = try await patch(
            device, id, #""item":[{"_id":"\#(left[0])"},{"_id":"\#(left[1])","what":"D"}]"#)
        try #require(reply.status == 200, "\(reply.body)")
        let after = try await rows(device, id, "item")
        #expect(after.map { $0["what"] } == ["B", "D"])
        #expect(after[0]["at"] == before[1]["at"] && after[0]["at"] != nil)
        #expect(after[1]["at"] != before[2]["at"])
        // The row that stays is the first one now; that which went goes by its number.
        _ = try await patch(device, id, #""item":[{"_id":"\#(left[1])","what":"E"}]"#)
        let history = try await device.ask("GET", "/v1/record/\(id)/history")
        let changed = history.json.array?.last?.object?["changed"]?.object
        #expect(history.json.array?.count == 3, "\(history.body)")
        let paths = (changed?.members ?? []).map(\.key).filter { $0.hasSuffix("/what") }
        #expect(Set(paths) == ["item[1]/what", "item[2]/what"], "\(history.body)")
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `rows that are named alone leave all others as they are`() async throws {
        let (device, _) = try await device()
        let id = try await device.add(Self.three, to: "tal")
        let ids = try await rows(device, id, "item").compactMap { $0["_id"]?.string }
        // Somebody else adds a row and changes one in between.
        _ = try await patch(
            device, id, #""item":{"change":[{"what":"new"},{"_id":"\#(ids[0])","what":"a"}]}"#)
        let reply = try await patch(
            device, id, #""item":{"change":[{"_id":"\#(ids[1])","what":"b"}]}"#)
        #expect(reply.object["changes"]?.array?.first?.object?["field"] == "item[2]/what")
        #expect(
            try await rows(device, id, "item").map { $0["what"] } == ["a", "b", "C", "new"])
        _ = try await patch(
            device, id, #""item":{"delete":["\#(ids[2])"],"change":[{"what":"more"}]}"#)
        #expect(
            try await rows(device, id, "item").map { $0["what"] } == ["a", "b", "new", "more"])
        for wrong in [
            #"{"change":[{"_id":"\#(ids[2])","what":"x"}]}"#, #"{"delete":["\#(id)"]}"#,
            #"{"delete":["x"]}"#, #"{"remove":["\#(ids[0])"]}"#,
        ] {
            let refused = try await patch(device, id, "\"item\":\(wrong)")
            #expect(refused.status >= 400 && refused.body.contains("item"), "\(refused.body)")
        }
        // One that is gone already is no matter.
        let gone = try await patch(device, id, #""item":{"delete":["\#(ids[2])"]}"#)
        #expect(gone.status == 200 && gone.object["changed"]?.array?.isEmpty == true)
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `what is given to rows that are not asked is refused`() async throws {
        let (device, _) = try await device()
        let values = #""rate":2,"row":[{"crop":"A"},{"crop":"B"}]"#
        let id = try await device.add(values, to: "tal")
        let lost = #""row":[{"crop":"A"},{"crop":"B"},{"crop":"LOST"}]"#
        for (method, path, values) in [
            ("POST", "/v1/records/tal", #""rate":2,\#(lost)"#), ("PATCH", "/v1/record/\(id)", lost),
            ("PATCH", "/v1/record/\(id)", #""row":{"change":[{"crop":"LOST"}]}"#),
        ] {
            let reply = try await device.ask(method, path, "{\"values\":{\(values)}}")
            #expect(reply.status == 400 && reply.body.contains("row[3] is not asked"), "\(reply)")
        }
        let late = try await device.add(
            #""rate":0,"lim":0,"late":[{"x":"1"},{"x":"2"}]"#, to: "tal")
        let fewer = try await patch(device, late, #""lim":1"#)
        #expect(fewer.status == 200, "\(fewer.body)")
        let kept = try await rows(device, late, "late").compactMap { $0["x"]?.string }
        #expect(kept == ["2"])
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `rows of others are left as they are by whoever may not change them`() async throws {
        let (device, room) = try await device()
        let node = device.sharing.node
        let schema = try await node.schemas.find("tal", in: room)
        let item = try #require(schema.repeat(named: "item"))
        let own = node.identity.key
        let other = try #require(DeviceKey([UInt8](repeating: 0, count: 31) + [1]))
        let ids = [RecordID(high: 0, low: 1), RecordID(high: 0, low: 2)]
        var present = [[RecordRow]](repeating: [], count: schema.repeats.count)
        present[item] = zip(ids, [own, other]).enumerated().map { place, row in
            RecordRow(
                name: RecordName(form: "tal/item", creator: row.1, id: row.0), created: 0,
                updated: 0, state: nil,
                values: [
                    .text(""), .integer(Int64(place + 1)), .text("w"), .absent, .integer(4),
                ])
        }
        func edit(said: Set<Int>) throws -> RepeatChanges {
            var changes = RepeatChanges(own: own, wall: 1, role: .collector)
            let rows = ids.enumerated().map { place, id in
                EntryValues.Row(
                    id: id, entry: EntryValues(values: [4: .integer(6)], repeats: []), said: said,
                    place: place)
            }
            _ = try changes.edit(
                EntryValues(values: [:], repeats: [(item, rows)]),
                of: RecordName(form: "tal", creator: own, id: ids[0]), present, schema)
            return changes
        }
        let computed = try edit(said: [])
        #expect(computed.all.count == 1)
        #expect(computed.notes.map(\.path) == ["item"])
        #expect(throws: Problem.self) { _ = try edit(said: [4]) }
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `rows that the form was not asked about stay`() async throws {
        let (device, room) = try await device()
        let schema = try await device.sharing.node.schemas.find("tal", in: room)
        let item = try #require(schema.repeat(named: "item"))
        let own = device.sharing.node.identity.key
        let ids = [RecordID(high: 0, low: 1), RecordID(high: 0, low: 2)]
        var present = [[RecordRow]](repeating: [], count: schema.repeats.count)
        present[item] = ids.map { id in
            RecordRow(
                name: RecordName(form: "tal/item", creator: own, id: id), created: 0, updated: 0,
                state: nil, values: [FieldValue](repeating: .absent, count: 5))
        }
        func made(_ count: Int) -> Answers {
            var all = Answers(repeats: [[], [], []])
            all.repeats[0] = ids.prefix(count).map { id in
                var row = Answers(fields: [.absent, .absent, .absent])
                row.row = id
                return row
            }
            return all
        }
        let nothing = EntryValues(values: [:], repeats: [])
        for (isCut, expected) in [(true, 0), (false, 1)] {
            let rows = RowsAfter(before: made(2), after: made(1), isCut: isCut)
                .repeats(nothing, present, of: schema)
            #expect(rows.count == expected)
        }
        let many = Answers(repeats: [[Answers](repeating: Answers(), count: 20_010), [], []])
        let state = FillState(
            schema.questionnaire, many, kind: .stored,
            setting: device.sharing.node.surroundings.setting(of: schema))
        #expect(state.leavesOut && state.placed.repeats[0].count < 20_010)
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `an entry of many rows is changed as it was made, and too many are too many for both`()
        async throws
    {
        let (device, _) = try await device()
        func list(_ count: Int, _ what: String) -> String {
            let row = "{\"what\":\"\(what)\"}"
            return "\"item\":[\([String](repeating: row, count: count).joined(separator: ","))]"
        }
        let id = try await device.add(list(1_200, "x"), to: "tal")
        let changed = try await patch(device, id, list(1_200, "y"))
        #expect(changed.status == 200, "\(changed.body)")
        let tooMany = list(10_001, "z")
        let refused = try await patch(device, id, tooMany)
        #expect(
            refused.status == 413 && refused.body.contains("more than 10000 rows"), "\(refused)")
        #expect(
            try await rows(device, id, "item").map { $0["what"] == "y" }
                == [Bool](repeating: true, count: 1_200))
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `undo takes back no part of a change, and says why`() async throws {
        let (device, _) = try await device()
        let many = (1...1_000).map { _ in #"{"what":"x"}"# }.joined(separator: ",")
        let id = try await device.add("\"item\":[\(many)]", to: "tal")
        let more = try await patch(device, id, #""item":{"change":[{"what":"y"}]}"#)
        #expect(more.status == 200, "\(more.body)")
        let undone = try await device.ask("POST", "/v1/record/\(id)/undo")
        #expect(undone.status >= 400 && undone.body.contains("more than 1000 rows"), "\(undone)")
        #expect(try await rows(device, id, "item").count == 1_001)
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `undo takes back the entry and its rows together, however long the entering takes`()
        async throws
    {
        let (device, _) = try await device(ticks: true)
        let id = try await device.add(#""lim":1,\#(Self.three)"#, to: "tal")
        let edit = #""lim":2,"item":{"change":[{"what":"D"}]}"#
        #expect(try await patch(device, id, edit).status == 200)
        #expect(try await rows(device, id, "item").count == 4)
        #expect(try await device.ask("POST", "/v1/record/\(id)/undo").status == 200)
        #expect(try await rows(device, id, "item").count == 3)
        #expect(try await device.ask("GET", "/v1/record/\(id)").object["lim"] == .integer(1))
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a sum over what an edit computes anew in rows is computed too, however deep`()
        async throws
    {
        let (device, _) = try await device()
        func form(_ version: Int, _ factor: Int) -> String {
            """
            {"form_id":"nn","version":"\(version)","fields":[{"name":"id","type":"text"},
            {"name":"kid","type":"repeat","fields":[
            {"name":"pet","type":"repeat","fields":[{"name":"p","type":"text"}]},
            {"name":"nv","type":"integer","calculation":"count(${pet}) * \(factor)"}]},
            {"name":"allv","type":"integer","calculation":"sum(${nv})"},
            {"name":"twice","type":"integer","calculation":"${allv} * 2"}]}
            """
        }
        #expect(try await device.ask("POST", "/v1/forms", form(1, 1)).status == 200)
        let id = try await device.add(
            #""id":"A","kid":[{"pet":[{"p":"x"}]},{"pet":[{"p":"y"}]}]"#, to: "nn")
        #expect(try await device.ask("POST", "/v1/forms", form(2, 10)).status == 200)
        let kid = try #require(try await rows(device, id, "kid").first)
        let pet = try #require(kid["pet"]?.array?.first?.object?["_id"]?.string)
        let edit =
            #"{"_id":"\#(kid["_id"]?.string ?? "")","pet":{"change":[{"_id":"\#(pet)","p":"z"}]}}"#
        #expect(try await patch(device, id, #""kid":{"change":[\#(edit)]}"#).status == 200)
        let entry = try await device.ask("GET", "/v1/record/\(id)").object
        #expect(entry["allv"] == .integer(20) && entry["twice"] == .integer(40), "\(entry)")
        #expect(try await rows(device, id, "kid").allSatisfy { $0["nv"] == .integer(10) })
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `imported rows that are not asked are refused, and the others computed`() async throws {
        let (device, _) = try await device()
        let form = """
            {"form_id":"pc","version":"1","fields":[{"name":"id","type":"text"},
            {"name":"item","type":"repeat","relevant":"position(.) < 3","fields":[
            {"name":"kind","type":"text"},{"name":"q","type":"integer"},
            {"name":"cost","type":"integer","calculation":"${q} * 2"}]}]}
            """
        #expect(try await device.ask("POST", "/v1/forms", form).status == 200)
        let id = try await device.add(#""id":"1""#, to: "pc")
        let head = "PARENT_KEY,kind,q\n"
        let lines = "\(id),y,20\n\(id),y,300\n"
        let refused = try await device.importing("\(head)\(lines)\(id),x,1\n", form: "pc%2Fitem")
        #expect(refused.count("rejected_count") == 1, "\(refused.body)")
        #expect(try await rows(device, id, "item").isEmpty)
        _ = try await device.importing(head + lines, form: "pc%2Fitem")
        #expect(
            try await rows(device, id, "item").map { $0["cost"] } == [.integer(40), .integer(600)])
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a minute is as long with an offset, and a shortened name finds duplicates`() async throws
    {
        let (device, room) = try await device()
        func form(_ version: Int, _ key: String) -> String {
            #"{"form_id":"keyed","version":"\#(version)","key":[\#(key)],"#
                + #""fields":[{"name":"code","type":"text"}]}"#
        }
        #expect(try await device.ask("POST", "/v1/forms", form(1, "")).status == 200)
        let id = try await device.add(#""code":"A""#, to: "keyed")
        #expect(try await device.ask("POST", "/v1/forms", form(2, #""code""#)).status == 200)
        let again = try await device.ask("POST", "/v1/records/keye", #"{"values":{"code":"A"}}"#)
        #expect(again.status == 201, "\(again.body)")
        #expect(device.sharing.node.schemas.lastFound("keyed", in: room)?.keyPlaces == [0])
        let entry = try await device.ask("GET", "/v1/record/\(id)").object
        let minute = try #require(entry["_created"]?.string).prefix(16)
        for zone in ["Z", "%2B00:00"] {
            let found = try await device.ask(
                "GET", "/v1/records/keyed?where=_created%3C=\(minute)\(zone)")
            #expect((found.json.array?.count ?? 0) > 0, "\(found.body)")
        }
        await device.stop()
    }
}
