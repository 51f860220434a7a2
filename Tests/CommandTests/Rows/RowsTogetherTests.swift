import JSON
import ShareTestKit
import Testing

/// What two people do to the rows of one entry while neither has the other's change.
@Suite struct RowsTogetherTests {
    private static let form = #"""
        {"form_id": "house", "version": "1", "key": ["code"], "fields": [
          {"name": "code", "type": "text"},
          {"name": "ages", "type": "integer", "calculation": "sum(${age})"},
          {"name": "person", "type": "repeat", "label": "Person", "fields": [
            {"name": "age", "type": "integer"}, {"name": "note", "type": "text"},
            {"name": "net", "type": "repeat", "label": "Net", "fields": [
              {"name": "colour", "type": "text"}]}]}]}
        """#

    /// Two devices with house H1, in which one person of 10 lives.
    private static func pair() async throws -> (a: Daemon, b: Daemon) {
        let a = try await Daemon.clinic("ward-1")
        try #require(try await a.shared("form", "add", "-", input: form).code == 0)
        let b = try await Daemon.member("ward-2", of: a, role: "editor")
        let added = try await a.shared("add", "house", "code=H1", "person[1]/age=10")
        try #require(added.code == 0, "\(added)")
        try await Daemon.share(a, b)
        return (a, b)
    }

    private static func edit(_ daemon: Daemon, _ values: String...) async throws {
        let run = try await daemon.shared(["edit", "house", "H1"] + values)
        try #require(run.code == 0, "\(run)")
    }

    private static func row(_ daemon: Daemon) async throws -> String {
        let rows = try await daemon.answer("list", "house/person")
        return try #require(rows.array?.last?["_id"].string)
    }

    @Test func `rows that are left in a deleted entry are found nowhere`() async throws {
        let (a, b) = try await Self.pair()
        try #require(try await a.shared("delete", "house", "H1").code == 0)
        try await Self.edit(
            b, "person[2]/age=1000", "person[2]/note=zebra", "person[2]/net[1]/colour=green")
        let row = try await Self.row(b)
        #expect(try await b.shared("search", "zebra").output.contains("zebra"))
        try await Daemon.share(a, b)
        for daemon in [a, b] {
            for word in ["zebra", "green"] {
                let found = try await daemon.shared("search", word)
                #expect(!found.output.contains("house H1"), "\(found)")
                #expect(try await daemon.answer("search", word)["found"].number == 0)
            }
            for form in ["house/person", "house/person/net"] {
                #expect(try await daemon.shared("count", form).output == "0\n", "\(form)")
                #expect(try await daemon.answer("list", form).array?.isEmpty == true, "\(form)")
            }
            let shown = try await daemon.shared("show", row)
            shown.expectProblem("the row is in house H1, which is deleted")
            let answer = try await daemon.shared("show", row, "--json")
            #expect(answer.code == 1 && answer.errors.contains("which is deleted"), "\(answer)")
            let history = try await daemon.shared("history", row)
            #expect(history.words.contains("entered, 5 values"), "\(history)")
        }
        try #require(try await a.shared("restore", "house", "H1").code == 0)
        let found = try await a.shared("search", "green")
        #expect(found.output.contains("H1"), "\(found)")
    }

    @Test func `a deleted row that comes back by a decision counts in its entry`() async throws {
        let (a, b) = try await Self.pair()
        let row = try await Self.row(a)
        try await Self.edit(b, "person[1]/age=12")
        try await Self.edit(a, "person[1]=")
        try await Daemon.share(a, b)
        let conflicts = try await a.shared("conflicts")
        #expect(conflicts.output.contains("H1"), "\(conflicts)")
        let isGone = try await a.shared("count", "house/person").output == "0\n"
        let resolved = try await a.shared("resolve", row, "--keep", isGone ? "other" : "shown")
        try #require(resolved.code == 0, "\(resolved)")
        let shown = try await a.shared("show", "house", "H1")
        #expect(shown.words.contains("ages 12") && !shown.output.contains("unusual"), "\(shown)")
        #expect(try await a.shared("conflicts").output.contains("no conflicts"))
    }

    @Test(arguments: [true, false])
    func `undo of a change in a row that another has deleted leaves no conflict`(
        isDeletedLast: Bool
    ) async throws {
        let (a, b) = try await Self.pair()
        try await Self.edit(a, "person[1]/net[1]/colour=red")
        try await Daemon.share(a, b)
        if isDeletedLast {
            try await Self.edit(a, "person[1]/age=11")
            try await Self.edit(b, "person[1]=")
        } else {
            try await Self.edit(b, "person[1]=")
            try await Self.edit(a, "person[1]/age=11")
        }
        try await Daemon.share(a, b)
        let undone = try await a.shared("undo", "house", "H1")
        #expect(undone.code == 0, "\(undone)")
        try await Daemon.share(a, b)
        for daemon in [a, b] {
            #expect(try await daemon.shared("conflicts").output.contains("no conflicts"))
            #expect(try await daemon.shared("count", "house/person").output == "0\n")
            let shown = try await daemon.shared("show", "house", "H1")
            #expect(!shown.output.contains("unusual"), "\(shown)")
        }
        // Undone twice is done again, with all that lay in it.
        let again = try await a.shared("undo", "house", "H1")
        #expect(again.code == 0, "\(again)")
        let entry = try await a.answer("show", "house", "H1")
        #expect(entry["person"][0]["net"][0]["colour"].string == "red", "\(entry.shown)")
    }

    @Test func `the history says which changes of a row were unseen`() async throws {
        let (a, b) = try await Self.pair()
        try await Self.edit(a, "person[1]/age=11")
        try await Self.edit(b, "person[1]/note=new")
        try await Daemon.share(a, b)
        let history = try await a.shared("history", "house", "H1")
        #expect(history.words.contains("unseen by 2"), "\(history)")
        #expect(history.words.contains("unseen by 3"), "\(history)")
    }

    @Test(arguments: ["shown", "other"])
    func `rows that came beside a deletion of their entry stand against it`(kept: String)
        async throws
    {
        let (a, b) = try await Self.pair()
        try await Self.edit(a, "person[2]/note=Bob")
        try #require(try await b.shared("delete", "house", "H1").code == 0)
        try await Daemon.share(a, b)
        for daemon in [a, b] {
            let conflicts = try await daemon.answer("conflicts").array ?? []
            #expect(conflicts.map { $0["key"].string } == ["H1"])
            #expect(conflicts.first?["field"].string == "_deleted")
            #expect(conflicts.first?["losers"][0]["changed"]["person/note"].string == "Bob")
            #expect(try await daemon.status()["conflicts"].number == 1)
            let told = try await daemon.shared("conflicts")
            #expect(told.output.contains("changed: person/note=Bob"), "\(told)")
        }
        let id = try #require(try await b.answer("conflicts")[0]["record"].string)
        let resolved = try await b.shared("resolve", id, "--keep", kept)
        #expect(resolved.code == 0, "\(resolved)")
        try await Daemon.share(a, b)
        for daemon in [a, b] {
            #expect(try await daemon.shared("conflicts").output.contains("no conflicts"))
            #expect(try await daemon.status()["conflicts"].number == 0)
            let rows = try await daemon.shared("count", "house/person")
            #expect(rows.output == (kept == "shown" ? "0\n" : "2\n"), "\(rows)")
        }
        guard kept == "shown" else { return }
        // What went at two moments comes back together.
        try #require(try await b.shared("restore", id).code == 0)
        #expect(try await b.shared("count", "house/person").output == "2\n")
    }

    @Test func `a row that another deleted by itself stays so when its entry comes back`()
        async throws
    {
        let (a, b) = try await Self.pair()
        try await Self.edit(a, "person[2]/age=5", "person[3]/age=6")
        try await Daemon.share(a, b)
        try #require(try await a.shared("delete", "house", "H1").code == 0)
        try await Self.edit(b, "person[2]=")
        try await Daemon.share(a, b)
        let id = try #require(try await a.answer("conflicts")[0]["record"].string)
        let resolved = try await a.shared("resolve", id, "--keep", "other")
        #expect(resolved.code == 0, "\(resolved)")
        let entry = try await a.answer("show", "house", "H1")
        #expect(entry["person"].array?.map { $0["age"].number } == [10, 6], "\(entry.shown)")
        #expect(entry["ages"].number == 16, "\(entry.shown)")
    }

    @Test func `who resolves an entry of which a row is in conflict is led to the row`()
        async throws
    {
        let (a, b) = try await Self.pair()
        let row = try await Self.row(a)
        try await Self.edit(a, "person[1]/note=Ada")
        try await Self.edit(b, "person[1]/note=Bob")
        try await Daemon.share(a, b)
        let led = try await a.shared("resolve", "house", "H1", "--keep", "shown")
        led.expectProblem("of its rows one has: \(row.suffix(8))", code: 1)
        led.expectHint("shared resolve \(row.suffix(8)) --keep shown")
        let resolved = try await a.shared("resolve", row, "--keep", "other")
        #expect(resolved.code == 0, "\(resolved)")
        #expect(try await a.shared("conflicts").output.contains("no conflicts"))
    }

    @Test func `rows that came beside a deletion of the row around them stand against it`()
        async throws
    {
        let (a, b) = try await Self.pair()
        let row = try await Self.row(a)
        try await Self.edit(a, "person[1]/net[1]/colour=blue")
        try await Self.edit(b, "person[1]=")
        try await Daemon.share(a, b)
        for daemon in [a, b] {
            let conflicts = try await daemon.answer("conflicts").array ?? []
            #expect(conflicts.map { $0["record"].string } == [row])
            #expect(conflicts.first?["key"].string == "H1")
            #expect(conflicts.first?["losers"][0]["changed"]["net/colour"].string == "blue")
        }
        let resolved = try await a.shared("resolve", row, "--keep", "other")
        #expect(resolved.code == 0, "\(resolved)")
        let shown = try await a.shared("show", "house", "H1")
        #expect(shown.words.contains("colour blue") && shown.words.contains("ages 10"), "\(shown)")
        #expect(!shown.output.contains("unusual"), "\(shown)")
        #expect(try await a.shared("conflicts").output.contains("no conflicts"))
    }

    @Test func `a row that may not be deleted stays, and counts`() async throws {
        let a = try await Daemon.clinic("ward-1")
        try #require(try await a.shared("form", "add", "-", input: Self.form).code == 0)
        let b = try await Daemon.member("ward-2", of: a)
        let added = try await b.shared("add", "house", "code=H1", "person[1]/age=10")
        try #require(added.code == 0, "\(added)")
        try await Daemon.share(a, b)
        try await Self.edit(a, "person[2]/age=3")
        try await Daemon.share(a, b)
        let gone = try await b.shared("edit", "house", "H1", "person[2]=", "person[1]/age=11")
        #expect(gone.code == 0, "\(gone)")
        #expect(gone.errors.contains("1 row of another device in person: kept"), "\(gone)")
        let shown = try await b.shared("show", "house", "H1")
        #expect(shown.words.contains("ages 14") && !shown.output.contains("unusual"), "\(shown)")
    }
}
