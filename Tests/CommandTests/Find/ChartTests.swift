import JSON
import ShareControl
import ShareTestKit
import Testing

/// Charts of real entries: what they show, and what they refuse to show.
@Suite(.serialized) struct ChartTests {
    private func groups(_ chart: JSONValue) -> [(day: String?, entries: Int?, sum: JSONValue)] {
        (chart["figures"]["groups"].array ?? []).map {
            ($0["keys"][0]["value"].string, $0["entries"].number, $0["sum"])
        }
    }

    @Test func `a line of counts is at 0 where nothing was entered`() async throws {
        let daemon = try await FindScene.daemon()
        let days = groups(try await daemon.answer("chart", "line", "household", "visited"))
        #expect(days.count == 20)
        #expect(days.first?.day == "2026-10-01" && days.first?.entries == 2)
        #expect(days[1].day == "2026-10-02")
        #expect(days.dropFirst().dropLast().allSatisfy { $0.entries == 0 })
        #expect(days.last?.day == "2026-10-20" && days.last?.entries == 2)
        let weeks = groups(
            try await daemon.answer("chart", "line", "household", "visited", "--period", "week"))
        #expect(weeks.map(\.day) == ["2026-09-28", "2026-10-05", "2026-10-12", "2026-10-19"])
        #expect(weeks.map(\.entries) == [2, 0, 0, 2])
        let sums = groups(
            try await daemon.answer(
                "chart", "line", "household", "fever", "--agg", "sum", "--along", "visited"))
        #expect(sums.count == 20 && sums[1].sum == .double(0) && sums[1].entries == 0)
        // A mean of nothing is none.
        let means = groups(
            try await daemon.answer(
                "chart", "line", "household", "fever", "--agg", "mean", "--along", "visited"))
        #expect(means.map(\.day) == ["2026-10-01", "2026-10-20"])
        // For each value of another field as well.
        let two = try await daemon.answer(
            "chart", "line", "household", "visited", "--by", "village", "--period", "month")
        #expect(groups(two).map(\.entries) == [3, 1])
        let each = groups(
            try await daemon.answer(
                "chart", "line", "household", "visited", "--by", "village"))
        #expect(each.count == 40 && each.compactMap(\.entries).reduce(0, +) == 4)
    }

    @Test func `periods far apart are not told one by one`() async throws {
        let daemon = try await FindScene.daemon()
        let run = try await daemon.shared(
            "import", "household", "-", input: "hh_id,visited,fever\nOLD,1026-10-01,37\n")
        try #require(run.code == 0, "\(run.errors)")
        let days = groups(try await daemon.answer("chart", "line", "household", "visited"))
        #expect(
            days.prefix(4).map(\.day) == [
                "1026-10-01", "1026-10-02", "2026-09-30", "2026-10-01",
            ])
        #expect(days.compactMap(\.entries).reduce(0, +) == 5)
        let months = groups(
            try await daemon.answer("chart", "line", "household", "visited", "--period", "month"))
        #expect(months.count == 12_001 && months[1].day == "1026-11-01")
    }

    @Test func `counts along whole numbers are at 0 between them, and along decimals refused`()
        async throws
    {
        let daemon = try await Daemon("ana")
        try #require(try await daemon.shared("create", "clinic").code == 0)
        let form = #"""
            {"form_id": "patient", "version": "1", "fields": [
              {"name": "age", "type": "integer"}, {"name": "weight", "type": "decimal"},
              {"name": "visits", "type": "integer"}, {"name": "sex", "type": "text"}]}
            """#
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        func add(_ rows: String) async throws {
            let run = try await daemon.shared(
                "import", "patient", "-", input: "age,weight,visits,sex\n" + rows)
            try #require(run.code == 0, "\(run.errors)")
        }
        try await add("2,11.5,1,f\n2,12,3,m\n5,18.5,2,f\n,20,9,f\n")
        func line(_ words: String...) async throws -> [(String?, Int?, JSONValue)] {
            let run = try await daemon.shared(["chart", "line", "patient"] + words + ["--json"])
            try #require(run.code == 0, "\(run.errors)")
            return groups(try JSONValue(text: Array(run.output.utf8)))
                .filter { $0.day != nil }.map { ($0.day, $0.entries, $0.sum) }
        }
        let counts = try await line("age")
        #expect(counts.map(\.0) == ["2", "3", "4", "5"] && counts.map(\.1) == [2, 0, 0, 1])
        let each = try await line("age", "--by", "sex")
        #expect(each.count == 8 && each.compactMap(\.1).reduce(0, +) == 3)
        let sums = try await line("visits", "--agg", "sum", "--along", "age")
        #expect(sums.map(\.0) == ["2", "3", "4", "5"])
        #expect(sums[0].2 == .double(4) && sums[1].2 == .double(0))
        // A mean of nothing is none, along any number.
        let means = try await line("visits", "--agg", "mean", "--along", "age")
        #expect(Set(means.map(\.0)) == ["2", "5"])
        #expect(try await line("visits", "--agg", "mean", "--along", "weight").count == 4)
        for words in [["weight"], ["visits", "--agg", "sum", "--along", "weight"]] {
            let run = try await daemon.shared(["chart", "line", "patient"] + words)
            run.expectProblem("weight is a decimal", code: 1)
            #expect(run.errors.contains("shared chart histogram patient weight"))
        }
        // Of numbers far apart the first and the last empty one stand for those between them.
        try await add(
            "9223372036854775807,1,1,f\n-9223372036854775808,1,1,f\n1000,1,1,f\n")
        let far = try await line("age")
        #expect(
            far.map(\.0) == [
                "-9223372036854775808", "-9223372036854775807", "1", "2", "3", "4", "5", "6",
                "999", "1000", "1001", "9223372036854775806", "9223372036854775807",
            ])
    }

    @Test func `a number by a date goes along the date`() async throws {
        let daemon = try await FindScene.daemon()
        let along = try await daemon.answer(
            "chart", "line", "household", "fever", "--agg", "max", "--by", "visited")
        #expect(along["figures"]["by"].array?.count == 1)
        #expect(groups(along).map(\.day) == ["2026-10-01", "2026-10-20"])
        let bars = try await daemon.answer(
            "chart", "bar", "household", "fever", "--agg", "max", "--by", "visited", "--period",
            "month")
        #expect(groups(bars).map(\.day) == ["2026-10-01"])
    }

    @Test func `entries are told apart by whether they fit their form`() async throws {
        let daemon = try await FindScene.daemon()
        for words in [
            ["bar", "_valid"], ["bar", "valid"], ["bar", "village", "--by", "_valid"],
            ["points", "gps", "--by", "_valid"],
        ] {
            let words = [words[0], "household"] + words.dropFirst()
            let run = try await daemon.shared(["chart"] + words + ["--json"])
            try #require(run.code == 0, "\(words): \(run.errors)")
            let chart = try JSONValue(text: Array(run.output.utf8))
            #expect(chart["entries"].number == 4, "\(words)")
        }
    }

    @Test func `an option that a chart does not use is refused`() async throws {
        let daemon = try await FindScene.daemon()
        for (words, message) in [
            (["points", "gps", "--agg", "mean"], "takes no --agg"),
            (["points", "gps", "--by", "symptoms"], "symptoms takes several choices"),
            (["points", "gps", "--by", "village", "--by", "visited"], "a map has one --by"),
            (
                ["bar", "fever", "--agg", "median", "--by", "village", "--by", "visited"],
                "a chart has one --by"
            ),
            (["bar", "village", "--ascii", "--svg", "x.svg"], "--ascii is for the terminal"),
            (["histogram", "fever", "--by", "village"], "takes no --by"),
            (["histogram", "fever", "--agg", "mean"], "takes no --agg"),
            (["pie", "village", "--along", "visited"], "takes no --along"),
            (["pie", "village", "--by", "symptoms"], "takes no --by"),
            (["pie", "village", "--period", "week"], "village is no date"),
            (["bar", "village", "--period", "week"], "village is no date"),
            (["line", "fever", "--along", "visited"], "takes no --along"),
            (["line", "fever", "--period", "week"], "fever is no date"),
            (["line", "remarks"], "remarks is no date and no number"),
            (["line", "fever", "--agg", "mean", "--along", "remarks"], "remarks is no date"),
            (["line", "fever", "--by", "visited"], "visited is a time"),
        ] {
            let words = [words[0], "household"] + words.dropFirst()
            let run = try await daemon.shared(["chart"] + words)
            run.expectProblem(message, code: run.code)
            #expect(run.code != 0, "\(words)")
        }
        let picture = try await daemon.shared(
            "chart", "bar", "household", "village", "--svg", daemon.folder.path + "/a.png")
        #expect(picture.code == 2 && picture.errors.contains("--svg writes SVG"))
        let count = try await daemon.shared("count", "household", "--period", "week")
        count.expectProblem("no field is named", code: 2)
    }

    @Test func `of several choices each has its figures, and an entry is counted once`()
        async throws
    {
        let daemon = try await FindScene.daemon()
        let bars = try await daemon.shared(
            "chart", "bar", "household", "fever", "--agg", "median", "--by", "symptoms")
        #expect(bars.output.contains("fever, 3 of 4 entries"), "\(bars.output)")
        let lines = bars.output.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines.first { $0.first == "Cough" }?.last == "40.85", "\(bars.output)")
        #expect(lines.first { $0.first == "Rash" }?.last == "45.35", "\(bars.output)")
        // The shares are of what the title counts.
        let pie = try await daemon.shared("chart", "pie", "household", "symptoms")
        #expect(pie.output.contains("3 answers in 4 entries"), "\(pie.output)")
        #expect(pie.output.contains("66.7 %") && pie.output.contains("33.3 %"), "\(pie.output)")
        #expect(pie.output.contains("2 entries have no answer"), "\(pie.output)")
        #expect(!pie.output.contains("(no answer)"), "\(pie.output)")
    }

    @Test func `bars of dates are in the order of time`() async throws {
        let daemon = try await FindScene.daemon()
        for (key, day, fever) in [
            ("E-1", "2026-10-20", "37"), ("E-2", "2026-09-30", "36"), ("E-3", "2026-10-01", "36"),
            ("E-4", "2026-10-20", "40"),
        ] {
            let run = try await daemon.shared(
                "add", "household", "hh_id=\(key)", "visited=\(day)", "fever=\(fever)")
            try #require(run.code == 0, "\(run.errors)")
        }
        let days = ["2026-09-30", "2026-10-01", "2026-10-20"]
        let counts = try await daemon.answer("chart", "bar", "household", "visited")
        #expect(groups(counts).map(\.day) == days && groups(counts).map(\.entries) == [1, 3, 4])
        let most = try await daemon.answer(
            "chart", "bar", "household", "fever", "--agg", "max", "--by", "visited")
        #expect(groups(most).map(\.day) == days)
        let drawn = try await daemon.shared("chart", "bar", "household", "visited")
        let lines = drawn.output.split(separator: "\n").compactMap { line in
            days.first { line.hasPrefix($0) }
        }
        #expect(lines == days, "\(drawn)")
        // Of texts, and in a pie, the largest stands first.
        let villages = try await daemon.answer("chart", "bar", "household", "village")
        #expect(groups(villages).map(\.entries) == [4, 3, 1])
        let pie = try await daemon.answer("chart", "pie", "household", "visited")
        #expect(groups(pie).map(\.entries) == [4, 3, 1])
    }

    @Test func `a title says what a chart goes along`() async throws {
        let daemon = try await FindScene.daemon()
        for (words, title) in [
            (["line", "visited", "--period", "week"], "visited by week"),
            (["line", "_created"], "Entries by day"),
            (
                ["line", "fever", "--agg", "mean", "--along", "visited", "--by", "village"],
                "fever, mean by visited and village"
            ),
            (
                ["bar", "fever", "--agg", "mean", "--along", "visited", "--period", "month"],
                "fever, mean by month of visited"
            ),
            (["points", "gps", "--by", "village"], "gps by village"),
        ] {
            let words = [words[0], "household"] + words.dropFirst()
            let run = try await daemon.shared(["chart"] + words)
            #expect(run.output.hasPrefix(title + "\n"), "\(run.output)\(run.errors)")
        }
        let months = try await daemon.shared(
            "chart", "bar", "household", "visited", "--period", "month")
        #expect(months.output.contains("\n2026-10  "), "\(months.output)")
    }

    @Test func `points have the colours of a field's values`() async throws {
        let daemon = try await FindScene.daemon()
        let rows = "hh_id,village,gps\nN1,segou,12.2 -3.2\nN2,,12.3 -3.2\nN3,koro,12.1 -3.2\n"
        try #require(
            try await daemon.shared("import", "household", "-", input: rows).code == 0)
        let map = try await daemon.answer(
            "chart", "points", "household", "gps", "--by", "village")
        let groups = map["figures"]["groups"].array ?? []
        let found = (map["points"].array ?? []).map { point in
            let group = groups[point["group"].number ?? 0]
            return "\(group["keys"][0]["value"].string ?? "-") \(point["entries"].number ?? 0)"
        }
        #expect(found == ["koro 2", "segou 1", "- 1"], "\(map.shown)")
        let shown = try await daemon.shared(
            "chart", "points", "household", "gps", "--by", "village", "--ascii")
        #expect(shown.output.contains("a2"), "\(shown.output)")
        #expect(shown.output.contains("a Koro"), "\(shown.output)")
    }

    @Test func `too many values are told of the field that has them`() async throws {
        let daemon = try await Daemon.clinic()
        let csv = Sample.csv(rows: 1_200)
        try #require(try await daemon.shared("import", "visit", "-", input: csv).code == 0)
        let run = try await daemon.shared(
            "chart", "bar", "visit", "age", "--by", "name", "--agg", "mean")
        run.expectProblem("name has more than 1000 different values", code: 2)
    }
}
