import JSON
import ShareTestKit
import Testing

/// What two people do to one entry while neither has the other's change.
@Suite struct TogetherTests {
    private static let form = #"""
        {"form_id": "house", "version": "1", "key": ["code"], "fields": [
          {"name": "code", "type": "text"}, {"name": "head", "type": "text"},
          {"name": "n", "type": "integer", "calculation": "count(${person})"},
          {"name": "ages", "type": "integer", "calculation": "sum(${age})"},
          {"name": "person", "type": "repeat", "label": "Person", "fields": [
            {"name": "age", "type": "integer"}]}]}
        """#

    /// Two devices with house H1, in which one person of 10 lives.
    private static func pair() async throws -> (a: Daemon, b: Daemon) {
        let a = try await Daemon.clinic("ward-1")
        try #require(try await a.shared("form", "add", "-", input: form).code == 0)
        let b = try await Daemon.member("ward-2", of: a, role: "editor")
        let added = try await a.shared("add", "house", "code=H1", "head=old", "person[1]/age=10")
        try #require(added.code == 0, "\(added)")
        try await Daemon.share(a, b)
        return (a, b)
    }

    private static func both(
        _ a: Daemon, _ one: [String], _ b: Daemon, _ other: [String]
    ) async throws {
        for (daemon, command) in [(a, one), (b, other)] {
            let run = try await daemon.shared(command)
            try #require(run.code == 0, "\(run)")
        }
        try await Daemon.share(a, b)
    }

    @Test func `what a history says is kept has the names that what is changed has`() async throws {
        let form = #"""
            {"form_id": "ill", "version": "1", "key": ["code"], "fields": [
              {"name": "code", "type": "text"},
              {"name": "fever", "type": "select_one", "list": "yn", "label": "Has fever"}],
             "lists": {"yn": [{"name": "y", "label": "Yes"}, {"name": "n", "label": "No"},
               {"name": "u", "label": "Unknown"}]}}
            """#
        let a = try await Daemon.clinic("ward-1")
        try #require(try await a.shared("form", "add", "-", input: form).code == 0)
        let b = try await Daemon.member("ward-2", of: a, role: "editor")
        try #require(try await a.shared("add", "ill", "code=1", "fever=u").code == 0)
        try await Daemon.share(a, b)
        try await Self.both(
            a, ["edit", "ill", "1", "fever=y"], b, ["edit", "ill", "1", "fever=n"])
        try #require(try await a.shared("resolve", "ill", "1", "--keep", "shown").code == 0)
        let history = try await a.shared("history", "ill", "1").output
        #expect(history.contains("Has fever: Unknown -> "), "\(history)")
        #expect(history.contains(/keeps Has fever: (Yes|No)\n/), "\(history)")
    }

    @Test func `a reviewer who changes a row is told what a reviewer may do`() async throws {
        let a = try await Daemon.clinic("ward-1")
        try #require(try await a.shared("form", "add", "-", input: Self.form).code == 0)
        let b = try await Daemon.member("ward-2", of: a, role: "reviewer")
        let added = try await a.shared("add", "house", "code=H1", "person[1]/age=10")
        try #require(added.code == 0, "\(added)")
        try await Daemon.share(a, b)
        let edit = try await b.shared("edit", "house", "H1", "person[1]/age=11")
        edit.expectProblem("a reviewer may review entries and comment on them, and enter or change")
        #expect(!edit.errors.contains("of its own"), "\(edit)")
    }

    @Test func `undo leaves what the other one has entered`() async throws {
        let (a, b) = try await Self.pair()
        try await Self.both(
            a, ["edit", "house", "H1", "head=Ada"], b, ["edit", "house", "H1", "head=Ben"])
        let shown = try await a.shared("show", "house", "H1").words
        let (winner, loser) = shown.contains("head Ada") ? (a, b) : (b, a)
        let kept = shown.contains("head Ada") ? "Ben" : "Ada"
        let undone = try await winner.shared("undo", "house", "H1")
        #expect(undone.words.contains("-> \(kept)"), "\(undone)")
        try await Daemon.share(a, b)
        for daemon in [a, b] {
            #expect(try await daemon.shared("show", "house", "H1").words.contains("head \(kept)"))
            #expect(try await daemon.shared("conflicts").output.contains("no conflicts"))
        }
        // Whoever does not show takes its side away.
        try await Self.both(
            winner, ["edit", "house", "H1", "head=Cy"], loser, ["edit", "house", "H1", "head=Di"])
        let hidden =
            try await a.shared("show", "house", "H1").words.contains("head Cy") ? loser : winner
        let again = try await hidden.shared("undo", "house", "H1")
        #expect(again.code == 0 && !again.errors.contains("left as it is"), "\(again)")
        #expect(try await hidden.shared("conflicts").output.contains("no conflicts"))
    }

    @Test func `undo leaves what the other one has entered as well`() async throws {
        let (a, b) = try await Self.pair()
        try await Self.both(
            a, ["edit", "house", "H1", "head=Ada"], b, ["edit", "house", "H1", "head=Ada"])
        let undone = try await a.shared("undo", "house", "H1")
        #expect(undone.code != 0 || undone.errors.contains("head"), "\(undone)")
        #expect(try await a.shared("show", "house", "H1").words.contains("head Ada"))
    }

    @Test func `a count of rows that both added is flagged, and follows when one is changed`()
        async throws
    {
        let (a, b) = try await Self.pair()
        try await Self.both(
            a, ["edit", "house", "H1", "person[2]/age=1"], b,
            ["edit", "house", "H1", "person[2]/age=2"])
        let shown = try await a.shared("show", "house", "H1")
        #expect(shown.words.contains("unusual n is 2: of its answers the form makes 3"), "\(shown)")
        let resolved = try await a.shared("edit", "house", "H1", "head=new")
        #expect(
            resolved.words.contains("n: 2 -> 3") || resolved.words.contains("ages"), "\(resolved)")
        let after = try await a.shared("show", "house", "H1")
        #expect(after.words.contains("n 3") && after.words.contains("ages 13"), "\(after)")
    }

    @Test func `a row's conflict that is resolved changes what its entry computes`() async throws {
        let (a, b) = try await Self.pair()
        try await Self.both(
            a, ["edit", "house", "H1", "person[1]/age=100"], b,
            ["edit", "house", "H1", "person[1]/age=200"])
        try #require(try await a.shared("resolve", "house", "H1", "--keep", "shown").code == 0)
        let rows = try await a.answer("list", "house/person")
        let row = try #require(rows[0]["_id"].string)
        let resolved = try await a.shared("resolve", row, "age=7")
        #expect(resolved.code == 0, "\(resolved)")
        let shown = try await a.shared("show", "house", "H1")
        #expect(shown.words.contains("ages 7") && !shown.output.contains("unusual"), "\(shown)")
    }

    @Test
    func `a row that came beside a delete of its entry is in no figure, and comes back with it`()
        async throws
    {
        let (a, b) = try await Self.pair()
        try await Self.both(
            a, ["delete", "house", "H1"], b, ["edit", "house", "H1", "person[2]/age=1000"])
        for daemon in [a, b] {
            let entries = try await daemon.shared("count", "house").output
            let rows = try await daemon.shared("count", "house/person").output
            #expect(entries == "0\n" && rows == "0\n", "\(entries) \(rows)")
        }
        try #require(try await a.shared("restore", "house", "H1").code == 0)
        #expect(try await a.shared("count", "house/person").output == "2\n")
    }

    @Test func `two people who delete one row each have no conflict`() async throws {
        let (a, b) = try await Self.pair()
        let more = try await a.shared("edit", "house", "H1", "person[2]/age=20", "person[3]/age=30")
        try #require(more.code == 0, "\(more)")
        try await Daemon.share(a, b)
        try await Self.both(
            a, ["edit", "house", "H1", "person[1]="], b, ["edit", "house", "H1", "person[2]="])
        for daemon in [a, b] {
            let rows = try await daemon.answer("list", "house/person")
            #expect(rows.array?.count == 1 && rows[0]["age"].number == 30, "\(rows.shown)")
            let conflicts = try await daemon.shared("conflicts").output
            #expect(!conflicts.contains("_index") && !conflicts.contains("deleted"), "\(conflicts)")
        }
    }

    @Test func `undo of a row's change leaves what the other one has entered there`() async throws {
        let (a, b) = try await Self.pair()
        try await Self.both(
            a, ["edit", "house", "H1", "person[1]/age=11"], b,
            ["edit", "house", "H1", "person[1]/age=12"])
        let isA = try await a.shared("show", "house", "H1").words.contains("age 11")
        let (winner, kept) = isA ? (a, 12) : (b, 11)
        let undone = try await winner.shared("undo", "house", "H1")
        #expect(undone.words.contains("person[1]/age: \(isA ? 11 : 12) -> \(kept)"), "\(undone)")
        try await Daemon.share(a, b)
        for daemon in [a, b] {
            let shown = try await daemon.shared("show", "house", "H1")
            #expect(shown.words.contains("ages \(kept)") && shown.words.contains("age \(kept)"))
            #expect(try await daemon.shared("conflicts").output.contains("no conflicts"))
        }
    }

    @Test func `undo of a row that others have gone on with leaves it`() async throws {
        let (a, b) = try await Self.pair()
        let added = try await a.shared("edit", "house", "H1", "person[2]/age=20")
        try #require(added.code == 0, "\(added)")
        try await Daemon.share(a, b)
        let changed = try await b.shared("edit", "house", "H1", "person[2]/age=21")
        try #require(changed.code == 0, "\(changed)")
        try await Daemon.share(a, b)
        let undone = try await a.shared("undo", "house", "H1")
        #expect(undone.errors.contains("person[2]") || undone.code != 0, "\(undone)")
        let shown = try await a.shared("show", "house", "H1")
        #expect(shown.words.contains("Person 2 age 21"), "\(shown)")
    }
}
