import Foundation
import JSON
import ShareTestKit
import Testing

/// What one row of a file changes in an entry and its rows is one change, which is taken back as one.
@Suite struct UndoneImportTests {
    private static let form = #"""
        {"form_id": "iu", "version": "1", "key": ["id"], "fields": [
          {"name": "id", "type": "text"}, {"name": "rate", "type": "integer"},
          {"name": "nk", "type": "integer"},
          {"name": "tot", "type": "integer", "calculation": "sum(${amt})"},
          {"name": "line", "type": "repeat", "fields": [
            {"name": "q", "type": "integer"},
            {"name": "amt", "type": "integer", "calculation": "${q} * ${rate}"}]},
          {"name": "kid", "type": "repeat", "repeat_count": "${nk}", "fields": [
            {"name": "nm", "type": "text"},
            {"name": "pos", "type": "integer", "calculation": "position(..)"}]}]}
        """#

    /// A room with two entries, each of two lines and three kids.
    private static func filled() async throws -> Daemon {
        let daemon = try await Daemon.clinic()
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        for id in ["1", "2"] {
            let added = try await daemon.shared(
                "add", "iu", "id=\(id)", "rate=2", "nk=3", "line[1]/q=1", "line[2]/q=3",
                "kid[1]/nm=Ada", "kid[2]/nm=Bob", "kid[3]/nm=Cid")
            try #require(added.code == 0, "\(added)")
        }
        // Rows alone are no change of an entry that is not sent yet.
        try #require(try await daemon.shared("push").code == 0)
        return daemon
    }

    private static func imports(
        _ daemon: Daemon, _ text: String, to form: String = "iu", as name: String = "file.csv"
    ) async throws {
        let file = daemon.folder.path + "/" + name
        try Data(text.utf8).write(to: URL(filePath: file))
        let run = try await daemon.shared("import", form, file)
        try #require(run.code == 0, "\(run)")
    }

    /// `rate tot: amounts; count: names`
    private static func entry(_ daemon: Daemon, _ id: String) async throws -> String {
        let entry = try await daemon.answer("list", "iu", "id=\(id)")[0]
        func number(_ name: String) -> String { entry[name].number.map { "\(Int($0))" } ?? "-" }
        let amounts = (entry["line"].array ?? []).map { Int($0["amt"].number ?? 0) }
        let names = (entry["kid"].array ?? []).map { $0["nm"].string ?? "-" }
        return "\(number("rate")) \(number("tot")): \(amounts); \(number("nk")): \(names)"
    }

    private static let before = #"2 8: [2, 6]; 3: ["Ada", "Bob", "Cid"]"#

    /// How often an entry was changed, by its history.
    private static func changes(_ daemon: Daemon, _ id: String) async throws -> Int {
        let history = try await daemon.answer("history", "iu", id)
        return (history.array ?? []).count { $0["kind"].string == "edit" }
    }

    private static func undo(_ daemon: Daemon, _ id: String) async throws {
        let undone = try await daemon.shared("undo", "iu", id)
        #expect(undone.code == 0, "\(undone)")
        let shown = try await daemon.shared("show", "iu", id)
        for word in ["unusual", "not asked"] { #expect(!shown.output.contains(word), "\(shown)") }
    }

    @Test(
        .timeLimit(.minutes(2)),
        arguments: [
            ("file.csv", "id,rate\n1,10\n2,20\n"),
            ("file.ndjson", "{\"id\":\"1\",\"rate\":10}\n{\"id\":\"2\",\"rate\":20}\n"),
        ])
    func `what follows in rows is taken back with the answer, of each entry by itself`(
        name: String, text: String
    ) async throws {
        let daemon = try await Self.filled()
        let kids = #"3: ["Ada", "Bob", "Cid"]"#
        try await Self.imports(daemon, text, as: name)
        #expect(try await Self.entry(daemon, "1") == "10 40: [10, 30]; \(kids)")
        #expect(try await Self.entry(daemon, "2") == "20 80: [20, 60]; \(kids)")
        #expect(try await Self.changes(daemon, "1") == 1)
        try await Self.undo(daemon, "1")
        #expect(try await Self.entry(daemon, "1") == Self.before)
        #expect(try await Self.entry(daemon, "2") == "20 80: [20, 60]; \(kids)")
        #expect(try await Self.changes(daemon, "1") == 2)
        #expect(try await Self.changes(daemon, "2") == 1)
        try await Self.undo(daemon, "2")
        #expect(try await Self.entry(daemon, "2") == Self.before)
    }

    @Test(.timeLimit(.minutes(2)))
    func `a count comes back with the rows that it took away, and goes with those that it made`()
        async throws
    {
        let daemon = try await Self.filled()
        try await Self.imports(daemon, "id,nk\n1,1\n2,5\n")
        #expect(try await Self.entry(daemon, "1") == #"2 8: [2, 6]; 1: ["Ada"]"#)
        #expect(
            try await Self.entry(daemon, "2")
                == #"2 8: [2, 6]; 5: ["Ada", "Bob", "Cid", "-", "-"]"#)
        for id in ["1", "2"] {
            #expect(try await Self.changes(daemon, id) == 1)
            try await Self.undo(daemon, id)
            #expect(try await Self.entry(daemon, id) == Self.before)
        }
        // Undone twice is done again.
        try await Self.undo(daemon, "1")
        #expect(try await Self.entry(daemon, "1") == #"2 8: [2, 6]; 1: ["Ada"]"#)
    }

    @Test(.timeLimit(.minutes(2)))
    func `rows of a file are one change with what the form works out in their entry`() async throws
    {
        let daemon = try await Self.filled()
        try await Self.imports(daemon, "PARENT_KEY,q\n1,5\n2,6\n1,7\n", to: "iu/line")
        let kids = #"3: ["Ada", "Bob", "Cid"]"#
        #expect(try await Self.entry(daemon, "1") == "2 32: [2, 6, 10, 14]; \(kids)")
        #expect(try await Self.changes(daemon, "1") == 1)
        #expect(try await Self.changes(daemon, "2") == 1)
        try await Self.undo(daemon, "1")
        #expect(try await Self.entry(daemon, "1") == Self.before)
        #expect(try await Self.entry(daemon, "2") == "2 20: [2, 6, 12]; \(kids)")
    }
}
