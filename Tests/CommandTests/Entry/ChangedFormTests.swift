import JSON
import ShareTestKit
import Testing

/// What somebody did under an earlier version of a form, and is taken back, or stands beside what
/// another one did under the next.
@Suite struct ChangedFormTests {
    private static func form(_ version: Int, _ type: String, more: String = "") -> String {
        """
        {"form_id": "house", "version": "\(version)", "key": ["code"], "fields": [
          {"name": "code", "type": "text"}, {"name": "members", "type": "\(type)"},
          {"name": "twice", "type": "decimal", "calculation": "${members} * 2"},
          {"name": "person", "type": "repeat", "label": "Person", "fields": [
            {"name": "age", "type": "\(type)"}]}\(more)]}
        """
    }

    private static func add(_ form: String, to daemon: Daemon) async throws {
        let run = try await daemon.shared("form", "add", "-", input: form)
        try #require(run.code == 0, "\(run)")
    }

    @Test func `a change of a whole number is taken back when it is a decimal`() async throws {
        let daemon = try await Daemon.clinic()
        try await Self.add(Self.form(1, "integer"), to: daemon)
        let added = try await daemon.shared(
            "add", "house", "code=H1", "members=2", "person[1]/age=7")
        try #require(added.code == 0, "\(added)")
        let edited = try await daemon.shared("edit", "house", "H1", "members=3", "person[1]/age=8")
        try #require(edited.code == 0, "\(edited)")
        try await Self.add(Self.form(2, "decimal"), to: daemon)
        let undone = try await daemon.shared("undo", "house", "H1")
        #expect(undone.words.contains("members: 3 -> 2"), "\(undone)")
        #expect(undone.words.contains("person[1]/age: 8 -> 7"), "\(undone)")
        #expect(!undone.errors.contains("left as it is"), "\(undone)")
        let entry = try await daemon.answer("show", "house", "H1")
        #expect(entry["members"] == .double(2) && entry["twice"] == .double(4), "\(entry.shown)")
        #expect(entry["person"][0]["age"] == .double(7), "\(entry.shown)")
    }

    @Test func `an answer that is not asked any more is taken back`() async throws {
        let daemon = try await Daemon.clinic()
        let roof = #", {"name": "roof", "type": "text"}"#
        try await Self.add(Self.form(1, "integer", more: roof), to: daemon)
        let added = try await daemon.shared("add", "house", "code=H1", "members=2", "roof=tin")
        try #require(added.code == 0, "\(added)")
        let edited = try await daemon.shared("edit", "house", "H1", "members=3", "roof=straw")
        try #require(edited.code == 0, "\(edited)")
        try await Self.add(Self.form(2, "integer"), to: daemon)
        let undone = try await daemon.shared("undo", "house", "H1")
        #expect(undone.words.contains("members: 3 -> 2"), "\(undone)")
        #expect(undone.words.contains("roof: straw -> tin"), "\(undone)")
        #expect(!undone.errors.contains("left as it is"), "\(undone)")
        #expect(try await daemon.answer("show", "house", "H1")["roof"].string == "tin")
    }

    @Test func `an answer that is required now is taken back to none, as it was`() async throws {
        let daemon = try await Daemon.clinic()
        try await Self.add(Self.form(1, "integer"), to: daemon)
        let added = try await daemon.shared("add", "house", "code=H1", "members=2")
        try #require(added.code == 0, "\(added)")
        let latrine = #", {"name": "latrine", "type": "text", "required": true}"#
        try await Self.add(Self.form(2, "integer", more: latrine), to: daemon)
        let edited = try await daemon.shared("edit", "house", "H1", "latrine=no")
        try #require(edited.code == 0, "\(edited)")
        let undone = try await daemon.shared("undo", "house", "H1")
        #expect(undone.words.contains("latrine: no -> (nothing)"), "\(undone)")
        // Nobody else may take it away.
        try #require(try await daemon.shared("edit", "house", "H1", "latrine=yes").code == 0)
        try await daemon.shared("edit", "house", "H1", "latrine=").expectProblem("is required")
    }

    @Test func `a number that two people gave under two versions is in conflict`() async throws {
        let a = try await Daemon.clinic("ward-1")
        try await Self.add(Self.form(1, "integer"), to: a)
        let b = try await Daemon.member("ward-2", of: a, role: "editor")
        for key in ["H1", "H2"] {
            let added = try await a.shared("add", "house", "code=\(key)", "members=9")
            try #require(added.code == 0, "\(added)")
        }
        try await Daemon.share(a, b)
        await b.terminate()
        try await Self.add(Self.form(2, "decimal"), to: a)
        try #require(try await a.shared("edit", "house", "H1", "members=6").code == 0)
        try #require(try await a.shared("edit", "house", "H2", "members=7").code == 0)
        await a.terminate()
        try await b.start()
        try #require(try await b.shared("edit", "house", "H1", "members=5").code == 0)
        // Both came to the same.
        try #require(try await b.shared("edit", "house", "H2", "members=7").code == 0)
        try await a.start()
        try await Daemon.share(a, b)
        for daemon in [a, b] {
            let conflicts = try await daemon.answer("conflicts").array ?? []
            let found = conflicts.filter { $0["field"].string == "members" }
            #expect(found.map { $0["key"].string } == ["H1"], "\(conflicts.map(\.shown))")
            let shown = try await daemon.answer("show", "house", "H1")["members"]
            let winner = found.first?["winner"]["value"]
            #expect(winner == shown)
            let sides = [winner, found.first?["losers"][0]["value"]].compactMap { $0?.shown }
            #expect(sides.sorted() == ["5.0", "6.0"])
        }
        let resolved = try await b.shared("resolve", "house", "H1", "--keep", "other")
        #expect(resolved.code == 0, "\(resolved)")
        try await Daemon.share(a, b)
        for daemon in [a, b] {
            #expect(try await daemon.shared("conflicts").output.contains("no conflicts"))
        }
        let entry = try await a.answer("show", "house", "H1")
        let edited = try await a.shared("edit", "house", "H1", "members=8.5")
        let before = try #require(edited.output.firstMatch(of: /members: (\d) -> 8.5/)).1
        let undone = try await a.shared("undo", "house", "H1")
        #expect(undone.output.contains("members: 8.5 -> \(before)"), "\(edited) \(undone)")
        let history = try await a.shared("history", "house", "H1")
        #expect(history.words.contains("members: \(before) -> 8.5"), "\(history)")
        guard case .double(let members) = entry["members"] else {
            Issue.record("\(entry.shown)")
            return
        }
        #expect(entry["twice"] == .double(members * 2), "\(entry.shown)")
    }

    @Test func `a choice of another name is found with those of its label before`() async throws {
        let daemon = try await Daemon.clinic()
        func form(_ version: Int, _ name: String) -> String {
            """
            {"form_id": "hut", "version": "\(version)", "key": ["code"], "fields": [
              {"name": "code", "type": "text"},
              {"name": "village", "type": "select_one", "list": "v"},
              {"name": "others", "type": "select_multiple", "list": "v"}],
             "lists": {"v": [{"name": "\(name)", "label": "Koro"},
               {"name": "dongo", "label": "Dongo"}]}}
            """
        }
        func add(_ code: String, _ village: String) async throws {
            let run = try await daemon.shared(
                "add", "hut", "code=\(code)", "village=\(village)", "others=dongo \(village)")
            try #require(run.code == 0, "\(run)")
        }
        try await Self.add(form(1, "koro"), to: daemon)
        try await add("1", "koro")
        try await add("2", "koro")
        try await add("3", "dongo")
        try await Self.add(form(2, "kr"), to: daemon)
        try await add("4", "koro")
        for (condition, count) in [
            ("village=koro", 3), ("village=Koro", 3), ("village!=koro", 1), ("village=kr", 1),
            ("others=koro", 3), ("others!=koro", 1), ("village~koro", 3), ("village=dongo", 1),
            ("village = 'koro'", 2),
        ] {
            let run = try await daemon.shared("count", "hut", condition)
            #expect(run.output == "\(count)\n", "\(condition): \(run)")
        }
        let edited = try await daemon.onTerminal(
            ["edit", "hut", "1"], [.init(line: "1"), .init(line: "10"), .init(line: "")])
        #expect(edited.output.contains("changed code of hut 10"), "\(edited)")
        #expect(!edited.output.contains("Koro -> Koro"), "\(edited)")
        #expect(try await daemon.answer("show", "hut", "10")["village"].string == "koro")
        let counted = try await daemon.shared("count", "hut", "--by", "village")
        #expect(counted.words.contains("Koro (koro) 2"), "\(counted)")
        #expect(counted.words.contains("Koro (kr) 1"), "\(counted)")
    }

    @Test func `entries are called otherwise where somebody insists, and files say what they lack`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        try await Self.add(
            Self.form(1, "integer", more: #",{"name":"gps","type":"geopoint"}"#), to: daemon)
        try #require(
            try await daemon.shared("add", "house", "code=H1", "members=2", "gps=1 2").code == 0)
        let next = Self.form(2, "integer").replacing(#"["code"]"#, with: #"["members", "code"]"#)
        let told = "the key of house was code and would be members, code"
        let trial = try await daemon.shared("form", "add", "-", "--dry-run", input: next)
        #expect(trial.errors.contains(told), "\(trial)")
        let refused = try await daemon.shared("form", "add", "-", input: next)
        #expect(refused.code == 1 && refused.errors.contains(told), "\(refused)")
        let keyless = next.replacing(#""key": ["members", "code"], "#, with: "")
        let none = try await daemon.shared("form", "add", "-", input: keyless)
        #expect(none.code == 1 && none.errors.contains("would be none"), "\(none)")
        // A form without a key may get one.
        let dropped = try await daemon.shared("form", "add", "-", "--force", input: keyless)
        try #require(dropped.code == 0, "\(dropped)")
        let third = Self.form(3, "integer")
        #expect(try await daemon.shared("form", "add", "-", input: third).code == 0)
        let file = daemon.folder.path + "/house.csv"
        for manner in ["kobo", "central"] {
            let export = try await daemon.shared(
                "export", "house", "--like", manner, "--output", file)
            #expect(
                export.errors.contains("fields of earlier versions are not in it: gps"),
                "\(export)")
        }
    }
}
