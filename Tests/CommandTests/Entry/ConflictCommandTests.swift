import Glibc
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Conflicts, histories and reviews with the real binaries.
@Suite(.serialized) struct ConflictCommandTests {
    /// Two daemons that share a record, and that have each done something to it alone.
    private func apart(
        _ first: [String], _ second: [String], role: String = "editor",
        beforeMeeting: (Daemon) async throws -> Void = { _ in }
    ) async throws -> (a: Daemon, b: Daemon, id: String) {
        let a = try await Daemon.clinic("ward-1")
        let id = try await a.add("Sara", age: 1)
        #expect(try await a.shared("push").code == 0)
        let b = try await Daemon.member("ward-2", of: a, role: role)
        try await Daemon.untilIdentical(a, b, records: 1)
        for (daemon, words) in [(a, first), (b, second)] {
            let run = try await daemon.shared([words[0], id] + Array(words.dropFirst()))
            #expect(run.code == 0, "\(run.errors)")
        }
        try await beforeMeeting(a)
        try await meet(a, b)
        return (a, b, id)
    }

    private func meet(_ daemons: Daemon...) async throws {
        for daemon in daemons { #expect(try await daemon.shared("push").code == 0) }
        let isSame = await eventually(within: .seconds(60)) {
            var digests: Set<String> = []
            for daemon in daemons {
                guard let status = try? await daemon.status(), status["pending"].number == 0,
                    let digest = status["digest"].string
                else { return false }
                digests.insert(digest)
            }
            return digests.count == 1
        }
        try #require(isSame)
    }

    /// The answer without what each device calls the others.
    private func bare(_ daemon: Daemon, _ arguments: String...) async throws -> String {
        let run = try await daemon.shared(arguments + ["--json"])
        try #require(run.code == 0, "\(run.errors)")
        return run.output.replacing(/"author_name":("[^"]*"|null),/, with: "")
    }

    @Test func `watch names the entry of a conflict by its key`() async throws {
        var watch: RunningCommand?
        let (_, _, id) = try await apart(["edit", "age=2"], ["edit", "age=3"]) { a in
            watch = try await a.watch()
        }
        let watching = try #require(watch)
        let line = "conflict in age of visit Sara (\(id.suffix(8))): shared conflicts"
        let isTold = await eventually { watching.output.contains(line) }
        #expect(isTold, "\(watching.output)")
    }

    @Test
    func `an edit says that it settles a conflict, and what was changed since it was approved`()
        async throws
    {
        let (a, b, id) = try await apart(["edit", "age=2"], ["edit", "age=3"])
        let other = try await a.shared("edit", id, "weight=30")
        #expect(!other.errors.contains("settles"), "\(other)")
        let notes = ["list", "visit", "--columns", "name,_notes"]
        let listed = try await a.shared(notes)
        #expect(listed.output.contains("in conflict, not sent"), "\(listed)")
        // What is written may be a part of the entries: nothing is said to be in it that is not.
        let reviewed = try await a.shared("review", id, "hasIssues")
        #expect(reviewed.errors.contains("the entry is in conflict, in age"), "\(reviewed)")
        let none = try await a.shared("export", "visit", "--where", "name=Zara")
        #expect(none.errors.contains("perhaps of entries that are not in this file"), "\(none)")
        let edit = try await a.shared("edit", id, "age=4")
        #expect(edit.errors.contains("this settles the conflict about age"), "\(edit)")
        let settled = try await a.shared(notes)
        #expect(!settled.output.contains("in conflict"), "\(settled)")
        try await meet(a, b)
        #expect(try await a.shared("review", id, "approved").code == 0)
        let approved = try await a.shared("show", id)
        #expect(!approved.output.contains("changed since"), "\(approved)")
        try await meet(a, b)
        let change = try await b.shared("edit", id, "age=5")
        #expect(change.errors.contains("it was approved before this change"), "\(change)")
        try await meet(a, b)
        for daemon in [a, b] {
            let shown = try await daemon.shared("show", id).words
            #expect(shown.contains("changed since that review"), "\(shown)")
            #expect(shown.contains(" by ward-2 ("), "\(shown)")
            let list = try await daemon.shared("list", "visit", "--columns", "name,_notes")
            #expect(list.output.contains("changed since the review"), "\(list)")
            #expect(try await daemon.shared("count", "visit", "_reviewed=yes").output == "0\n")
            let file = try await daemon.shared("export", "visit", "_state=approved")
            #expect(
                file.errors.contains("1 entry was changed after the review that the file has"),
                "\(file)")
        }
        #expect(try await a.shared("review", id, "approved").code == 0)
        #expect(!(try await a.shared("show", id).output.contains("since that review")))
        let list = try await a.shared("list", "visit", "--columns", "name,_notes")
        #expect(!list.output.contains("changed since"), "\(list)")
        #expect(try await a.shared("count", "visit", "_reviewed=yes").output == "1\n")
        #expect(try await a.shared("count", "visit", "reviewed=no").output == "0\n")
        let file = try await a.shared("export", "visit")
        #expect(!file.errors.contains("changed after the review"), "\(file)")
    }

    @Test func `an approval of what another device has changed meanwhile is told as such`()
        async throws
    {
        let (a, b, id) = try await apart(["edit", "age=2"], ["review", "approved"])
        for daemon in [a, b] {
            let shown = try await daemon.shared("show", id)
            #expect(shown.output.contains("changed since that review"), "\(shown)")
            let list = try await daemon.shared("list", "visit", "--columns", "name,_notes")
            #expect(list.output.contains("changed since the review"), "\(list)")
        }
    }

    @Test func `a conflict in a row is known by its entry, and resolved by the row's id`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let form = """
            {"form_id":"house","version":"1","key":["id"],"fields":[{"name":"id","type":"text"},
            {"name":"kid","type":"repeat","fields":[{"name":"age","type":"integer"}]}]}
            """
        #expect(try await a.shared("form", "add", "-", input: form).code == 0)
        let b = try await Daemon.member("ward-2", of: a, role: "editor")
        let rows = #"kid=[{"age":3},{"age":5}]"#
        #expect(try await a.shared("add", "house", "id=H1", rows).code == 0)
        try await meet(a, b)
        #expect(try await a.shared("edit", "house", "H1", "kid[2]/age=4").code == 0)
        #expect(try await b.shared("edit", "house", "H1", "kid[2]/age=6").code == 0)
        try await meet(a, b)
        for daemon in [a, b] {
            let list = try await daemon.shared("conflicts")
            #expect(list.output.hasPrefix("age of house/kid H1 ("), "\(list)")
            let shown = try await daemon.shared("show", "house", "H1")
            #expect(shown.words.contains("in conflict kid[2]/age: `shared conflicts`"), "\(shown)")
            let listed = try await daemon.shared("list", "house", "--columns", "id,_notes")
            #expect(listed.output.contains("in conflict"), "\(listed)")
        }
        try await a.shared("resolve", "house", "H1", "kid[2]/age=4").expectProblem(
            "kid[2]/age is in a row, which is resolved by its own id", code: 2)
        let row = try #require(try await a.answer("conflicts")[0]["record"].string?.suffix(8))
        #expect(try await a.shared("resolve", String(row), "--keep", "shown").code == 0)
        try await meet(a, b)
        for daemon in [a, b] {
            #expect(try await daemon.answer("conflicts") == .array([]))
            let shown = try await daemon.shared("show", "house", "H1")
            #expect(!shown.output.contains("in conflict"), "\(shown)")
        }
        // An edit decides as well, also to the value that shows; one of another row does not.
        #expect(try await a.shared("edit", "house", "H1", "kid[1]/age=7").code == 0)
        #expect(try await b.shared("edit", "house", "H1", "kid[1]/age=8").code == 0)
        try await meet(a, b)
        #expect(try await a.shared("edit", "house", "H1", "kid[2]/age=5").code == 0)
        #expect(try await a.answer("conflicts").array?.count == 1)
        let kept =
            "kid[1]/age=\(try await a.answer("show", "house", "H1")["kid"][0]["age"].number ?? 0)"
        let edit = try await a.shared("edit", "house", "H1", kept)
        #expect(edit.errors.contains("this settles the conflict about kid[1]/age"), "\(edit)")
        try await meet(a, b)
        #expect(try await b.answer("conflicts") == .array([]))
        // A row that one side deleted while the other changed it is known by its entry as well.
        let id = try #require(try await a.answer("show", "house", "H1")["kid"][0]["_id"].string)
        #expect(try await a.shared("edit", "house", "H1", "kid[1]=").code == 0)
        #expect(try await b.shared("edit", "house", "H1", "kid[1]/age=9").code == 0)
        try await meet(a, b)
        for daemon in [a, b] {
            let list = try await daemon.shared("conflicts")
            #expect(list.output.contains("house/kid H1 ("), "\(list)")
            let shown = try await daemon.shared("show", "house", "H1")
            #expect(
                shown.words.contains("kid[\(id.suffix(8))]") || shown.words.contains("kid[1]/"),
                "\(shown)")
        }
    }

    @Test(arguments: ["shown", "other"])
    func `rows come back and go with an entry that one side deleted`(side: String) async throws {
        let a = try await Daemon.clinic("ward-1")
        let form = """
            {"form_id":"house","version":"1","key":["id"],"fields":[{"name":"id","type":"text"},
            {"name":"n","type":"integer"},
            {"name":"kid","type":"repeat","fields":[{"name":"age","type":"integer"}]}]}
            """
        #expect(try await a.shared("form", "add", "-", input: form).code == 0)
        let b = try await Daemon.member("ward-2", of: a, role: "editor")
        let rows = #"kid=[{"age":3},{"age":5}]"#
        #expect(try await a.shared("add", "house", "id=H1", "n=1", rows).code == 0)
        try await meet(a, b)
        #expect(try await a.shared("delete", "house", "H1").code == 0)
        #expect(try await b.shared("edit", "house", "H1", "n=2").code == 0)
        try await meet(a, b)
        let deleted = try await a.shared("show", "house", "H1").code != 0
        let run = try await a.shared("resolve", "house", "H1", "--keep", side)
        #expect(run.code == 0, "\(run)")
        try await meet(a, b)
        for daemon in [a, b] {
            #expect(try await daemon.answer("conflicts") == .array([]))
            let shown = try await daemon.shared("show", "house", "H1", "--json")
            guard deleted != (side == "shown") else {
                #expect(shown.code == 1)
                #expect(try await daemon.answer("list", "house/kid") == .array([]))
                continue
            }
            let entry = try JSONValue(text: Array(shown.output.utf8))
            let ages = entry["kid"].array?.map { $0["age"] }
            #expect(ages == [.integer(3), .integer(5)], "\(shown)")
        }
    }

    @Test func `a conflict is shown alike on both, resolved on one, and gone on both`() async throws
    {
        let (a, b, id) = try await apart(["edit", "age=2"], ["edit", "age=3", "weight=30.5"])
        let short = String(id.suffix(8))
        #expect(try await bare(a, "conflicts") == bare(b, "conflicts"))
        #expect(try await bare(a, "history", short) == bare(b, "history", short))
        let shown = try await a.shared("conflicts")
        #expect(shown.output.contains("age of visit Sara (\(short))"))
        #expect(shown.output.contains("shows  3  by ward-2"))
        #expect(shown.output.contains("kept   2  by ward-1"))
        #expect(try await a.answer("show", short)["_conflicts"] == .array(["age"]))
        // Another field resolves nothing.
        #expect(try await a.shared("edit", short, "name=Sarah").code == 0)
        #expect(try await a.answer("conflicts").array?.count == 1)
        for more in [[], ["--keep", "shown"], ["age=4"]] {
            let run = try await a.shared(["resolve", short, "weight=1"] + more)
            run.expectProblem("weight is not in conflict; in conflict: age")
            run.expectHint("shared edit \(short) FIELD=VALUE")
        }
        #expect(try await a.answer("show", short)["weight"] == .double(30.5))
        let resolved = try await a.shared("resolve", short, "--keep", "other")
        #expect(resolved.output == "visit Sarah (\(short)): age resolved\n", "\(resolved.errors)")
        try await meet(a, b)
        for daemon in [a, b] {
            #expect(try await daemon.answer("conflicts") == .array([]))
            #expect(try await daemon.answer("show", id)["age"] == .integer(2))
            #expect(try await daemon.status()["conflicts"].number == 0)
            let history = try await daemon.shared("history", short)
            #expect(history.output.contains("unseen by 3"))
            #expect(!history.output.contains("NOT VERIFIED"))
            #expect(history.output.contains("\n+ verified just now"), "\(history.output)")
            #expect(history.output.contains("\n1 + "), "\(history.output)")
            try await daemon.shared("resolve", short, "age=5").expectProblem("has no conflict")
        }
        #expect(try await bare(a, "history", short) == bare(b, "history", short))
        #expect(try await a.shared("verify").code == 0)
    }

    @Test func `a conflict resolved by what showed says in the history what it keeps`()
        async throws
    {
        let (a, b, id) = try await apart(["edit", "age=2"], ["edit", "age=3"])
        #expect(try await a.shared("resolve", id, "--keep", "shown").code == 0)
        try await meet(a, b)
        for daemon in [a, b] {
            let history = try await daemon.answer("history", id)
            #expect(history[3]["changed"] == .object([:]))
            #expect(history[3]["kept"] == .object(["age": .integer(3)]))
            #expect(history[0]["kept"] == .object([:]))
            let shown = try await daemon.shared("history", id)
            #expect(shown.output.contains("\n        keeps age: 3\n"), "\(shown.output)")
        }
    }

    @Test func `a deleted record has a history, comes back, and can be deleted for good`()
        async throws
    {
        let (a, b, id) = try await apart(["delete"], ["edit", "age=3"])
        let short = String(id.suffix(8))
        for daemon in [a, b] {
            let conflict = try await daemon.answer("conflicts")[0]
            #expect(conflict["field"].string == "_deleted")
            #expect(conflict["losers"][0]["changed"]["age"] == .integer(3))
            let shown = try await daemon.shared("conflicts")
            #expect(shown.output.contains("shows  deleted  by ward-1"))
            #expect(shown.output.contains("kept   changed: age=3  by ward-2"))
            let history = try await daemon.answer("history", short)
            #expect(
                history.array?.map { $0["kind"].string ?? "" } == ["put", "delete", "edit"])
            #expect(history.array?.allSatisfy { $0["verified"].isTrue } == true)
            let gone = try await daemon.shared("show", short)
            gone.expectProblem("is deleted")
            #expect(gone.errors.contains("shared restore \(short)"))
        }
        #expect(try await b.shared("restore", short).output == "visit Sara (\(short)) is back\n")
        try await meet(a, b)
        for daemon in [a, b] {
            #expect(try await daemon.answer("show", short)["age"] == .integer(3))
            #expect(try await daemon.answer("conflicts") == .array([]))
        }
        #expect(try await a.shared("delete", short).code == 0)
        let again = try await a.shared("delete", short)
        #expect(again.code == 0 && again.output.contains("is deleted already"), "\(again)")
    }

    @Test func `both resolve at once: that is a new conflict, and told as one`() async throws {
        let (a, b, id) = try await apart(["edit", "age=2"], ["edit", "age=3"])
        let watch = try await a.watch("--json")
        #expect(try await a.shared("resolve", id, "age=4").code == 0)
        #expect(try await b.shared("resolve", id, "age=5").code == 0)
        try await meet(a, b)
        #expect(try await bare(a, "conflicts") == bare(b, "conflicts"))
        let conflict = try await a.answer("conflicts")[0]
        #expect(conflict["winner"]["value"] == .integer(5))
        #expect(conflict["losers"].array?.map { $0["value"].number } == [4])
        let isTold = await eventually {
            watch.output.split(separator: "\n").contains {
                $0.contains("\"event\":\"conflict\"") && $0.contains(id)
            }
        }
        #expect(isTold, "\(watch.output)")
        watch.signal(SIGINT)
        _ = try await watch.end()
    }

    @Test func `reviews and comments are a reviewer's, and shown everywhere`() async throws {
        let (a, b, id) = try await apart(
            ["edit", "age=2"], ["review", "approved", "--comment", "well done"], role: "reviewer")
        let short = String(id.suffix(8))
        try await b.shared("edit", short, "age=1").expectProblem("and enter or change none")
        try await b.shared("add", "visit", "name=Eve").expectProblem("and enter or change none")
        let parallel = try await a.shared("conflicts", "--parallel")
        #expect(parallel.output.contains("age=2  by ward-1"))
        #expect(parallel.output.contains("reviewed: approved  by ward-2"))
        #expect(try await bare(a, "conflicts", "--parallel") == bare(b, "conflicts", "--parallel"))
        #expect(try await b.shared("comment", short, "look again on Monday").code == 0)
        #expect(try await b.shared("review", short, "hasIssues").code == 0)
        try await meet(a, b)
        let shown = try await a.shared("show", short)
        #expect(shown.output.contains("look again on Monday  by ward-2"))
        #expect(shown.output.contains("hasIssues"))
        #expect(try await a.answer("list", "visit")[0]["_state"].string == "hasIssues")
        #expect(try await a.answer("conflicts", "--parallel") == .array([]))
        let history = try await a.shared("history", short)
        #expect(history.output.contains("reviewed: hasIssues"))
        #expect(history.output.contains("\"well done\""))
    }

    @Test(arguments: [
        ["resolve", "7f3c9a12"], ["resolve", "7f3c9a12", "--keep", "mine"], ["resolve"],
        ["restore"], ["review", "7f3c9a12"], ["comment", "7f3c9a12"],
        ["resolve", "7f3c9a12", "age"],
    ])
    func `what is not understood is a matter of usage`(_ arguments: [String]) async throws {
        let run = try await CommandRun(arguments, socket: "/nowhere", limit: .seconds(60))
        #expect(run.code == 2, "\(run.errors)")
        #expect(run.errors.contains("shared: hint:"))
    }
}
