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
}
