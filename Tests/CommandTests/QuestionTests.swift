import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// What a coordinator asks every day, of 60 households that five devices entered: each question is
/// one line, and no long one.
@Suite(.serialized) struct QuestionTests {
    private static let form = """
        {"form_id": "household", "version": "1", "title": "Household", "key": ["hh_id"], "fields": [
          {"name": "hh_id", "type": "text", "required": true},
          {"name": "village", "type": "select_one", "list": "villages"},
          {"name": "head_name", "type": "text"},
          {"name": "under5", "type": "integer"},
          {"name": "fever", "type": "decimal"},
          {"name": "gps", "type": "text"}],
         "lists": {"villages": ["koro", "dongo", "bala"]}}
        """
    private static let names = ["coord", "amina", "bakary", "chloe", "daouda"]
    private static let villages = ["koro", "dongo", "bala"]

    /// A household by its number, as CSV.
    private static func household(_ number: Int) -> String {
        let id = "KOR-" + String(1_000 + number).dropFirst()
        let head = number % 10 == 0 ? "Amadou Traor\u{E9}" : "Awa Keita"
        let fever = number % 6 == 0 ? "39.5" : "37.1"
        let gps = number % 15 == 0 ? "" : "12.1 -4.2"
        return "\(id),\(villages[number % 3]),\(head),\(number % 5),\(fever),\(gps)\n"
    }

    /// Five devices with twelve households each, one of them entered twice.
    private func team() async throws -> [Daemon] {
        let coord = try await Daemon("coord")
        try #require(try await coord.shared("create", "survey").code == 0)
        try #require(try await coord.shared("form", "add", "-", input: Self.form).code == 0)
        var team = [coord]
        for name in Self.names.dropFirst() {
            let daemon = try await Daemon(name, peers: [coord])
            let code = try #require(try await coord.answer("invite")["code"].string)
            try #require(try await daemon.shared("join", code).code == 0)
            team.append(daemon)
        }
        for (place, daemon) in team.enumerated() {
            var csv = "hh_id,village,head_name,under5,fever,gps\n"
            for number in 1...60 where number % 5 == place { csv += Self.household(number) }
            if daemon.name == "chloe" { csv += Self.household(1) }
            let run = try await daemon.shared(["import", "household", "-"], input: csv)
            try #require(run.code == 0, "\(run.errors)")
            try #require(try await daemon.shared("push").code == 0)
        }
        let isShared = await eventually(within: .seconds(60)) {
            (try? await coord.status()["records"].number) == 61
        }
        try #require(isShared)
        return team
    }

    /// What a line prints that somebody types in a shell, and ends with Enter.
    private func ask(
        _ line: String, _ daemon: Daemon, atMost keys: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        #expect(line.count + 1 <= keys, "\(line)", sourceLocation: sourceLocation)
        let folder = daemon.folder.path
        let shared = URL(filePath: try Product.path("shared")).deletingLastPathComponent().path
        let run = try await CommandRun(
            program: "/bin/bash", ["-c", "cd '\(folder)' && \(line)"],
            environment: [
                "SHARED_SOCKET": daemon.socket, "PATH": "\(shared):/usr/bin:/bin",
                "LC_ALL": "C.UTF-8",
            ])
        #expect(run.code == 0, "\(line): \(run.errors)", sourceLocation: sourceLocation)
        return run.output
    }

    private func rows(_ output: String) -> Int { output.split(separator: "\n").count - 1 }

    @Test func `fifteen daily questions are answered, each by one short line`() async throws {
        try await untilDayLasts()
        let team = try await team()
        let coord = team[0]
        let id = try #require(
            try await coord.answer("list", "household", "hh_id=KOR-003")[0]["_id"].string)
        for arguments in [
            ["review", id, "hasIssues", "--comment", "the date is missing"],
            ["review", "household", "KOR-006", "approved"],
        ] {
            try #require(try await coord.shared(arguments).code == 0)
        }
        // daouda goes with something that it has not sent; two change one entry apart.
        try #require(
            try await team[4].shared("edit", "household", "KOR-004", "under5=9").code == 0)
        let isTold = await eventually {
            let members = try? await coord.answer("members").array
            return members?.contains { $0["progress"]["unsent"].number == 1 } == true
        }
        #expect(isTold)
        await team[4].terminate()
        try #require(
            try await coord.shared("edit", "household", "KOR-004", "under5=8").code == 0)

        // 1: entries today per collector
        let activity = try await ask("shared members --activity", coord, atMost: 30)
        #expect(activity.split(separator: "\n").count == 6)
        #expect(activity.contains(/chloe +13 +13/), "\(activity)")
        // 2: who has not sent
        let members = try await ask("shared members", coord, atMost: 30)
        #expect(members.contains(/daouda .*had 1 entry or change that it had not sent/))
        let peers = try await ask("shared peers", coord, atMost: 30)
        #expect(peers.contains(/daouda .*had 1 entry or change that it had not sent/))
        let sync = try await coord.shared("sync", "--all")
        #expect(
            sync.words.contains(/daouda had 1 entry or change that it had not sent at [0-9]/),
            "\(sync)")
        #expect(sync.code == 1 && !sync.words.contains("types shared push"), "\(sync)")
        #expect(sync.words.contains("not in reach: daouda (last met"), "\(sync)")
        #expect(!sync.errors.contains("daouda"), "told once: \(sync.errors)")
        // 3: what changed since yesterday
        let since = try await ask("shared list household --since yesterday", coord, atMost: 40)
        #expect(rows(since) == 61)
        // 4: fever above 39
        let fever = try await ask("shared list household 'fever>39'", coord, atMost: 40)
        #expect(rows(fever) == 10, "\(fever)")
        // 5: a chart by village
        let chart = try await ask("shared chart bar household village", coord, atMost: 40)
        #expect(chart.contains(/koro .* 20/), "\(chart)")
        // 6: without a position
        #expect(rows(try await ask("shared list household gps=", coord, atMost: 40)) == 4)
        // 7: entered twice
        let twice = try await ask("shared list household --duplicates", coord, atMost: 40)
        #expect(rows(twice) == 2 && twice.contains("KOR-001"), "\(twice)")
        // 8: not reviewed
        #expect(rows(try await ask("shared list household _state=", coord, atMost: 40)) == 59)
        // 9: with issues, and why
        let issues = try await ask("shared list household _state=hasIssues", coord, atMost: 40)
        #expect(
            issues.contains(/KOR-003: coord, \d\d:\d\d: "the date is missing"\n$/), "\(issues)")
        #expect(rows(issues) == 2, "one entry, and why: \(issues)")
        // 10: all of amina's
        let amina = try await ask("shared list household _author=amina", coord, atMost: 40)
        #expect(rows(amina) == 12)
        // 11: children under five in Koro; the form's name is `h` and Tab
        #expect(try await ask("shared __complete stats h", coord, atMost: 30) == "household\n")
        for (words, found) in [
            (["list", "household", "vill"], "village="), (["role", "am"], "amina"),
            (["edit", "household", "KOR-003", "village=k"], "village=koro"),
            (["edit", "KOR-003", "village=k"], "village=koro"), (["show", "KOR-00"], "KOR-001"),
            (["show", "hou"], "household"),
            (["review", "household", "KOR-003", "app"], "approved"),
            (["delete", "household", "KOR-01"], "KOR-010"),
            (["show", "household", "KOR-003", "KOR-00"], "KOR-001"),
            (["import", "household", "a.csv", "--map", "Number="], "Number="),
            (["import", "household", "a.csv", "--map", "Number=und"], "Number=under5"),
            (["chart", "bar", "household", "un"], "under5"), (["set", "autopush", "f"], "follow"),
            (["export", "household", "--columns", "vil"], "village"),
            (["export", "household", "--columns", "village,und"], "village,under5"),
            (["list", "household", "--author", "am"], "amina"),
        ] {
            let run = try await coord.shared(["__complete"] + words)
            #expect(run.output.split(separator: "\n").first == found[...], "\(words): \(run)")
        }
        let line = "shared stats household under5 village=koro"
        let saved = "household ".count - "h\t".count
        let sum = try await ask(line, coord, atMost: 40 + saved)
        #expect(sum.contains(/sum +40/), "\(sum)")
        // 12: find a name
        let found = try await ask("shared search traore", coord, atMost: 30)
        #expect(found.contains(": 6\n") && found.contains("KOR-010"), "\(found)")
        // 13: open conflicts, with whose they are
        try await team[4].start()
        try #require(try await team[4].shared("push").code == 0)
        try #require(try await coord.shared("push").code == 0)
        let isThere = await eventually {
            (try? await coord.status()["conflicts"].number) == 1
        }
        #expect(isThere)
        let conflicts = try await ask("shared conflicts", coord, atMost: 30)
        #expect(conflicts.contains("under5 of household KOR-004"), "\(conflicts)")
        // 14: which device has which release, and which has not got a form in force
        let wide = try await ask("shared members --wide", coord, atMost: 30)
        #expect(wide.contains(/daouda .* 0\.1\.0\s/), "\(wide)")
        #expect(wide.contains("forms in force: household "), "\(wide)")
        // 15: a file for Excel, with the names of collectors
        _ = try await ask("shared export household>a.csv", coord, atMost: 30)
        let file = try String(contentsOfFile: coord.folder.path + "/a.csv", encoding: .utf8)
        #expect(file.contains("_author_name") && file.contains(",amina,"))
    }
}
