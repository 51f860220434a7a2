import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// Entries are found by their form's key, however many there are.
struct KeyIndexTests {
    private static let fields = [
        FormField(name: "number", type: .text), FormField(name: "place", type: .text),
        FormField(name: "head", type: .text), FormField(name: "size", type: .integer),
    ]

    private let bench: Bench

    init() throws { bench = try Bench() }

    private func addForm(_ version: String, key: String) throws -> OperationName {
        try bench.addForm(
            "house", Self.fields, version: version, json: "{\"key\": \(key), \"fields\": []}")
    }

    private func add(_ count: Int, to form: OperationName, from first: Int = 0) throws {
        let rows: [[FieldValue]] = (first..<first + count).map {
            [
                .text("KOR-\($0)"), .text("v\($0 % 50)"), .text($0 == 7 ? "Awa Touré" : "Jo \($0)"),
                .integer(Int64($0 % 10)),
            ]
        }
        try bench.founder.append(
            [.put(NewRows(definition: form, fields: [0, 1, 2, 3], rows: rows))], wall: bench.wall)
    }

    private func index(of table: String = "house") throws -> [String] {
        try bench.founder.rows("SELECT name FROM pragma_index_info('_key_\(table)')").compactMap {
            if case .text(let name) = $0[0] { name } else { nil }
        }
    }

    private func plan(_ sql: String) throws -> [String] {
        try bench.founder.rows("EXPLAIN QUERY PLAN " + sql).map {
            if case .text(let text) = $0[3] { text } else { "" }
        }
    }

    @Test func `the index of a key follows the form's definition`() async throws {
        let first = try addForm("1", key: #"["number"]"#)
        try add(20, to: first)
        #expect(try index() == ["number"])
        _ = try addForm("2", key: #"["place", "number"]"#)
        #expect(try index() == ["place", "number"])
        #expect(try await CheckTests.check(bench.founder) == [])
        let before = try Bench.dump(bench.founder)
        try bench.founder.rebuild()
        #expect(try index() == ["place", "number"])
        #expect(try Bench.dump(bench.founder) == before)
        _ = try addForm("3", key: "[]")
        #expect(try index().isEmpty)
        #expect(try await CheckTests.check(bench.founder) == [])
    }

    @Test(arguments: [
        "null", "7", #""number""#, #"[7]"#, #"["nothing", "number"]"#, #"{"a": "number"}"#,
        "[\"number\", \"number\"]", "[" + String(repeating: "\"size\",", count: 900) + "\"head\"]",
    ])
    func `a key of any shape from another device breaks nothing`(key: String) async throws {
        _ = try addForm("1", key: key)
        #expect(try index().count <= 1)
        #expect(try await CheckTests.check(bench.founder) == [])
    }

    @Test func `a file of an earlier release gets its indexes when it is opened`() async throws {
        _ = try addForm("1", key: #"["number"]"#)
        let database = bench.founder.file.database
        try database.execute("DROP INDEX _key_house")
        let again = try TestRoom(path: bench.founder.path, identity: bench.founder.identity)
        #expect(again.room == bench.founder.room)
        #expect(try index() == ["number"])
        try database.execute("DROP TABLE house")
        _ = try TestRoom(path: bench.founder.path, identity: bench.founder.identity)
    }

    @Test func `an entry is looked up by its key in the index, and no other row is visited`() throws
    {
        let form = try addForm("1", key: #"["number", "place"]"#)
        try add(5_000, to: form)
        let info = try #require(bench.founder.form("house"))
        let conditions = [
            RecordQuery.Condition(.column("number"), equals: .text("KOR-4711")),
            RecordQuery.Condition(.column("place"), equals: .text("v11")),
        ]
        var sql = RecordSQL(info, RowFunctions())
        let named = try sql.whereClause(conditions)
        let ordered = try sql.orderClause(RecordQuery())
        let (latest, _) = try RoomReader.latest(info, conditions, 5, RowFunctions())
        let entries = try #require(RoomLists(path: bench.founder.path).entries(of: "house"))
        let chosen = try #require(entries.condition(ofKey: ["number", "place"]))
        for text in ["SELECT _id FROM house" + named + ordered, latest, entries.select(chosen)] {
            let plan = try plan(text)
            #expect(
                plan.contains { $0.contains("_key_house (number=? AND place=?)") }, "\(plan)")
            #expect(plan.allSatisfy { !$0.contains("SCAN house") }, "\(plan)")
        }
        // The latest of one key needs no order of its own, however many there are.
        #expect(try plan(latest).allSatisfy { !$0.contains("TEMP") })
        let database = bench.founder.file.database
        let visited = Counter()
        try database.define("visited") { _ in
            visited.count += 1
            return .integer(1)
        }
        let statement = try database.prepare(
            "SELECT _id FROM house" + named + " AND visited(rowid)" + ordered)
        try statement.bind(sql.values.all)
        #expect(try statement.step())
        #expect(try !statement.step())
        #expect(visited.count == 1)
    }

    private final class Counter {
        var count = 0
    }

    @Test func `entries of a form are found by key, by a field, and by words among all`() throws {
        let form = try addForm("1", key: #"["number", "place"]"#)
        try add(2_500, to: form)
        let lists = RoomLists(path: bench.founder.path)
        let entries = try #require(lists.entries(of: "house"))
        #expect(entries.count == 2_500)
        func heads(_ found: FoundEntries?) -> [FieldValue] {
            let place = entries.names.firstIndex(of: "head") ?? 0
            return (found?.rows ?? []).compactMap { lists.entry($0, of: entries)?.values[place] }
        }
        let key: [(String, FieldValue)] = [("number", .text("KOR-2400")), ("place", .text("v0"))]
        #expect(heads(lists.rows(of: entries, key: key, limit: 2)) == [.text("Jo 2400")])
        let wrong: [(String, FieldValue)] = [("number", .text("KOR-2400")), ("place", .text("v1"))]
        #expect(lists.rows(of: entries, key: wrong, limit: 2)?.rows == [])
        #expect(lists.rows(of: entries, key: [("nothing", .text(""))], limit: 2) == nil)
        #expect(lists.rows(of: entries, where: "nothing", equals: "") == nil)
        #expect(lists.rows(of: entries, where: "place", equals: "v3")?.rows.count == 50)
        let some = try #require(lists.rows(of: entries, where: "size", equals: "3", limit: 100))
        #expect(some.rows.count == 100 && some.isCut)
        #expect(lists.rows(of: entries)?.isCut == true)
        func named(_ words: [String], limit: Int = 10) -> FoundEntries {
            lists.rows(of: entries, containing: words, in: ["number", "head"], limit: limit)
        }
        #expect(heads(named(["toure", "AWA"])) == [.text("Awa Touré")])
        #expect(heads(named(["touré"])) == [.text("Awa Touré")])
        #expect(heads(named(["kor-2499"])) == [.text("Jo 2499")])
        #expect(named(["kor", "24"]).isCut)
        #expect(named(["kor_2499"]).rows.isEmpty && named(["%"]).rows.isEmpty)
        #expect(named(["v3"]).rows.isEmpty, "a field that was not asked for")
        // What is known of the form is forgotten when the room changes.
        try add(1, to: form, from: 9_000)
        let later = try #require(lists.entries(of: "house"))
        #expect(later.count == 2_501)
        let last: [(String, FieldValue)] = [("number", .text("KOR-9000"))]
        #expect(lists.rows(of: later, key: last, limit: 2)?.rows.count == 1)
        #expect(lists.entries(of: "nothing") == nil)
    }

    @Test func `of a field that had another type before the one in force is looked up`() throws {
        let form = try addForm("1", key: "[]")
        try add(3, to: form)
        let fields = Self.fields.dropLast() + [FormField(name: "size", type: .text)]
        let second = try bench.addForm("house", Array(fields), version: "2", json: "{}")
        try bench.founder.append(
            [
                .put(
                    NewRows(
                        definition: second, fields: [0, 3], rows: [[.text("A"), .text("big")]]))
            ],
            wall: bench.wall)
        let lists = RoomLists(path: bench.founder.path)
        let entries = try #require(lists.entries(of: "house"))
        #expect(lists.rows(of: entries, where: "size", equals: "big")?.rows.count == 1)
        #expect(Set(entries.names).count == entries.names.count)
    }
}
