import JSON
import ShareFormats
import Testing

@testable import ShareNode

/// Files of which very many rows are wrong: each is counted and can be mended, and few are held.
@Suite(.serialized) struct WrongRowsTests {
    private static let rows = 5_000

    private func device() async throws -> RecordsDevice {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        let form = """
            {"form_id":"h","version":"1","key":["id"],"fields":[
            {"name":"id","type":"text","required":true},
            {"name":"v","type":"select_one","list":"v"},
            {"name":"n","type":"integer","constraint":". < 10","x":{"warn":". > 5"}}],
            "lists":{"v":["koro","bala"]}}
            """
        let added = try await device.ask("POST", "/v1/forms", form)
        #expect(added.status == 200, "\(added.body)")
        return device
    }

    /// All rows, of which one in ten is as `wrong` says.
    private func csv(_ wrong: (Int) -> String) -> String {
        "id,v,n\n"
            + (0..<Self.rows).map { $0 % 10 == 3 ? wrong($0) : "e\($0),koro,\($0 % 5)\n" }.joined()
    }

    @Test(
        .timeLimit(.minutes(2)),
        arguments: [
            "x,no,1", "x,koro,99", "x,koro,many", "x,koro", ",koro,1",
            "x,no,99",
        ])
    func `wrong rows are told by their lines and put aside, whatever is wrong`(
        _ row: String
    ) async throws {
        let device = try await device()
        let text = csv { row.replacing("x", with: "e\($0)") + "\n" }
        let reply = try await device.ask("POST", "/v1/import/h?keep_good=true", text)
        #expect(reply.count("rejected_rows") == Self.rows / 10, "\(reply.body.prefix(300))")
        #expect(reply.count("added") == Self.rows * 9 / 10)
        let result = reply.result
        #expect(result["rejected"]?.array?.count == 100)
        #expect(result["rejected"]?.array?.first?.object?["line"] == .integer(5))
        let aside = try #require(result["rejected_csv"]?.string).split(separator: "\n")
        #expect(aside.count == Self.rows / 10 + 1 && aside[0] == "id,v,n")
        #expect(aside[1] == row.replacing("x", with: "e3"))
        #expect(aside.last.map { String($0) } == row.replacing("x", with: "e4993"))
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a form's own words stand beside what they are about, however they begin`() async throws {
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        let form = """
            {"form_id":"h","version":"1","key":["id"],"fields":[
            {"name":"id","type":"text","required":true},
            {"name":"m","type":"integer","constraint":". < 10",
             "constraint_message":"field workers count nine at most"},
            {"name":"n","type":"integer","constraint":". < 10",
             "x":{"warn":". > 5","warn_message":"n is more than five"}},
            {"name":"o","type":"integer","constraint":". < 10","x":{"warn":". > 5"}}]}
            """
        #expect(try await device.ask("POST", "/v1/forms", form).status == 200)
        func told(_ rows: String, _ what: String) async throws -> [String] {
            let reply = try await device.importing("id,m,n,o\n\(rows)\n", form: "h")
            return (reply.result[what]?.array ?? []).compactMap { $0.object?["reason"]?.string }
        }
        #expect(
            try await told("a,12,1,12", "rejected") == [
                "12: field workers count nine at most", "field o: 12 is not allowed",
            ])
        let unusual = ["7: n is more than five", "8 is unusual"]
        #expect(try await told("a,1,7,8", "warnings") == unusual)
        #expect(try await told("b,1,1,1", "warnings") == [])
        #expect(try await told("b,1,7,8", "warnings") == unusual)
        await device.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `changes that are wrong or unusual are told when it is known what they change`()
        async throws
    {
        let device = try await device()
        let first = try await device.ask("POST", "/v1/import/h", csv { "e\($0),bala,1\n" })
        #expect(first.count("added") == Self.rows, "\(first.body.prefix(300))")
        let changed = csv { "e\($0),bala,\($0 % 20 == 3 ? 99 : 7)\n" }
        let reply = try await device.ask("POST", "/v1/import/h?keep_good=true", changed)
        #expect(reply.count("rejected_rows") == Self.rows / 20, "\(reply.body.prefix(300))")
        #expect(reply.count("updated") == Self.rows / 20)
        // Of rows that are put aside nothing unusual is told.
        #expect(reply.count("warning_count") == Self.rows / 20)
        #expect(reply.count("unchanged") == Self.rows * 9 / 10)
        let ids = (0..<Self.rows).map { "00000000-0000-7000-8000-\(String(100_000_000_000 + $0))" }
        let unknown = "_id,n\n" + ids.map { "\($0),1\n" }.joined()
        let refused = try await device.ask("POST", "/v1/import/h?keep_good=true", unknown)
        #expect(refused.count("rejected_rows") == Self.rows, "\(refused.body.prefix(300))")
        #expect(refused.count("rejected_count") == Self.rows)
        #expect(
            refused.result["rejected_csv"]?.string?.utf8.elementsEqual(unknown.utf8) == true)
        await device.stop()
    }

    /// As bytes of the answer, of which a client takes 16 MiB in one line.
    @Test(.timeLimit(.minutes(3)), arguments: [("x", 50), ("\u{1}", 10)])
    func `more than 12 MiB of wrong rows are not put aside, and nothing is imported`(
        _ sign: String, _ count: Int
    ) async throws {
        let device = try await device()
        let long = String(repeating: sign, count: 300_000)
        let wrong = (0..<count).map { "\(long)\($0),no,1\n" }
        let text = "id,v,n\ngood,koro,1\n" + wrong.joined()
        let reply = try await device.ask("POST", "/v1/import/h?keep_good=true", text)
        #expect(reply.body.contains("too_large"), "\(reply.body.prefix(300))")
        #expect(reply.body.contains("more than 12 MiB of rows are wrong"))
        let plain = try await device.ask("POST", "/v1/import/h", text)
        #expect(plain.count("rejected_rows") == count, "\(plain.body.prefix(300))")
        let export = try await device.ask("GET", "/v1/export/h?format=ndjson")
        #expect(export.body.isEmpty)
        await device.stop()
    }

    @Test func `a set of numbers has each once, ascending`() {
        var set = BitSet()
        let numbers = [64, 0, 63, 200_000, 64, 1, 0]
        #expect(numbers.map { set.insert($0) } == [true, true, true, true, false, true, false])
        var found: [Int] = []
        set.forEach { found.append($0) }
        #expect(found == [0, 1, 63, 64, 200_000] && set.count == 5)
        #expect(!set.contains(65) && !set.contains(1_000_000) && set.contains(200_000))
    }
}
