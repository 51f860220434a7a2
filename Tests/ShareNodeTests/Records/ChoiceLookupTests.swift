import JSON
import ShareControl
import Testing

@testable import ShareNode
@testable import ShareStore

/// Choices from lists and entries, where looking them up takes long or fails.
struct ChoiceLookupTests {
    @Test func `a text is parted as a key in some ways and no more`() {
        #expect(EntryChoiceLookup.readings("a b c", as: 1) == [["a b c"]])
        #expect(EntryChoiceLookup.readings("a b c", as: 2) == [["a", "b c"], ["a b", "c"]])
        #expect(EntryChoiceLookup.readings("a b c", as: 3) == [["a", "b", "c"]])
        #expect(EntryChoiceLookup.readings("a b c", as: 4).isEmpty)
        #expect(EntryChoiceLookup.readings("a  b", as: 3) == [["a", "", "b"]])
        let four = EntryChoiceLookup.readings("a b c d", as: 3)
        #expect(four == [["a", "b", "c d"], ["a", "b c", "d"], ["a b", "c", "d"]])
        let long = String(repeating: "a ", count: 40)
        for parts in [2, 6, 20, 40] {
            let found = EntryChoiceLookup.readings(long, as: parts)
            #expect(found.count == 32)
            #expect(found.allSatisfy { $0.count == parts && $0.joined(separator: " ") == long })
        }
    }

    @Test func `a list that cannot be read is told as such, and nothing is entered`() async throws {
        let device = try await RecordsDevice()
        let room = try await device.makeRoom()
        #expect(try await device.ask("PUT", "/v1/lists/l", "name,pop\nx,7\n").status == 200)
        let form = """
            {"form_id":"v","version":"1","fields":[
            {"name":"a","type":"select_one_from_file","list":"l.csv"},
            {"name":"n","type":"integer","calculation":"instance('l')/root/item[name = 'x']/pop"}]}
            """
        #expect(try await device.ask("POST", "/v1/forms", form).status == 200)
        let id = try await device.add(#""a":"x""#, to: "v")
        try Database(path: room.store.path).execute("DROP TABLE _list_cell")
        for (method, path, body) in [
            ("POST", "/v1/records/v", #"{"values":{"a":"x"}}"#),
            ("POST", "/v1/records/v", #"{"values":{}}"#),
            ("PATCH", "/v1/record/\(id)", #"{"values":{"a":"x"}}"#),
            ("POST", "/v1/forms/v/state", #"{"values":{"a":"x"}}"#),
            ("GET", "/v1/lists/l?where=name=x", ""),
        ] {
            let reply = try await device.ask(method, path, body)
            #expect(reply.status == 500, "\(method) \(path): \(reply.body)")
            #expect(reply.body.contains("damaged"), "\(reply.body)")
        }
        let imported = try await device.importing("a\nx\n", form: "v")
        #expect(imported.body.contains("damaged"), "\(imported.body)")
        // Not even which lists there are.
        try Database(path: room.store.path).execute("DROP TABLE _list")
        let other = form.replacing("\"v\"", with: "\"w\"")
        for (method, path, body) in [
            ("GET", "/v1/lists", ""), ("GET", "/v1/lists/l", ""),
            ("PUT", "/v1/lists/l?dry_run=true", "name,pop\nx,8\n"),
            ("POST", "/v1/forms?dry_run=true", other),
        ] {
            let reply = try await device.ask(method, path, body)
            #expect(reply.status == 500, "\(method) \(path): \(reply.body)")
            #expect(reply.body.contains("damaged"), "\(reply.body)")
        }
        #expect(await room.store.form("v")?.records == 1)
        await device.stop()
    }

    @Test func `roots of a list of the room are the rows with an empty cell`() async throws {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        let rows = (0..<60).map { "v\($0),r\($0 % 3)\n" }.joined()
        let list = "name,parent\nr0,\nr1,\n\(rows)r2,\n"
        #expect(try await device.ask("PUT", "/v1/lists/l", list).status == 200)
        let form = """
            {"form_id":"v","version":"1","fields":[
            {"name":"r","type":"select_one","list":"l","choice_filter":"parent = ''"},
            {"name":"v","type":"select_one","list":"l","choice_filter":"parent = ${r}"},
            {"name":"n","type":"integer",
             "calculation":"count(instance('l')/root/item[parent = '' and name != ${r}])"}]}
            """
        #expect(try await device.ask("POST", "/v1/forms", form).status == 200)
        let reply = try await device.ask(
            "POST", "/v1/forms/v/state", #"{"values":{"r":"r2","v":"v5"}}"#)
        let state = try EntryStateAnswer(json: reply.json)
        #expect(state.fields[0].choices?.map(\.name) == ["r0", "r1", "r2"])
        #expect(state.fields[1].choicesTotal == 20 && state.values["v"] == "v5")
        #expect(state.values["n"] == .integer(2) && state.warnings.isEmpty)
        await device.stop()
    }
}
