import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareNode
import ShareStore
import Testing

@testable import ShareNode

/// Forms and single records through the control socket.
@Suite struct RecordsRoutesTests {
    @Test(.timeLimit(.minutes(1)))
    func `a form is added, shown, left alone when unchanged, and updated`() async throws {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        let again = try await device.ask("POST", "/v1/forms", RecordsDevice.form)
        #expect(again.object["change"] == "unchanged")
        let shown = try await device.ask("GET", "/v1/forms/viruses")
        #expect(shown.body == RecordsDevice.form)
        let next = RecordsDevice.form
            .replacing("\"version\":\"1\"", with: "\"version\":\"2\"")
            .replacing("\"weight\"", with: "\"mass\"")
        let updated = try await device.ask("POST", "/v1/forms", next)
        #expect(updated.object["change"] == "updated")
        #expect(updated.object["added_fields"] == .array(["mass"]))
        #expect(updated.object["removed_fields"] == .array(["weight"]))
        let list = try await device.ask("GET", "/v1/forms")
        #expect(list.json.array?.first?.object?["title"] == "Viruses")
        let choosing = """
            {"form_id":"b","fields":[{"name":"s","type":"select_one","list":"l"}]}
            """
        #expect(try await device.ask("POST", "/v1/forms", choosing).object["code"] == "bad_form")
        let put = try await device.ask("PUT", "/v1/lists/l", "name\nx\n")
        #expect(put.object["change"] == "added")
        #expect(try await device.ask("POST", "/v1/forms", choosing).object["change"] == "added")
        let filled = try await device.ask("GET", "/v1/forms/b")
        #expect(filled.object["version"]?.string?.utf8.count == 10)
        let bad = try await device.ask("POST", "/v1/forms", "{\"form_id\":\"x\",\"fields\":[]}")
        #expect(bad.status == 400)
        #expect(bad.object["code"] == "bad_form")
        let none = try await device.ask("GET", "/v1/forms/viruss")
        #expect(none.object["code"] == "not_found_form")
        #expect(none.object["hint"]?.string?.contains("viruses") == true)
        // The beginning that no other form has is enough, wherever a form is named.
        let begun = try await device.ask("GET", "/v1/forms/virus")
        #expect(begun.object["form_id"] == "viruses")
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a record is added, shown, edited, deleted, and its history tells`() async throws {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        let id = try await device.add(
            #""number":"412","name":"Chickenpox","recovery":"70%","weight":3,"signs":"rash,Fever""#)
        #expect(RecordID(text: id)?.text == id)
        let short = String(id.suffix(8))
        let shown = try await device.ask("GET", "/v1/record/\(short)")
        #expect(shown.object["number"] == .integer(412))
        #expect(shown.object["recovery"] == .integer(70))
        #expect(shown.object["weight"] == .double(3))
        #expect(shown.object["signs"] == .array(["rash", "fever"]))
        #expect(shown.object["seen"] == nil)
        #expect(shown.object["_state"] == .null)
        #expect(shown.object["_created"]?.string?.hasSuffix("Z") == true)

        let edited = try await device.ask(
            "PATCH", "/v1/record/\(short)",
            #"{"values":{"recovery":85,"weight":null,"name":"Chickenpox"}}"#)
        #expect(edited.object["changed"] == .array(["recovery", "weight"]))
        let nothing = try await device.ask(
            "PATCH", "/v1/record/\(id)", #"{"values":{"recovery":"85%"}}"#)
        #expect(nothing.object["changed"] == .array([]))
        let cleared = try await device.ask(
            "PATCH", "/v1/record/\(id)", #"{"values":{"number":""}}"#)
        #expect(cleared.object["code"] == "required_missing")

        let history = try await device.ask("GET", "/v1/record/\(id)/history")
        let versions = history.json.array?.compactMap(\.object) ?? []
        #expect(versions.map { $0["kind"]?.string } == ["put", "edit"])
        #expect(
            versions.last?["changed"]?.object?["recovery"]
                == .array([.integer(70), .integer(85)]))

        #expect(try await device.ask("DELETE", "/v1/record/\(short)").status == 200)
        let gone = try await device.ask("GET", "/v1/record/\(short)")
        #expect(gone.object["code"] == "not_found_record")
        let after = try await device.ask("GET", "/v1/record/\(id)/history")
        #expect(after.json.array?.count == 3)
        await device.stop()
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            (#""number":"x""#, "wrong_type"), (#""nmber":"1""#, "unknown_field"),
            (#""name":"a""#, "required_missing"), (#""number":1,"signs":"cold""#, "unknown_choice"),
            (#""number":1.5"#, "wrong_type"), (#""number":true"#, "wrong_type"),
            (#""number":1,"NUMBER":2"#, "bad_request"),
            (#""number":1,"seen":"soon""#, "wrong_type"),
        ])
    func `what a field does not take is refused`(_ values: String, _ code: String) async throws {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        let reply = try await device.ask("POST", "/v1/records/viruses", "{\"values\":{\(values)}}")
        #expect(reply.status == 400)
        #expect(reply.object["code"]?.string == code, "\(reply.body)")
        #expect(reply.object["hint"]?.string?.isEmpty == false)
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `lists are filtered, sorted and limited`() async throws {
        let device = try await RecordsDevice()
        let room = try await device.makeRoom()
        for (number, name) in [(1, "b"), (2, "a"), (3, "b"), (4, "c")] {
            _ = try await device.add("\"number\":\(number),\"name\":\"\(name)\"")
        }
        func numbers(_ query: String) async throws -> [JSONValue?] {
            let reply = try await device.ask("GET", "/v1/records/viruses?\(query)")
            #expect(reply.status == 200, "\(reply.body)")
            return reply.json.array?.map { $0.object?["number"] } ?? []
        }
        #expect(try await numbers("") == [1, 2, 3, 4].map { .integer($0) })
        #expect(try await numbers("where=name=b") == [.integer(1), .integer(3)])
        #expect(try await numbers("where=name=b&where=number=3") == [.integer(3)])
        #expect(try await numbers("sort=-name&limit=2").first == .integer(4))
        #expect(try await numbers("where=patient=").count == 4)
        #expect(try await numbers("limit=0").isEmpty)
        let key = device.sharing.node.identity.key
        #expect(try await numbers("where=_author=\(key.short)").count == 4)
        #expect(try await numbers("where=_state=").count == 4)
        let created = try await device.ask("GET", "/v1/records/viruses?limit=1").json.array?
            .first?.object?["_created"]?.string
        #expect(try await numbers("where=_created=\(created ?? "")").contains(.integer(1)))
        let bad = try await device.ask("GET", "/v1/records/viruses?where=number=x")
        #expect(bad.object["code"] == "wrong_type")
        let field = try await device.ask("GET", "/v1/records/viruses?sort=nane")
        #expect(field.object["code"] == "unknown_field")
        let other = try await device.ask("GET", "/v1/records/viruses?room=nowhere")
        #expect(other.object["code"] == "not_found_room")
        _ = room
        await device.stop()
    }

    @Test(.timeLimit(.minutes(3)))
    func `short ids that several records answer to are named`() async throws {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        // The ids of one import follow each other from a random one on; a few dozen imports meet.
        var same: Substring?
        for round in 0..<400 where same == nil {
            let csv = "number\n" + (0..<256).map { "\(round * 256 + $0)\n" }.joined()
            _ = try await device.importing(csv)
            let list = try await device.ask("GET", "/v1/records/viruses").json.array ?? []
            var ends: Set<Substring> = []
            // Digits alone may also be the key of an entry, and a whole key goes before a short id.
            same = list.compactMap { $0.object?["_id"]?.string?.suffix(4) }
                .first { $0.contains(where: \.isLetter) && !ends.insert($0).inserted }
        }
        let shared = try #require(same)
        let reply = try await device.ask("GET", "/v1/record/\(shared)")
        #expect(reply.status == 409)
        #expect(reply.object["code"] == "ambiguous_id")
        let short = try await device.ask("GET", "/v1/record/abf")
        #expect(short.status == 400)
        #expect(short.object["detail"]?.string?.contains("too short to name an entry") == true)
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a collector changes its own records and no others`() async throws {
        let owner = try await RecordsDevice("ward-1")
        let room = try await owner.makeRoom()
        let id = try await owner.add(#""number":1,"name":"theirs""#)
        let collector = try await RecordsDevice("ward-2", peers: [owner])
        try await collector.sharing.join(room.name, code: try await owner.sharing.invite())
        _ = try await owner.sharing.node.sealing.records(in: room)
        try await TestNode.untilAlike([owner.sharing, collector.sharing], in: room.name)

        let edit = try await collector.ask(
            "PATCH", "/v1/record/\(id)", #"{"values":{"name":"mine"}}"#)
        #expect(edit.status == 403)
        #expect(edit.object["code"] == "not_allowed")
        #expect(edit.object["detail"]?.string?.contains("collector") == true)
        #expect(try await collector.ask("DELETE", "/v1/record/\(id)").status == 403)
        let form = try await collector.ask(
            "POST", "/v1/forms", RecordsDevice.form.replacing("viruses", with: "other"))
        #expect(form.object["code"] == "not_allowed")

        // A file that says nothing new may be imported by anybody; a change may not.
        let csv = try await collector.ask("GET", "/v1/export/viruses").body
        #expect(try await collector.importing(csv).count("unchanged") == 1)
        let changed = csv.replacing("theirs", with: "mine")
        #expect(try await collector.importing(changed).count("rejected_count") == 1)

        let own = try await collector.add(#""number":2"#)
        #expect(
            try await collector.ask(
                "PATCH", "/v1/record/\(own)", #"{"values":{"name":"x"}}"#
            ).status == 200)
        await collector.stop()
        await owner.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a room verifies, and a rebuild says whether its tables were other`() async throws {
        let device = try await RecordsDevice()
        let room = try await device.makeRoom()
        let id = try await device.add(#""number":1,"name":"a""#)
        _ = try await device.sharing.node.sealing.records(in: room)
        let verified = try await device.ask("POST", "/v1/verify")
        #expect(verified.result["ok"] == .bool(true), "\(verified.body)")
        #expect(verified.count("records") == 1)
        #expect(verified.result["digest"]?.string?.utf8.count == 64)
        let rebuilt = try await device.ask("POST", "/v1/rebuild")
        #expect(rebuilt.result["changed"] == .bool(false), "\(rebuilt.body)")
        let database = try Database(path: room.store.path)
        try database.execute("UPDATE viruses SET name = 'forged'")
        let found = try await device.ask("POST", "/v1/verify")
        #expect(found.result["ok"] == .bool(false))
        #expect(try await device.ask("POST", "/v1/rebuild").result["changed"] == .bool(true))
        #expect(try await device.ask("GET", "/v1/record/\(id)").object["name"] == "a")
        #expect(try await device.ask("GET", "/v1/conflicts").json == .array([]))
        #expect(try await device.ask("GET", "/v1/refused").json == .array([]))
        await device.stop()
    }

    @Test(arguments: [0, 1, -1, 951_782_400_125, 1_709_164_800_000, 4_102_444_799_999])
    func `moments read back`(_ moment: Int64) {
        #expect(RecordTimestamp.milliseconds(RecordTimestamp.text(moment)) == moment)
    }

    @Test func `moments are written as RFC 3339 has it`() {
        #expect(RecordTimestamp.text(951_782_400_125) == "2000-02-29T00:00:00.125Z")
        #expect(RecordTimestamp.milliseconds("2001-02-29T00:00:00.000Z") == nil)
    }
}
