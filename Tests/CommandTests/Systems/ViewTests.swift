import JSON
import ShareControl
import ShareTestKit
import Testing

/// The views of rooms, with the real programs.
@Suite(.serialized) struct ViewTests {
    @Test(
        .timeLimit(.minutes(2)),
        arguments: [
            "common-viruses", "butterfly-survey", "health-log", "water-sanitation",
            "career-progress",
        ])
    func `views of the examples can be shown, and nothing comes in twice`(_ package: String)
        async throws
    {
        let daemon = try await Daemon(package)
        let set = try await daemon.shared("package", "install", Examples.folder + package)
        try #require(set.code == 0, "\(set.errors)")
        #expect(!set.errors.contains("cannot be shown"), "\(set.errors)")
        // Once more it adds nothing: rows have a key of their form, or one of their own.
        let room = try #require(try await daemon.answer("rooms")[0]["name"].string)
        let again = try await daemon.shared(
            "--room", room, "package", "install", Examples.folder + package)
        let added = again.output.split(separator: "\n").filter { $0.contains(": added") }
        #expect(again.code == 0 && !added.isEmpty, "\(again.errors)")
        #expect(added.allSatisfy { $0.contains(": added 0 ") }, "\(added)")
        let views = try await daemon.answer("view").array ?? []
        #expect(views.count > 5)
        for view in views {
            #expect(view.object?["problem"] == nil, "\(view.shown)")
            let name = try #require(view["name"].string)
            let run = try await daemon.shared("view", name)
            #expect(run.code == 0 && !run.output.isEmpty, "\(name): \(run.errors)")
        }
        // A number in the course of time has times along its foot, and one line.
        if package == "health-log" {
            let chart = try await daemon.answer("view", "pressure")
            #expect(chart["figures"]["by"].array?.count == 1, "\(chart.shown)")
            #expect(chart["figures"]["by"][0]["name"].string == "measured")
        }
        if package == "butterfly-survey" {
            let months = try await daemon.answer("view", "season")
            #expect(months["figures"]["by"][0]["period"].string == "month", "\(months.shown)")
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `a view that cannot be shown takes no other one away, and is named at once`() async throws
    {
        let daemon = try await Daemon.installed("common-viruses")
        let views = """
            \u{FEFF}{"views": [
              {"name": "bad", "kind": "figure", "form": "common-viruses",
               "where": "malaria = 'yes'"},
              {"name": "none", "kind": "figure", "form": "nothing"},
              {"name": "shape", "kind": "chart", "chart": "histogram", "form": "common-viruses",
               "field": "Virus_Name"},
              {"name": "wide", "kind": "table", "form": "common-viruses", "columns": ["Height"]},
              {"name": "list", "kind": "search", "list": "plants"},
              {"name": "recovery", "kind": "figure", "form": "common-viruses", "agg": "mean",
               "field": "Recovery_Status", "title": "Recovery"},
              {"name": "goal", "kind": "target", "form": "common-viruses", "agg": "max",
               "field": "Recovery_Status", "goal": 80},
              {"name": "patients", "kind": "target", "form": "common-viruses", "goal": 20},
              {"name": "own", "kind": "search", "list": "herbs"}]}
            """
        // A list that a form alone has can be searched too.
        let form = """
            {"form_id": "herb", "lists": {"herbs": ["mint"]},
             "fields": [{"name": "p", "type": "select_one", "list": "herbs"}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let set = try await daemon.shared("set", "views", "-", input: views)
        try #require(set.code == 0, "\(set.errors)")
        let notes = set.errors.split(separator: "\n")
        for name in ["bad", "none", "shape", "wide", "list"] {
            let told = notes.filter { $0.contains("\(name) cannot be shown: ") }
            #expect(told.count == 1, "\(name): \(set.errors)")
        }
        #expect(notes.count == 5, "\(set.errors)")

        let overview = try await daemon.shared("view")
        #expect(overview.code == 0 && overview.errors.isEmpty, "\(overview.errors)")
        let lines = overview.output.split(separator: "\n").map {
            $0.split(separator: " ").joined(separator: " ")
        }
        #expect(
            lines.contains("bad cannot be shown: the form common-viruses has no field \"malaria\""))
        #expect(lines.contains { $0.hasPrefix("none cannot be shown: ") && $0.contains("nothing") })
        #expect(lines.contains("recovery Recovery 42%"), "\(overview.output)")
        #expect(lines.contains("goal 75% of 80%"))
        #expect(lines.contains("patients 10 of 20"))
        #expect(try await daemon.shared("view", "recovery").output == "42%\n")
        try await daemon.shared("view", "bad").expectProblem("no field \"malaria\"")

        let answer = try await daemon.answer("view").array ?? []
        #expect(answer[0]["problem"].string == "the form common-viruses has no field \"malaria\"")
        #expect(answer[5]["title"].string == "Recovery" && answer[5]["value"] == .double(42))
        #expect(answer[7]["goal"] == .integer(20), "\(answer[7].shown)")
    }

    @Test(.timeLimit(.minutes(2)))
    func `a package adds its views to those of the room that it goes into`() async throws {
        let daemon = try await Daemon("ward-1")
        try #require(try await daemon.shared("create", "field").code == 0)
        let views = """
            {"views": [
              {"name": "mine", "kind": "figure", "form": "household"},
              {"name": "koro", "kind": "target", "form": "household", "goal": 5}]}
            """
        try #require(try await daemon.shared("set", "views", "-", input: views).code == 0)
        let water = Examples.folder + "water-sanitation"
        let run = try await daemon.shared("--room", "field", "package", "install", water)
        try #require(run.code == 0, "\(run.errors)")
        #expect(run.output.contains("8 views"), "\(run.output)")
        #expect(
            run.errors.contains("other views of these names, which stay: koro"), "\(run.errors)")
        let names = try await daemon.answer("view").array?.compactMap { $0["name"].string }
        #expect(names?.prefix(3) == ["mine", "koro", "households"], "\(names ?? [])")
        let koro = try await daemon.shared("view", "koro")
        #expect(koro.output.hasSuffix(" of 5\n"), "\(koro.output)")
        let again = try await daemon.shared("--room", "field", "package", "install", water)
        #expect(again.output.contains("8 views"), "\(again.output)")
    }
}
