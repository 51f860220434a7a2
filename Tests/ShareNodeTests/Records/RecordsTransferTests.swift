import JSON
import ShareControl
import ShareCore
import ShareNode
import ShareStore
import Synchronization
import Testing

@testable import ShareNode

/// Files in and out through the control socket.
@Suite(.serialized) struct RecordsTransferTests {
    static func csv(_ rows: Int, bad: Int? = nil) -> String {
        var text = "number,name,patient,recovery,weight,seen\n"
        for row in 2..<rows + 2 {
            let number = row == bad ? "x" : "\(row)"
            text += "\(number),\"name, \(row)\",\(row % 97),\(row % 100)%,\(row).5,2026-11-21\n"
        }
        return text
    }

    @Test(.timeLimit(.minutes(1)))
    func `a file imported twice adds nothing the second time`() async throws {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        let csv = RecordsTransferTests.csv(5_000)
        #expect(try await device.importing(csv).count("added") == 5_000)
        let again = try await device.importing(csv)
        #expect(again.count("unchanged") == 5_000, "\(again.body)")
        #expect(again.count("added") == 0)
        let changed = csv.replacing("name, 77\"", with: "renamed\"")
        let third = try await device.importing(changed)
        #expect(third.count("updated") == 1, "\(third.body)")
        #expect(third.count("unchanged") == 4_999)
        let shown = try await device.ask("GET", "/v1/records/viruses?where=name=renamed")
        #expect(shown.json.array?.count == 1)
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `rows of one key stay as many as they are`() async throws {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        let csv = "number,patient,name\n1,1,a\n1,1,b\n1,1,b\n"
        #expect(try await device.importing(csv).count("added") == 3)
        #expect(try await device.importing(csv).count("unchanged") == 3)
        let other = try await device.importing("number,patient,name\n1,1,c\n")
        #expect(other.count("added") == 1)
        await device.stop()
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: ["", "crlf=true&bom=true", "format=csv"])
    func `an export imported again changes nothing`(_ options: String) async throws {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        for (number, name) in ["=1+1", "-5", "'=x", "a\\\"b,\\nc", "e\u{301}", "\u{e9}"]
            .enumerated()
        {
            _ = try await device.add(
                "\"number\":\(number),\"name\":\"\(name)\",\"recovery\":7,\"signs\":\"fever,rash\"")
        }
        let csv = try await device.ask("GET", "/v1/export/viruses?\(options)").body
        #expect(csv.contains("'=1+1"))
        #expect(csv.contains(",7,") && !csv.contains("7%"))
        #expect(
            try await device.ask("GET", "/v1/export/viruses?units=true").body.contains(",7%,"))
        let reply = try await device.importing(csv)
        #expect(reply.count("unchanged") == 6, "\(reply.body)")
        let lines = try await device.ask("GET", "/v1/export/viruses?format=ndjson").body
        #expect(lines.split(separator: "\n").count == 6)
        let list = try await device.ask("GET", "/v1/export/viruses?format=json").json
        #expect(list == (try await device.ask("GET", "/v1/records/viruses").json))
        let none = try await device.ask("GET", "/v1/export/viruses?format=xml")
        #expect(none.object["code"] == "bad_request")
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a bad row in line 7301 is named and nothing is written`() async throws {
        let device = try await RecordsDevice()
        let room = try await device.makeRoom()
        let reply = try await device.importing(RecordsTransferTests.csv(8_000, bad: 7_301))
        #expect(reply.count("rejected_count") == 1)
        #expect(reply.count("added") == 0)
        let row = reply.result["rejected"]?.array?.first?.object
        #expect(row?["line"] == .integer(7_301))
        #expect(row?["column"] == "number")
        #expect(row?["reason"]?.string?.contains("whole number") == true)
        #expect(try await room.store.counts().records == 0)
        #expect(try await room.store.counts().pending == 0)
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `an upload that breaks off leaves nothing`() async throws {
        let device = try await RecordsDevice()
        let room = try await device.makeRoom()
        let csv = RecordsTransferTests.csv(3_000)
        let client = try HTTPTestClient(device.server.path)
        try await client.send(
            "POST /v1/import/viruses HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Length: \(csv.utf8.count + 1)\r\n\r\n" + csv)
        client.leave()
        // The next import shows that the first one is over and was not taken.
        #expect(try await device.importing(csv).count("added") == 3_000)
        #expect(try await room.store.counts().records == 3_000)
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `rows that name a record change it, and a wrong name rejects the file`() async throws {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        let id = try await device.add(#""number":1,"name":"a","weight":2.5"#)
        let updated = try await device.importing("_id,name\n\(id),b\n")
        #expect(updated.count("updated") == 1, "\(updated.body)")
        let shown = try await device.ask("GET", "/v1/record/\(id)").object
        #expect(shown["name"] == "b")
        #expect(shown["weight"] == .double(2.5))
        let twice = try await device.importing("_id,name\n\(id),c\n\(id),d\n")
        #expect(twice.count("rejected_count") == 1)
        let wrong = id.dropLast(4) + (id.hasSuffix("0000") ? "1111" : "0000")
        let unknown = try await device.importing("_id,name\n\(wrong),c\n")
        #expect(unknown.result["rejected"]?.array?.first?.object?["line"] == .integer(2))
        #expect(try await device.ask("GET", "/v1/record/\(id)").object["name"] == "b")
        await device.stop()
    }

    @Test(.timeLimit(.minutes(5)))
    func `a long list is handed over in a few chunks however slowly it is read`() async throws {
        let device = try await RecordsDevice()
        let room = try await device.makeRoom()
        let schema = try await device.sharing.node.schemas.find("viruses", in: room)
        let rows = (0..<30_000).map { [FieldValue.integer($0), .text("name \($0)")] }
        try await room.store.append(
            [.put(NewRows(definition: schema.info.definition, fields: [0, 1], rows: rows))],
            wall: WallClock.milliseconds())
        let stream = try RecordsStream(
            RecordsJSONEncoder(schema, .list), of: schema, RecordQuery(), path: room.store.path)
        let bytes = Shared(0)
        let chunks = Shared(0)
        try await stream.run { chunk in
            bytes.change { $0 += chunk.count }
            chunks.change { $0 += 1 }
            // A reader that gives the other side every chance to run ahead.
            for _ in 0..<8 { await Task.yield() }
        }
        #expect(bytes.value > 4_500_000)
        #expect(chunks.value > 60)
        #expect(stream.peakBytes <= RecordsStreamLimits.depth * RecordsStreamLimits.chunk)

        struct Enough: Error {}
        let other = try RecordsStream(
            RecordsJSONEncoder(schema, .list), of: schema, RecordQuery(), path: room.store.path)
        await #expect(throws: Enough.self) {
            try await other.run { _ in throw Enough() }
        }
        let reply = try await device.ask("GET", "/v1/export/viruses?format=ndjson")
        #expect(reply.body.utf8.reduce(0) { $0 + ($1 == 10 ? 1 : 0) } == 30_000)
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a row that is as it is here is never refused, whatever the form says now`() async throws {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        func form(_ version: Int, _ choices: String, _ more: String = "") -> String {
            """
            {"form_id":"h","version":"\(version)","key":["id"],"fields":[
            {"name":"id","type":"text","required":true},
            {"name":"village","type":"select_one","list":"v"}\(more)],"lists":{"v":[\(choices)]}}
            """
        }
        _ = try await device.ask("POST", "/v1/forms", form(1, #""koro","bala""#))
        _ = try await device.add(#""id":"a","village":"bala""#, to: "h")
        _ = try await device.add(#""id":"b","village":"koro""#, to: "h")
        let before = try await device.ask("GET", "/v1/export/h").body
        let bare = "id,village\na,bala\nb,koro\n"
        let changed = try await device.ask(
            "POST", "/v1/forms",
            form(2, #""koro""#, #",{"name":"water","type":"text","required":true}"#))
        #expect(changed.status == 200, "\(changed.body)")
        for csv in [before, bare] {
            let again = try await device.importing(csv, form: "h")
            #expect(again.count("unchanged") == 2, "\(again.body)")
            #expect(again.count("rejected_count") == 0)
        }
        // One that says something new is held against the form.
        for csv in ["id,village,water\nb,bala,x\n", "id,village\nc,koro\n"] {
            let refused = try await device.importing(csv, form: "h")
            #expect(refused.count("rejected_count") == 1, "\(refused.body)")
            #expect(refused.count("added") == 0 && refused.count("updated") == 0)
        }
        let mended = try await device.importing("id,water\na,well\n", form: "h")
        #expect(mended.count("updated") == 1, "\(mended.body)")
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a trial counts the rows that are wrong as the import does`() async throws {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        let form = """
            {"form_id":"h","version":"1","key":["id"],"fields":[
            {"name":"id","type":"text","required":true},
            {"name":"n","type":"integer","constraint":". < 10"}]}
            """
        _ = try await device.ask("POST", "/v1/forms", form)
        _ = try await device.add(#""id":"a","n":1"#, to: "h")
        let csv = "id,n\na,99\nb,x\nc,12\nd,3\n"
        for options in ["", "?dry_run=true", "?keep_good=true&dry_run=true", "?keep_good=true"] {
            let reply = try await device.ask("POST", "/v1/import/h\(options)", csv)
            #expect(reply.count("rejected_rows") == 3, "\(options) \(reply.body)")
        }
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `places of a field that the form has no more are still on the map`() async throws {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        func form(_ version: Int, _ more: String) -> String {
            """
            {"form_id":"h","version":"\(version)","fields":[{"name":"id","type":"text"}\(more)]}
            """
        }
        _ = try await device.ask(
            "POST", "/v1/forms", form(1, #",{"name":"gps","type":"geopoint"}"#))
        _ = try await device.add(#""id":"a","gps":"12.5 -8""#, to: "h")
        let changed = try await device.ask("POST", "/v1/forms", form(2, ""))
        #expect(changed.status == 200, "\(changed.body)")
        for options in ["format=geojson", "format=geojson&geo=gps"] {
            let map = try await device.ask("GET", "/v1/export/h?\(options)").body
            #expect(map.contains(#""coordinates":[-8.0,12.5]"#), "\(map)")
        }
        let chart = try await device.ask("GET", "/v1/chart/h?kind=points&field=gps").body
        #expect(chart.contains(#""latitude":12.5"#), "\(chart)")
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `rows of an entry whose form never says the same twice are refused and no more`()
        async throws
    {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        func form(_ version: Int, _ more: String = "") -> String {
            """
            {"form_id":"dice","version":"\(version)","fields":[\(more)
            {"name":"a","type":"integer","constraint":"random() < 0.5"},
            {"name":"r","type":"repeat","fields":[
            {"name":"z","type":"integer","constraint":". > 5"}]}]}
            """
        }
        #expect(try await device.ask("POST", "/v1/forms", form(1)).status == 200)
        var tries = 0
        while try await device.importing("a,KEY\n1,1\n,2\n", form: "dice").count("added") != 2 {
            tries += 1
            try #require(tries < 40)
        }
        let computed = #"{"name":"seven","type":"integer","calculation":"7"},"#
        #expect(try await device.ask("POST", "/v1/forms", form(2, computed)).status == 200)
        for _ in 0..<24 {
            let reply = try await device.importing(
                "PARENT_KEY,KEY,z\n1,1,1\n2,2,9\n", form: "dice%2Fr?keep_good=true")
            #expect(reply.count("rejected_rows") == 1, "\(reply.body)")
        }
        // What is computed is put into the entry whose row was taken, and into no other.
        let rows = try await device.ask("GET", "/v1/records/dice").json.array ?? []
        #expect(
            Set(rows.map { [$0.object?["a"], $0.object?["seven"]] })
                == [[.integer(1), nil], [nil, .integer(7)]], "\(rows)")
        await device.stop()
    }
}
