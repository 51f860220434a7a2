import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Lists that forms of a room share, by the real programs.
@Suite(.serialized) struct ListCommandTests {
    private static let villages = """
        name,label,label::fr,parent
        koro,Koro,Koro (fr),north
        ségou,Ségou,,north
        bex,Bex,,south

        """

    private static let form = """
        {"form_id": "visit2", "version": "1", "fields": [
          {"name": "region", "type": "select_one", "list": "region"},
          {"name": "village", "type": "select_one", "list": "village",
           "choice_filter": "parent = ${region}"},
          {"name": "others", "type": "select_multiple_from_file", "list": "village.csv"},
          {"name": "seat", "type": "calculate",
           "calculation": "instance('village')/root/item[name = ${village}]/parent"}],
         "lists": {"region": ["north", "south"]}}
        """

    private func rows(_ count: Int) -> String {
        (0..<count).reduce(into: "name,label,parent\n") {
            $0 += "v\($1),Village \($1),\($1 % 2 == 0 ? "north" : "south")\n"
        }
    }

    @Test func `entries are looked at again when a list changes`() async throws {
        let a = try await Daemon.clinic("ward-1")
        _ = try a.write(Self.villages, "lists/village.csv")
        let form = try a.write(Self.form, "forms/visit2.json")
        #expect(try await a.shared("form", "add", form).code == 0)
        try #require(try await a.shared("add", "visit2", "region=north", "village=koro").code == 0)
        #expect(try await a.answer("list", "visit2", "--invalid").array?.count == 0)
        #expect(try await a.answer("search", "Koro")["found"].number == 1)
        let fewer = Self.villages.split(separator: "\n").filter { !$0.hasPrefix("koro") }
        let path = try a.write(fewer.joined(separator: "\n") + "\n", "lists/village.csv")
        #expect(try await a.shared("lists", "add", path).code == 0)
        let isFlagged = await eventually {
            (try? await a.answer("list", "visit2", "_warnings~no choice").array?.count) == 1
        }
        #expect(isFlagged)
        // What was chosen stays, and breaks nothing; nobody can choose it anew.
        #expect(try await a.answer("list", "visit2", "--invalid").array?.count == 0)
        let id = try #require(
            try await a.answer("list", "visit2").array?.first?["_id"].string)
        let shown = try await a.shared("show", id)
        #expect(shown.words.contains("unusual field village has no choice"), "\(shown)")
        try await a.shared("add", "visit2", "region=north", "village=koro").expectProblem(
            "has no choice \"koro\"")
        let isGone = await eventually {
            (try? await a.answer("search", "Koro (fr)")["found"].number) == 0
        }
        #expect(isGone)
    }

    @Test func `what a new version of a list leaves out is told with the entries that have it`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        _ = try daemon.write(Self.villages, "lists/village.csv")
        let form = try daemon.write(Self.form, "forms/visit2.json")
        try #require(try await daemon.shared("form", "add", form).code == 0)
        for values in [
            ["village=koro", "others=bex ségou"], ["village=koro"],
            ["village=ségou", "others=koro"],
        ] {
            let added = try await daemon.shared(["add", "visit2", "region=north"] + values)
            try #require(added.code == 0, "\(added)")
        }
        let fewer = try daemon.write("name,label,parent\nségou,Ségou,north\n", "village.csv")
        let told =
            "koro and bex are not in it any more: 2 entries of visit2 with one in village and 2 entries"
            + " of visit2 with one in others keep it"
        for options in [["--dry-run"], []] {
            let run = try await daemon.shared(["lists", "add", fewer] + options)
            #expect(run.code == 0 && run.errors.contains(told), "\(run)")
        }
        let more = try daemon.write("name,label,parent\nsé,Sé,north\n", "village.csv")
        let run = try await daemon.shared("lists", "add", more, "--dry-run")
        #expect(run.errors.contains("ségou is not in it any more"), "\(run)")
    }

    @Test func `a form is exported with the room's lists, or says which files go beside it`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        _ = try a.write(Self.villages, "lists/village.csv")
        let form = try a.write(Self.form, "forms/visit2.json")
        #expect(try await a.shared("form", "add", form).code == 0)
        let run = try await a.shared("form", "export", "visit2", "--xform", "-")
        #expect(run.output.contains("<instance id=\"village\""), "\(run.output)")
        #expect(run.errors.contains("put village.csv beside it"), "\(run.errors)")
        // Chosen from as a list alone, it is part of the form, with its languages and columns.
        let text = Self.form.replacing("visit2", with: "visit3").replacing(
            "select_multiple_from_file", with: "select_multiple"
        ).replacing("village.csv", with: "village")
        let own = try a.write(text, "forms/visit3.json")
        #expect(try await a.shared("form", "add", own).code == 0)
        let file = a.folder.path + "/visit3.md"
        let sheets = try await a.shared("form", "export", "visit3", "--xlsform", file)
        #expect(
            sheets.errors.contains("village is a list of the room, and part of the file as it is"),
            "\(sheets.errors)")
        let written = try String(contentsOfFile: file, encoding: .utf8)
        #expect(written.contains("Koro (fr)") && written.contains("label::fr"), "\(written)")
        #expect(try await a.shared("form", "check", file).words.contains("2 lists"))
        // So it is where an expression alone looks into it, in either quotes.
        let looking = #"""
            {"form_id": "seats", "version": "1", "fields": [{"name": "at", "type": "text"},
              {"name": "seat", "type": "calculate",
               "calculation": "instance( \"village\")/root/item[name = ${at}]/parent"}]}
            """#
        let seats = try await a.shared("form", "add", try a.write(looking, "seats.json"))
        #expect(seats.code == 0, "\(seats)")
        let looked = try await a.shared("form", "export", "seats", "--xform", "-")
        #expect(looked.output.contains("<parent>north</parent>"), "\(looked)")
        let whole = try await a.shared("form", "export", "visit3", "--xform", "-")
        #expect(whole.output.contains("<parent>north</parent>"), "\(whole.output)")
        // A long one is a file beside it.
        let long = try a.write(rows(1_001), "lists/village.csv")
        #expect(try await a.shared("lists", "add", long).code == 0)
        let long3 = try await a.shared("form", "export", "visit3", "--xlsform", file)
        #expect(long3.errors.contains("shared lists export village --raw --output village.csv"))
        let filed = try String(contentsOfFile: file, encoding: .utf8)
        #expect(filed.contains("select_one_from_file village.csv"), "\(filed)")
    }

    @Test func `a list beside a form becomes one of the room, and is chosen from on every way in`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let form = try a.write(Self.form, "forms/visit2.json")
        let missing = try await a.shared("form", "add", form)
        #expect(missing.code == 1 && missing.errors.contains("there is no list \"village\""))
        _ = try a.write(Self.villages, "lists/village.csv")
        let check = try await a.shared("form", "check", form)
        #expect(check.code == 0 && check.output.contains("2 lists"), "\(check.output)")
        let trial = try await a.shared("form", "add", form, "--dry-run")
        #expect(trial.output.hasPrefix("would add list village, 3 rows\n"), "\(trial.errors)")
        let added = try await a.shared("form", "add", form)
        #expect(added.code == 0 && added.output.hasPrefix("added list village"), "\(added.errors)")
        let again = try await a.shared("form", "add", form).output
        #expect(again.hasPrefix("form visit2, version 1 is here already\n"), "\(again)")

        let lists = try await a.answer("lists")
        #expect(lists[0]["name"].string == "village" && lists[0]["rows"].number == 3)
        #expect(lists[0]["forms"] == .array(["visit2"]))
        let entered = try await a.answer(
            "add", "visit2", "region=north", "village=Koro (fr)", "others=Bex,koro")
        let entry = try await a.answer("show", entered["id"].string ?? "")
        #expect(entry["village"].string == "koro")
        #expect(entry["others"] == .array(["bex", "koro"]))
        #expect(entry["seat"].string == "north")
        let outside = try await a.shared("add", "visit2", "region=north", "village=bex")
        #expect(outside.code == 1, "\(outside.output)")
        let unknown = try await a.shared("add", "visit2", "region=north", "village=kora")
        #expect(unknown.code == 1 && unknown.errors.contains("Koro"), "\(unknown.errors)")
        let imported = try await a.shared(
            "import", "visit2", "-", input: "region,village\nnorth,Sagou\nnorth,sagou\nsouth,bex\n")
        #expect(imported.code == 1, "\(imported.output)")
        let good = try await a.shared(
            "import", "visit2", "-", input: "region,village\nnorth,Ségou\nsouth,bex\n")
        #expect(good.code == 0, "\(good.errors)")
        let listed = try await a.shared("list", "visit2", "village~sego")
        #expect(listed.output.contains("ségou"), "\(listed.output)\(listed.errors)")
        let found = try await a.shared("search", "segou")
        #expect(found.output.contains("Ségou"), "\(found.output)")
    }

    @Test func `two devices have the same list, and a member without the right cannot change it`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let file = try a.write(Self.villages, "village.csv")
        #expect(try await a.shared("lists", "add", file).code == 0)
        let b = try await Daemon.member("ward-2", of: a)
        let isThere = await eventually {
            (try? await b.answer("lists")[0]["rows"].number) == 3
        }
        #expect(isThere)
        try await b.shared("lists", "add", file, "--name", "other").expectProblem("collector")
        let shown = try await b.shared("lists", "show", "village", "parent=north")
        #expect(shown.output.contains("Koro") && !shown.output.contains("Bex"), "\(shown.output)")
        let found = try await b.answer("lists", "show", "village", "--search", "SEGOU")
        #expect(found["cells"][0][0].string == "ségou")
        #expect(try await b.shared("lists", "export", "village").output == Self.villages)

        // A version that is under way when the receiver is cut off is there in the end.
        let large = try a.write(rows(40_000), "large.csv")
        async let added = a.shared("lists", "add", large, "--name", "village")
        try await Task.sleep(for: .milliseconds(300))
        await b.kill()
        #expect(try await added.code == 0)
        try await b.start()
        let isLarge = await eventually(within: .seconds(60)) {
            (try? await b.answer("lists")[0]["rows"].number) == 40_000
        }
        #expect(isLarge)
        let child = try await b.answer("lists", "show", "village", "name=v39999")
        #expect(child["cells"][0][1].string == "Village 39999")
        for daemon in [a, b] { #expect(try await daemon.shared("verify").code == 0) }
        let digests = [try await a.status()["digest"], try await b.status()["digest"]]
        #expect(digests[0] == digests[1])
        #expect(try await a.shared("lists", "remove", "village").code == 0)
        #expect(try await a.shared("lists").output.contains("no list yet"))
    }

    @Test func `a changed parent clears a choice of forty thousand`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let form = try a.write(Self.form, "forms/visit2.json")
        _ = try a.write(rows(40_000), "lists/village.csv")
        #expect(try await a.shared("form", "add", form).code == 0)
        let id = try await a.answer("add", "visit2", "region=north", "village=v20002")["id"].string
        let state = try await a.answer("add", "visit2", "region=south", "village=Village 20003")
        #expect(state["id"].string != nil)
        #expect(try await a.shared("edit", id ?? "", "region=south").code == 0)
        let edited = try await a.answer("show", id ?? "")
        #expect(edited["region"].string == "south" && edited["village"] == .null)
    }

    @Test func `a list comes back from its export as it was, codes and odd texts too`() async throws
    {
        let daemon = try await Daemon.clinic()
        let list = "name,label,temp\n1,Yes,\n-99,-- refused --,-5\n+x,=1,@x\n"
        let path = try daemon.write(list, "code.csv")
        #expect(try await daemon.shared("lists", "add", path).code == 0)
        let raw = try await daemon.shared("lists", "export", "code", "--raw")
        #expect(raw.output == list, "\(raw)")
        let export = try await daemon.shared("lists", "export", "code")
        #expect(
            export.output
                == "name,label,temp\n1,Yes,\n-99,'-- refused --,-5\n'+x,'=1,'@x\n", "\(export)")
        let again = try daemon.write(export.output, "again.csv")
        let added = try await daemon.shared("lists", "add", again, "--name", "code")
        #expect(added.output.contains("is here already"), "\(added)")
    }

    @Test func `bad files of lists are refused with their line, and leave what is there`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let file = try a.write(Self.villages, "village.csv")
        #expect(try await a.shared("lists", "add", file).code == 0)
        for (text, words) in [
            ("name\nx\nx\n", "line 3: \"x\" is there twice"),
            ("name,label\nx\n", "line 2: 1 cells; the header has 2"),
            ("", "no rows"),
        ] {
            let bad = try await a.shared("lists", "add", "-", "--name", "village", input: text)
            #expect(bad.code == 1 && bad.errors.contains(words), "\(bad.errors)")
            #expect(bad.errors.contains("hint:"))
        }
        let none = try await a.shared("lists", "show", "vilage")
        #expect(none.code == 1 && none.errors.contains("village"), "\(none.errors)")
        #expect(try await a.answer("lists")[0]["rows"].number == 3)
        let same = try await a.shared("lists", "add", file)
        #expect(same.output.contains("is here already"))
    }

    @Test func `entries of another form are choices, by their names, and stored by their ids`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let household = """
            {"form_id": "household", "version": "1", "key": ["number"],
             "instance_name": "concat(${head}, ' - ', ${number})",
             "fields": [{"name": "number", "type": "text", "required": true},
              {"name": "head", "type": "text"}, {"name": "region", "type": "text"},
              {"name": "near", "type": "select_one", "list": "@form:household"}]}
            """
        let visit = """
            {"form_id": "visit2", "version": "1", "fields": [
              {"name": "region", "type": "text"},
              {"name": "household", "type": "select_one", "list": "@form:household",
               "choice_filter": "region = ${region}", "x": {"where": "_state = 'approved'"}},
              {"name": "remark", "type": "text"},
              {"name": "head", "type": "calculate",
               "calculation": "instance('@form:household')/root/item[name = ${household}]/head"}]}
            """
        for (name, form) in [("household", household), ("visit2", visit)] {
            let added = try await a.shared(
                "form", "add", try a.write(form, "\(name).json"))
            #expect(added.code == 0, "\(added.errors)")
        }
        var ids: [String] = []
        for (number, head, region) in [
            ("KOR-1", "Awa", "north"), ("KOR-2", "Ségou", "north"), ("BEX-1", "Jo", "south"),
        ] {
            let run = try await a.answer(
                "add", "household", "number=\(number)", "head=\(head)", "region=\(region)")
            ids.append(run["id"].string ?? "")
        }
        let early = try await a.shared("add", "visit2", "region=north", "household=KOR-1")
        #expect(early.code == 1, "\(early.output)")
        for id in ids {
            #expect(try await a.shared("review", id, "approved").code == 0)
        }
        for typed in ["KOR-1", "awa - kor-1", String(ids[0].suffix(8)), ids[0]] {
            let run = try await a.answer("add", "visit2", "region=north", "household=\(typed)")
            let visit = try await a.answer("show", run["id"].string ?? "")
            #expect(visit["household"].string == ids[0], "\(typed)")
            #expect(visit["head"].string == "Awa")
        }
        let shown = try await a.shared("list", "visit2", "--columns", "household")
        #expect(shown.code == 0, "\(shown.errors)")
        let outside = try await a.shared("add", "visit2", "region=south", "household=KOR-1")
        #expect(outside.code == 1, "\(outside.output)")
        let none = try await a.shared("add", "visit2", "region=south", "household=KOR-9")
        #expect(none.code == 1 && none.errors.contains("KOR-9"), "\(none.errors)")
        #expect(none.errors.contains("`shared list household`"), "\(none.errors)")
        // A file names them by their key or name, as people do; a wrong one is said by its name.
        let csv = "region,household\nnorth,KOR-2\nnorth,awa - kor-1\n"
        let taken = try await a.shared(["import", "visit2", "-"], input: csv)
        #expect(taken.code == 0, "\(taken.errors)")
        let visits = try await a.answer("list", "visit2", "household=\(ids[1])")
        #expect(visits.array?.count == 1, "\(visits)")
        let wrong = try await a.shared(
            ["import", "visit2", "-"], input: "region,household\nsouth,KOR-2\n")
        #expect(wrong.code == 1 && wrong.errors.contains("Ségou - KOR-2"), "\(wrong.errors)")
        // What staff find later is no verdict on the visits that were made before.
        let kept = try await a.answer("add", "visit2", "region=north", "household=KOR-1")
        #expect(try await a.shared("review", ids[0], "rejected").code == 0)
        let edited = try await a.shared("edit", kept["id"].string ?? "", "remark=nobody home")
        #expect(edited.code == 0, "\(edited.errors)")
        let invalid = try await a.answer("list", "visit2", "--invalid")
        #expect(invalid.array?.isEmpty == true, "\(invalid)")
        // A form that chooses among its own entries names them all the same.
        let near = try await a.shared(
            "add", "household", "number=KOR-3", "head=Ali", "near=Ségou - KOR-2")
        #expect(near.code == 0, "\(near.errors)")
    }
}
