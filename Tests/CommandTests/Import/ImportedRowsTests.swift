import Foundation
import JSON
import ShareTestKit
import Testing

/// Where rows of a repeat that are imported stand in their entries.
@Suite struct ImportedRowsTests {
    private static let form = """
        {"form_id":"im","version":"1","key":["key"],"fields":[{"name":"key","type":"text"},
         {"name":"kid","type":"repeat","fields":[{"name":"nm","type":"text"},
          {"name":"pos","type":"integer","calculation":"position(..)"}]}]}
        """

    /// A room with A, who has three kids, and B, who has none.
    private static func families() async throws -> Daemon {
        let daemon = try await Daemon.clinic()
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        for entry in [
            ["key=A", "kid[1]/nm=Ada", "kid[2]/nm=Bob", "kid[3]/nm=Cid"], ["key=B"],
        ] {
            let added = try await daemon.shared(["add", "im"] + entry)
            try #require(added.code == 0, "\(added)")
        }
        return daemon
    }

    /// The numbers, names and computed places of the kids of an entry, in their order.
    private static func kids(_ daemon: Daemon, of key: String) async throws -> [String] {
        let shown = try await daemon.shared("show", "im", key)
        #expect(!shown.output.contains("unusual"), "\(shown)")
        let entry = try await daemon.answer("list", "im", "key=\(key)")[0]
        return (entry["kid"].array ?? []).enumerated().map { place, kid in
            // It is told where it is not the place.
            let number = kid["_index"].number.map { Int($0) } ?? place + 1
            return "\(number) \(kid["nm"].string ?? "") \(Int(kid["pos"].number ?? 0))"
        }
    }

    private static func imports(_ daemon: Daemon, _ csv: String) async throws {
        let run = try await daemon.shared("import", "im/kid", "-", input: csv)
        try #require(run.code == 0, "\(run)")
    }

    @Test(.timeLimit(.minutes(2)))
    func `rows without a number come behind those that are there, and are computed there`()
        async throws
    {
        let daemon = try await Self.families()
        try await Self.imports(daemon, "PARENT_KEY,nm\nA,Dee\nB,Max\nA,Eve\nB,Moe\n")
        #expect(
            try await Self.kids(daemon, of: "A")
                == ["1 Ada 1", "2 Bob 2", "3 Cid 3", "4 Dee 4", "5 Eve 5"])
        #expect(try await Self.kids(daemon, of: "B") == ["1 Max 1", "2 Moe 2"])
    }

    @Test(.timeLimit(.minutes(2)))
    func `rows with a number stand there, and those without one behind the greatest`() async throws
    {
        let daemon = try await Self.families()
        try await Self.imports(
            daemon, "PARENT_KEY,_index,nm\nA,,Fay\nA,7,Gus\nA,2,Hal\nB,3,Max\nB,,Moe\n")
        #expect(
            try await Self.kids(daemon, of: "A")
                == ["1 Ada 1", "2 Bob 2", "2 Hal 3", "3 Cid 4", "7 Gus 5", "8 Fay 6"])
        #expect(try await Self.kids(daemon, of: "B") == ["3 Max 1", "4 Moe 2"])
    }

    @Test(.timeLimit(.minutes(2)))
    func `a row that a file changes without its number keeps its place`() async throws {
        let daemon = try await Self.families()
        try await Self.imports(daemon, "PARENT_KEY,KEY,nm\nB,x,Max\nB,y,Moe\n")
        try await Self.imports(daemon, "PARENT_KEY,KEY,nm\nB,z,Mia\nB,y,Mo\n")
        #expect(try await Self.kids(daemon, of: "B") == ["1 Max 1", "2 Mo 2", "3 Mia 3"])
    }

    @Test(.timeLimit(.minutes(2)))
    func `a new row has the defaults of fields that the file has no column for`() async throws {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"d","version":"1","key":["id"],"fields":[{"name":"id","type":"text"},
             {"name":"team","type":"text","default":"north"},
             {"name":"kid","type":"repeat","fields":[{"name":"nm","type":"text"},
              {"name":"age","type":"integer","required":true,"default":"5"},
              {"name":"next","type":"integer","default":"${age} + 1"},
              {"name":"own","type":"text","calculation":"once(uuid())"}]},
             {"name":"sum","type":"integer","calculation":"sum(${age})"}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        try #require(try await daemon.shared("add", "d", "id=A", "kid[1]/age=1").code == 0)
        try await Self.import(daemon, "d/kid", "PARENT_KEY,nm\nA,Ada\nA,Bob\n")
        func entry() async throws -> JSONValue { try await daemon.answer("list", "d", "id=A")[0] }
        var kids = try #require(try await entry()["kid"].array)
        #expect(kids.map { $0["age"].number } == [1, 5, 5])
        #expect(kids.map { $0["next"].number } == [2, 6, 6])
        #expect(Set(kids.map { $0["own"].string }).count == 3)
        #expect(try await entry()["sum"].number == 11)
        // Who has the column says that there is no answer, and what a row has already stays.
        let empty = try await daemon.shared(
            "import", "d/kid", "-", input: "PARENT_KEY,nm,age\nA,Cid,\n")
        #expect(empty.code != 0 && empty.errors.contains("The cell is empty"), "\(empty)")
        let row = try #require(kids[0]["_id"].string)
        try await Self.import(daemon, "d/kid", "KEY,PARENT_KEY,nm,next\n\(row),A,Zoe,\n,A,Eve,\n")
        kids = try #require(try await entry()["kid"].array)
        #expect(kids.map { $0["age"].number } == [1, 5, 5, 5])
        #expect(kids.map { $0["next"].number } == [nil, 6, 6, nil])
        // JSON says of every field what it has.
        let id = try #require(try await entry()["_id"].string)
        let file = daemon.folder.path + "/more.ndjson"
        let line = """
            {"_id":"\(id)","id":"A","team":"north","kid":[\
            {"_id":"01970000-0000-7000-8000-000000000001","nm":"Fay","age":3}]}
            """
        try Data((line + "\n").utf8).write(to: URL(filePath: file))
        let lines = try await daemon.shared("import", "d", file)
        try #require(lines.code == 0, "\(lines)")
        kids = try #require(try await entry()["kid"].array)
        #expect(kids.map { $0["next"].number } == [nil, nil, 6, 6, nil])
        #expect(try await daemon.shared("show", "A").output.contains("wrong") == false)
    }

    private static func `import`(
        _ daemon: Daemon, _ form: String, _ text: String
    ) async throws {
        let run = try await daemon.shared("import", form, "-", input: text)
        try #require(run.code == 0, "\(run)")
    }

    @Test(.timeLimit(.minutes(2)))
    func `a row that is changed is held against the form in what is changed alone`() async throws {
        let daemon = try await Daemon.clinic()
        func form(_ version: Int, _ more: String) -> String {
            """
            {"form_id":"u","version":"\(version)","key":["id"],"fields":[{"name":"id","type":"text"},
             {"name":"kid","type":"repeat","fields":[{"name":"n","type":"integer"}\(more)]}]}
            """
        }
        func add(_ form: String) async throws {
            try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        }
        try await add(form(1, ""))
        try #require(try await daemon.shared("add", "u", "id=A", "kid[1]/n=3").code == 0)
        try await add(form(2, #",{"name":"sex","type":"text","required":true}"#))
        let row = try #require(try await daemon.answer("list", "u/kid")[0]["_id"].string)
        let changed = try await daemon.shared(
            "import", "u/kid", "-", input: "KEY,PARENT_KEY,n,sex\n\(row),A,9,\n")
        #expect(changed.code == 0, "\(changed)")
        #expect(try await daemon.answer("list", "u/kid")[0]["n"].number == 9)
        let new = try await daemon.shared("import", "u/kid", "-", input: "PARENT_KEY,n,sex\nA,1,\n")
        #expect(new.code != 0 && new.errors.contains("sex is required"), "\(new)")
    }
}
