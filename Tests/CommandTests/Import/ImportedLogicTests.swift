import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// What a form demands and computes, of the rows of a file as of answers that are typed.
@Suite(.serialized) struct ImportedLogicTests {
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
