import Foundation
import JSON
import ShareTestKit
import Testing

/// Choices that a later version of a form does not offer any more: what an entry has of them stays
/// until somebody takes it away, also where their names are what others are called by now.
@Suite(.serialized) struct RenamedChoiceTests {
    private static let first = """
        {"form_id":"house","version":"1","key":["k"],"fields":[
         {"name":"k","type":"text"},{"name":"note","type":"text"},
         {"name":"village","type":"select_one","list":"v"},
         {"name":"seen","type":"select_multiple","list":"v"},
         {"name":"child","type":"repeat","fields":[{"name":"name","type":"text"},
          {"name":"born","type":"select_one","list":"v"}]}],
         "lists":{"v":[{"name":"koro"},{"name":"bala"},{"name":"dia","label":"Dia"}]}}
        """
    private static let lists = #""lists":{"v":[{"name":"koro"},{"name":"bala"}"#

    private func room() async throws -> Daemon {
        let daemon = try await Daemon.clinic()
        try #require(try await daemon.shared("form", "add", "-", input: Self.first).code == 0)
        for entry in [
            ["k=1", "village=koro", "seen=koro,bala", "child[1]/name=a", "child[1]/born=koro"],
            ["k=2", "village=dia", "seen=dia", "child[1]/name=b", "child[1]/born=dia"],
        ] {
            try #require(try await daemon.shared(["add", "house"] + entry).code == 0)
        }
        let second = Self.first.replacing(#""version":"1""#, with: #""version":"2""#)
            .replacing(
                Self.lists,
                with: #""lists":{"v":[{"name":"kor","label":"Koro"},{"name":"bal","label":"Bala"}"#)
        try #require(second.contains("Koro"))
        try #require(
            try await daemon.shared("form", "add", "-", "--force", input: second).code == 0)
        return daemon
    }

    private func entry(_ daemon: Daemon, _ key: String) async throws -> JSONValue {
        try await daemon.answer("show", "house", key)
    }

    @Test func `a condition that misspells what is not offered any more is led to it`() async throws
    {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"house","version":"1","key":["k"],"fields":[
             {"name":"k","type":"text"},{"name":"village","type":"select_one","list":"v"}],
             "lists":{"v":[{"name":"koro","label":"Koro"},{"name":"bala","label":"Bala"}]}}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        try #require(try await daemon.shared("add", "house", "k=1", "village=bala").code == 0)
        let second = form.replacing(#""version":"1""#, with: #""version":"2""#)
            .replacing(#","label":"Koro"},{"name":"bala","label":"Bala"}"#, with: #"}"#)
        let added = try await daemon.shared("form", "add", "-", "--force", input: second)
        try #require(added.code == 0, "\(added)")
        let list = try await daemon.shared("list", "house", "village=balla")
        list.expectProblem("field village has no choice \"balla\"")
        list.expectHint("Did you mean Bala?")
        // Nobody can enter it.
        let entered = try await daemon.shared("add", "house", "k=2", "village=balla")
        #expect(entered.code != 0 && !entered.errors.contains("Bala"), "\(entered)")
    }

    @Test func `what was exported changes nothing`() async throws {
        let daemon = try await room()
        let before = try await entry(daemon, "1")
        let folder = daemon.folder.path + "/out"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        for (form, rows) in [("house", "2 unchanged\n"), ("house/child", "2 unchanged\n")] {
            for manner in [[], ["--like", "kobo"], ["--like", "central"]]
            where form == "house" || manner == [] {
                let file = try await daemon.shared(["export", form] + manner)
                try #require(file.code == 0, "\(file)")
                let again = try await daemon.shared("import", form, "-", input: file.output)
                #expect(again.output == rows, "\(form) \(manner): \(file.output) \(again)")
            }
        }
        let book = folder + "/a.xlsx"
        try #require(try await daemon.shared("export", "house", "--output", book).code == 0)
        let again = try await daemon.shared("import", "house", book)
        #expect(again.output == "house: 2 unchanged\nhouse/child: 2 unchanged\n", "\(again)")
        // Found by the key alone as well.
        let keyed = try await daemon.shared(
            "import", "house", "-", input: "k,village,seen\n1,koro,koro bala\n")
        #expect(keyed.output == "1 unchanged\n", "\(keyed)")
        #expect(try await entry(daemon, "1") == before)
        // Another cell of the row leaves them alone too.
        let other = "k,village,seen,note\n1,koro,koro bala,x\n"
        let changed = try await daemon.shared("import", "house", "-", input: other)
        #expect(changed.code == 0, "\(changed)")
        let values = try await entry(daemon, "1")
        #expect(values["village"].string == "koro", "\(values.shown)")
        #expect(values["note"].string == "x")
        // A file that has not heard of a correction does not take it back.
        #expect(try await daemon.shared("edit", "house", "1", "village=dia").code == 0)
        let older = try await daemon.shared(
            "import", "house", "-", input: "k,village\n1,koro\n")
        #expect(older.code == 0 && older.errors.contains("left alone"), "\(older)")
        #expect(try await entry(daemon, "1")["village"].string == "dia")
        // The new name is another answer, and new entries have it by the label.
        let moved = try await daemon.shared(
            "import", "house", "-", input: "k,village\n1,kor\n3,koro\n")
        #expect(moved.code == 0, "\(moved)")
        #expect(try await entry(daemon, "1")["village"].string == "kor")
        #expect(try await entry(daemon, "3")["village"].string == "kor")
    }

    @Test func `an edit that says what is there changes nothing`() async throws {
        let daemon = try await room()
        let before = try await entry(daemon, "1")
        for words in [
            ["village=koro"], ["seen=koro,bala"], ["child[1]/name=a", "village=koro"],
        ] {
            let run = try await daemon.shared(["edit", "house", "1"] + words)
            #expect(run.code == 0, "\(words): \(run)")
        }
        let kept = try await daemon.shared("edit", "house", "2", "village=dia", "note=x")
        #expect(kept.code == 0, "\(kept)")
        let row = try await daemon.shared("edit", "house", "1", "child[1]/born=koro")
        #expect(row.code == 0, "\(row)")
        #expect(try await entry(daemon, "1") == before)
        let other = try await daemon.shared("edit", "house", "2", "village=koro")
        #expect(other.code == 0, "\(other)")
        #expect(try await entry(daemon, "2")["village"].string == "kor")
    }

    @Test func `beside a choice that stays another is added`() async throws {
        let daemon = try await room()
        let edited = try await daemon.shared("edit", "house", "1", "seen=koro,bala,dia")
        #expect(edited.code == 0, "\(edited)")
        func seen() async throws -> [String]? {
            try await entry(daemon, "1")["seen"].array?.compactMap(\.string)
        }
        #expect(try await seen() == ["koro", "bala", "dia"])
        let third = Self.first.replacing(#""version":"1""#, with: #""version":"3""#)
            .replacing(Self.lists, with: #""lists":{"v":[{"name":"x","label":"Ex"}"#)
        try #require(
            try await daemon.shared("form", "add", "-", "--force", input: third).code == 0)
        let more = try await daemon.shared("edit", "house", "1", "seen=koro,dia,x")
        #expect(more.code == 0, "\(more)")
        #expect(try await seen() == ["koro", "dia", "x"])
        // Not in an entry that has it not.
        let none = try await daemon.shared("edit", "house", "2", "seen=dia,bala")
        #expect(none.code == 1 && none.errors.contains("not offered any more"), "\(none)")
        let back = try await daemon.shared("edit", "house", "1", "seen=koro,bala,x")
        #expect(back.code == 1 && back.errors.contains("not offered any more"), "\(back)")
        // From files and in rows of tables too.
        let file = "k,seen\n1,koro x\n2,dia x\n"
        let run = try await daemon.shared("import", "house", "-", input: file)
        #expect(run.code == 0, "\(run)")
        #expect(try await seen() == ["koro", "x"])
        let wrong = try await daemon.shared("import", "house", "-", input: "k,seen\n2,dia koro\n")
        #expect(wrong.code == 1 && wrong.errors.contains("not offered any more"), "\(wrong)")
    }

    @Test func `questions add beside a choice that stays`() async throws {
        let daemon = try await room()
        let third = Self.first.replacing(#""version":"1""#, with: #""version":"3""#)
            .replacing(Self.lists, with: #""lists":{"v":[{"name":"x","label":"Ex"}"#)
        try #require(
            try await daemon.shared("form", "add", "-", "--force", input: third).code == 0)
        let run = try await daemon.shared(
            "edit", "house", "1", "--ask", input: "4\nkoro,bala,x\n\n")
        #expect(run.code == 0, "\(run)")
        let seen = try await entry(daemon, "1")["seen"].array?.compactMap(\.string)
        #expect(seen == ["koro", "bala", "x"], "\(run)")
    }

    @Test func `of several in a file only what was changed is another`() async throws {
        let daemon = try await room()
        func seen() async throws -> [String]? {
            try await entry(daemon, "1")["seen"].array?.compactMap(\.string)
        }
        for (cell, stored) in [
            ("koro bala dia", ["koro", "bala", "dia"]), ("bala koro", ["bala", "koro"]),
            ("koro", ["koro"]), ("koro kor", ["koro", "kor"]), ("kor bala", ["kor", "bal"]),
        ] {
            let run = try await daemon.shared(
                "import", "house", "-", input: "k,seen\n1,\(cell)\n")
            #expect(run.code == 0, "\(run)")
            #expect(try await seen() == stored, "\(cell): \(run)")
        }
    }

    @Test func `lists of the room keep what was chosen from an earlier one`() async throws {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"furs","version":"1","key":["k"],"fields":[
             {"name":"k","type":"text"},{"name":"v","type":"select_one","list":"fur"},
             {"name":"m","type":"select_multiple","list":"fur"},
             {"name":"r","type":"repeat","fields":[{"name":"rv","type":"select_one","list":"fur"}]}]}
            """
        let file = daemon.folder.path + "/fur.csv"
        func list(_ rows: String) async throws {
            try ("name,label\n" + rows).write(toFile: file, atomically: true, encoding: .utf8)
            let run = try await daemon.shared("lists", "add", file)
            try #require(run.code == 0, "\(run)")
        }
        try await list("koro,Koro\nbex,Bex\n")
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        for key in ["1", "2"] {
            try #require(
                try await daemon.shared(
                    "add", "furs", "k=\(key)", "v=koro", "m=koro,bex", "r[1]/rv=koro"
                )
                .code == 0)
        }
        try await list("kor,Koro\nbex,Bex\n")
        for form in ["furs", "furs/r"] {
            let file = try await daemon.shared("export", form)
            let again = try await daemon.shared("import", form, "-", input: file.output)
            #expect(again.output == "2 unchanged\n", "\(form): \(again)")
        }
        // What changes one of several leaves the others.
        let more = try await daemon.shared("import", "furs", "-", input: "k,m\n1,koro\n")
        #expect(more.code == 0, "\(more)")
        let first = try await daemon.answer("show", "furs", "1")
        #expect(first["m"].array?.compactMap(\.string) == ["koro"], "\(first.shown)")
        // Nor does a file that has not heard of a correction take it back.
        #expect(try await daemon.shared("edit", "furs", "2", "v=bex", "m=bex").code == 0)
        let older = try await daemon.shared(
            "import", "furs", "-", input: "k,v,m\n2,koro,koro bex\n")
        #expect(older.code == 0 && older.errors.contains("left alone"), "\(older)")
        let second = try await daemon.answer("show", "furs", "2")
        #expect(second["v"].string == "bex", "\(second.shown)")
        #expect(second["m"].array?.compactMap(\.string) == ["bex"], "\(second.shown)")
    }

    @Test func `rows of a list without ids keep their choices`() async throws {
        let daemon = try await room()
        let before = try await entry(daemon, "1")
        let rows = #"child=[{"name":"a","born":"koro"},{"name":"z"}]"#
        let run = try await daemon.shared("edit", "house", "1", rows)
        #expect(run.code == 0, "\(run)")
        let after = try await entry(daemon, "1")
        #expect(after["child"][0] == before["child"][0], "\(after.shown)")
        #expect(after["child"].array?.count == 2)
    }

    @Test func `an entry is named by the choices that its key has`() async throws {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"day","version":"1","key":["v","n"],"fields":[
             {"name":"v","type":"select_one","list":"v"},{"name":"n","type":"integer"},
             {"name":"x","type":"integer"}],"lists":{"v":[{"name":"koro"},{"name":"bex"}]}}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        try #require(try await daemon.shared("add", "day", "v=koro", "n=1", "x=5").code == 0)
        try #require(try await daemon.shared("add", "day", "v=bex", "n=1", "x=6").code == 0)
        let file = try await daemon.shared("export", "day", "--columns", "v,n,x")
        let second = form.replacing(#""version":"1""#, with: #""version":"2""#)
            .replacing(#"{"name":"koro"}"#, with: #"{"name":"kor","label":"Koro"}"#)
        try #require(
            try await daemon.shared("form", "add", "-", "--force", input: second).code == 0)
        let again = try await daemon.shared("import", "day", "-", input: file.output)
        #expect(again.output == "2 unchanged\n", "\(again)")
        let alone = try await daemon.shared("show", "day", "koro", "1")
        #expect(alone.code == 0, "\(alone)")
        try #require(try await daemon.shared("add", "day", "v=kor", "n=1", "x=7").code == 0)
        #expect(try await daemon.answer("show", "day", "koro", "1")["x"].number == 5)
        #expect(try await daemon.answer("show", "day", "kor", "1")["x"].number == 7)
        let edited = try await daemon.shared("edit", "day", "koro", "1", "x=50")
        #expect(edited.code == 0, "\(edited)")
        let changed = try await daemon.shared(
            "import", "day", "-", input: file.output.replacing("koro,1,5", with: "koro,1,51"))
        #expect(changed.output.hasPrefix("updated 1, 1 unchanged"), "\(changed)")
        #expect(try await daemon.answer("show", "day", "koro", "1")["x"].number == 51)
        #expect(try await daemon.answer("show", "day", "kor", "1")["x"].number == 7)
    }

    @Test func `a choice that begins like a formula comes back`() async throws {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"neg","version":"1","key":["k"],"fields":[{"name":"k","type":"text"},
             {"name":"sym","type":"select_multiple","list":"s"},
             {"name":"one","type":"select_one","list":"s"}],
             "lists":{"s":[{"name":"cough"},{"name":"fever"},{"name":"-99"}]}}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let entry = ["k=A", "sym=-99,fever", "one=-99"]
        try #require(try await daemon.shared(["add", "neg"] + entry).code == 0)
        for (version, dropped) in [
            ("2", #",{"name":"fever"}"#), ("3", #",{"name":"fever"},{"name":"-99"}"#),
        ] {
            let next = form.replacing(dropped, with: "")
                .replacing(#""version":"1""#, with: #""version":"\#(version)""#)
            let run = try await daemon.shared("form", "add", "-", "--force", input: next)
            try #require(run.code == 0, "\(run)")
            let file = try await daemon.shared("export", "neg")
            let again = try await daemon.shared("import", "neg", "-", input: file.output)
            #expect(again.output == "1 unchanged\n", "\(file.output) \(again)")
        }
    }

    /// Entries of two versions, between which a choice has got another name.
    @Test(arguments: [false, true])
    func `conditions find what is called so in any version`(isListOfRoom: Bool) async throws {
        let daemon = try await Daemon.clinic()
        func form(_ version: String, _ choices: String) -> String {
            """
            {"form_id":"f","version":"\(version)","key":["n"],"fields":[{"name":"n","type":"text"},
             {"name":"v","type":"select_one","list":"fur"},
             {"name":"m","type":"select_multiple","list":"fur"},
             {"name":"k","type":"rank","list":"fur"}]
             \(isListOfRoom ? "" : #","lists":{"fur":[\#(choices)]}"#)}
            """
        }
        func list(_ rows: String) async throws {
            let file = daemon.folder.path + "/fur.csv"
            try ("name,label\n" + rows).write(toFile: file, atomically: true, encoding: .utf8)
            let run = try await daemon.shared("lists", "add", file)
            try #require(run.code == 0, "\(run)")
        }
        func add(_ form: String) async throws {
            let run = try await daemon.shared("form", "add", "-", "--force", input: form)
            try #require(run.code == 0, "\(run)")
        }
        if isListOfRoom { try await list("koro,Koro\nbex,Bex\n") }
        try await add(form("1", #"{"name":"koro"},{"name":"bex"}"#))
        for n in ["1", "2", "3"] {
            let entry = ["n=\(n)", "v=koro", "m=koro,bex", "k=bex,koro"]
            try #require(try await daemon.shared(["add", "f"] + entry).code == 0)
        }
        if isListOfRoom { try await list("kor,Koro\nbex,Bex\n") }
        try await add(form("2", #"{"name":"kor","label":"Koro"},{"name":"bex"}"#))
        try #require(
            try await daemon.shared("add", "f", "n=4", "v=kor", "m=kor", "k=kor").code == 0)
        for (condition, count) in [
            ("v=koro", 4), ("v~koro", 4), ("v!=koro", 0), ("v=kor", 1), ("m=koro", 4),
            ("m~koro", 4), ("m=koro,bex", 3), ("m~koro,bex", 3), ("m!=koro", 0),
            ("m!=koro,bex", 1), ("m=kor", 1), ("k=bex,koro", 3), ("k=koro", 1), ("k~koro", 4),
            ("k!=koro", 3),
        ] {
            let run = try await daemon.shared("count", "f", condition)
            #expect(run.output == "\(count)\n", "\(condition): \(run)")
        }
        // Where no other is called so any more; of earlier lists of a room no labels are known.
        let all = isListOfRoom ? 3 : 4
        if isListOfRoom { try await list("ex,Ex\nbex,Bex\n") }
        try await add(form("3", #"{"name":"ex","label":"Ex"},{"name":"bex"}"#))
        for (condition, count) in [
            ("v=koro", all), ("m=koro", all), ("m=koro,bex", 3), ("k=bex,koro", 3),
            ("m!=koro", 4 - all),
        ] {
            let run = try await daemon.shared("count", "f", condition)
            #expect(run.output == "\(count)\n", "\(condition): \(run)")
        }
        let none = try await daemon.shared("count", "f", "m=zzz")
        #expect(none.code == 1 && none.errors.contains("no choice \"zzz\""), "\(none)")
    }

    @Test func `lines with ids have choices that are offered, or are to be kept`() async throws {
        let daemon = try await room()
        let line = """
            {"_id":"01a21000-0000-7000-8000-000000000001","k":"7","village":"zzz"}
            {"_id":"01a21000-0000-7000-8000-000000000002","k":"8","seen":["koro","dia"]}
            """
        let file = daemon.folder.path + "/lines.ndjson"
        try line.write(toFile: file, atomically: true, encoding: .utf8)
        for words in [["--dry-run"], []] {
            let run = try await daemon.shared(["import", "house", file] + words)
            #expect(run.code == 1 && run.errors.contains("has no choice \"zzz\""), "\(run)")
            #expect(run.errors.contains("koro is not offered any more"), "\(run)")
            #expect(run.errors.contains("--as-kept"), "\(run)")
        }
        let kept = try await daemon.shared("import", "house", file, "--as-kept")
        #expect(kept.code == 0, "\(kept)")
        #expect(try await entry(daemon, "7")["village"].string == "zzz")
        // What is here already is refused by nothing, and comes back as it is.
        let all = try await daemon.shared("export", "house", "--format", "ndjson")
        try all.output.write(toFile: file, atomically: true, encoding: .utf8)
        let again = try await daemon.shared("import", "house", file)
        #expect(again.code == 0 && !again.output.contains("updated"), "\(again)")
    }

    @Test func `files of Central and KoboToolbox have fields of earlier versions`() async throws {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"kd","version":"1","key":["k"],"fields":[{"name":"k","type":"text"},
             {"name":"m","type":"select_multiple","list":"c"},{"name":"g","type":"geopoint"},
             {"name":"home","type":"group","fields":[{"name":"n","type":"integer"}]}],
             "lists":{"c":[{"name":"a"},{"name":"b"}]}}
            """
        let added = try await daemon.shared("form", "add", "-", input: form)
        try #require(added.code == 0, "\(added)")
        let entry = ["k=1", "m=a,b", "g=1 2", "n=3"]
        try #require(try await daemon.shared(["add", "kd"] + entry).code == 0)
        var files: [String] = []
        for manner in ["central", "kobo"] {
            files.append(try await daemon.shared("export", "kd", "--like", manner).output)
        }
        let next =
            #"{"form_id":"kd","version":"2","key":["k"],"fields":[{"name":"k","type":"text"}]}"#
        try #require(
            try await daemon.shared("form", "add", "-", "--force", input: next).code == 0)
        for file in files {
            let again = try await daemon.shared("import", "kd", "-", input: file)
            #expect(again.output == "1 unchanged\n", "\(file) \(again)")
            #expect(again.errors.contains("version 2 does not ask it"), "\(again)")
        }
    }

    @Test func `a choice that is called as another one is named stays by the side of it`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"x","version":"1","key":["k"],"fields":[{"name":"k","type":"text"},
             {"name":"m","type":"select_multiple","list":"c"},
             {"name":"r","type":"repeat","fields":[{"name":"rm","type":"select_multiple","list":"c"}]}],
             "lists":{"c":[{"name":"a","label":"b"},{"name":"b","label":"Be"},{"name":"c"}]}}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let entry = ["k=1", "m=a,Be", "r[1]/rm=a,c"]
        try #require(try await daemon.shared(["add", "x"] + entry).code == 0)
        let next = form.replacing(#"{"name":"a","label":"b"},"#, with: "")
            .replacing(#""version":"1""#, with: #""version":"2""#)
        try #require(
            try await daemon.shared("form", "add", "-", "--force", input: next).code == 0)
        let before = try await daemon.answer("show", "x", "1")
        #expect(before["m"].array?.compactMap(\.string) == ["a", "b"], "\(before.shown)")
        for form in ["x", "x/r"] {
            let file = try await daemon.shared("export", form)
            let again = try await daemon.shared("import", form, "-", input: file.output)
            #expect(again.output == "1 unchanged\n", "\(form): \(again)")
            // One of several is taken away, in rows too.
            let column = form == "x" ? "a b" : "a c"
            let changed = try await daemon.shared(
                "import", form, "-", input: file.output.replacing(column, with: "a"))
            #expect(changed.output.hasPrefix("updated 1"), "\(form): \(changed)")
        }
        let after = try await daemon.answer("show", "x", "1")
        #expect(after["m"].array?.compactMap(\.string) == ["a"], "\(after.shown)")
        #expect(after["r"][0]["rm"].array?.compactMap(\.string) == ["a"], "\(after.shown)")
    }

    @Test func `what another room kept of earlier versions stays so too`() async throws {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"y","version":"2","key":["k"],"fields":[{"name":"k","type":"text"},
             {"name":"v","type":"select_one","list":"c"}],
             "lists":{"c":[{"name":"kor","label":"Koro"}]}}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let line = #"{"_id":"01a21000-0000-7000-8000-000000000001","k":"1","v":"koro"}"#
        let path = daemon.folder.path + "/y.ndjson"
        try line.write(toFile: path, atomically: true, encoding: .utf8)
        try #require(try await daemon.shared("import", "y", path, "--as-kept").code == 0)
        let file = try await daemon.shared("export", "y")
        let again = try await daemon.shared("import", "y", "-", input: file.output)
        #expect(again.output == "1 unchanged\n", "\(again)")
    }
}
