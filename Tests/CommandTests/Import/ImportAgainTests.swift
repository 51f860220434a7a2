import Foundation
import JSON
import ShareTestKit
import Testing

/// A file that somebody keeps, without `_id` and `_updated`, and imports again each day.
@Suite(.serialized) struct ImportAgainTests {
    private static let form = """
        {"form_id":"home","version":"1","key":["hh"],"fields":[
         {"name":"hh","type":"text","required":true},
         {"name":"members","type":"integer","constraint":". >= ${sick}"},
         {"name":"sick","type":"integer"},
         {"name":"phone","type":"text"},
         {"name":"well","type":"integer","calculation":"${members} - ${sick}"}]}
        """

    private static func home() async throws -> Daemon {
        let daemon = try await Daemon.clinic()
        let made = try await daemon.shared("form", "add", "-", input: form)
        try #require(made.code == 0, "\(made.errors)")
        return daemon
    }

    @Test(.timeLimit(.minutes(2)))
    func `what JSON leaves out of an entry that it names by its key is left alone`() async throws {
        let daemon = try await Self.home()
        let first = "hh,members,sick,phone\nI-1,3,1,70\n"
        try #require(try await daemon.shared("import", "home", "-", input: first).code == 0)
        let path = daemon.folder.path + "/some.json"
        for (text, phone, told) in [
            (#"[{"hh":"I-1","members":5}]"#, "70", "members 3 -> 5; well 2 -> 4"),
            (#"[{"hh":"I-1","phone":null}]"#, nil, "phone 70 -> (nothing)"),
        ] {
            try Data(text.utf8).write(to: URL(filePath: path))
            let run = try await daemon.shared("import", "home", path)
            #expect(run.output == "updated 1\n    I-1 (line 1): \(told)\n", "\(run)")
            let entry = try await daemon.answer("list", "home", "hh=I-1")[0]
            #expect(entry["members"].number == 5 && entry["sick"].number == 1)
            #expect(entry["well"].number == 4 && entry["phone"].string == phone, "\(entry)")
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `a cell that the entry had before it was changed is left alone, and named`() async throws {
        let daemon = try await Self.home()
        func home(_ key: String) async throws -> JSONValue {
            try await daemon.answer("list", "home", "hh=\(key)")[0]
        }
        let file = "hh,members,sick,phone\nI-1,3,1,\nI-2,4,1,\n"
        let first = try await daemon.shared("import", "home", "-", input: file)
        try #require(first.output == "added 2 entries\n", "\(first.errors)")
        try #require(
            try await daemon.shared("edit", "home", "I-2", "members=7", "phone=70").code == 0)

        // The same file: nothing is written of the row.
        let same = try await daemon.shared("import", "home", "-", input: file)
        #expect(same.output == "1 unchanged, 1 left alone\n", "\(same.errors)")
        #expect(
            same.errors.contains(
                "2 cells are left alone: their entry was changed after it had these values:"
                    + " I-2 (line 3): members stays 7, the file has 4; phone stays 70, the file"
                    + " has none"), "\(same.errors)")
        #expect(same.errors.contains("--over-newer"), "\(same.errors)")
        #expect(try await home("I-2")["members"].number == 7)

        // Another cell of the row is written, and what hangs on both is computed of what stays: six
        // are no more than seven.
        let next = try await daemon.shared(
            "import", "home", "-", input: "hh,members,sick,phone,well\nI-2,4,6,70,3\n")
        #expect(
            next.output == "updated 1\n    I-2 (line 2): sick 1 -> 6; well 6 -> 1\n",
            "\(next.errors)")
        #expect(
            next.errors.contains(
                "1 cell is left alone: its entry was changed after it had that value: I-2 (line 2):"
                    + " members stays 7, the file has 4"), "\(next.errors)")
        let entry = try await home("I-2")
        #expect(entry["members"].number == 7 && entry["sick"].number == 6)
        #expect(entry["well"].number == 1)

        // A value that it never had is a change like any other.
        let other = try await daemon.shared(
            "import", "home", "-", input: "hh,members\nI-2,8\n")
        #expect(
            other.output == "updated 1\n    I-2 (line 2): members 7 -> 8; well 1 -> 2\n",
            "\(other.errors)")
        let dry = try await daemon.shared(
            "import", "home", "-", "--over-newer", "--dry-run", input: file)
        let told =
            "    I-2 (line 3): members 8 -> 4; sick 6 -> 1; phone 70 -> (nothing); well 2 -> 3\n"
        #expect(dry.output == "would update 1, 1 unchanged\n" + told, "\(dry.errors)")
        let over = try await daemon.shared(
            "import", "home", "-", "--over-newer", input: file)
        #expect(over.output == "updated 1, 1 unchanged\n" + told, "\(over.errors)")
        #expect(try await home("I-2")["members"].number == 4)
        #expect(try await home("I-2")["phone"].string == nil)
    }

    @Test(.timeLimit(.minutes(2)))
    func `the first ten entries that are updated are named, and the others counted`() async throws {
        let daemon = try await Self.home()
        func file(_ members: Int) -> String {
            (1...12).reduce("hh,members,sick\n") { $0 + "I-\($1),\(members),1\n" }
        }
        let first = try await daemon.shared("import", "home", "-", input: file(3))
        #expect(first.output == "added 12 entries\n", "\(first)")
        let next = try await daemon.shared("import", "home", "-", input: file(4))
        let lines = next.output.split(separator: "\n")
        #expect(lines.count == 12 && lines.first == "updated 12", "\(next.output)")
        #expect(lines.dropFirst().first == "    I-1 (line 2): members 3 -> 4; well 2 -> 3")
        #expect(lines.suffix(2).first?.hasPrefix("    I-10 (line 11)") == true)
        #expect(lines.last == "    and 2 more", "\(next.output)")
        let all = try await daemon.shared("import", "home", "-", "--json", input: file(5))
        let answer = try #require(all.output.split(separator: "\n").last)
        #expect(try JSONValue(text: Array(answer.utf8))["changes"].array?.count == 12)
    }

    @Test(.timeLimit(.minutes(2)))
    func `a row whose file knows of the last change may put back what was before`() async throws {
        let daemon = try await Self.home()
        for file in ["hh,members,sick\nI-1,4,1\n", "hh,members\nI-1,7\n"] {
            #expect(try await daemon.shared("import", "home", "-", input: file).code == 0)
        }
        let path = daemon.folder.path + "/home.csv"
        #expect(try await daemon.shared("export", "home", "--output", path).code == 0)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try Data(text.replacing("I-1,7", with: "I-1,4").utf8).write(to: URL(filePath: path))
        let run = try await daemon.shared("import", "home", path)
        #expect(
            run.output == "updated 1\n    I-1 (line 2): members 7 -> 4; well 6 -> 3\n",
            "\(run.errors)")
    }

    @Test(.timeLimit(.minutes(2)))
    func `a cell of a row of a repeat is left alone as one of an entry is`() async throws {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"home","version":"1","key":["hh"],"fields":[
             {"name":"hh","type":"text"},{"name":"kid","type":"repeat","fields":[
              {"name":"age","type":"integer"},{"name":"weight","type":"decimal"}]},
             {"name":"years","type":"integer","calculation":"sum(${age})"}]}
            """
        let made = try await daemon.shared("form", "add", "-", input: form)
        try #require(made.code == 0, "\(made.errors)")
        try #require(try await daemon.shared("add", "home", "hh=I-1").code == 0)
        let rows = "PARENT_KEY,KEY,age,weight\nI-1,a,4,\nI-1,b,5,\n"
        let first = try await daemon.shared("import", "home/kid", "-", input: rows)
        try #require(first.output == "added 2 rows\n", "\(first.errors)")
        let made2 = try await daemon.shared("edit", "home", "I-1", "kid[1]/age=6")
        try #require(made2.code == 0, "\(made2.errors)")
        let again = try await daemon.shared(
            "import", "home/kid", "-", input: "PARENT_KEY,KEY,age,weight\nI-1,a,4,12.5\nI-1,b,5,\n")
        #expect(again.output.hasPrefix("updated 1, 1 unchanged\n"), "\(again.errors)")
        #expect(again.output.hasSuffix(" (line 2): weight (nothing) -> 12.5\n"), "\(again.output)")
        #expect(again.errors.contains("age stays 6, the file has 4"), "\(again.errors)")
        let entry = try await daemon.answer("list", "home")[0]
        #expect(entry["kid"][0]["age"].number == 6 && entry["kid"][0]["weight"] == .double(12.5))
        #expect(entry["years"].number == 11, "\(entry)")
    }

    @Test(.timeLimit(.minutes(2)))
    func `a row of which a deleted entry has the key is left out, and named`() async throws {
        let daemon = try await Self.home()
        let file = "hh,sick\nI-1,3\nI-2,4\n"
        _ = try await daemon.shared("import", "home", "-", input: file)
        for key in ["I-2", "I-1"] {
            let run = try await daemon.shared("delete", "home", key)
            try #require(run.code == 0, "\(run.errors)")
        }
        let told = "2 rows are left out: their entries were deleted: I-1 (line 2), I-2 (line 3)"
        let dry = try await daemon.shared("import", "home", "-", "--dry-run", input: file)
        #expect(dry.output == "2 left out\n", "\(dry.errors)")
        let more = try await daemon.shared(
            "import", "home", "-", input: file + "I-3,5\n")
        #expect(more.output == "added 1 entry, 2 left out\n", "\(more.errors)")
        #expect(more.errors.contains(told), "\(more.errors)")
        #expect(more.errors.contains("shared restore home KEY"), "\(more.errors)")
        #expect(more.errors.contains("--over-newer"), "\(more.errors)")

        // Restored it is here, and has the row.
        try #require(try await daemon.shared("restore", "home", "I-1").code == 0)
        let back = try await daemon.shared("import", "home", "-", input: file)
        #expect(back.output == "1 unchanged, 1 left out\n", "\(back.errors)")
        // Another household may have got the key.
        let other = try await daemon.shared(
            "import", "home", "-", "--over-newer", input: file)
        #expect(other.output == "added 1 entry, 1 unchanged\n", "\(other.errors)")
        let known = try await daemon.shared("import", "home", "-", input: file)
        #expect(known.output == "2 unchanged\n", "\(known.errors)")
    }

    @Test(.timeLimit(.minutes(2)))
    func `rows of a repeat are left out with their entry, which is named by its key`() async throws
    {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"home","version":"1","key":["hh"],"fields":[
             {"name":"hh","type":"text"},{"name":"kid","type":"repeat","fields":[
              {"name":"age","type":"integer"}]}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        try #require(try await daemon.shared("add", "home", "hh=I-1").code == 0)
        try #require(try await daemon.shared("delete", "home", "I-1").code == 0)
        let run = try await daemon.shared(
            "import", "home/kid", "-", input: "PARENT_KEY,age\nI-1,4\n")
        #expect(run.code == 0 && run.output == "1 left out\n", "\(run.errors)")
    }

    @Test(.timeLimit(.minutes(2)))
    func `a key has no space at its ends, on whichever way it comes in`() async throws {
        let daemon = try await Self.home()
        func keys() async throws -> [String] {
            try await daemon.answer("list", "home", "--sort", "hh").array?
                .compactMap { $0["hh"].string } ?? []
        }
        let typed = try await daemon.shared("add", "home", "hh= I-1\t", "phone= 70 ")
        try #require(typed.code == 0, "\(typed.errors)")
        let same = try await daemon.shared("add", "home", "hh=I-1 ")
        #expect(same.errors.contains("home I-1 is there already"), "\(same.errors)")
        let file = try await daemon.shared(
            "import", "home", "-", input: "hh,sick\n\u{A0}I-2,1\n\" \",2\n")
        #expect(file.code == 1 && file.errors.contains("field hh is required"), "\(file.errors)")
        let good = try await daemon.shared("import", "home", "-", input: "hh,sick\n\u{A0}I-2,\n")
        #expect(good.output == "added 1 entry\n", "\(good.errors)")
        let known = try await daemon.shared("import", "home", "-", input: "hh,sick\nI-2 ,\n")
        #expect(known.output == "1 unchanged\n", "\(known.errors)")
        #expect(try await keys() == ["I-1", "I-1", "I-2"])
        // Other texts stay as they are.
        let phones = try await daemon.answer("list", "home").array?.compactMap {
            $0["phone"].string
        }
        #expect(phones == [" 70 "])
    }

    @Test(.timeLimit(.minutes(2)))
    func `keys that differ in upper and lower case alone are told, and listed`() async throws {
        let daemon = try await Self.home()
        // Also in the first file, which finds no entry yet.
        let first = try await daemon.shared(
            "import", "home", "-", input: "hh\nI-1\nI-2\nI-3\ni-3\nI-4\nI-4\n")
        #expect(first.output == "added 6 entries\n", "\(first.errors)")
        #expect(
            first.errors.contains(
                "added although their key is there already: 1 in another row of the file and 1 but"
                    + " for upper and lower case: i-3 (like I-3), I-4;"), "\(first.errors)")
        let more = try await daemon.shared("import", "home", "-", input: "hh\ni-1\nI-2\n")
        #expect(more.output == "added 1 entry, 1 unchanged\n", "\(more.errors)")
        #expect(
            more.errors.contains("1 but for upper and lower case: i-1 (like I-1); see"),
            "\(more.errors)")
        let listed = try await daemon.answer("list", "home", "--duplicates")
        #expect(
            listed.array?.compactMap { $0["hh"].string }.sorted()
                == ["I-1", "I-3", "I-4", "I-4", "i-1", "i-3"])
    }
}
