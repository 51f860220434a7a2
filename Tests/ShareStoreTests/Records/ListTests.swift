import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// Lists of a room: versions, parts, lookups.
struct ListTests {
    private static func villages(_ count: Int, changing changed: Int? = nil) throws -> ListContent {
        var content = try ListContent(columns: ["name", "label", "label::fr", "parent"])
        for place in 0..<count {
            let label = place == changed ? "Renamed" : "Village \(place)"
            try content.append(["v\(place)", label, "Hameau né \(place)", "d\(place / 20)"])
        }
        return content
    }

    @discardableResult
    private static func add(
        _ content: ListContent?, as name: String = "village", by room: TestRoom, _ wall: UInt64
    ) throws -> [Batch] {
        try room.decide(try room.file.room.version(ofList: name, content), wall: wall)
    }

    private static func lists(_ room: TestRoom) -> RoomLists { RoomLists(path: room.path) }

    @Test func `a list is found by any column, and searched without case and marks`() throws {
        let bench = try Bench()
        try Self.add(try Self.villages(5_000), by: bench.founder, bench.wall)
        let lists = Self.lists(bench.founder)
        let list = try #require(lists.list("village"))
        #expect(list.rows == 5_000)
        #expect(list.columns == ["name", "label", "label::fr", "parent"])
        #expect(list.parts.count > 1)
        #expect(lists.list("Village") == nil)
        let children = lists.rows(of: list, where: 3, equals: Array("d17".utf8))
        #expect(children == Array(340..<360))
        #expect(lists.rows(of: list, where: 0, equals: Array("v4999".utf8)) == [4_999])
        #expect(lists.rows(of: list, where: 0, equals: Array("v5000".utf8)).isEmpty)
        let cells = try #require(lists.cells(of: list, row: 4_999))
        #expect(cells.map { String(decoding: $0, as: UTF8.self) }[2] == "Hameau né 4999")
        let found = lists.search(list, "NE 499", limit: 3)
        #expect(found.count == 11)
        #expect(found.positions == [499, 4_990, 4_991])
        #expect(lists.search(list, "village 4999", limit: 3).positions == [4_999])
        #expect(lists.search(list, "nowhere", limit: 3).positions.isEmpty)
        #expect(lists.search(list, "", limit: 2).count == 5_000)
        #expect(lists.cells(of: list, row: 5_000) == nil)
        #expect(lists.cells(of: list, row: -1) == nil)
    }

    @Test func `rows are kept of as many lists as have few enough together`() {
        let name = OperationName(batch: BatchID(Hash.digest([1])), index: 0)
        func list(_ text: String, rows: Int) -> ListCatalog.Plan {
            let local = LocalName(batch: 1, index: 0)
            return ListCatalog.Plan(
                name: name, local: local,
                definition: ListDefinition(
                    name: text, parents: [], columns: ["name"], parts: [name]),
                parts: [ListCatalog.Part(name: name, local: local, width: 1, rows: rows)])
        }
        let most = Limits.rowsPerList
        let lists = [
            list("a", rows: most), list("b", rows: most - 1), list("c", rows: 2),
            list("d", rows: 1),
        ]
        #expect(ListTables.kept(lists).map(\.definition.name) == ["a", "b", "d"])
        let many = (0..<300).map { list("\($0)", rows: 1) }
        #expect(ListTables.kept(many).count == Limits.listsInForce)
    }

    @Test func `a new version takes over the parts that have not changed`() throws {
        let bench = try Bench()
        let first = try Self.add(try Self.villages(20_000), by: bench.founder, bench.wall)
        let size = first.reduce(0) { $0 + $1.bytes.count }
        let second = try Self.add(
            try Self.villages(20_000, changing: 777), by: bench.founder, bench.wall + 1)
        #expect(second.reduce(0) { $0 + $1.bytes.count } < size / 4)
        let lists = Self.lists(bench.founder)
        let list = try #require(lists.list("village"))
        #expect(list.rows == 20_000)
        #expect(lists.search(list, "renamed", limit: 5).positions == [777])
        #expect(
            try Self.add(try Self.villages(20_000, changing: 777), by: bench.founder, 3).isEmpty)
        // What no version in force names has no rows.
        #expect(try bench.founder.integer("SELECT count(*) FROM _list_row") == 20_000)
        #expect(try bench.founder.integer("SELECT count(*) FROM _list_cell") == 80_000)
    }

    @Test func `a list is the same whatever order its batches come in, and complete or not there`()
        throws
    {
        let bench = try Bench()
        let editor = try bench.device(.editor)
        try Bench.merge(try Bench.batches(of: bench.founder), into: editor)
        try Self.add(try Self.villages(12_000), by: editor, bench.wall)
        try Bench.merge(try Bench.batches(of: editor), into: bench.founder)
        // The founder names parts of the editor.
        let ours = try Self.add(
            try Self.villages(12_000, changing: 5), by: bench.founder, bench.wall + 1)
        let reader = try bench.store()
        let all = try Bench.batches(of: bench.founder)
        let founders = all.filter { $0.author == bench.founder.identity.key }
        try Bench.merge(founders, into: reader)
        #expect(try #require(ours.last?.number) > 1)
        #expect(Self.lists(reader).list("village") == nil)
        for batch in all.reversed() { try Bench.merge([batch], into: reader) }
        for batch in all { try Bench.merge([batch], into: reader) }
        let lists = Self.lists(reader)
        #expect(lists.list("village")?.rows == 12_000)
        #expect(try Bench.dump(reader) == Bench.dump(bench.founder))
        #expect(reader.digest == bench.founder.digest)
        try reader.rebuild()
        #expect(try Bench.dump(reader) == Bench.dump(bench.founder))
    }

    @Test func `of versions made side by side all devices take the same one`() throws {
        let bench = try Bench()
        let editor = try bench.device(.editor)
        try Bench.merge(try Bench.batches(of: bench.founder), into: editor)
        try Self.add(try Self.villages(30), by: bench.founder, bench.wall + 50)
        try Self.add(try Self.villages(40), by: editor, bench.wall + 60)
        try Bench.merge(try Bench.batches(of: editor), into: bench.founder)
        try Bench.merge(try Bench.batches(of: bench.founder), into: editor)
        for device in [bench.founder, editor] {
            #expect(Self.lists(device).list("village")?.rows == 40)
        }
        #expect(try Bench.dump(editor) == Bench.dump(bench.founder))
        // The next one has seen both, whatever its clock says.
        try Self.add(try Self.villages(10), by: bench.founder, 1)
        #expect(Self.lists(bench.founder).list("village")?.rows == 10)
        try Self.add(nil, by: bench.founder, 1)
        #expect(Self.lists(bench.founder).all().isEmpty)
        #expect(try bench.founder.integer("SELECT count(*) FROM _list_row") == 0)
    }

    @Test func `a list of whoever may not make one is refused, and falls with its author`() throws {
        let bench = try Bench()
        try Self.add(try Self.villages(30), by: bench.founder, bench.wall)
        let collector = try bench.device(.collector)
        let editor = try bench.device(.editor)
        for device in [collector, editor] {
            try Bench.merge(try Bench.batches(of: bench.founder), into: device)
        }
        #expect(throws: StoreError.refused(.role)) {
            try Self.add(try Self.villages(40), by: collector, bench.wall)
        }
        try Self.add(try Self.villages(40), by: editor, bench.wall + 9)
        try Bench.merge(try Bench.batches(of: editor), into: bench.founder)
        #expect(Self.lists(bench.founder).list("village")?.rows == 40)
        try bench.remove(editor.identity.key)
        #expect(Self.lists(bench.founder).list("village")?.rows == 30)
        let before = try Bench.dump(bench.founder)
        try bench.founder.rebuild()
        #expect(try Bench.dump(bench.founder) == before)
        #expect(try bench.founder.integer("SELECT count(*) FROM _list_row") == 30)
    }

    @Test func `a part of another shape, or one that is none, leaves the version before in force`()
        throws
    {
        let bench = try Bench()
        try Self.add(try Self.villages(30), by: bench.founder, bench.wall)
        let own = OperationName(batch: .thisBatch, index: 0)
        func list(_ columns: [String], _ parts: [OperationName], as name: String = "village")
            -> ControlOperation
        {
            .list(ListDefinition(name: name, parents: [], columns: columns, parts: parts))
        }
        let part = ControlOperation.part(ListPart([[[97]], [[98]]]))
        try bench.founder.sealControl(
            [part, list(["name", "label"], [own])], wall: bench.wall + 10)
        try bench.founder.sealControl(
            [.set(Setting(key: "name", value: "x", parents: [])), list(["name"], [own])],
            wall: bench.wall + 20)
        #expect(Self.lists(bench.founder).list("village")?.rows == 30)
        for unsound in [
            list(["name", "name"], []), list(["name", ""], []), list([], []),
            list(["name"], [], as: ""), list(["name"], [], as: "@form:visit"),
            list(["name"], [], as: "a\u{0}"),
        ] {
            #expect(throws: StoreError.refused(.definition)) {
                try bench.founder.sealControl([unsound], wall: bench.wall)
            }
        }
        // Names that only look alike are two lists; rows may say one name twice.
        try bench.founder.sealControl(
            [part, list(["name"], [own], as: "caf\u{e9}")], wall: bench.wall)
        try bench.founder.sealControl(
            [part, list(["name"], [own], as: "cafe\u{301}")], wall: bench.wall)
        #expect(Self.lists(bench.founder).all().count == 3)
    }

    @Test func `rows are searched by the columns of the lists that have them now`() throws {
        let bench = try Bench()
        func content(_ columns: [String]) throws -> ListContent {
            var content = try ListContent(columns: columns)
            try content.append(["s", "Salt", "Bitter"])
            return content
        }
        func found(_ text: String, in name: String = "l") throws -> [Int] {
            let lists = Self.lists(bench.founder)
            return lists.search(try #require(lists.list(name)), text, limit: 9).positions
        }
        try Self.add(
            try content(["name", "label", "note"]), as: "l", by: bench.founder, bench.wall)
        #expect(try found("salt") == [0] && found("bitter").isEmpty)
        // The same cells, and so the same part.
        try Self.add(
            try content(["name", "note", "label"]), as: "l", by: bench.founder, bench.wall + 1)
        #expect(try found("salt").isEmpty && found("bitter") == [0])
        try Self.add(
            try content(["name", "label", "x"]), as: "m", by: bench.founder, bench.wall + 2)
        #expect(try found("salt", in: "m") == [0] && found("bitter") == [0])
        let before = try Bench.dump(bench.founder)
        try bench.founder.rebuild()
        #expect(try Bench.dump(bench.founder) == before)
        try Self.add(nil, as: "m", by: bench.founder, bench.wall + 3)
        #expect(try found("salt").isEmpty && found("bitter") == [0])
        #expect(try bench.founder.integer("SELECT count(*) FROM _list_row") == 1)
    }

    @Test func `a lookup waits for no search`() throws {
        let bench = try Bench()
        try Self.add(try Self.villages(300), by: bench.founder, bench.wall)
        let lists = Self.lists(bench.founder)
        #expect(lists.search { _ in lists.list("village")?.rows } == 300)
    }

    @Test func `what is changed in the tables of lists is found, and made anew`() throws {
        let bench = try Bench()
        try Self.add(try Self.villages(300), by: bench.founder, bench.wall)
        let before = try Bench.dump(bench.founder)
        try bench.founder.execute(
            """
            UPDATE _list_row SET cells = x'00' WHERE row % 65536 = 7;
            DELETE FROM _list_cell WHERE row % 65536 = 9
            """)
        let made = try RoomCheck.remake(
            from: bench.founder.file.database, at: bench.scratch.path("made.sqlite"),
            room: bench.founder.room, identity: bench.founder.identity
        ) { _, _ in }
        var comparison = TableComparison(bench.founder.file.database, with: made.file.database)
        try comparison.run()
        #expect(comparison.findings.list(of: "x").count == 5)
        try bench.founder.rebuild()
        #expect(try Bench.dump(bench.founder) == before)
    }

    @Test func `a child of a hundred thousand is looked up in the index`() throws {
        let bench = try Bench()
        try Self.add(try Self.villages(100_000), by: bench.founder, bench.wall)
        let plan = try bench.founder.rows(
            "EXPLAIN QUERY PLAN \(RoomLists.lookup)", .integer(0), .integer(0), .integer(0)
        ).map { row in if case .text(let text) = row[3] { text } else { "" } }
        #expect(
            plan == [
                "SEARCH p USING PRIMARY KEY (list=?)",
                "SEARCH c USING PRIMARY KEY (part=? AND place=? AND hash=?)",
                "SEARCH r USING INTEGER PRIMARY KEY (rowid=?)",
            ])
        let lists = Self.lists(bench.founder)
        let list = try #require(lists.list("village"))
        #expect(list.rows == 100_000)
        #expect(list.parts.count <= Limits.partsPerList)
        #expect(lists.rows(of: list, where: 3, equals: Array("d4999".utf8)).count == 20)
    }

    @Test func `more rows or bytes than a list may have are refused where it is made`() throws {
        #expect(throws: ListContent.Fault.columns(65)) {
            try ListContent(columns: (0..<65).map { "c\($0)" })
        }
        #expect(throws: ListContent.Fault.columns(0)) { try ListContent(columns: []) }
        var content = try ListContent(columns: ["name"])
        #expect(throws: ListContent.Fault.cell(bytes: 4_097)) {
            try content.append([String(repeating: "x", count: 4_097)])
        }
        let long = String(repeating: "x", count: 4_096)
        #expect(throws: ListContent.Fault.length) {
            while true { try content.append([long]) }
        }
        #expect(content.parts().count <= Limits.partsPerList)
        var rows = try ListContent(columns: ["name"])
        #expect(throws: ListContent.Fault.rows(250_001)) { while true { try rows.append([""]) } }
        #expect(rows.parts().reduce(0) { $0 + $1.rows } == 250_000)
    }
}
