import Foundation
import Glibc
import JSON
import ShareTestKit
import Testing

/// Entering by questions with the real binaries, from a pipe and on a terminal.
@Suite(.serialized) struct EntryDialogTests {
    @Test func `an entry is made by questions, in a pipe and in the form's languages`()
        async throws
    {
        let daemon = try await Daemon.household()
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
        let daemon = try await Daemon.household()
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

    @Test func `answers that end before the entry is saved are a draft`() async throws {
        let daemon = try await Daemon.household()
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
        let daemon = try await Daemon.household()
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
        let daemon = try await Daemon.household()
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

    @Test func `a draft has a name, and goes on where its form has dropped a field`() async throws {
        let daemon = try await Daemon.household()
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
}
