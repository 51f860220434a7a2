import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Files as offices write them, with the real binaries.
@Suite(.serialized) struct ImportCommandTests {
    @Test func `rows and not problems are counted, each with what to do`() async throws {
        let daemon = try await Daemon.clinic()
        let csv = "name,age,weight,seen\nAda,1,2,22/11/2026\nBen,x,y,2026-11-22\nCem,3,1,\n"
        let run = try await daemon.shared("import", "visit", "-", input: csv)
        #expect(run.code == 1 && run.output == "")
        #expect(
            run.errors.contains("standard input: 2 rows of 3 are wrong; nothing was imported"))
        #expect(run.errors.contains("--dates dmy"), "\(run.errors)")
        #expect(run.errors.contains("For instance 42."), "\(run.errors)")
        #expect(try await daemon.names().isEmpty)
    }

    @Test func `what a spreadsheet could run comes in with its sign, or without, as is said`()
        async throws
    {
        let daemon = try await FindScene.daemon()
        let rows = "hh_id,remarks\nRAW-1,'=1+1\nRAW-2,-5\n"
        for (options, text) in [([], "=1+1"), (["--raw"], "'=1+1")] {
            let words = ["import", "household", "-"] + options
            let run = try await daemon.shared(words, input: rows)
            try #require(run.code == 0, "\(run.errors)")
            let list = try await daemon.answer("list", "household", "hh_id~RAW", "--sort", "hh_id")
            #expect(list[0]["remarks"].string == text && list[1]["remarks"].string == "-5")
        }
        let csv = try await daemon.shared(
            "export", "household", "hh_id~RAW", "--columns", "remarks", "--sort", "hh_id")
        #expect(csv.output == "remarks\n''=1+1\n-5\n")
        let broken = daemon.folder.path + "/z.zip"
        try Data("no archive".utf8).write(to: URL(filePath: broken))
        let zip = try await daemon.shared("import", "household", broken)
        zip.expectProblem("the archive is damaged", code: zip.code)
        zip.expectHint("Make the archive again")
    }

    @Test func `good rows are kept, and the others can be mended and imported`() async throws {
        let daemon = try await Daemon.clinic()
        let bad = daemon.folder.path + "/bad.csv"
        let run = try await daemon.shared(
            "import", "visit", "-", "--keep-good", bad,
            input: "name,age\nAda,1\n\"Ben, B\",x\nCem,3\n")
        #expect(run.code == 1)
        #expect(run.errors.contains("the others were imported"), "\(run.errors)")
        #expect(run.output == "added 2 entries\n")
        #expect(try await daemon.names() == ["Ada", "Cem"])
        let text = try String(contentsOfFile: bad, encoding: .utf8)
        #expect(text == "name,age\n\"Ben, B\",x\n")
        // Neither an earlier file goes, nor the very one that is imported.
        try await daemon.shared("import", "visit", bad, "--keep-good", bad)
            .expectProblem("bad.csv is there already; nothing was imported")
        #expect(try String(contentsOfFile: bad, encoding: .utf8) == text)
        let mended = try await daemon.shared(
            "import", "visit", "-", input: text.replacing("x", with: "2"))
        #expect(mended.output == "added 1 entry\n")
    }

    @Test func `what is put aside is written as its file, and read again as that was`() async throws
    {
        let daemon = try await Daemon.clinic()
        let bad = daemon.folder.path + "/bad.csv"
        let run = try await daemon.shared(
            "import", "visit", "-", "--keep-good", bad, "--decimal", ",", "--map", "kg=weight",
            "--map", "desk=",
            input: "\u{feff}name;age;kg;desk\r\nAda;4;30,5;1\r\nBen;5;x;2\r\n")
        #expect(run.code == 1 && run.output == "added 1 entry\n", "\(run)")
        run.expectHint("bad.csv --decimal , --map kg=weight --map desk=")
        let text = try Data(contentsOf: URL(filePath: bad))
        #expect(Array(text) == Array("\u{feff}name;age;kg;desk\r\nBen;5;x;2\r\n".utf8))
        // A column that the form does not have is left out by saying so.
        let unknown = try await daemon.shared(
            "import", "visit", "-", input: "name,age,desk\nCem,1,2\n")
        #expect(unknown.code == 1 && unknown.errors.contains("--map desk="), "\(unknown)")
        let left = try await daemon.shared(
            "import", "visit", "-", "--map", "desk=", input: "name,age,desk\nCem,1,2\n")
        #expect(left.output == "added 1 entry\n", "\(left)")
    }

    @Test func `an export leaves alone what was changed after it was written`() async throws {
        let daemon = try await Daemon.clinic()
        for name in ["Ada", "Ben", "Cem"] {
            try #require(
                try await daemon.shared("import", "visit", "-", input: "name,age\n\(name),1\n").code
                    == 0)
        }
        for ending in ["csv", "xlsx"] {
            let path = "\(daemon.folder.path)/morning.\(ending)"
            #expect(try await daemon.shared("export", "visit", "--output", path).code == 0)
            let unchanged = try await daemon.shared("import", "visit", path)
            #expect(unchanged.output == "3 unchanged\n", "\(ending): \(unchanged.errors)")
        }
        let path = "\(daemon.folder.path)/morning.csv"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let lines = text.split(separator: "\n")
        let cells = lines[0].split(separator: ",").map(String.init)
        let id = try #require(cells.firstIndex(of: "_id"))
        let ben = try #require(lines.first { $0.contains("Ben") })
        let benID = String(ben.split(separator: ",", omittingEmptySubsequences: false)[id])
        try #require(try await daemon.shared("edit", benID, "age=7").code == 0)
        // One cell of another entry is mended, and one of Ben's is no value.
        let mended = text.replacing("Cem,1", with: "Cem,3").replacing("Ben,1", with: "Ben,x")
        try #require(mended != text)
        try Data(mended.utf8).write(to: URL(filePath: path))
        let run = try await daemon.shared("import", "visit", path)
        #expect(
            run.output == "updated 1, 1 unchanged, 1 left alone\n    Cem (line 4): age 1 -> 3\n",
            "\(run.errors)")
        #expect(run.errors.contains("Ben (line"), "\(run.errors)")
        #expect(run.errors.contains("--over-newer"), "\(run.errors)")
        func age(_ name: String) async throws -> Double? {
            try await daemon.answer("list", "visit").array?
                .first { $0["name"].string == name }?["age"].number.map { Double($0) }
        }
        #expect(try await age("Ben") == 7)
        #expect(try await age("Cem") == 3)
        let over = text.replacing("Ben,1", with: "Ben,8")
        try Data(over.utf8).write(to: URL(filePath: path))
        #expect(try await daemon.shared("import", "visit", path, "--over-newer").code == 0)
        #expect(try await age("Ben") == 8)
    }

    @Test func `where dates are guessed on a terminal, good rows come in once`() async throws {
        let daemon = try await Daemon.clinic()
        // Without a key: what comes in twice is there twice.
        let form = """
            {"form_id":"guest","version":"1","fields":[
            {"name":"name","type":"text"},{"name":"seen","type":"date"}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        func names() async throws -> [String] {
            try await daemon.answer("list", "guest").array?.compactMap { $0["name"].string } ?? []
        }
        let (csv, bad) = (daemon.folder.path + "/in.csv", daemon.folder.path + "/bad.csv")
        func run(_ rows: String) async throws -> CommandRun {
            try Data("name,seen\n\(rows)\n".utf8).write(to: URL(filePath: csv))
            return try await CommandRun(
                program: "/usr/bin/python3",
                [
                    "-c",
                    "import os, pty, sys\n"
                        + "sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))",
                    try Product.path("shared"), "--socket", daemon.socket, "import", "guest", csv,
                    "--keep-good", bad,
                ])
        }
        let guessed = try await run("Ada,2026-01-02\nBen,25/12/2025")
        #expect(guessed.code == 0 && guessed.output.contains("--dates dmy"), "\(guessed.output)")
        #expect(try await names().sorted() == ["Ada", "Ben"])
        // Where there is nothing to guess the good rows come in all the same.
        let kept = try await run("Cem,2026-01-02\nDil,2026-13-45")
        #expect(kept.code == 1, "\(kept.output)")
        #expect(try await names().sorted() == ["Ada", "Ben", "Cem"])
        #expect(
            try String(contentsOfFile: bad, encoding: .utf8) == "name,seen\nDil,2026-13-45\n")
        // One that is no day in any order is wrong, and the others are read.
        try FileManager.default.removeItem(atPath: bad)
        let other = try await run("Eva,25/12/2025\nFin,31/11/2025")
        #expect(other.code == 1 && other.output.contains("--dates dmy"), "\(other.output)")
        #expect(try await names().sorted() == ["Ada", "Ben", "Cem", "Eva"])
        #expect(try String(contentsOfFile: bad, encoding: .utf8) == "name,seen\nFin,31/11/2025\n")
    }

    @Test func `where all rows are put aside none of the others is said to be imported`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let (csv, bad) = (daemon.folder.path + "/in.csv", daemon.folder.path + "/bad.csv")
        func run(_ rows: String) async throws -> CommandRun {
            try Data("name,age\n\(rows)\n".utf8).write(to: URL(filePath: csv))
            try? FileManager.default.removeItem(atPath: bad)
            return try await daemon.shared("import", "visit", csv, "--keep-good", bad)
        }
        let none = try await run("Ada,x\nBen,y")
        #expect(none.code == 1 && none.output.isEmpty, "\(none)")
        #expect(none.errors.contains("2 rows of 2 are wrong; nothing was imported"), "\(none)")
        let first = try await run("Ada,1\nBen,y")
        #expect(first.errors.contains("; the others were imported"), "\(first)")
        let same = try await run("Ada,1\nBen,y")
        #expect(same.errors.contains("; the others change nothing"), "\(same)")
        #expect(same.output == "1 unchanged\n")
    }

    @Test func `what one table of a file shows of its numbers counts for the others`() async throws
    {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"catch","version":"1","key":["boat"],"fields":[
            {"name":"boat","type":"text"},{"name":"total","type":"decimal"},
            {"name":"day","type":"date"},
            {"name":"fish","type":"repeat","fields":[{"name":"weight","type":"decimal"}]}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let path = daemon.folder.path + "/catch.zip"
        func run(_ boats: String, _ fish: String, _ more: [String] = []) async throws -> CommandRun
        {
            try await TestArchive.zip(
                path,
                [
                    "catch.csv": "boat,total,day\n\(boats)\n",
                    "catch-fish.csv": "PARENT_KEY,weight\n\(fish)\n",
                ])
            return try await daemon.onTerminal(["import", "catch", path] + more, [])
        }
        // Nobody can tell 1,234 alone, and the other table says it; so it is with days.
        for more in [["--dry-run"], []] {
            let read = try await run("A,\"1,234\",25/12/2025", "A,\"38,5\"", more)
            #expect(read.code == 0 && read.words.contains("--decimal ,"), "\(read.output)")
        }
        let entry = try await daemon.answer("show", "catch", "A")
        #expect(entry["total"].number == nil && entry["total"].shown == "1.234", "\(entry)")
        #expect(entry["day"].string == "2025-12-25")
        #expect(entry["fish"][0]["weight"].shown == "38.5", "\(entry)")
        // A point in the one is none of thousands because of a comma in the other.
        for (boats, fish) in [
            ("B,\"38,5\",", "B,1.234"), ("B,1.234,", "B,\"38,5\""), ("B,\"1,234\",", "B,\"2,345\""),
        ] {
            let mixed = try await run(boats, fish)
            #expect(mixed.code == 1 && !mixed.words.contains("--decimal , "), "\(mixed.output)")
            #expect(!mixed.words.contains("read as the whole file"), "\(mixed.output)")
        }
    }

    @Test func `the order of dates is guessed from their shape alone`() async throws {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"guest","version":"1","fields":[{"name":"name","type":"text"},
            {"name":"seen","type":"date","constraint":". <= date('2026-11-26')"}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let csv = daemon.folder.path + "/in.csv"
        func run(_ rows: String) async throws -> CommandRun {
            try Data("name,seen\n\(rows)\n".utf8).write(to: URL(filePath: csv))
            return try await CommandRun(
                program: "/usr/bin/python3",
                [
                    "-c",
                    "import os, pty, sys\n"
                        + "sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))",
                    try Product.path("shared"), "--socket", daemon.socket, "import", "guest", csv,
                ])
        }
        // With the day first the form would not allow one of them: that says nothing of the file.
        let open = try await run("Ada,11/11/2026\nBen,11/10/2026\nCem,10/12/2026")
        #expect(open.code == 1, "\(open.output)")
        #expect(
            open.output.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(
                "11/10/2026 (line 3, column seen) is 2026-10-11 with --dates dmy, 2026-11-10 with"
                    + " --dates mdy"), "\(open.output)")
        #expect(try await daemon.answer("list", "guest").array?.isEmpty == true)
        // What the form does not allow is told of the day that was meant.
        let wrong = try await run("Ada,11/10/2026\nBen,25/12/2026")
        #expect(wrong.code == 1 && wrong.output.contains("--dates dmy"), "\(wrong.output)")
        #expect(wrong.output.contains("line 3, column seen"), "\(wrong.output)")
        let good = try await run("Ada,11/10/2026\nBen,25/10/2026")
        #expect(good.code == 0, "\(good.output)")
        // One day in any order.
        let same = try await run("Cem,11/11/2026")
        #expect(same.code == 0 && same.output.contains("--dates dmy"), "\(same.output)")
        let list = try await daemon.answer("list", "guest", "--sort", "name")
        #expect(
            list.array?.compactMap { $0["seen"].string }
                == ["2026-10-11", "2026-10-25", "2026-11-11"])
    }

    @Test func `a dry run says what would be done and does not`() async throws {
        let daemon = try await Daemon.clinic()
        try await daemon.add("Ada", age: 1)
        let csv = "Name,Years\nAda,2\nBen,3\nBen,4\n"
        let arguments = ["import", "visit", "-", "--map", "Years=age"]
        let run = try await daemon.shared(arguments + ["--dry-run"], input: csv)
        let told = "    Ada (line 2): age 1 -> 2\n"
        #expect(run.output == "would add 2 entries, would update 1\n" + told, "\(run.errors)")
        #expect(run.errors.contains("1 in another row of the file"), "\(run.errors)")
        #expect(try await daemon.names() == ["Ada"])
        #expect(
            try await daemon.shared(arguments, input: csv).output
                == "added 2 entries, updated 1\n" + told)
        let duplicates = try await daemon.shared("list", "visit", "--duplicates")
        #expect(duplicates.output.split(separator: "\n").count == 3, "\(duplicates.output)")
    }

    private static let form = """
        {"form_id":"child","version":"1","key":["nr"],"fields":[
         {"name":"nr","type":"text","required":true},
         {"name":"weight","type":"decimal","constraint":". < 30 or ${age} > 9",
          "constraint_message":"Too heavy","x":{"warn":". > 20","warn_message":"heavy"}},
         {"name":"age","type":"integer","constraint":". <= 17","default":"5"},
         {"name":"half","type":"decimal","calculation":"${weight} div 2"},
         {"name":"school","type":"text","relevant":"${age} > 6"},
         {"name":"visit","type":"repeat","fields":[
           {"name":"fee","type":"integer","constraint":". >= 0"}]},
         {"name":"fees","type":"integer","calculation":"sum(${fee})","constraint":". < 100"}]}
        """

    @Test func `a default fills a required field that the file has no column for`() async throws {
        let daemon = try await Daemon.clinic()
        for (form, key) in [("plain", ""), ("keyed", #""key":["nr"],"#)] {
            let definition = """
                {"form_id":"\(form)","version":"1",\(key)"fields":[
                 {"name":"nr","type":"text"},{"name":"n","type":"integer"},
                 {"name":"team","type":"integer","required":true,"default":"7"},
                 {"name":"size","type":"integer","required":true,"default":"${n} + 1"}]}
                """
            try #require(
                try await daemon.shared("form", "add", "-", input: definition).code == 0)
            let filled = try await daemon.shared("import", form, "-", input: "nr,n\na,3\n")
            #expect(filled.output == "added 1 entry\n", "\(filled.errors)")
            let list = try await daemon.answer("list", form)
            #expect(list[0]["team"].number == 7 && list[0]["size"].number == 4)
            // Who has the column says that there is no answer.
            let empty = try await daemon.shared(
                "import", form, "-", input: "nr,n,team\nb,3,\n")
            #expect(empty.code != 0 && empty.errors.contains("field team is required"))
            #expect(empty.errors.contains("The cell is empty"), "\(empty.errors)")
            // And a default that comes to nothing is no answer.
            let nothing = try await daemon.shared("import", form, "-", input: "nr\nc\n")
            #expect(nothing.code != 0 && nothing.errors.contains("field size is required"))
            #expect(nothing.errors.contains("The file has no such column"), "\(nothing.errors)")
        }
    }

    @Test func `rows that change entries in part are held against the whole entry`() async throws {
        let daemon = try await Daemon.clinic()
        try #require(try await daemon.shared("form", "add", "-", input: Self.form).code == 0)
        let first = try await daemon.shared(
            "import", "child", "-", input: "nr,weight\na,10\nb,21\nc,29\n")
        #expect(first.output == "added 3 entries\n", "\(first.errors)")
        // Flagged, and not refused.
        #expect(first.errors.contains("line 3, column weight: 21: heavy"), "\(first.errors)")
        var list = try await daemon.answer("list", "child", "--sort", "nr")
        #expect(list[0]["age"].number == 5)
        #expect(list[0]["half"] == .double(5))

        let bad = daemon.folder.path + "/bad.csv"
        let csv = "nr,weight,school\na,40,\nb,11,Koro\nc,12,\nd,31,\n\"e, f\",14,\n"
        let refused = try await daemon.shared("import", "child", "-", input: csv)
        #expect(refused.code == 1)
        #expect(refused.errors.contains("3 rows of 5 are wrong; nothing was imported"))
        #expect(
            refused.errors.contains("line 2, column weight: 40: Too heavy"), "\(refused.errors)")
        #expect(refused.errors.contains("line 3, column school"), "\(refused.errors)")
        #expect(
            refused.errors.contains("line 5, column weight: 31: Too heavy"), "\(refused.errors)")
        #expect(try await daemon.answer("list", "child").array?.count == 3)
        let kept = try await daemon.shared("import", "child", "-", "--keep-good", bad, input: csv)
        #expect(
            kept.output == "added 1 entry, updated 1\n"
                + "    c (line 4): weight 29 -> 12; half 14.5 -> 6; fees (nothing) -> 0\n",
            "\(kept.errors)")
        #expect(
            try String(contentsOfFile: bad, encoding: .utf8)
                == "nr,weight,school\na,40,\nb,11,Koro\nd,31,\n")
        list = try await daemon.answer("list", "child", "--sort", "nr")
        #expect(list.array?.map { $0["weight"] } == [10, 21, 12, 14].map { .double($0) })
        #expect(list[2]["half"] == .double(6))
        // What was wrong before and is not touched stands in nobody's way; age decides.
        let ages = try await daemon.shared("import", "child", "-", input: "nr,age\na,12\nb,18\n")
        #expect(ages.errors.contains("line 3, column age"), "\(ages.errors)")
        let same = try await daemon.shared("import", "child", "-", input: "nr,age\na,12\n")
        #expect(
            same.output == "updated 1\n    a (line 2): age 5 -> 12; fees (nothing) -> 0\n",
            "\(same.errors)")
        let again = try await daemon.shared("import", "child", "-", input: "nr,age\na,12\n")
        #expect(again.output == "1 unchanged\n", "\(again.errors)")
    }

    @Test func `what the form does not allow is told with the file's header and the cell`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"fever","version":"1","key":["nr"],"fields":[{"name":"nr","type":"text"},
             {"name":"temp","type":"decimal","label":"Highest temperature",
              "constraint":". > 30 and . < 45","constraint_message":"Between 30 and 45",
              "x":{"warn":". > 40","warn_message":"High"}}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        func told(_ header: String, _ cell: String, _ more: [String] = []) async throws -> String {
            try await daemon.shared(
                ["import", "fever", "-"] + more, input: "nr;\(header)\na;\(cell)\n"
            ).errors
        }
        let new = try await told("Highest temperature", "380")
        #expect(
            new.contains("line 2, column Highest temperature: 380: Between 30 and 45"), "\(new)")
        let high = try await told("T", "41,5", ["--map", "T=temp", "--decimal", ","])
        #expect(high.contains("line 2, column T: 41.5: High"), "\(high)")
        // So it is where the row changes an entry.
        let changed = try await told("Highest temperature", "20")
        #expect(
            changed.contains("line 2, column Highest temperature: 20: Between 30 and 45"),
            "\(changed)")
        let empty = try await told("Highest temperature", "x")
        #expect(empty.contains("column Highest temperature: field temp"), "\(empty)")
    }

    @Test func `rows of a repeat are held against their entry, which is computed anew`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        try #require(try await daemon.shared("form", "add", "-", input: Self.form).code == 0)
        let entries = try await daemon.shared(
            "import", "child", "-", input: "nr,weight,KEY\na,10,a\nb,12,b\n")
        #expect(entries.output == "added 2 entries\n", "\(entries.errors)")
        let bad = daemon.folder.path + "/bad.csv"
        let csv = "PARENT_KEY,KEY,fee\na,1,30\nb,2,-5\na,3,80\nb,4,7\nb,5,8\n"
        let refused = try await daemon.shared("import", "child/visit", "-", input: csv)
        #expect(refused.code == 1)
        #expect(
            refused.errors.contains("line 3, column fee: field visit[1]/fee: -5 is not allowed"),
            "\(refused.errors)")
        #expect(refused.errors.contains("line 2, column fees"), "\(refused.errors)")
        #expect(try await daemon.answer("list", "child/visit").array?.isEmpty == true)
        let kept = try await daemon.shared(
            "import", "child/visit", "-", "--keep-good", bad, input: csv)
        #expect(kept.output == "added 3 rows\n", "\(kept.errors)")
        #expect(
            try String(contentsOfFile: bad, encoding: .utf8)
                == "PARENT_KEY,KEY,fee\na,1,30\nb,2,-5\n")
        let list = try await daemon.answer("list", "child", "--sort", "nr")
        #expect(list.array?.map { $0["fees"].number ?? 0 } == [80, 15])
        let changed = try await daemon.shared(
            "import", "child/visit", "-", input: "PARENT_KEY,KEY,fee\nb,5,9\nb,4,7\n")
        #expect(changed.output.hasPrefix("updated 1, 1 unchanged\n"), "\(changed.errors)")
        #expect(changed.output.hasSuffix(" (line 2): fee 8 -> 9\n"), "\(changed.output)")
        #expect(
            try await daemon.answer("list", "child", "--where", "nr=b")[0]["fees"].number == 16)
    }

    @Test(.timeLimit(.minutes(2)))
    func `a wrong row is told its fault first, and its key counts where it is taken`()
        async throws
    {
        let coord = try await Daemon.clinic()
        try #require(try await coord.shared("form", "add", "-", input: Self.form).code == 0)
        try #require(try await coord.shared("add", "child", "nr=D1", "weight=3").code == 0)
        _ = try await coord.shared("push")
        let amina = try await Daemon.member("ward-2", of: coord, role: "collector")
        try await Daemon.untilIdentical(coord, amina, records: 1)
        func dry(_ daemon: Daemon, _ rows: String) async throws -> CommandRun {
            try await daemon.shared(
                "import", "child", "-", "--dry-run", input: "nr,weight\n\(rows)\n")
        }
        let good = try await dry(amina, "D1,4")
        #expect(good.output == "would add 1 entry\n", "\(good.errors)")
        let place = "1 in an entry of another device: D1; see"
        #expect(
            good.errors.contains("would be added although their key is there already: " + place),
            "\(good.errors)")
        for (rows, fault) in [
            ("D1,40", "line 2, column weight: 40: Too heavy"), ("D1,x", "line 2, column weight"),
        ] {
            let wrong = try await dry(amina, rows)
            #expect(wrong.code == 1 && wrong.errors.contains(fault), "\(wrong.errors)")
            #expect(
                wrong.errors.contains("The key D1 is there already, in an entry of another device"),
                "\(wrong.errors)")
            #expect(!wrong.errors.contains("_id"), "\(wrong.errors)")
        }
        // Who may change it is told how.
        let owner = try await dry(coord, "D1,40\nD1,41")
        #expect(owner.errors.contains("line 2, column weight: 40: Too heavy"), "\(owner.errors)")
        #expect(
            owner.errors.contains(
                "2 rows of the file are called D1, and one entry here. To change an entry put its"
                    + " id into a column _id"), "\(owner.errors)")

        let bad = amina.folder.path + "/bad.csv"
        let kept = try await amina.shared(
            "import", "child", "-", "--keep-good", bad,
            input: "nr,weight\nZ1,3\nZ2,40\nZ2,41\nD1,4\n")
        #expect(kept.output == "added 2 entries\n", "\(kept.errors)")
        #expect(kept.errors.contains("already: " + place), "\(kept.errors)")
    }

    @Test func `what is wrong in a workbook or in JSON is put aside as well`() async throws {
        let daemon = try await Daemon.clinic()
        let folder = daemon.folder.path
        let lines = folder + "/in.ndjson"
        try Data("{\"name\": \"Ada\", \"age\": \"x\"}\n{\"name\": \"Ben\", \"age\": 4}\n".utf8)
            .write(to: URL(filePath: lines))
        let csv = folder + "/bad.csv"
        let other = try await daemon.shared("import", "visit", lines, "--keep-good", csv)
        other.expectProblem("in.ndjson is JSON", code: 2)
        other.expectHint("--keep-good \(folder)/bad.ndjson")
        let bad = folder + "/bad.ndjson"
        let run = try await daemon.shared("import", "visit", lines, "--keep-good", bad)
        #expect(run.code == 1 && run.output == "added 1 entry\n", "\(run.output)\(run.errors)")
        #expect(
            try String(contentsOfFile: bad, encoding: .utf8)
                == "{\"name\": \"Ada\", \"age\": \"x\"}\n")
        let book = folder + "/visits.xlsx"
        #expect(try await daemon.shared("export", "visit", "--output", book).code == 0)
        let changed = try await daemon.shared("import", "visit", book, "--keep-good", csv)
        #expect(changed.output == "1 unchanged\n", "\(changed.errors)")
    }

    @Test func `percentages of a workbook are those that people see, and what is wrong comes back`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"soap","version":"1","key":["nr"],"fields":[{"name":"nr","type":"text"},
            {"name":"share","type":"integer","x":{"unit":"%"}},
            {"name":"left","type":"decimal","x":{"unit":"%"}},{"name":"bars","type":"integer"}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let book = daemon.folder.path + "/soap.xlsx"
        try await TestArchive.workbook(
            book,
            [
                ["nr", "share", "left", "bars"], ["S1", "[1]", "[0.07]", "3"],
                ["S2", "[0.75]", "[0.125]", "[0.5]"],
            ])
        let rest = daemon.folder.path + "/rest"
        let refused = try await daemon.shared("import", "soap", book, "--keep-good", rest + ".xlsx")
        refused.expectProblem("nothing was imported", code: 2)
        refused.expectHint("--keep-good \(rest).csv")
        #expect(try await daemon.answer("list", "soap").array?.isEmpty == true)
        let run = try await daemon.shared("import", "soap", book, "--keep-good", rest + ".csv")
        #expect(run.code == 1 && run.output == "added 1 entry\n", "\(run)")
        #expect(run.errors.contains("50%"), "\(run.errors)")
        run.expectHint("shared import soap \(rest).csv")
        let text = try String(contentsOfFile: rest + ".csv", encoding: .utf8)
        #expect(text == "nr,share,left,bars\nS2,75%,12.5%,50%\n")
        let mended = try await daemon.shared(
            "import", "soap", "-", input: text.replacing("50%", with: "5"))
        #expect(mended.output == "added 1 entry\n", "\(mended.errors)")
        let entries = try await daemon.answer("list", "soap").array ?? []
        #expect(entries.map { $0["share"] } == [.integer(100), .integer(75)])
        #expect(entries.map { $0["left"] } == [.double(7), .double(12.5)])
        // What this program writes comes back as it was.
        let own = daemon.folder.path + "/own.xlsx"
        #expect(try await daemon.shared("export", "soap", "--output", own).code == 0)
        let again = try await daemon.shared("import", "soap", own)
        #expect(again.output == "2 unchanged\n", "\(again)")
    }

    @Test func `all that is wrong with values is told, one a line`() async throws {
        let daemon = try await Daemon.clinic()
        try #require(try await daemon.shared("form", "add", "-", input: Self.form).code == 0)
        let run = try await daemon.shared(
            "add", "child", "weight=40", "age=x", "schol=Koro")
        #expect(run.code == 1)
        let lines = run.errors.split(separator: "\n").map(String.init)
        #expect(lines.first == "shared: error: 4 answers cannot be taken", "\(run.errors)")
        #expect(
            lines.count == 6 && lines.last?.hasPrefix("shared: hint: Nothing was stored") == true)
        #expect(
            lines.contains { $0.hasPrefix("shared: error: field age wants a whole") })
        #expect(lines.contains { $0.contains("no field \"schol\". Did you mean school?") })
        #expect(lines.contains { $0.contains("field nr is required. Give it a value: nr=VALUE.") })
        #expect(lines.contains { $0.contains("weight: Too heavy") })
        let json = try await daemon.shared("add", "child", "weight=40", "age=x", "--json")
        #expect(json.problem?.problems.map(\.path) == ["age", "nr", "weight"])
    }

    @Test func `rows that belong to what has no id are refused before anything is written`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"survey","version":"1","key":["site"],"fields":[
            {"name":"site","type":"text"},{"name":"seen","type":"repeat","fields":[
            {"name":"n","type":"integer"},{"name":"mark","type":"repeat","fields":[
            {"name":"m","type":"integer"}]}]}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let file = daemon.folder.path + "/survey.ndjson"
        let id = #""_id":"01a20738-1fa0-7610-951e-2c2dea649f18""#
        let rowID = #""_id":"01a20738-1fa0-7610-951e-2c2dea649f19""#
        let good = #"{\#(id),"site":"a","seen":[{\#(rowID),"n":1,"mark":[{"m":2}]}]}"#
        for (line, reason) in [
            (#"{"site":"b","seen":[{"n":1}]}"#, "rows of seen belong to an entry without an _id"),
            (
                #"{\#(id),"site":"b","seen":[{"n":1,"mark":[{"m":2}]}]}"#,
                "rows of mark belong to a row of seen without an _id"
            ),
            (#"{\#(id),"site":"b","seen":[{"_id":"x","n":1}]}"#, "is not the id of an entry"),
        ] {
            try Data((good + "\n" + line + "\n").utf8).write(to: URL(filePath: file))
            for option in [["--dry-run"], []] {
                let run = try await daemon.shared(["import", "survey", file] + option)
                run.expectProblem("line 2, column _id: ")
                #expect(run.errors.contains(reason), "\(run.errors)")
                #expect(run.errors.contains("nothing was imported"), "\(run.errors)")
                // It takes one table.
                #expect(!run.errors.contains("--keep-good"), "\(run.errors)")
                #expect(run.output.isEmpty, "\(run.output)")
            }
            #expect(try await daemon.answer("list", "survey").array?.isEmpty == true)
        }
        try Data((good + "\n" + #"{"site":"c","seen":[]}"# + "\n").utf8).write(
            to: URL(filePath: file))
        let taken = try await daemon.shared("import", "survey", file)
        #expect(taken.code == 0, "\(taken.errors)")
        #expect(taken.output.contains("survey/seen/mark: added 1 row"), "\(taken.output)")
    }

    @Test func `rows of a repeat that are wrong do not hide that their entries came in`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"survey","version":"1","key":["site"],"fields":[
            {"name":"site","type":"text"},{"name":"seen","type":"repeat","fields":[
            {"name":"n","type":"integer","constraint":". < 10"}]}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let file = daemon.folder.path + "/survey.ndjson"
        func write(_ n: Int) throws {
            let line = #"{"_id":"01a20738-1fa0-7610-951e-2c2dea649f18","site":"hill","#
            try Data((line + #""seen":[{"n":\#(n)}]}"# + "\n").utf8).write(
                to: URL(filePath: file))
        }
        try write(30)
        let wrong = try await daemon.shared("import", "survey", file)
        #expect(wrong.code == 1 && wrong.output == "survey: added 1 entry\n", "\(wrong.output)")
        #expect(
            wrong.errors.contains("what comes before them was imported, these rows not"),
            "\(wrong.errors)")
        #expect(wrong.errors.contains("what is here already is left alone"), "\(wrong.errors)")
        try write(3)
        let mended = try await daemon.shared("import", "survey", file)
        #expect(mended.code == 0, "\(mended.errors)")
        #expect(mended.output.contains("survey: 1 unchanged"), "\(mended.output)")
        #expect(try await daemon.answer("list", "survey")[0]["seen"][0]["n"].number == 3)
    }

    @Test func `a cell of what the form works out changes nothing`() async throws {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"dose","version":"1","key":["id"],"fields":[{"name":"id","type":"text"},
            {"name":"a","type":"integer"},{"name":"b","type":"decimal","calculation":"${a} * 2.5"}]}
            """
        #expect(try await daemon.shared("form", "add", "-", input: form).code == 0)
        #expect(try await daemon.shared("add", "dose", "id=D1", "a=3").code == 0)
        let file = daemon.folder.path + "/dose.csv"
        try "id,a,b\nD1,3,99\n".write(toFile: file, atomically: true, encoding: .utf8)
        let run = try await daemon.shared("import", "dose", file)
        #expect(run.output == "1 unchanged\n", "\(run)")
        #expect(run.errors.contains("b is worked out by the form: 7.5"), "\(run)")
        try "id,a,b\nD1,4,99\n".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(
            try await daemon.shared("import", "dose", file).output
                == "updated 1\n    D1 (line 2): a 3 -> 4; b 7.5 -> 10\n")
        let list = try await daemon.shared("list", "dose", "b=10", "--json")
        #expect(list.output.contains("D1"), "\(list)")
        // Of a new entry it is told as well, and what fits says nothing.
        try "id,a,b\nD2,2,99\nD3,2,5\n".write(toFile: file, atomically: true, encoding: .utf8)
        let new = try await daemon.shared("import", "dose", file)
        #expect(new.output.contains("added 2"), "\(new)")
        #expect(new.errors.contains("line 2, column b: b is worked out by the form: 5"), "\(new)")
        #expect(!new.errors.contains("line 3"), "\(new)")
    }
}
