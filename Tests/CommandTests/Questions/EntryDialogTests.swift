import Foundation
import Glibc
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Entering by questions with the real binaries, from a pipe and on a terminal.
@Suite(.serialized) struct EntryDialogTests {
    private static let form = """
        {"form_id": "household", "version": "1", "title": {"en": "Household", "fr": "Ménage"},
         "default_language": "en", "key": ["id"], "fields": [
          {"name": "id", "type": "text", "label": {"en": "Number", "fr": "Numéro"},
           "required": true},
          {"name": "sick", "type": "select_one", "list": "yes_no", "label": "Is anybody sick?"},
          {"name": "fever", "type": "decimal", "label": "Fever", "relevant": "${sick} = 'yes'",
           "constraint": ". < 45", "constraint_message": "Nobody is that hot.",
           "x": {"unit": "Cel", "warn": ". > 41", "warn_message": "Measure again."}},
          {"name": "remarks", "type": "text", "label": "Remarks"}],
         "lists": {"yes_no": [{"name": "yes", "label": "Yes"}, {"name": "no", "label": "No"}]}}
        """

    private func household() async throws -> Daemon {
        let daemon = try await Daemon("ward-1")
        try #require(try await daemon.shared("create", "clinic").code == 0)
        let run = try await daemon.shared("form", "add", "-", input: Self.form)
        try #require(run.code == 0, "\(run.errors)")
        return daemon
    }

    @Test func `a default waits until the question that it names is passed over`() async throws {
        let daemon = try await household()
        let form = """
            {"form_id": "def", "version": "1", "fields": [{"name": "a", "type": "integer"},
             {"name": "b", "type": "integer", "default": "if(${a} > 3, 9, 1)", "required": true},
             {"name": "c", "type": "text"}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        for (answer, stored) in [("", 1.0), ("7", 9)] {
            let run = try await daemon.shared("add", "def", "--ask", input: "\(answer)\n\nx\n\n")
            #expect(run.code == 0, "\(run)")
            #expect(run.output.contains("[\(Int(stored))]"), "\(run.output)")
            let entry = try await daemon.answer("list", "def", "b=\(Int(stored))")
            #expect(entry.array?.count == 1, "\(run.output)")
        }
    }

    @Test func `a default that counts rows follows them until its question is passed`()
        async throws
    {
        let daemon = try await household()
        let form = """
            {"form_id": "home", "version": "1", "fields": [
             {"name": "team", "type": "text"},
             {"name": "shown", "type": "text", "default": "concat(${team}, '!')",
              "read_only": true},
             {"name": "kid", "type": "repeat", "fields": [{"name": "age", "type": "integer"},
              {"name": "dose", "type": "integer", "default": "${age} * 2"}]},
             {"name": "kids", "type": "integer", "default": "count(${kid})"},
             {"name": "years", "type": "integer", "default": "sum(${age})"}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        // The team is another one after going back, and one child of three is taken away again.
        let run = try await daemon.shared(
            "add", "home", "--ask",
            input: "red\n<\nblue\ny\n3\n\ny\n5\n11\ny\n9\n\n-\nn\n\n\n\n")
        #expect(run.code == 0, "\(run)")
        let entry = try await daemon.answer("list", "home")[0]
        #expect(entry["kids"] == .integer(2), "\(run.output)")
        #expect(entry["years"] == .integer(8), "\(run.output)")
        #expect(entry["shown"].string == "blue!", "\(run.output)")
        #expect(entry["kid"][0]["dose"] == .integer(6), "\(entry)")
        #expect(entry["kid"][1]["dose"] == .integer(11), "\(entry)")
        // What was passed stays as it was seen.
        let kept = try await daemon.shared(
            "add", "home", "--ask", input: "red\nn\n\n<\n<\ny\n4\n\nn\n\n\n\n")
        #expect(kept.code == 0, "\(kept)")
        let other = try await daemon.answer("list", "home", "team=red")[0]
        #expect(other["kids"] == .integer(0), "\(kept.output)")
        #expect(other["years"] == .integer(4), "\(kept.output)")
        // One that is empty at first follows too.
        let late = """
            {"form_id": "late", "version": "1", "fields": [{"name": "n", "type": "integer"},
             {"name": "what", "type": "text", "relevant": "${n} > 0"},
             {"name": "k", "type": "repeat", "repeat_count": "${n}", "fields": [
              {"name": "kn", "type": "text"}]},
             {"name": "said", "type": "text", "default": "concat(${what}, '')"},
             {"name": "all", "type": "text", "default": "join(' ', ${kn})"}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: late).code == 0)
        let asked = try await daemon.shared(
            "add", "late", "--ask", input: "2\nflu\nAnn\nBea\n\n\n\n")
        #expect(asked.code == 0, "\(asked)")
        // As long as nobody has passed it with a value it follows what is corrected at the end, too.
        let first = """
            {"form_id": "first", "version": "1", "fields": [
             {"name": "all", "type": "text", "default": "join(' ', ${kn})"},
             {"name": "n", "type": "integer"},
             {"name": "k", "type": "repeat", "repeat_count": "${n}", "fields": [
              {"name": "kn", "type": "text"}]}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: first).code == 0)
        let mended = try await daemon.shared("add", "first", "--ask", input: "\n1\nAnn\n3\nZed\n\n")
        #expect(mended.code == 0, "\(mended)")
        #expect(
            try await daemon.answer("list", "first")[0]["all"].string == "Zed", "\(mended.output)")
        let found = try await daemon.answer("list", "late")[0]
        #expect(found["said"].string == "flu", "\(asked.output)")
        #expect(found["all"].string == "Ann Bea", "\(asked.output)")
    }

    @Test func `an entry is made by questions, in a pipe and in the form's languages`()
        async throws
    {
        let daemon = try await household()
        let run = try await daemon.shared("add", "household", "--ask", input: "KOR-1\nn\nfine\n\n")
        #expect(run.code == 0, "\(run.errors) \(run.output)")
        #expect(run.output.contains("added household KOR-1 ("), "\(run.output)")
        #expect(!run.output.contains("Fever"))
        let stored = try await daemon.answer("list", "household")
        #expect(stored[0]["id"].string == "KOR-1")
        #expect(stored[0]["sick"].string == "no")
        #expect(stored[0]["_author_name"].string == "ward-1")
        let french = try await daemon.shared(
            "add", "household", "--ask", "--language", "fr",
            input: "KOR-2\nyes\n46\n39,5\n\n\n")
        #expect(french.code == 0, "\(french.errors) \(french.output)")
        #expect(french.output.contains("Numéro *"))
        #expect(french.output.contains("Nobody is that hot."))
        #expect(try await daemon.answer("list", "household")[1]["fever"] == .double(39.5))
    }

    @Test
    func `rows that are asked for their places are saved, and stay when another goes`()
        async throws
    {
        let daemon = try await household()
        let form = """
            {"form_id": "home", "version": "1", "fields": [
              {"name": "who", "type": "text"},
              {"name": "kid", "type": "repeat", "relevant": "selected(${who}, string(position(.)))",
               "x": {"min": 3}, "fields": [{"name": "name", "type": "text"}]}]}
            """
        let open = form.replacing("\"home\"", with: "\"free\"")
            .replacing("\"x\": {\"min\": 3}, ", with: "")
        for form in [form, open] {
            let run = try await daemon.shared("form", "add", "-", input: form)
            try #require(run.code == 0, "\(run.errors)")
        }
        func kids(_ form: String) async throws -> [String] {
            try await daemon.answer("list", form)[0]["kid"].array?.map {
                $0["name"].string ?? ""
            } ?? []
        }
        let added = try await daemon.shared("add", "home", "--ask", input: "2 3\nBo\nCy\n\n\n")
        #expect(added.code == 0, "\(added.errors) \(added.output)")
        #expect(try await kids("home") == ["Bo", "Cy"])
        let rows = #"kid=[{"name":"Al"},{"name":"Bo"},{"name":"Cy"}]"#
        try #require(try await daemon.shared("add", "free", "who=1 2 3", rows).code == 0)
        let id = try #require(try await daemon.answer("list", "free")[0]["_id"].string)
        let edited = try await daemon.shared("edit", id, "--ask", input: "1\n1 3\n\n")
        #expect(edited.code == 0, "\(edited.errors) \(edited.output)")
        #expect(try await kids("free") == ["Al", "Cy"])
        // Cy is the second now, and is asked again with what it had.
        let back = try await daemon.shared("edit", id, "--ask", input: "1\n1 2\n\n")
        #expect(back.words.contains("#2 name Cy"), "\(back)")
        #expect(try await kids("free") == ["Al", "Cy"])
        let last = try await daemon.shared("edit", id, "--ask", input: "3\nCleo\n\n")
        #expect(last.code == 0, "\(last)")
        #expect(try await kids("free") == ["Al", "Cleo"])
    }

    @Test func `a question begins with the answer of the last entry that was saved here`()
        async throws
    {
        let daemon = try await household()
        let form = """
            {"form_id":"walk","version":"1","fields":[
            {"name":"team","type":"text","default":"${last-saved#team}"},
            {"name":"n","type":"integer"}]}
            """
        #expect(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let none = try await daemon.shared("add", "walk", "--ask", input: "\n1\n\n")
        #expect(none.code == 0, "\(none.errors)")
        for (typed, kept) in [("Ana", "Ana"), ("", "Ana"), ("Bo", "Bo"), ("", "Bo")] {
            let run = try await daemon.shared("add", "walk", "--ask", input: "\(typed)\n2\n\n")
            #expect(run.code == 0, "\(run.errors)")
            let all = try await daemon.answer("list", "walk").array ?? []
            #expect(all.last?["team"].string == kept, "\(run.output)")
        }
        _ = try await daemon.shared("add", "walk", "team=Cy")
        let after = try await daemon.shared("add", "walk", "--ask", input: "\n3\n\n")
        #expect(after.output.contains("[Cy] >"), "\(after.output)")
    }

    @Test func `every question that the form says so of begins with the answer of the last entry`()
        async throws
    {
        let daemon = try await household()
        let form = """
            {"form_id":"walk","version":"1","fields":[
            {"name":"n","type":"integer","default":"${last-saved#n} + 1"},
            {"name":"a","type":"text","default":"${last-saved#a}"},
            {"name":"b","type":"text","default":"${last-saved#b}"},
            {"name":"i","type":"integer","required":true,"default":"${last-saved#i}"}]}
            """
        let added = try await daemon.shared("form", "add", "-", input: form)
        try #require(added.code == 0, "\(added.errors)")
        let first = try await daemon.shared("add", "walk", "--ask", input: "1\nx\ny\n7\n\n")
        #expect(first.code == 0, "\(first.errors)")
        let next = try await daemon.shared("add", "walk", "--ask", input: "2\n\n\n\n\n")
        #expect(next.code == 0, "\(next.errors)")
        // What is taken out stays out, also for the entry after that.
        let other = try await daemon.shared("add", "walk", "--ask", input: "3\nz\n-\n\n\n")
        #expect(other.code == 0, "\(other.errors)")
        let all = try await daemon.answer("list", "walk").array ?? []
        let kept = all.map { entry in ["a", "b"].map { entry[$0].string } }
        #expect(kept == [["x", "y"], ["x", "y"], ["z", nil]], "\(next)")
        #expect(all.allSatisfy { $0["i"] == .integer(7) }, "\(all)")
    }

    @Test func `answers that end before the entry is saved are a draft`() async throws {
        let daemon = try await household()
        let cut = try await daemon.shared("add", "household", "--ask", input: "KOR-1\nyes\n")
        #expect(cut.code == 1)
        let drafts = try await daemon.shared("drafts", "--json")
        let draft = try JSONValue(text: Array(drafts.output.utf8))[0]
        let id = try #require(draft["id"].string, "\(drafts.output) \(cut.errors)")
        #expect(cut.errors.contains("shared add --draft \(id)"))
        let folder = daemon.folder.path + "/state/shared/drafts"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names == ["\(id).json"])
        let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(id).json")
        #expect(mode[.posixPermissions] as? Int == 0o600)
        #expect(try await daemon.answer("list", "household") == .array([]))

        // By its key as well, and by what other drafts are not called.
        let other = try await daemon.shared(
            "add", "household", "--draft", "KOR-2", "--ask", input: "")
        #expect(other.errors.contains("there is no draft \"KOR-2\""), "\(other.errors)")
        other.expectHint("There are: \(id).")
        let rest = try await daemon.shared("add", "--draft", "kor-1", "--ask", input: "38.5\n\n\n")
        #expect(rest.code == 0, "\(rest.errors) \(rest.output)")
        #expect(try await daemon.answer("list", "household")[0]["fever"] == .double(38.5))
        #expect(try await daemon.shared("drafts").output == "no drafts\n")
    }

    @Test(arguments: [false, true])
    func `who leaves at the first question has entered nothing`(_ isEdit: Bool) async throws {
        let daemon = try await household()
        try #require(try await daemon.shared("add", "household", "id=KOR-1").code == 0)
        let command = isEdit ? "edit household KOR-1" : "add household"
        // Input that says nothing and does not end.
        let run = try await RunningCommand(
            program: "/bin/sh",
            ["-c", #"mkfifo "$1" && exec "$2" \#(command) --ask <> "$1""#, "sh"]
                + [daemon.folder.path + "/typed", try Product.path("shared")],
            environment: [
                "SHARED_SOCKET": daemon.socket, "XDG_STATE_HOME": daemon.folder.path + "/state",
                "PATH": "/usr/bin:/bin",
            ])
        let isAsked = await eventually { run.output.contains("> ") }
        try #require(isAsked, "\(run.output)")
        run.signal(SIGINT)
        let ended = try await run.end(within: .seconds(20))
        let told = "interrupted; nothing was \(isEdit ? "changed" : "entered")"
        #expect(ended.code == 1 && ended.errors.contains(told + "\n"), "\(ended.errors)")
        #expect(
            ended.errors.contains(isEdit ? "`shared edit " : "`shared add household`"),
            "\(ended.errors)")
        #expect(try await daemon.answer("list", "household").array?.count == 1)
    }

    @Test func `an edit by questions writes what is another value, and undo takes it back`()
        async throws
    {
        let daemon = try await household()
        _ = try await daemon.answer("add", "household", "id=KOR-1", "sick=yes", "fever=38")
        let edit = try await daemon.shared(
            "edit", "household", "KOR-1", "--ask", input: "3\n39\n\n")
        #expect(edit.code == 0, "\(edit.errors) \(edit.output)")
        #expect(edit.output.contains("changed fever of household KOR-1 ("), "\(edit.output)")
        #expect(edit.output.contains("): 38 -> 39\n"), "\(edit.output)")
        let undone = try await daemon.shared("undo", "household", "KOR-1")
        #expect(undone.output.hasPrefix("took back your last change of household KOR-1 ("))
        #expect(undone.output.contains("fever: 39 -> 38\n"), "\(undone.output)")
        let history = try await daemon.answer("history", "household", "KOR-1")
        #expect(history.array?.map { $0["kind"].string ?? "" } == ["put", "edit", "edit"])
        // Taken back twice it is done again; a delete is taken back by bringing back.
        #expect(try await daemon.shared("undo", "household", "kor-1").code == 0)
        #expect(try await daemon.answer("show", "household", "KOR-1")["fever"] == .double(39))
        #expect(try await daemon.shared("delete", "household", "KOR-1").code == 0)
        let back = try await daemon.shared("undo", "household", "KOR-1")
        #expect(back.output.contains("is back"), "\(back.errors)")
    }

    @Test func `entries are shown and found by their key`() async throws {
        let daemon = try await household()
        let id = try #require(
            try await daemon.answer("add", "household", "id=KOR-1", "sick=yes", "fever=38")["id"]
                .string)
        let shown = try await daemon.shared("show", "household", "KOR-1")
        let lines = shown.output.split(separator: "\n")
        #expect(lines[0] == "household KOR-1 (\(id.suffix(8)))", "\(shown.errors)")
        #expect(lines[1].hasPrefix("entered by ward-1 ("))
        #expect(
            lines[2...].elementsEqual([
                "Number            KOR-1", "Is anybody sick?  Yes", "Fever             38 Cel",
            ]), "\(shown.output)")
        let again = try await daemon.shared("add", "household", "id=KOR-1")
        #expect(again.errors.contains("household KOR-1 is there already"), "\(again.errors)")
        try await daemon.shared("show", "household", "KOR-1").expectProblem("2 entries are called")
        let duplicates = try await daemon.answer("list", "household", "--duplicates")
        #expect(duplicates.array?.count == 2)
        try await daemon.shared("show", "household", "KOR-9")
            .expectProblem("no entry \"household KOR-9\"")
        try await daemon.shared("show", "household", "a", "b")
            .expectProblem("no entry \"household a\"")
        try await daemon.shared("edit", "household", "a", "b", "fever=38")
            .expectProblem("the key of household has one value", code: 2)
    }

    @Test func `on a terminal 15 fields take less than 1.3 keys for each of data`() async throws {
        let daemon = try await Daemon("ward-1")
        try #require(try await daemon.shared("create", "clinic").code == 0)
        let script = Repository.url("Tests/interop/keystrokes.py").path
        let run = try await CommandRun(
            program: "/usr/bin/python3",
            [
                "-B", script, try Product.path("shared"), daemon.socket,
                "6",
            ], environment: ["XDG_STATE_HOME": daemon.folder.path + "/state"],
            limit: .seconds(120))
        try #require(run.code == 0, "\(run.errors)")
        let counted = try JSONValue(text: Array(run.output.utf8))
        guard case .double(let keys) = counted["keys_per_key_of_data"] else {
            Issue.record("\(run.output)")
            return
        }
        #expect(keys <= 1.3, "\(run.output)")
    }

    @Test func `entries of one key are told apart, and an id behind the form names one`()
        async throws
    {
        let daemon = try await household()
        let first = try #require(
            try await daemon.answer("add", "household", "id=KOR-1", "sick=no")["id"].string)
        #expect(try await daemon.shared("add", "household", "id=KOR-1").code == 0)
        let run = try await daemon.shared("show", "household", "KOR-1")
        #expect(run.code == 1)
        #expect(run.errors.contains("2 entries are called household KOR-1: "), "\(run.errors)")
        #expect(run.errors.contains("\(first.suffix(8)) by ward-1 ("), "\(run.errors)")
        #expect(
            run.errors.contains("Give one's id in the place of household KOR-1"), "\(run.errors)")
        let named = try await daemon.shared("delete", "household", "\(first.suffix(8))")
        #expect(named.code == 0, "\(named.errors)")
        let back = try await daemon.shared("restore", "household", "\(first.suffix(8))")
        #expect(back.code == 0, "\(back.errors)")
    }

    @Test func `a draft has a name, and goes on where its form has dropped a field`() async throws {
        let daemon = try await household()
        _ = try await daemon.shared("add", "household", "--ask", input: "KOR-1\nyes\n41.5\n")
        let list = try await daemon.shared("drafts")
        #expect(list.output.contains("new household: KOR-1, Yes"), "\(list.output)")
        let id = String(list.output.split(separator: "\n")[1].prefix(4))
        let form = """
            {"form_id": "household", "version": "2", "key": ["id"], "fields": [
              {"name": "id", "type": "text", "required": true},
              {"name": "remarks", "type": "text", "label": "Remarks"}]}
            """
        let added = try await daemon.shared("form", "add", "-", input: form)
        try #require(added.code == 0, "\(added.errors)")
        let run = try await daemon.shared("add", "--draft", id, "--ask", input: "fine\n\n")
        #expect(run.code == 0, "\(run.errors)\(run.output)")
        #expect(
            run.output.contains("fever is not asked any more; the answer is left out: 41.5"),
            "\(run.output)")
        #expect(try await daemon.answer("list", "household")[0]["remarks"] == "fine")
    }

    @Test func `lists say who changed an entry last, and what was not sent`() async throws {
        let daemon = try await household()
        let plain = try await daemon.shared("set", "autopush", "off")
        #expect(plain.code == 0, "\(plain.errors)")
        _ = try await daemon.answer("add", "household", "id=KOR-1")
        #expect(
            try await daemon.answer("list", "household", "_sent=no").array?.count == 1)
        #expect(try await daemon.shared("push").code == 0)
        #expect(
            try await daemon.answer("list", "household", "_sent=no").array?.count == 0)
        let wrong = try await daemon.shared("list", "household", "_sent=maybe")
        wrong.expectProblem("_sent is yes or no", code: 2)
        let foo = daemon.folder.path + "/x.foo"
        try await daemon.shared("export", "household", "--output", foo)
            .expectProblem(".foo", code: 2)
    }

    @Test func `undo brings back the whole number that a decimal was`() async throws {
        let daemon = try await Daemon.clinic()
        func form(_ version: Int, _ type: String) -> String {
            """
            {"form_id": "h", "version": "\(version)", "key": ["id"], "fields": [
              {"name": "id", "type": "text"}, {"name": "nets", "type": "\(type)"}]}
            """
        }
        func add(_ text: String) async throws {
            let run = try await daemon.shared("form", "add", "-", input: text)
            try #require(run.code == 0, "\(run.errors)")
        }
        try await add(form(1, "integer"))
        _ = try await daemon.answer("add", "h", "id=a", "nets=4")
        try await add(form(2, "decimal"))
        let edited = try await daemon.shared("edit", "h", "a", "nets=2.5")
        #expect(edited.output.contains("4 -> 2.5"), "\(edited.output)\(edited.errors)")
        let history = try await daemon.shared("history", "h", "a")
        #expect(history.output.contains("nets: 4 -> 2.5"), "\(history.output)")
        let undone = try await daemon.shared("undo", "h", "a")
        #expect(undone.output.contains("nets: 2.5 -> 4"), "\(undone.output)\(undone.errors)")
        #expect(try await daemon.answer("list", "h", "nets=4").array?.count == 1)
    }
}
