import JSON
import ShareControl
import ShareTestKit
import Testing

/// Entries named by their key alone, whatever their form.
@Suite(.serialized) struct NamedByKeyTests {
    /// A daemon with the forms `visit` and `house`, and `school`, whose key has two fields.
    private static func daemon() async throws -> Daemon {
        let daemon = try await Daemon.clinic()
        for (form, key) in [("house", "[\"code\"]"), ("school", "[\"code\", \"room\"]")] {
            let text = """
                {"form_id": "\(form)", "version": "1", "title": "\(form)", "key": \(key), "fields": [
                  {"name": "code", "type": "text"}, {"name": "room", "type": "integer"},
                  {"name": "roof", "type": "text"}]}
                """
            let run = try await daemon.shared("form", "add", "-", input: text)
            try #require(run.code == 0, "\(run.errors)")
        }
        return daemon
    }

    @Test func `an entry of another form in a key is called by its name`() async throws {
        let daemon = try await Self.daemon()
        let form = """
            {"form_id": "weight", "version": "1", "key": ["house", "day"], "fields": [
              {"name": "house", "type": "select_one", "list": "@form:house"},
              {"name": "day", "type": "date"}, {"name": "weight", "type": "decimal"}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        try #require(try await daemon.shared("add", "house", "code=KOR-001").code == 0)
        let visit = ["house=KOR-001", "day=2026-11-27", "weight=12.5"]
        let added = try await daemon.shared(["add", "weight"] + visit)
        #expect(added.output.contains("added weight KOR-001 2026-11-27 ("), "\(added)")
        let again = try await daemon.shared(["add", "weight"] + visit)
        #expect(again.errors.contains("weight KOR-001 2026-11-27 is there already"), "\(again)")
        // Two have the name now.
        let shown = try await daemon.shared("show", "weight", "KOR-001", "2026-11-27")
        shown.expectProblem("2 entries are called weight KOR-001 2026-11-27", code: 1)
    }

    @Test func `what names an entry of another form does so after that was deleted`() async throws {
        let daemon = try await Self.daemon()
        let form = """
            {"form_id": "weight", "version": "1", "key": ["house", "day"], "fields": [
              {"name": "house", "type": "select_one", "list": "@form:house"},
              {"name": "day", "type": "date"},
              {"name": "child", "type": "repeat", "fields": [{"name": "name", "type": "text"}]}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        try #require(try await daemon.shared("add", "house", "code=KOR-001").code == 0)
        let added = try await daemon.shared(
            "add", "weight", "house=KOR-001", "day=2026-11-27", #"child=[{"name": "Awa"}]"#)
        try #require(added.code == 0, "\(added)")
        let id = String(added.output.split(separator: "(")[1].prefix(8))
        for isDeleted in [false, true] {
            if isDeleted {
                let deleted = try await daemon.shared("delete", "house", "KOR-001")
                #expect(
                    deleted.errors.contains("1 entry of weight has it in house, and keeps it"),
                    "\(deleted)")
            }
            for look in [
                ["search", "Awa"], ["list", "weight/child"], ["list", "weight"],
                ["show", id], ["show", "weight", "2026-11-27"],
                ["show", "weight", "KOR-001", "2026-11-27"], ["list", "weight", "house=KOR-001"],
            ] {
                let shown = try await daemon.shared(look)
                #expect(shown.output.contains("KOR-001"), "\(look): \(shown)")
            }
        }
    }

    @Test func `an import calls entries and rows by the names that their keys have`() async throws {
        let daemon = try await Self.daemon()
        let form = """
            {"form_id": "weight", "version": "1", "key": ["house"], "fields": [
              {"name": "house", "type": "select_one", "list": "@form:house"},
              {"name": "kg", "type": "decimal"},
              {"name": "child", "type": "repeat", "fields": [{"name": "name", "type": "text"}]}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        for code in ["KOR-001", "KOR-002"] {
            try #require(try await daemon.shared("add", "house", "code=\(code)").code == 0)
            let added = try await daemon.shared(
                "add", "weight", "house=\(code)", "kg=9", #"child=[{"name": "Awa"}]"#)
            try #require(added.code == 0, "\(added)")
        }
        let weights = try await daemon.shared("export", "weight").output
        let children = try await daemon.shared("export", "weight/child").output
        try #require(try await daemon.shared("edit", "weight", "KOR-001", "kg=10").code == 0)
        try #require(try await daemon.shared("delete", "weight", "KOR-002").code == 0)
        let older = try await daemon.shared(
            "import", "weight", "-", input: weights.replacing(",9\n", with: ",8\n"))
        #expect(older.errors.contains("after the file was written: KOR-001 (line 2)"), "\(older)")
        #expect(older.errors.contains("its entry was deleted: KOR-002 ("), "\(older)")
        let rows = try await daemon.shared(
            "import", "weight/child", "-", input: children.replacing("Awa", with: "Ben"))
        #expect(rows.output.contains("KOR-001 (line 2): name Awa -> Ben"), "\(rows)")
        #expect(rows.errors.contains("or what it belongs to: KOR-002 ("), "\(rows)")
        // Rows that the file does not name are added, and told where they are there already.
        for isThere in [false, true] {
            let more = try await daemon.shared(
                "import", "weight/child", "-", input: "PARENT_KEY,name\nKOR-001,Zoe\n")
            #expect(more.output.hasPrefix("added 1 row\n"), "\(more)")
            #expect(
                more.errors.contains("1 row is added although its entry has one") == isThere,
                "\(more)")
        }
    }

    @Test func `a part of a key finds the entry that is looked at, or the parts are told`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id": "round", "version": "1", "key": ["day", "place"], "fields": [
              {"name": "day", "type": "date"}, {"name": "place", "type": "select_one", "list": "v"},
              {"name": "nets", "type": "integer"}],
             "lists": {"v": [{"name": "v1", "label": "Koro"}, {"name": "v2", "label": "Bala"}]}}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        for (day, place) in [("today", "Koro"), ("today", "Bala"), ("yesterday", "Bala")] {
            let run = try await daemon.shared("add", "round", "day=\(day)", "place=\(place)")
            try #require(run.code == 0, "\(run)")
        }
        for words in [["today", "koro"], ["Koro"], ["koro"], ["yesterday"]] {
            let run = try await daemon.shared(["show", "round"] + words)
            #expect(run.code == 0, "\(words): \(run)")
            let alone = try await daemon.shared(["show"] + words)
            #expect(words.count == 1 || alone.code == 0, "\(words): \(alone)")
        }
        try await daemon.shared("show", "round", "Bala").expectProblem("2 entries are called")
        let none = try await daemon.shared("show", "round", "Mopti")
        none.expectProblem("wants a date")
        none.expectHint("The key of round is day and place, in this order.")
        // What is changed must be meant.
        try await daemon.shared("edit", "round", "Koro", "nets=1").expectHint("The key of round is")
    }

    @Test func `every command takes the key that messages print`() async throws {
        let daemon = try await Self.daemon()
        try await daemon.add("KOR-101", age: 8)
        let edit = try await daemon.shared("edit", "KOR-101", "age=9")
        #expect(edit.output.hasPrefix("changed age of visit KOR-101 ("), "\(edit)")
        for (command, words) in [
            (["show", "kor-101"], "visit KOR-101"), (["history", "KOR-101"], "visit KOR-101"),
            (["comment", "KOR-101", "seen"], "commented on visit KOR-101"),
            (["review", "KOR-101", "approved"], "visit KOR-101"),
            (["undo", "KOR-101"], "change of visit KOR-101"),
            (["delete", "KOR-101"], "deleted visit KOR-101"),
            (["restore", "KOR-101"], "visit KOR-101 ("),
        ] {
            let run = try await daemon.shared(command)
            #expect(run.code == 0 && run.output.contains(words), "\(command): \(run)")
        }
        _ = try await daemon.shared("delete", "KOR-101")
        let gone = try await daemon.shared("show", "KOR-101")
        gone.expectProblem("KOR-101 is deleted")
        gone.expectHint("shared restore ")
        #expect(try await daemon.shared("add", "school", "code=S1", "room=4").code == 0)
        let two = try await daemon.shared("edit", "S1", "4", "roof=tin")
        #expect(two.output.hasPrefix("changed roof of school S1 4 ("), "\(two)")
    }

    @Test func `a day or a number in a key is typed as in its field`() async throws {
        let daemon = try await Self.daemon()
        let form = """
            {"form_id": "log", "version": "1", "key": ["post", "day", "size"], "fields": [
              {"name": "post", "type": "text"}, {"name": "day", "type": "date"},
              {"name": "size", "type": "decimal"}, {"name": "what", "type": "text"}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let add = try await daemon.shared("add", "log", "post=A", "day=2026-11-23", "size=1.5")
        try #require(add.code == 0, "\(add.errors)")
        for words in [["log", "A", "23.11.2026", "1,5"], ["A", "2026/11/23", "1.5"]] {
            let show = try await daemon.shared(["show"] + words)
            #expect(show.output.contains("log A 2026-11-23 1.5"), "\(words): \(show)")
            let edit = try await daemon.shared(["edit"] + words + ["what=\(words.count)"])
            #expect(edit.code == 0, "\(edit.errors)")
        }
        #expect(try await daemon.shared("add", "log", "post=B", "day=today", "size=1").code == 0)
        #expect(try await daemon.shared("show", "log", "B", "today").code == 0)
    }

    @Test func `several entries of a form are shown, reviewed and deleted in one go`()
        async throws
    {
        let daemon = try await Self.daemon()
        for name in ["KOR-1", "KOR-2", "KOR-3"] { try await daemon.add(name) }
        let show = try await daemon.shared("show", "visit", "KOR-1", "KOR-2")
        #expect(show.output.contains("visit KOR-1") && show.output.contains("visit KOR-2"))
        let review = try await daemon.shared("review", "visit", "KOR-1", "KOR-2", "approved")
        #expect(review.output.split(separator: "\n").count == 2, "\(review)")
        let both = try await daemon.answer("list", "visit", "_state=approved")
        #expect(both.array?.count == 2)
        // Where one is not there nothing is done to any.
        for last in [
            ["delete", "visit", "KOR-1", "KOR-9"], ["delete", "visit", "KOR-9", "KOR-1"],
        ] {
            #expect(try await daemon.shared(last).code == 1)
        }
        #expect(try await daemon.names().count == 3)
        let delete = try await daemon.shared("delete", "visit", "KOR-1", "KOR-3")
        #expect(delete.output.split(separator: "\n").count == 2, "\(delete)")
        #expect(try await daemon.names() == ["KOR-2"])
        for room in ["4", "5"] {
            _ = try await daemon.shared("add", "school", "code=S1", "room=\(room)")
        }
        let schools = try await daemon.shared("show", "school", "S1", "4", "S1", "5")
        #expect(schools.output.contains("school S1 4") && schools.output.contains("school S1 5"))
    }

    @Test func `a key that is there already is told, also where it is written otherwise`()
        async throws
    {
        let daemon = try await Self.daemon()
        try await daemon.add("KOR-1")
        try await daemon.add("KOR-2")
        let edit = try await daemon.shared("edit", "KOR-2", "name=KOR-1")
        #expect(edit.errors.contains("visit KOR-1 is there already ("), "\(edit)")
        let add = try await daemon.shared("add", "visit", "name=kor-1", "age=3")
        #expect(
            add.errors.contains("visit kor-1 is written like KOR-1, which is there already ("),
            "\(add)")
        let other = try await daemon.shared("edit", "visit", "kor-1", "age=4")
        #expect(other.code == 0 && !other.errors.contains("already"), "\(other)")
    }

    @Test func `a key as it is typed never means what is written otherwise`() async throws {
        let daemon = try await Self.daemon()
        let lower = try await daemon.add("kor-501", age: 1)
        let upper = try await daemon.add("KOR-501", age: 2)
        let delete = try await daemon.shared("delete", "kor-501")
        #expect(delete.output.contains("deleted visit kor-501 (\(lower.suffix(8)))"), "\(delete)")
        for words in [["kor-501"], ["visit", "kor-501"]] {
            let again = try await daemon.shared(["delete"] + words)
            #expect(again.words.contains("visit kor-501 (\(lower.suffix(8))) is deleted already"))
            for command in ["show", "edit"] {
                let last = command == "edit" ? ["age=9"] : []
                try await daemon.shared([command] + words + last)
                    .expectProblem("kor-501 is deleted")
            }
            let back = try await daemon.shared(["undo"] + words)
            #expect(back.output.contains("visit kor-501 (\(lower.suffix(8))) is back"), "\(back)")
            #expect(try await daemon.shared(["delete"] + words).code == 0)
        }
        #expect(try await daemon.answer("show", upper)["age"].number == 2)
        // Where nothing is written so, looking takes the other; changing it has to be meant.
        try await daemon.add("DON-1", age: 3)
        #expect(try await daemon.answer("show", "don-1")["age"].number == 3)
        for words in [["don-1"], ["visit", "don-1"]] {
            for (command, last) in [("delete", []), ("edit", ["age=4"]), ("edit", ["--ask"])] {
                let run = try await daemon.shared([command] + words + last)
                run.expectProblem("no entry is written ")
                run.expectProblem("; there is visit DON-1 (")
                run.expectHint("write its key so, or give its id")
            }
        }
        let both = try await daemon.shared("delete", "visit", "KOR-501", "don-1")
        both.expectProblem("there is visit DON-1 (")
        #expect(try await daemon.names() == ["DON-1", "KOR-501"])
        let review = try await daemon.shared("review", "don-1", "approved")
        #expect(review.output.contains("visit DON-1 ("), "\(review)")
    }

    @Test func `of two entries of one key the deleted one is restored, and the last change undone`()
        async throws
    {
        let daemon = try await Self.daemon()
        let a = try await daemon.add("KOR-800", age: 1)
        let b = try await daemon.add("KOR-800", age: 2)
        let none = try await daemon.shared("undo", "KOR-800")
        none.expectProblem("2 entries are called visit KOR-800: ")
        for id in [a, b] { #expect(none.errors.contains(id.suffix(8))) }
        _ = try await daemon.answer("edit", b, "age=3")
        _ = try await daemon.answer("delete", a)
        for words in [["KOR-800"], ["visit", "KOR-800"]] {
            let undo = try await daemon.shared(["undo"] + words)
            #expect(undo.output.contains("(\(a.suffix(8))) is back"), "\(undo)")
            _ = try await daemon.answer("delete", a)
            let restore = try await daemon.shared(["restore"] + words)
            #expect(restore.output.contains("(\(a.suffix(8))) is back"), "\(restore)")
            _ = try await daemon.answer("delete", a)
        }
        _ = try await daemon.answer("edit", b, "age=4")
        let undo = try await daemon.shared("undo", "KOR-800")
        #expect(undo.output.contains("change of visit KOR-800 (\(b.suffix(8)))"), "\(undo)")
        _ = try await daemon.answer("delete", b)
        let two = try await daemon.shared("restore", "KOR-800")
        two.expectProblem("2 entries are called visit KOR-800: ")
        #expect(two.errors.contains(", deleted"), "\(two)")
    }

    @Test func `a part of a key is enough to look, and not to change`() async throws {
        let daemon = try await Self.daemon()
        let add = try await daemon.shared("add", "school", "code=S1", "room=4", "roof=tin")
        try #require(add.code == 0, "\(add.errors)")
        for words in [["S1"], ["school", "S1"]] {
            for command in ["show", "history"] {
                let run = try await daemon.shared([command] + words)
                #expect(run.code == 0 && run.output.contains("school S1 4"), "\(run)")
            }
            for (command, last) in [
                ("delete", []), ("edit", ["roof=straw"]), ("undo", []), ("review", ["approved"]),
                ("comment", ["seen"]),
            ] {
                let run = try await daemon.shared([command] + words + last)
                run.expectProblem("S1 is a part of the key of school, which is code and room")
                run.expectHint("school S1 4 (")
            }
        }
        #expect(try await daemon.answer("show", "S1")["roof"] == "tin")
        // A whole key is meant before a part of another form's.
        let house = try await daemon.shared("add", "house", "code=S1")
        #expect(house.code == 0, "\(house.errors)")
        let shown = try await daemon.shared("show", "S1")
        #expect(shown.output.contains("house S1"), "\(shown)")
        let edit = try await daemon.shared("edit", "S1", "roof=straw")
        #expect(edit.output.hasPrefix("changed roof of house S1 ("), "\(edit)")
        // So is one of which the rest has no value.
        #expect(try await daemon.shared("add", "school", "code=S2").code == 0)
        #expect(try await daemon.shared("delete", "S2").output.contains("deleted school S2"))
    }

    @Test func `which of several is meant is asked, and what nobody has leads to the nearest`()
        async throws
    {
        let daemon = try await Self.daemon()
        try await daemon.add("KOR-101")
        #expect(try await daemon.shared("add", "house", "code=KOR-101").code == 0)
        let both = try await daemon.shared("edit", "KOR-101", "age=9")
        both.expectProblem("KOR-101 is the key of entries of house and visit")
        both.expectHint("`house KOR-101`, or `visit KOR-101`")
        #expect(try await daemon.shared("edit", "visit", "KOR-101", "age=9").code == 0)
        try await daemon.add("KOR-102")
        try await daemon.add("KOR-102")
        try await daemon.shared("show", "KOR-102").expectProblem(
            "2 entries are called visit KOR-102: ")
        let near = try await daemon.shared("show", "KOR-0101")
        near.expectProblem("no entry \"KOR-0101\"")
        near.expectHint("house KOR-101, visit KOR-101")
        let none = try await daemon.shared("show", "quite-another")
        none.expectHint("Name it by its key, with its form before it, or by the last 8 characters")
        let form = try await daemon.shared("show", "visit")
        form.expectProblem("visit is a form, and no entry of it is named")
        form.expectHint("Put the key of one behind it: `shared list visit`")
    }

    /// The end of an id is like a key by chance: 4 characters of it yield to a key.
    @Test func `a key goes before a few characters of an id, and never in silence`() async throws {
        let daemon = try await Self.daemon()
        let id = try await daemon.add("Sara", age: 8)
        let end = String(id.suffix(4))
        try await daemon.add(end, age: 5)
        #expect(try await daemon.answer("show", end)["age"].number == 5)
        #expect(try await daemon.answer("show", "visit", end)["age"].number == 5)
        #expect(try await daemon.answer("show", String(id.suffix(8)))["age"].number == 8)
        let short = String(id.suffix(8))
        try await daemon.add(short, age: 6)
        try await daemon.shared("edit", short, "age=7").expectProblem("several entries answer")
        #expect(try await daemon.answer("show", id)["age"].number == 8)
    }
}
