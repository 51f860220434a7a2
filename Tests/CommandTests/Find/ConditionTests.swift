import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Conditions as people write them, and what is said of those that cannot be asked for.
@Suite(.serialized) struct ConditionTests {
    @Test func `conditions find what they say, or say why not`() async throws {
        let daemon = try await FindScene.daemon()
        func count(_ words: [String], _ wanted: Int) async throws {
            let run = try await daemon.shared(["count", "household"] + words)
            #expect(run.output == "\(wanted)\n", "\(words): \(run.errors)")
        }
        for (words, wanted) in [
            // Texts that calculations make of numbers are compared as forms do it.
            (["ratio>25"], 1), (["ratio > 25"], 1), (["ratio>25 and true()"], 1),
            (["ratio<=10"], 2), (["ratio>9"], 3), (["remarks>5"], 2), (["remarks>5 and true()"], 2),
            // Names with spaces and brackets.
            (["culmen LENGTH (mm)>40"], 1), (["Culmen Length (mm)>40"], 1),
            (["Culmen Length (mm)=39.1"], 1),
            (["Date Egg=2026-11-02"], 1), (["${Date Egg}=2026-11-02"], 1), (["Date Egg="], 3),
            (["${Culmen Length (mm)} > 40 and village = 'koro'"], 1),
            // A place as lists show it.
            (["gps=12.1 -3.2 0 0"], 1), (["gps='12.1 -3.2 0 0'"], 1),
            // A choice among several, by its name or label; an expression is exact.
            (["symptoms=cough"], 2), (["symptoms=Cough"], 2), (["symptoms=rash"], 1),
            (["symptoms=cough,rash"], 1), (["symptoms=rash,cough"], 1),
            (["symptoms~Toux"], 2), (["symptoms~rup"], 1), (["symptoms~oug"], 2),
            (["symptoms!=rash"], 3), (["symptoms!=cough"], 2), (["symptoms!=cough,rash"], 3),
            (["symptoms = 'cough'"], 1), (["symptoms='cough'"], 1), (["symptoms="], 2),
            // Days and times in other orders.
            (["visited=01.10.2026"], 2), (["visited>19.10.2026"], 2),
            (["_updated>2020-11-01T12:00"], 4), (["_updated<2020-01-01 12:00"], 0),
            // Authors by name, in quotation marks too.
            (["_author = 'ana'"], 4), (["_author='ana'"], 4), (["_author=\"ana\""], 4),
            // Labels of choices, in the default language.
            (["jr:choice-name(${village}, '${village}') = 'Segou'"], 1),
            (["jr:choice-name('rash', '${symptoms}') = 'Rash' and fever > 40"], 1),
        ] {
            try await count(words, wanted)
        }
    }

    @Test func `a text that nothing is exactly is told with what has it as a part`() async throws {
        let daemon = try await FindScene.daemon()
        for (condition, alike) in [
            ("remarks=SCHULE", "remarks~SCHULE"), ("remarks=chu", "remarks~chu"),
            ("hh_id=seg-1", "hh_id~seg-1"),
        ] {
            for command in ["count", "list"] {
                let run = try await daemon.shared(command, "household", condition)
                let all = (run.output + run.errors).split(whereSeparator: \.isWhitespace)
                    .joined(separator: " ")
                #expect(run.code == 0, "\(run)")
                #expect(
                    all.contains("in small or capital letters, 1 entry has it: \(alike)"), "\(run)")
            }
        }
        // One that finds something, or of which no text has a part, says nothing.
        for condition in ["remarks=zebra", "village=koro", "fever=12"] {
            let run = try await daemon.shared("count", "household", condition)
            #expect(run.code == 0 && !run.errors.contains("written exactly"), "\(run)")
        }
    }

    @Test func `a condition that cannot be meant is refused, with what to write`() async throws {
        let daemon = try await FindScene.daemon()
        let id = try await daemon.ownID().dropFirst(4)
        for (condition, words, hint) in [
            ("remarks>school", "remarks holds texts", "remarks~school"),
            ("village>koro", "village holds texts", "village=koro"),
            ("remarks>2026-11-01", "remarks holds texts", "date(${remarks}) > date('2026-11-01')"),
            ("fever>39 and village=koro", "\"koro\"", "village = 'koro'"),
            ("visited=today and fever>39", "\"today\"", "visited = today()"),
            ("remarks~tra or fever>39", "expected", "contains(remarks, 'tra')"),
            ("symptoms~cough and fever>39", "expected", "selected(symptoms, 'cough')"),
            ("Culmen Length (mm)>40 and fever>39", "expected", "${Culmen Length (mm)}"),
            ("Culmn Length (mm)>40", "expected", "Did you mean Culmen Length (mm)?"),
            ("_author = 'ana' and fever > 39", "an id", "_author=ana"),
            ("symptoms>1", "symptoms holds choices", "symptoms=1"),
            ("gps>5", "gps holds places", "gps=5"),
            ("fever >", "nothing stands after fever>", "fever= alone finds"),
            ("visited<=", "nothing stands after visited<=", "visited= alone finds"),
            ("_created>", "nothing stands after _created>", "a day or a time"),
            (
                "fever > 39 and", "a condition is missing after \"fever>39 and\"",
                "leave out the and"
            ),
            ("village=koro or", "a condition is missing", "leave out the or"),
            ("fever > 39 and village = 'koro' or", "a condition is missing", "leave out the or"),
            ("_author>ana", "cannot be asked for with >", "_author=NAME"),
            ("fever==39", "with one =", "Write fever=39."),
            ("remarks='", "expected", "remarks = \"'\""),
            ("remarks~'tra'", "expected", "contains(remarks, 'tra')"),
            ("Culmen Length (mm)~'3'", "expected", "contains(${Culmen Length (mm)}, '3')"),
            ("fever is null", "no condition", "fever="),
            ("fever is not empty", "no condition", "'fever!='"),
            ("last week", "no condition", "last-week."),
            ("two words", "no condition", "village=koro"),
            ("_author=\(id.prefix(1))", "no device of the room", "ana"),
            ("_state>approved", "cannot be asked for with >", "_state=VALUE"),
            ("2026-13", "2026-13 is no day", "2026-11-22"),
            ("2026-02-30", "2026-02-30 is no day", "2026-11-22"),
            ("11.2026", "11.2026 is no day", "2026-11-22"),
            ("_updated>12:00", "wants a day or a time", "2026-11-22"),
        ] {
            let run = try await daemon.shared("list", "household", condition)
            run.expectProblem(words, code: run.code)
            #expect(run.code != 0)
            run.expectHint(hint)
        }
    }

    @Test func `times, days and fields beside each other mean what they say`() async throws {
        let daemon = try await Daemon("ana")
        try #require(try await daemon.shared("create", "clinic").code == 0)
        let form = #"""
            {"form_id": "visit", "version": "1", "key": ["no"], "fields": [
              {"name": "no", "type": "text"}, {"name": "at", "type": "time"},
              {"name": "seen", "type": "dateTime"}, {"name": "day", "type": "date"},
              {"name": "first", "type": "text"}, {"name": "second", "type": "text"},
              {"name": "age", "type": "integer"}, {"name": "weight", "type": "decimal"}]}
            """#
        let added = try await daemon.shared("form", "add", "-", input: form)
        try #require(added.code == 0, "\(added.errors)")
        for entry in [
            ["no=1", "at=08:30", "seen=2026-11-01T10:00", "day=2026-11-01", "first=a", "second=a"],
            ["no=2", "at=08:30:00", "seen=2026-11-02T10:00", "day=2026-11-02", "first=second"],
            ["no=3", "at=08:30:30", "age=3", "weight=3"], ["no=4", "at=08:31", "age=4"],
            ["no=5", "at=23:59:59"], ["no=6"],
        ] {
            try #require(try await daemon.shared(["add", "visit"] + entry).code == 0)
        }
        for (words, wanted) in [
            (["at=08:30"], 3), (["at=8h30"], 3), (["at=08:30:00"], 2), (["at=08:30:30"], 1),
            (["at<=08:30"], 3), (["at<08:31"], 3), (["at>08:30"], 2), (["at>=08:30:01"], 3),
            (["at<08:30"], 0), (["at!=08:30"], 3), (["at=23:59"], 1), (["at>23:59"], 0),
            (["day!=2026-11-01"], 5), (["seen!=2026-11-02"], 5), (["seen=2026-11-02"], 1),
            (["${first} = ${second}"], 5), (["first='second'"], 1), (["first~second"], 1),
            (["${age} = ${weight}", "age>0"], 1), (["day >= date('2026-11-02')"], 1),
            (["day = '2026-11-02'"], 1), (["age > '3'"], 1),
        ] {
            let run = try await daemon.shared(["count", "visit"] + words)
            #expect(run.output == "\(wanted)\n", "\(words): \(run.errors)")
        }
        for (condition, words, hint) in [
            ("first=second", "a field too", "${first} = ${second}"),
            ("first != second", "a field too", "${first} != 'second'"),
            ("age=weight", "a value stands behind age", "${age} = ${weight}"),
            ("age < weight", "a value stands behind age", "${age} < ${weight}"),
            ("day >= '2026-11-01'", "a text", "date('2026-11-01')"),
            ("seen<'2026-11-01' and age>1", "a text", "date('2026-11-01')"),
            ("at <= '08:30'", "a text", "at>08:30"),
            ("first > 'b'", "a text", "contains(first, 'b')"),
        ] {
            let run = try await daemon.shared("list", "visit", condition)
            run.expectProblem(words, code: run.code)
            #expect(run.code != 0)
            run.expectHint(hint)
        }
    }

    @Test func `a time is meant by the clock, and lasts as long as it is exact`() async throws {
        let daemon = try await Daemon("ana")
        try #require(try await daemon.shared("create", "clinic").code == 0)
        let form = #"""
            {"form_id": "m", "version": "1", "key": ["no"], "fields": [
              {"name": "no", "type": "text"}, {"name": "at", "type": "dateTime"},
              {"name": "tm", "type": "time"}]}
            """#
        let added = try await daemon.shared("form", "add", "-", input: form)
        try #require(added.code == 0, "\(added.errors)")
        for (number, time) in [
            "08:30:00Z", "08:30", "08:29:59Z", "08:30Z", "08:30+05:00", "08:30:59.999-03:00",
            "08:31", "08:30:05.500", "08:30:05Z",
        ].enumerated() {
            let run = try await daemon.shared(
                "add", "m", "no=\(number + 1)", "at=2026-11-22T\(time)", "tm=\(time)")
            try #require(run.code == 0, "\(run.errors)")
        }
        try #require(try await daemon.shared("add", "m", "no=10").code == 0)
        func find(_ condition: String, _ wanted: [Int]) async throws {
            let list = try await daemon.answer("list", "m", "--sort", "no", condition)
            let found = (list.array ?? []).compactMap { $0["no"].string.flatMap { Int($0) } }
            #expect(found.sorted() == wanted, "\(condition)")
        }
        for (sign, time, wanted) in [
            ("=", "08:30", [1, 2, 4, 5, 6, 8, 9]), ("<", "08:30", [3]),
            ("<=", "08:30", [1, 2, 3, 4, 5, 6, 8, 9]), (">", "08:30", [7]),
            (">=", "08:30", [1, 2, 4, 5, 6, 7, 8, 9]), ("!=", "08:30", [3, 7, 10]),
            ("=", "08:30:00", [1, 2, 4, 5]), ("!=", "08:30:00", [3, 6, 7, 8, 9, 10]),
            (">", "08:30:00", [6, 7, 8, 9]), ("<", "08:30:01", [1, 2, 3, 4, 5]),
            ("=", "08:30:05", [8, 9]), ("=", "08:30:05.5", [8]), ("=", "08:30:05.000", [9]),
            ("=", "08:30:59", [6]), (">", "08:30:59", [7]), ("=", "8h30", [1, 2, 4, 5, 6, 8, 9]),
        ] {
            try await find("tm\(sign)\(time)", wanted)
            try await find("at\(sign)2026-11-22T\(time)", wanted)
            try await find("at\(sign)22.11.2026 \(time)", wanted)
        }
        try await find("at=2026-11-22", [1, 2, 3, 4, 5, 6, 7, 8, 9])
        // In the language of forms these are instants.
        try await find("decimal-date-time(${at}) > decimal-date-time('2026-11-22T11:30Z')", [6])
        for (condition, words, hint) in [
            ("at=yesterdy", "a time on one", "yesterday"),
            ("at=2026-11-22T25:00", "a time on one", "2026-11-22T08:30"),
            ("at>last-week 08:30", "a time on one", "2026-11-22T08:30"),
            ("tm=25:00", "wants a time", "14:30"), ("tm=today", "wants a time", "14:30"),
            ("tm=08:30Z", "without a zone", "tm=08:30."),
            ("at>2026-11-22T08:30+01:00", "without a zone", "Write at>2026-11-22T08:30."),
            ("at>2026-11-22 08:30Z", "without a zone", "decimal-date-time('2026-11-22T08:30Z')"),
        ] {
            let run = try await daemon.shared("list", "m", condition)
            run.expectProblem(words, code: run.code)
            #expect(run.code != 0)
            run.expectHint(hint)
        }
    }

    @Test func `what is too long for one question says so`() async throws {
        let daemon = try await FindScene.daemon()
        let ids = (0..<1_500).map { "hh_id='KOR-\($0)'" }.joined(separator: " or ")
        for command in ["count", "list", "export", "stats"] {
            let run = try await daemon.shared(command, "household", "--where", ids)
            run.expectProblem("at most \(ControlLimits.targetBytes) are read", code: 2)
        }
        // As long as one may be.
        var fitting = "hh_id='KOR-1'"
        while fitting.utf8.count < 14_500 { fitting += " or hh_id='KOR-1'" }
        let run = try await daemon.shared("count", "household", "--where", fitting)
        #expect(run.output == "1\n", "\(run.errors)")
        // As many, of as many bytes, as one may have.
        let each = Array(repeating: "fever<90.123456789", count: ControlLimits.conditions)
        var words = each.map { $0 + String(repeating: "0", count: 50) }
        #expect(try await daemon.shared(["count", "household"] + words).output == "3\n")
        words.append("fever<91")
        for command in ["count", "list", "stats"] {
            let run = try await daemon.shared([command, "household"] + words)
            run.expectProblem("257 conditions in one question; at most 256", code: 2)
            run.expectHint("and n != 2")
        }
        let search = try await daemon.shared("search", String(repeating: "a", count: 5_000))
        search.expectProblem("5000 bytes; at most 1024", code: 2)
        let bundle = try await daemon.shared("bundle", "write", "x", "--where", "fever>39")
        #expect(bundle.code == 2 && bundle.errors.contains("takes no --where"))
    }

    @Test func `texts that are numbers are sorted and summed up as numbers`() async throws {
        let daemon = try await FindScene.daemon()
        let list = try await daemon.answer("list", "household", "--sort", "-ratio")
        #expect(list.array?.map { $0["hh_id"].string } == ["KOR-2", "SEG-1", "KOR-1", "KOR-3"])
        // What is no number stands before them, page after page.
        var sorted: [String] = []
        while sorted.count < 4 {
            var words = ["list", "household", "--sort", "remarks", "--limit", "1", "--json"]
            if let last = sorted.last { words += ["--after", last] }
            let run = try await daemon.shared(words)
            let page = try JSONValue(text: Array(run.output.utf8))
            sorted.append(try #require(page[0]["_id"].string))
        }
        let all = try await daemon.answer("list", "household", "--sort", "remarks")
        #expect(sorted == all.array?.compactMap { $0["_id"].string })
        #expect(
            all.array?.map { $0["hh_id"].string } == ["KOR-3", "KOR-1", "SEG-1", "KOR-2"])
        let stats = try await daemon.answer("stats", "household", "ratio")["fields"][0]
        #expect(stats["n"].number == 3 && stats["missing"].number == 1)
        #expect(stats["median"] == .double(10) && stats["q1"] == .double(9.85), "\(stats.shown)")
        #expect(stats["min"] == .double(9.7) && stats["max"] == .double(27.7))
        let texts = try await daemon.answer("stats", "household", "remarks")["fields"][0]
        #expect(texts["mean"] == .null && texts["min"] == .null)
        let dates = try await daemon.answer("stats", "household", "visited")["fields"][0]
        #expect(dates["min"].string == "2026-10-01")
        let bins = try await daemon.answer("chart", "histogram", "household", "ratio")
        #expect(bins["histogram"]["n"].number == 3)
    }

    @Test func `very small and large results, near ones and the last day are found`() async throws {
        let daemon = try await Daemon("ana")
        try #require(try await daemon.shared("create", "clinic").code == 0)
        let form = """
            {"form_id": "rate", "version": "1", "fields": [
              {"name": "cases", "type": "decimal"}, {"name": "pop", "type": "integer"},
              {"name": "until", "type": "date"},
              {"name": "rate", "type": "calculate", "calculation": "${cases} div ${pop}"}]}
            """
        let added = try await daemon.shared("form", "add", "-", input: form)
        try #require(added.code == 0, "\(added.errors)")
        let rows = """
            cases,pop,until
            1,10,9999-12-31
            1,10000,9999-12-30
            0.30000000000000004,1,2026-11-26
            30000001,2,

            """
        let run = try await daemon.shared("import", "rate", "-", input: rows)
        try #require(run.code == 0, "\(run.errors)")
        for (condition, wanted) in [
            ("rate<0.001", 1), ("rate>1000", 1), ("rate<1", 3), ("rate<0,2", 2),
            ("cases=0.3", 1), ("cases = 0.3", 1), ("(cases = 0.3)", 1), ("cases!=0.3", 3),
            ("until=9999-12-31", 1), ("until!=9999-12-31", 3), ("until<=9999-12-31", 3),
            ("until>=9999-12-31", 1), ("until<9999-12-31", 2),
        ] {
            let run = try await daemon.shared("count", "rate", condition)
            #expect(run.output == "\(wanted)\n", "\(condition): \(run.errors)")
        }
        let stats = try await daemon.answer("stats", "rate", "rate")["fields"][0]
        #expect(stats["max"] == .double(15_000_000.5) && stats["min"] == .double(1e-4))
    }

    @Test func `a result that is not finite takes no figures away from the others`() async throws {
        let daemon = try await Daemon("ana")
        try #require(try await daemon.shared("create", "clinic").code == 0)
        let form = """
            {"form_id": "rate", "version": "1", "fields": [
              {"name": "cases", "type": "decimal"}, {"name": "pop", "type": "integer"},
              {"name": "rate", "type": "calculate", "calculation": "${cases} div ${pop}"}]}
            """
        let added = try await daemon.shared("form", "add", "-", input: form)
        try #require(added.code == 0, "\(added.errors)")
        let rows = "cases,pop\n1,10\n3,10\n5,0\n-5,0\n1e305,1\n,7\n"
        let run = try await daemon.shared("import", "rate", "-", input: rows)
        try #require(run.code == 0, "\(run.errors)")
        let stats = try await daemon.answer("stats", "rate", "rate", "cases<10")["fields"][0]
        #expect(stats["n"].number == 2 && stats["missing"].number == 2, "\(stats.shown)")
        #expect(stats["not_finite"].number == 2 && stats["mean"] == .double(0.2))
        let shown = try await daemon.shared("stats", "rate", "rate", "cases<10")
        #expect(shown.words.contains("without 2 (2 not finite, as of a division by 0)"), "\(shown)")
        let all = try await daemon.shared("stats", "rate")
        let note = "rate: 3 missing (2 not finite, as of a division by 0)"
        #expect(all.errors.contains(note), "\(all)")
        // What no chart has space for is left out of it.
        let histogram = try await daemon.shared("chart", "histogram", "rate", "rate")
        #expect(histogram.words.contains("2 of 6 entries"), "\(histogram)")
        let bars = try await daemon.answer(
            "chart", "bar", "rate", "rate", "--agg", "mean", "cases<10")
        #expect(bars["figures"]["groups"][0]["mean"] == .double(0.2), "\(bars.shown)")
    }

    @Test func `a text with a quotation mark is found, and sums say what they are`() async throws {
        let daemon = try await FindScene.daemon()
        for (key, remarks, fever) in [
            ("Q-1", "'tis", "1e308"), ("Q-2", "\"", "1.7e308"), ("Q-3", "'", ""),
        ] {
            let run = try await daemon.shared(
                "add", "household", "hh_id=\(key)", "remarks=\(remarks)", "fever=\(fever)")
            try #require(run.code == 0, "\(run.errors)")
        }
        for (condition, wanted) in [
            ("remarks~'t", 1), ("remarks~\"", 1), ("remarks~'", 2), ("remarks = \"'\"", 1),
            ("remarks = '\"'", 1), ("remarks='tra'", 0),
        ] {
            let run = try await daemon.shared("count", "household", condition)
            #expect(run.output == "\(wanted)\n", "\(condition): \(run.errors)")
        }
        let all = try await daemon.shared("stats", "household", "fever")
        #expect(all.words.contains("sum too large mean too large least 36.35"), "\(all)")
        let weighted = try await daemon.shared(
            "stats", "household", "fever", "fever<50", "--weight", "Culmen Length (mm)")
        let mean = "mean weighted by Culmen Length (mm) 40.983995 (of 2 entries)"
        #expect(weighted.words.contains(mean), "\(weighted)")
    }

    @Test func `a search knows the labels of all languages, and the entry of a row`() async throws {
        let daemon = try await FindScene.daemon()
        for (text, found) in [("toux", 2), ("eruption", 1), ("segou-ville", 1), ("Cough", 2)] {
            #expect(try await daemon.answer("search", text)["found"].number == found, "\(text)")
        }
        let hit = try await daemon.answer("search", "ozturk")["forms"][0]["hits"][0]
        #expect(hit["key"].string == "KOR-1", "\(hit.shown)")
        let id = try #require(hit["id"].string)
        let shown = try await daemon.shared("show", String(id.suffix(8)))
        #expect(shown.output.hasPrefix("household/person KOR-1 ("), "\(shown.output)")
        let list = try await daemon.shared("list", "household/person")
        #expect(!list.output.contains("dev:"), "\(list.output)")
    }

    @Test func `of two groupings the second divides the first`() async throws {
        let daemon = try await FindScene.daemon()
        let run = try await daemon.answer(
            "count", "household", "--by", "village", "--by", "symptoms")
        let villages = run["groups"].array?.compactMap { $0["keys"][0]["value"].string }
        #expect(villages == ["koro", "koro", "koro", "segou"])
    }
}
