import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Conditions, counts, figures, charts and searches, as people ask for them.
@Suite(.serialized) struct FindTests {
    private func viruses() async throws -> Daemon {
        try await untilDayLasts()
        let daemon = try await Daemon("ward-1")
        try #require(try await daemon.shared("create", "clinic").code == 0)
        let folder = Repository.url("examples/common-viruses").path
        for words in [
            ["form", "add", "\(folder)/forms/common-viruses.json"],
            ["import", "common-viruses", "\(folder)/data/common-viruses.csv"],
        ] {
            let run = try await daemon.shared(words)
            try #require(run.code == 0, "\(run.errors)")
        }
        return daemon
    }

    private func groups(_ answer: JSONValue) -> [String: Int] {
        var groups: [String: Int] = [:]
        for group in answer["groups"].array ?? [] {
            groups[group["keys"][0]["label"].string ?? "?"] = group["entries"].number
        }
        return groups
    }

    @Test func `the ten patients and nine viruses come to their figures`() async throws {
        let daemon = try await viruses()
        let names = try await daemon.answer("count", "common-viruses", "--by", "Patient_Fname")
        #expect(names["entries"].number == 10)
        #expect(
            groups(names) == [
                "Sara": 2, "Jacob": 2, "Isabella": 1, "Mary": 1, "James": 1, "Ethan": 1,
                "Tyler": 1, "Aiden": 1,
            ])
        #expect(
            groups(try await daemon.answer("count", "common-viruses", "today", "--by", "author"))
                == ["ward-1": 10])
        let days = try await daemon.answer("count", "common-viruses", "--by", "day")
        #expect(days["groups"].array?.count == 1 && days["by"][0]["period"].string == "day")
        let viruses = groups(
            try await daemon.answer("count", "common-viruses", "--by", "Virus_Name"))
        #expect(viruses.count == 9 && viruses["Chickenpox"] == 2)
        #expect(viruses.values.count { $0 == 1 } == 8)
        let stats = try await daemon.answer("stats", "common-viruses", "Recovery_Status")
        let recovery = stats["fields"][0]
        #expect(recovery["n"].number == 10 && recovery["missing"].number == 0)
        #expect(recovery["mean"] == .double(42) || recovery["mean"] == .integer(42))
        #expect(recovery["median"] == .double(40) || recovery["median"] == .integer(40))
        #expect(recovery["min"].number == 10 && recovery["max"].number == 75)
        let pie = try await daemon.answer("chart", "pie", "common-viruses", "Patient_Fname")
        #expect(groups(pie["figures"]).count == 8)
        // Codes are names here: the distinct values, and the patients of one.
        let codes = try await daemon.answer("count", "common", "--by", "Virus_Number")
        #expect(groups(codes).count == 9)
        let patients = try await daemon.answer(
            "list", "common-viruses", "Virus_Number=412", "--sort", "-Patient_ID")
        #expect(patients.array?.compactMap { $0["Patient_Fname"].string } == ["Isabella", "Sara"])
    }

    @Test func `conditions find what they say`() async throws {
        let daemon = try await viruses()
        let conditions: [(words: [String], count: Int)] = [
            (["Virus_Number=412"], 2), (["Recovery_Status>50"], 3), (["Recovery_Status>=70%"], 2),
            (["Recovery_Status<25", "Patient_Fname=Jacob"], 1), (["Virus_Name~HEPATITIS"], 3),
            (["Virus_Name!=Influenza"], 9), (["Patient_Lname="], 0), (["_created=today"], 10),
            (["today"], 10), (["yesterday"], 0), (["2020-01"], 0), (["created=today"], 10),
            (["author=ward-1"], 10), (["state="], 10),
            (["_created=yesterday"], 0), (["_created>2020-01-01"], 10), (["_author=ward-1"], 10),
            (["_author!=ward-1"], 0), (["author!=WARD-1"], 0),
            (["--author", "WARD-1"], 10), (["_state="], 10), (["--state", "none"], 10),
            (["_state=approved"], 0), (["--since", "yesterday"], 10), (["--since", "tomorrow"], 0),
            (["--since", "10m"], 10), (["--since", "0d"], 0),
            (["Recovery_Status > 50 and Virus_Name != 'Chickenpox'"], 1),
            (["contains(Virus_Name, 'patit')"], 3), (["regex(Patient_Lname, 'M.*r')"], 2),
            (["${Recovery_Status} div 10 = 7 or Patient_ID = 459"], 2),
            (["Patient_Fname=Sara", "--where", "Recovery_Status>50"], 1),
        ]
        for (words, count) in conditions {
            let run = try await daemon.shared(["count", "common-viruses"] + words)
            #expect(run.output == "\(count)\n", "\(words): \(run.errors)")
            let list = try await daemon.shared(["list", "common-viruses", "--json"] + words)
            let listed = try JSONValue(text: Array(list.output.utf8))
            #expect(listed.array?.count == count, "\(words)")
            let csv = try await daemon.shared(["export", "common-viruses"] + words)
            #expect(csv.output.split(separator: "\n").count == count + 1, "\(words)")
        }
    }

    @Test func `a value that is stored is found, whatever the form says now`() async throws {
        let daemon = try await Daemon.clinic()
        for symptoms in ["cough", "fever,rash", "rash"] {
            let run = try await daemon.shared(
                "add", "visit", "name=\(symptoms)", "age=1", "symptoms=\(symptoms)")
            try #require(run.code == 0, "\(run.errors)")
        }
        let next = Sample.form.replacingOccurrences(
            of: "\"version\": \"1\"", with: "\"version\": \"2\""
        )
        .replacingOccurrences(of: ", \"rash\"", with: "")
        let update = try await daemon.shared("form", "add", "-", input: next)
        try #require(update.code == 0, "\(update.errors)")
        #expect(try await daemon.shared("count", "visit", "symptoms=rash").output == "2\n")
        #expect(try await daemon.shared("count", "visit", "symptoms~rash").output == "2\n")
        let never = try await daemon.shared("count", "visit", "symptoms=plague")
        never.expectProblem("plague")
        let by = groups(try await daemon.answer("count", "visit", "--by", "symptoms"))
        #expect(by == ["cough": 1, "fever": 1, "rash": 2])
    }

    @Test func `what is wrong with a condition is said with a hint`() async throws {
        let daemon = try await viruses()
        for (words, message) in [
            (["Recovry=5"], "Recovry"), (["Recovery_Status=high"], "Recovery_Status"),
            (["Recovery_Status > 39 and Vrus_Name = 'x'"], "Vrus_Name"),
            (["Recovery_Status >"], "nothing stands after"),
            (["Recovery_Status > 5 +"], "wants a"), (["nothing(Virus_Name) = 1"], "nothing"),
            (["Virus_Number > 2026-11-22 and Patient_ID > 1"], "subtraction"),
            (["Virus_Number~4"], "no text"), (["_author=nobody"], "no device"),
            (["_created=2026-13-01"], "wants a day"),
        ] {
            let run = try await daemon.shared(["list", "common-viruses"] + words)
            #expect(run.code != 0 && run.output.isEmpty)
            #expect(run.errors.contains(message), "\(words): \(run.errors)")
            #expect(run.errors.contains("shared: hint: "))
        }
        for (words, message) in [
            (["chart", "histogram", "common-viruses", "Virus_Name"], "no number"),
            (["chart", "points", "common-viruses", "Virus_Name"], "no places"),
            (["chart", "bar", "common-viruses", "Virus_Name", "--agg", "mean"], "no number"),
            (["chart", "bar", "common-viruses", "Virus"], "Virus"),
            (["stats", "common-viruses", "Virus"], "Virus"),
            (["count", "comon"], "common-viruses"),
        ] {
            let run = try await daemon.shared(words)
            #expect(run.code != 0 && run.errors.contains(message), "\(words): \(run.errors)")
        }
    }

    @Test func `a chart of a text with thousands of values is refused`() async throws {
        let daemon = try await Daemon.clinic()
        let csv = Sample.csv(rows: 3_000)
        try #require(try await daemon.shared("import", "visit", "-", input: csv).code == 0)
        let run = try await daemon.shared("chart", "bar", "visit", "name")
        run.expectProblem("more than 1000 different values", code: 2)
        let count = try await daemon.answer("count", "visit", "--by", "name")
        #expect(count["groups"].array?.count == 1_000 && count["more"].number == 2_000)
        #expect(count["rest"]["entries"].number == 2_000)
        let histogram = try await daemon.answer("chart", "histogram", "visit", "age")
        let counts = histogram["histogram"]["counts"].array?.compactMap(\.number) ?? []
        #expect(counts.reduce(0, +) == 3_000)
        // A search counts to 1,000 and says so.
        let search = try await daemon.shared("search", "person")
        #expect(search.output.contains(": more than 1,000\n"), "\(search)")
        #expect(search.output.contains("... and more: a longer text finds fewer"), "\(search)")
        let found = try await daemon.answer("search", "person")["forms"][0]
        #expect(found["found"].number == 1_000 && found["more"] == .bool(true))
        let page = try await daemon.answer("list", "visit", "--sort", "age", "--limit", "2")
        let last = try #require(page[1]["_id"].string)
        let next = try await daemon.answer(
            "list", "visit", "--sort", "age", "--limit", "1", "--after", last)
        let third = try await daemon.answer("list", "visit", "--sort", "age", "--limit", "3")
        #expect(next[0]["_id"] == third[2]["_id"])
    }

    @Test func `charts are drawn here, in ASCII, and as files`() async throws {
        let daemon = try await viruses()
        for words in [
            ["pie", "common-viruses", "Virus_Name"], ["bar", "common-viruses", "Patient_Fname"],
            ["line", "common-viruses", "_created"],
            ["histogram", "common-viruses", "Recovery_Status"],
            ["bar", "common-viruses", "Recovery_Status", "--agg", "mean", "--by", "Virus_Name"],
            ["line", "common-viruses", "Recovery_Status", "--agg", "median"],
        ] {
            let run = try await daemon.shared(["chart"] + words + ["--ascii"])
            #expect(run.code == 0 && run.output.utf8.allSatisfy { $0 < 0x80 }, "\(run.errors)")
            #expect(run.output.split(separator: "\n").count > 4)
            let file = daemon.folder.path + "/chart.svg"
            let written = try await daemon.shared(["chart"] + words + ["--svg", file])
            #expect(written.code == 0)
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(text.hasPrefix("<svg") && text.hasSuffix("</svg>\n"))
        }
        let none = try await daemon.shared(
            "chart", "pie", "common-viruses", "Virus_Name", "Virus_Number=1")
        #expect(none.code == 0 && none.output.contains("no values"))
    }

    @Test func `a search finds part of a text, and is remembered here alone`() async throws {
        let daemon = try await viruses()
        let run = try await daemon.shared(
            "add", "common-viruses", "Virus_Number=1", "Virus_Name=Grippe", "Patient_ID=7",
            "Patient_Lname=Traor\u{E9}")
        try #require(run.code == 0, "\(run.errors)")
        for _ in 0..<2 {
            let found = try await daemon.answer("search", "TRAORE")
            #expect(found["found"].number == 1)
            let hit = found["forms"][0]["hits"][0]
            #expect(hit["around"].string == "Traor\u{E9}" && hit["key"].string == "1 7")
            #expect(hit["field"].string == "Patient_Lname")
        }
        let shown = try await daemon.shared("search", "hepat")
        #expect(shown.output.contains("Common viruses: 3"))
        #expect(try await daemon.answer("search", "852")["found"].number == 1)
        #expect(try await daemon.shared("search").output == "852\nhepat\nTRAORE\n")
        let cleared = try await daemon.shared("search", "--clear")
        #expect(cleared.output == "the last searches are forgotten\n")
        #expect(try await daemon.shared("search").output == "no searches yet\n")
        let nothing = try await daemon.shared("search", "zzz")
        #expect(nothing.code == 0 && nothing.output == "nothing found\n")
        #expect(!nothing.errors.contains("together"))
        let words = try await daemon.shared("search", "no such", "words")
        #expect(words.output == "nothing found\n")
        #expect(words.errors.contains("in one field; one of them: shared search no"))
    }

    @Test func `a chart says what it counts, and what is not in it`() async throws {
        let daemon = try await Daemon("ward-1")
        try #require(try await daemon.shared("create", "clinic").code == 0)
        let form = """
            {"form_id": "visit", "version": "1", "title": "Visits", "fields": [
              {"name": "symptoms", "type": "select_multiple", "list": "signs"},
              {"name": "fever", "type": "decimal"}, {"name": "seen", "type": "date"}],
             "lists": {"signs": [{"name": "cough"}, {"name": "fever"}, {"name": "rash"}]}}
            """
        let added = try await daemon.shared("form", "add", "-", input: form)
        try #require(added.code == 0, "\(added)")
        let rows = """
            symptoms,fever,seen
            cough fever,38.5,2026-11-01
            cough fever,39,2026-11-02
            cough,,2026-11-02
            ,37,

            """
        let run = try await daemon.shared("import", "visit", "-", input: rows)
        try #require(run.code == 0, "\(run)")
        func chart(_ words: String...) async throws -> String {
            try await daemon.shared(["chart"] + words).words
        }
        #expect(try await chart("pie", "visit", "symptoms").contains("5 answers in 4 entries"))
        let bars = try await chart("bar", "visit", "seen", "--by", "symptoms")
        #expect(bars.contains("5 answers in 4 entries of Visits"), "\(bars)")
        #expect(try await chart("bar", "visit", "seen").contains("4 entries of Visits"))
        let line = try await chart("line", "visit", "seen")
        #expect(line.contains("3 of 4 entries of Visits"), "\(line)")
        let means = try await chart("bar", "visit", "fever", "--agg", "mean", "--by", "seen")
        #expect(means.contains("3 of 4 entries"), "\(means)")
        #expect(try await chart("histogram", "visit", "fever").contains("3 of 4 entries"))
    }

    @Test func `of several states or devices any is meant`() async throws {
        let daemon = try await viruses()
        let all = try await daemon.answer("list", "common-viruses")
        for (place, state) in ["approved", "rejected", "hasIssues"].enumerated() {
            let id = try #require(all[place]["_id"].string)
            try #require(try await daemon.shared("review", id, state).code == 0)
        }
        func count(_ words: String...) async throws -> Int? {
            let run = try await daemon.shared(["count", "common-viruses"] + words + ["--json"])
            return try JSONValue(text: Array(run.output.utf8))["entries"].number
        }
        #expect(try await count("--state", "approved", "--state", "hasIssues") == 2)
        #expect(try await count("--state", "none", "--state", "hasIssues") == 8)
        #expect(try await count("--state", "none") == 7)
        #expect(try await count("--author", "ward-1", "--author", "ward-1") == 10)
        #expect(try await count("--state", "approved", "Virus_Number=") == 0)
    }

    @Test func `a search finds what was typed, and not how rows hang together`() async throws {
        let daemon = try await Daemon("ward-1")
        try #require(try await daemon.shared("create", "clinic").code == 0)
        let form = daemon.folder.path + "/household.json"
        try """
        {"form_id": "household", "version": 1, "title": "Household", "fields": [
          {"name": "village", "type": "text"},
          {"name": "person", "type": "repeat", "fields": [{"name": "first", "type": "text"}]}]}
        """.write(toFile: form, atomically: true, encoding: .utf8)
        for words in [
            ["form", "add", form],
            ["add", "household", "village=Koro", "person[1]/first=Awa", "person[2]/first=Bo"],
        ] {
            let run = try await daemon.shared(words)
            try #require(run.code == 0, "\(run.errors)")
        }
        #expect(try await daemon.answer("search", "Awa")["found"].number == 1)
        let rows = try await daemon.shared("export", "household/person", "--format", "ndjson")
        let row = try #require(rows.output.split(separator: "\n").first)
        let id = try #require(try JSONValue(text: Array(row.utf8))["_parent"].string)
        #expect(id.utf8.count > 16)
        #expect(try await daemon.answer("search", String(id.suffix(12)))["found"].number == 0)
        #expect(try await daemon.answer("search", String(id.prefix(8)))["found"].number == 0)
    }

    @Test func `members and what they entered, day by day`() async throws {
        let daemon = try await viruses()
        let activity = try await daemon.answer("members", "--activity")
        #expect(activity["days"].array?.count == 7)
        #expect(activity["members"][0]["name"].string == "ward-1")
        #expect(activity["members"][0]["counts"].array?.compactMap(\.number).last == 10)
        let table = try await daemon.shared("members", "--activity")
        #expect(table.output.contains("ward-1") && table.output.contains("10"))
    }

    @Test func `views show what the room's editors have written down`() async throws {
        let daemon = try await viruses()
        let views = """
            {"views": [
              {"name": "all", "kind": "figure", "form": "common-viruses", "title": "Patients"},
              {"name": "pox", "kind": "target", "form": "common-viruses", "goal": 12,
               "where": "contains(Virus_Name, 'pox')"},
              {"name": "recovery", "kind": "figure", "form": "common-viruses", "agg": "mean",
               "field": "Recovery_Status", "decimals": 1},
              {"name": "sara", "kind": "figure", "form": "common-viruses", "agg": "max",
               "field": "Recovery_Status", "where": "Patient_Fname = 'Nobody'"},
              {"name": "names", "kind": "chart", "form": "common-viruses", "chart": "pie",
               "field": "Patient_Fname"},
              {"name": "hot", "kind": "table", "form": "common-viruses", "sort": ["-Recovery_Status"],
               "columns": ["Patient_Lname", "Recovery_Status"], "limit": 2}]}
            """
        let set = try await daemon.shared("set", "views", "-", input: views)
        try #require(set.code == 0, "\(set.errors)")
        let overview = try await daemon.shared("view").output.split(separator: "\n").map {
            $0.split(separator: " ").joined(separator: " ")
        }
        #expect(overview.contains("all Patients 10"))
        #expect(overview.contains("pox 2 of 12"))
        #expect(overview.contains("recovery 42.0%"))
        #expect(overview.contains("sara -"))
        #expect(try await daemon.shared("view", "recovery").output == "42.0%\n")
        #expect(try await daemon.shared("view", "names", "--ascii").output.contains("Sara"))
        let hot = try await daemon.shared("view", "hot").output
        #expect(hot.contains("Lee") && hot.contains("Hernandez") && !hot.contains("Wilson"))
        try await daemon.shared("view", "ht").expectProblem("no view \"ht\"", code: 2)
    }

    @Test func `with columns JSON has these fields alone, beside what every entry has`()
        async throws
    {
        let daemon = try await FindScene.daemon()
        func names(_ words: String...) async throws -> [[String]] {
            let run = try await daemon.shared(words + ["--json"])
            try #require(run.code == 0, "\(run.errors)")
            return try JSONValue(text: Array(run.output.utf8)).array?.map { record in
                record.object?.members.map(\.key).filter { !$0.hasPrefix("_") } ?? []
            } ?? []
        }
        let exported = try await daemon.shared(
            "export", "household", "--columns", "fever,village", "--format", "json")
        let listed = try await daemon.shared(
            "list", "household", "--columns", "fever,village", "--json")
        #expect(listed.output == exported.output, "\(listed)\(exported)")
        #expect(
            try await names("list", "household", "--columns", "Village, fever").first
                == ["village", "fever"])
        #expect(try await names("list", "household", "--columns", "person").first == ["person"])
        let wrong = try await daemon.shared("list", "household", "--columns", "fevr", "--json")
        #expect(wrong.code != 0 && wrong.errors.contains("Did you mean fever?"), "\(wrong)")
        let views = #"""
            {"views": [{"name": "hot", "kind": "table", "form": "household", "where": "fever > 39",
              "columns": ["hh_id", "_author"]}]}
            """#
        let set = try await daemon.shared("set", "views", "-", input: views)
        try #require(set.code == 0, "\(set.errors)")
        #expect(try await names("view", "hot") == [["hh_id"]])
        // People are told the name of a device; scripts its id.
        let view = try await daemon.shared("view", "hot")
        #expect(view.output.contains("MADE BY") && view.output.contains("ana"), "\(view.output)")
        #expect(!view.output.contains("dev:"), "\(view.output)")
        #expect(
            try await daemon.answer("view", "hot")[0]["_author"].string?.hasPrefix("dev:") == true)
        #expect(try await daemon.shared("delete", "KOR-2").code == 0)
        let twice = try await daemon.shared(
            "import", "household", "-", input: "hh_id,fever\nSEG-1,37\nSEG-9,37\nseg-9,38\n")
        try #require(twice.code == 0, "\(twice.errors)")
        #expect(
            try await names("list", "household", "--duplicates", "--columns", "fever")
                == [["fever"], ["fever"]])
        #expect(
            try await names("list", "household", "--deleted", "--columns", "fever") == [["fever"]])
    }
}
