import JSON
import ShareControl
import ShareCore
import ShareNode
import ShareStore
import ShareTestKit
import Testing

@testable import ShareNode

/// An entry with its repeats, through the control socket: one object in, one object out.
@Suite struct RepeatRoutesTests {
    private static let form = """
        {"form_id":"survey","version":"1","fields":[{"name":"site","type":"text"},
        {"name":"sighting","type":"repeat","fields":[
        {"name":"species","type":"text","required":true},{"name":"tally","type":"integer"},
        {"name":"mark","type":"repeat","fields":[{"name":"colour","type":"text"}]}]}]}
        """
    private static let entry = #"""
        "site":"meadow","sighting":[{"species":"Vanessa","tally":"3","mark":[{"colour":"red"},
        {"colour":"blue"}]},{"species":"Pieris"}]
        """#

    private func device() async throws -> RecordsDevice {
        let device = try await RecordsDevice()
        let room = try await device.makeRoom()
        #expect(try await device.ask("POST", "/v1/forms", Self.form).status == 200)
        // Both definitions came in one batch with the form's.
        #expect(await room.store.forms().count { $0.formID.hasPrefix("survey") } == 3)
        return device
    }

    private func shown(_ device: RecordsDevice, _ id: String) async throws -> JSONObject {
        try await device.ask("GET", "/v1/record/\(id)").object
    }

    private func species(_ entry: JSONObject) -> [String?] {
        (entry["sighting"]?.array ?? []).map { $0.object?["species"]?.string }
    }

    @Test(.timeLimit(.minutes(1)))
    func `an entry with repeats is entered, shown and listed as one object`() async throws {
        let device = try await device()
        let id = try await device.add(Self.entry, to: "survey")
        let entry = try await shown(device, id)
        #expect(species(entry) == ["Vanessa", "Pieris"])
        let first = entry["sighting"]?.array?.first?.object
        #expect(first?["tally"] == .integer(3))
        #expect(
            first?["mark"]?.array?.map { $0.object?["colour"]?.string } == ["red", "blue"])
        #expect(first?["_parent"] == nil)
        let list = try await device.ask("GET", "/v1/records/survey")
        #expect(list.json.array?.count == 1)
        #expect(species(list.json.array?.first?.object ?? [:]) == ["Vanessa", "Pieris"])
        // Rows by themselves say whose they are.
        let rows = try await device.ask("GET", "/v1/records/survey%2Fsighting")
        let row = rows.json.array?.first?.object
        #expect(row?["_parent"]?.string?.hasSuffix(id) == true, "\(rows.body)")
        #expect(row?["_index"] == .integer(1))
        #expect(row?["mark"]?.array?.first?.object?["_parent"] == nil)
        let forms = try await device.ask("GET", "/v1/forms")
        #expect(
            forms.json.array?.compactMap { $0.object?["form_id"]?.string } == ["survey", "viruses"])
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `rows may be typed as a list, and an acknowledgement is OK or nothing`() async throws {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        let form = """
            {"form_id":"h","version":"1","fields":[{"name":"has","type":"text"},
            {"name":"n","type":"integer","calculation":"count(${ch})"},
            {"name":"ok","type":"acknowledge"},
            {"name":"ch","type":"repeat","relevant":"${has} = 'y'","fields":[
            {"name":"name","type":"text"}]}]}
            """
        #expect(try await device.ask("POST", "/v1/forms", form).status == 200)
        let id = try await device.add(
            #""has":"y","ok":"yes","ch":[{"name":"Ami"},{"name":"Bob"}]"#, to: "h")
        #expect(try await shown(device, id)["ok"] == "OK")
        let typed = try await device.add(
            #""has":"y","ch":"[{\"name\":\"Ami\"}]""#, to: "h")
        #expect(try await shown(device, typed)["ch"]?.array?.count == 1)
        #expect(try await device.ask("DELETE", "/v1/record/\(typed)").status == 200)
        let refused = try await device.ask(
            "PATCH", "/v1/record/\(id)", #"{"values":{"ok":"no"}}"#)
        #expect(refused.status == 400 && refused.body.contains("wants OK"), "\(refused.body)")
        await device.stop()
    }

    @Test(.timeLimit(.minutes(4)))
    func `an entry with its rows is one wherever entries are counted`() async throws {
        try await untilDayLasts()
        let device = try await device()
        let id = try await device.add(Self.entry, to: "survey")
        func unsent() async throws -> [JSONValue?] {
            let unsent = try await device.ask("GET", "/v1/unsent")
            let status = try await device.ask("GET", "/v1/status")
            let room = status.object["rooms"]?.array?.first?.object
            #expect(room?["pending"] == unsent.object["pending"], "\(status.body)")
            #expect(room?["only_here"] == unsent.object["pending"])
            return [unsent.object["entries"], unsent.object["pending"]]
        }
        #expect(try await unsent() == [.integer(1), .integer(1)])
        let activity = try await device.ask("GET", "/v1/activity")
        let counts = activity.object["members"]?.array?.first?.object?["counts"]?.array ?? []
        #expect(counts.last == .integer(1), "\(activity.body)")
        let rows = #"{"values":{"sighting":[{"tally":8},{"tally":9},{"species":"Aglais"}]}}"#
        #expect(try await device.ask("PATCH", "/v1/record/\(id)", rows).status == 200)
        #expect(try await unsent() == [.integer(1), .integer(2)])
        let pushed = try await device.ask("POST", "/v1/push", #"{"timeout_milliseconds":0}"#)
        #expect(
            pushed.object["entries"] == .integer(2) && pushed.object["new_entries"] == .integer(1))
        #expect(pushed.object["only_here"] == .integer(2), "\(pushed.body)")
        #expect(try await device.ask("DELETE", "/v1/record/\(id)").status == 200)
        let left = try await device.ask("GET", "/v1/unsent")
        #expect(
            left.object["pending"] == .integer(1) && left.object["entries"] == .integer(0),
            "\(left.body)")
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `rows are changed, moved, added and deleted with their entry`() async throws {
        let device = try await device()
        let id = try await device.add(Self.entry, to: "survey")
        let before = try await shown(device, id)
        let second = before["sighting"]?.array?.last?.object?["_id"]?.string ?? ""
        let changed = try await device.ask(
            "PATCH", "/v1/record/\(id)",
            #"{"values":{"sighting":[{"_id":"\#(second)","tally":9},{"species":"Aglais"}]}}"#)
        #expect(changed.object["changed"] == .array(["sighting"]), "\(changed.body)")
        var entry = try await shown(device, id)
        #expect(species(entry) == ["Pieris", "Aglais"])
        #expect(entry["sighting"]?.array?.first?.object?["tally"] == .integer(9))
        // Without ids the places tell which row is meant; nothing else is touched.
        let again = try await device.ask(
            "PATCH", "/v1/record/\(id)",
            #"{"values":{"sighting":[{"species":"Pieris"},{"species":"Aglais"}]}}"#)
        #expect(again.object["changed"] == .array([]), "\(again.body)")
        _ = try await device.ask("DELETE", "/v1/record/\(id)")
        let rows = try await device.ask("GET", "/v1/records/survey%2Fsighting")
        #expect(rows.json.array?.isEmpty == true, "\(rows.body)")
        #expect(
            try await device.ask("POST", "/v1/record/\(id)/restore").status == 200)
        entry = try await shown(device, id)
        #expect(species(entry) == ["Pieris", "Aglais"])
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `what is wrong with a row is said of that row, and nothing is entered`() async throws {
        let device = try await device()
        let wrong = [
            (#""sighting":[{"species":"a"},{"tally":1}]"#, "sighting[2]"),
            (#""sighting":[{"species":"a","tally":"x"}]"#, "sighting[1]"),
            (#""sighting":{"species":"a"}"#, "sighting"), (#""sighting":[1]"#, "sighting"),
            (#""sighting":[{"species":"a","mark":[{"color":"x"}]}]"#, "color"),
        ]
        for (values, place) in wrong {
            let reply = try await device.ask(
                "POST", "/v1/records/survey", "{\"values\":{\(values)}}")
            #expect(reply.status >= 400, "\(values)")
            #expect(reply.object["detail"]?.string?.contains(place) == true, "\(reply.body)")
        }
        #expect(try await device.ask("GET", "/v1/records/survey").json.array?.isEmpty == true)
        let part = try await device.ask(
            "POST", "/v1/records/survey%2Fsighting", #"{"values":{"species":"a"}}"#)
        #expect(part.status == 400, "\(part.body)")
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `repeats are files of their own that come back as they went`() async throws {
        let device = try await device()
        let id = try await device.add(Self.entry, to: "survey")
        let rows = try await device.ask("GET", "/v1/export/survey%2Fsighting").body
        #expect(rows.hasPrefix("PARENT_KEY,KEY,_index,species,tally\n\(id),"), "\(rows)")
        let same = try await device.importing(rows, form: "survey%2Fsighting")
        #expect(same.count("unchanged") == 2, "\(same.body)")
        let more = "PARENT_KEY,species\n\(id),Aglais\n"
        #expect(try await device.importing(more, form: "survey%2Fsighting").count("added") == 1)
        let lost = try await device.importing(
            "PARENT_KEY,species\nnowhere,Aglais\n", form: "survey%2Fsighting")
        #expect(lost.count("rejected_count") == 1, "\(lost.body)")
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `files of another program are joined by their keys, once`() async throws {
        let device = try await device()
        let entries = "site,KEY\nwood,uuid:7f3c9a12-0000-4000-8000-00000000000a\nlake,second\n"
        let rows = """
            species,PARENT_KEY,KEY
            Vanessa,uuid:7f3c9a12-0000-4000-8000-00000000000a,first/sighting[1]
            Pieris,second,second/sighting[1]
            Aglais,second,second/sighting[2]

            """
        for round in 0..<2 {
            let wanted = round == 0 ? "added" : "unchanged"
            let one = try await device.importing(entries, form: "survey")
            #expect(one.count(wanted) == 2, "\(one.body)")
            let other = try await device.importing(rows, form: "survey%2Fsighting")
            #expect(other.count(wanted) == 3, "\(other.body)")
        }
        let list = try await device.ask("GET", "/v1/records/survey?where=site=lake")
        #expect(species(list.json.array?.first?.object ?? [:]) == ["Pieris", "Aglais"])
        await device.stop()
    }

    private func history(_ device: RecordsDevice, _ id: String) async throws -> [JSONObject] {
        try await device.ask("GET", "/v1/record/\(id)/history").json.array?.compactMap(\.object)
            ?? []
    }

    @Test(.timeLimit(.minutes(1)))
    func `an entry and its rows have one history, and undo takes all of a change back`()
        async throws
    {
        let device = try await device()
        let id = try await device.add(Self.entry, to: "survey")
        let before = try await shown(device, id)
        let rows = before["sighting"]?.array ?? []
        var first = rows[0].object ?? [:]
        first["tally"] = .integer(4)
        first["mark"] = .array([])
        let body: JSONObject = [
            "values": .object([
                "site": "forest",
                "sighting": .array([.object(first), .object(["species": "Aglais"])]),
            ])
        ]
        try await Task.sleep(for: .milliseconds(3))
        let edited = try await device.ask(
            "PATCH", "/v1/record/\(id)", String(decoding: body.jsonText, as: UTF8.self))
        try #require(edited.status == 200, "\(edited.body)")
        var found = try await history(device, id)
        #expect(found.map { $0["kind"]?.string } == ["put", "edit"])
        #expect(found[0]["shown"]?.array?.count == 6)
        let changes = found[1]["changed"]?.object ?? [:]
        #expect(
            Set(changes.members.map(\.key)) == [
                "site", "sighting[1]/tally", "sighting[2]/species", "sighting[1]/mark[1]/colour",
                "sighting[1]/mark[2]/colour",
            ])
        let labels = (found[0]["shown"]?.array ?? []).compactMap { $0.object?["label"]?.string }
        #expect(labels.contains("sighting 1, mark 2: colour"), "\(labels)")
        #expect(changes["sighting[1]/tally"] == .array([.integer(3), .integer(4)]))

        try await Task.sleep(for: .milliseconds(3))
        let undone = try await device.ask("POST", "/v1/record/\(id)/undo")
        try #require(undone.status == 200, "\(undone.body)")
        #expect(try await values(device, id) == before.values)
        // Once more takes that back.
        try await Task.sleep(for: .milliseconds(3))
        _ = try await device.ask("POST", "/v1/record/\(id)/undo")
        #expect(species(try await shown(device, id)) == ["Vanessa", "Aglais"])

        try await Task.sleep(for: .milliseconds(3))
        #expect(try await device.ask("DELETE", "/v1/record/\(id)").status == 200)
        try await Task.sleep(for: .milliseconds(3))
        _ = try await device.ask("POST", "/v1/record/\(id)/undo")
        #expect(species(try await shown(device, id)) == ["Vanessa", "Aglais"])
        found = try await history(device, id)
        #expect(found.count == 6)
        // A row alone was changed last.
        try await Task.sleep(for: .milliseconds(3))
        let more = "PARENT_KEY,species\n\(id),Pieris\n"
        #expect(try await device.importing(more, form: "survey%2Fsighting").count("added") == 1)
        #expect(try await history(device, id).count == 7)
        try await Task.sleep(for: .milliseconds(3))
        _ = try await device.ask("POST", "/v1/record/\(id)/undo")
        #expect(species(try await shown(device, id)) == ["Vanessa", "Aglais"])
        await device.stop()
    }

    private func values(_ device: RecordsDevice, _ id: String) async throws -> String {
        try await shown(device, id).values
    }
}

extension JSONObject {
    /// All but the times, in words.
    fileprivate var values: String {
        members.filter { $0.key != "_updated" }.map { "\($0.key) \($0.value)" }.joined(
            separator: "\n")
    }
}
