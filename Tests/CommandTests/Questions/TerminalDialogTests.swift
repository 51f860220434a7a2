import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Entering and changing at a terminal, where somebody can be asked.
@Suite(.serialized) struct TerminalDialogTests {
    private static let form = """
        {"form_id": "household", "version": "1", "key": ["id"], "fields": [
          {"name": "id", "type": "text", "label": "Number", "required": true},
          {"name": "fever", "type": "decimal", "label": "Fever"},
          {"name": "referred", "type": "select_one", "list": "yes_no", "label": "Referred?",
           "relevant": "${fever} > 38"}],
         "lists": {"yes_no": [{"name": "yes", "label": "Yes"}, {"name": "no", "label": "No"}]}}
        """

    private func household(_ ids: String...) async throws -> Daemon {
        let daemon = try await Daemon("ward-1")
        try #require(try await daemon.shared("create", "clinic").code == 0)
        let run = try await daemon.shared("form", "add", "-", input: Self.form)
        try #require(run.code == 0, "\(run.errors)")
        for id in ids { _ = try await daemon.answer("add", "household", "id=\(id)", "fever=36.5") }
        return daemon
    }

    @Test func `what was changed between the questions and the save is asked about`() async throws {
        let daemon = try await household("DON-101")
        let edit = try await daemon.onTerminal(
            ["edit", "DON-101"],
            [
                // The fever calls for the referral.
                .init(line: "2"), .init(line: "38,1"), .init(line: ""),
                .init(line: "", meanwhile: ["edit", "DON-101", "fever=40.1"]),
                .init(after: "goes back > ", line: "t"), .init(line: ""),
            ])
        #expect(
            edit.output.contains(/Fever was changed meanwhile: 36.5 -> 40.1 by/), "\(edit)")
        #expect(edit.output.contains("nothing was changed"), "\(edit)")
        #expect(try await daemon.answer("show", "DON-101")["fever"] == .double(40.1))
        let mine = try await daemon.onTerminal(
            ["edit", "DON-101"],
            [
                .init(line: "2"), .init(line: "38,1"),
                .init(line: "", meanwhile: ["edit", "DON-101", "fever=40.5"]),
                .init(after: "goes back > ", line: "y"),
            ])
        #expect(mine.output.contains("40.5 -> 38.1"), "\(mine)")
    }

    @Test func `a question that the form drops before the save stops nothing, and is told`()
        async throws
    {
        let daemon = try await Daemon("amina")
        try #require(try await daemon.shared("create", "clinic").code == 0)
        func form(_ version: Int, _ fields: String) throws -> String {
            let path = daemon.folder.path + "/v\(version).json"
            try Data(
                """
                {"form_id": "home", "version": "\(version)", "key": ["code"], "fields": [
                  {"name": "code", "type": "text"}, {"name": "head", "type": "text"}\(fields)]}
                """.utf8
            ).write(to: URL(filePath: path))
            return path
        }
        let first = try form(
            1,
            #", {"name": "nets", "type": "integer"}, {"name": "kid", "type": "repeat", "fields": ["#
                + #"{"name": "age", "type": "integer"}]}"#)
        try #require(try await daemon.shared("form", "add", first).code == 0)
        let added = try await daemon.shared(
            "add", "home", "code=H1", "head=Ada", "nets=2", "kid[1]/age=3")
        try #require(added.code == 0, "\(added)")
        let second = try form(2, "")
        let edit = try await daemon.onTerminal(
            ["edit", "home", "H1"],
            [
                .init(line: "2"), .init(line: "Ben"), .init(line: "3"), .init(line: "7"),
                .init(line: "", meanwhile: ["form", "add", second]), .init(line: ""),
            ])
        let words = edit.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("The form is version 2 now, and was 1."), "\(edit)")
        #expect(words.contains("nets is not asked any more; the answer is left out: 7"), "\(edit)")
        #expect(
            words.contains("kid is not asked any more; the answer is left out: 1 row"), "\(edit)")
        #expect(words.contains("Ada -> Ben"), "\(edit)")
        // What it said of these before, it says.
        try #require(try await daemon.shared("form", "add", first, "--force").code == 0)
        let shown = try await daemon.shared("show", "home", "H1")
        #expect(shown.words.contains("nets 2") && shown.words.contains("age 3"), "\(shown)")
    }

    @Test func `an answer comes back with its question`() async throws {
        let daemon = try await household("DON-101")
        _ = try await daemon.answer("edit", "DON-101", "fever=39", "referred=yes")
        let edit = try await daemon.onTerminal(
            ["edit", "DON-101"],
            [
                .init(line: "2"), .init(line: "37"), .init(line: "2"), .init(line: "39.4"),
                .init(line: ""),
            ])
        #expect(edit.output.contains("Referred?: not asked now; not saved: Yes"), "\(edit)")
        #expect(edit.output.contains("39 -> 39.4") && !edit.output.contains("(nothing)"))
        #expect(try await daemon.answer("show", "DON-101")["referred"] == "yes")
    }

    @Test func `a row that somebody deletes before the save is asked about`() async throws {
        let daemon = try await Daemon("amina")
        try #require(try await daemon.shared("create", "clinic").code == 0)
        let form = #"""
            {"form_id": "house", "version": "1", "key": ["code"], "fields": [
              {"name": "code", "type": "text"},
              {"name": "person", "type": "repeat", "label": "Person", "fields": [
                {"name": "name", "type": "text"}, {"name": "age", "type": "integer"}]}]}
            """#
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let added = try await daemon.shared(
            "add", "house", "code=H1", "person[1]/name=Ada", "person[1]/age=10",
            "person[2]/name=Ben")
        try #require(added.code == 0, "\(added)")
        func edit(_ answer: String) async throws -> CommandRun {
            try await daemon.onTerminal(
                ["edit", "house", "H1"],
                [
                    .init(line: "3"), .init(line: "11"),
                    .init(line: "", meanwhile: ["edit", "house", "H1", "person[1]="]),
                    .init(after: "goes back > ", line: answer), .init(line: ""),
                ])
        }
        let yours = try await edit("y")
        let told = "Person 1 was changed meanwhile: the row was deleted by"
        #expect(yours.output.contains(told) && yours.output.contains("Yours: Ada, 11"), "\(yours)")
        var rows = try await daemon.answer("list", "house/person").array ?? []
        #expect(Set(rows.map { $0["name"].string }) == ["Ada", "Ben"])
        #expect(rows.first { $0["name"].string == "Ada" }?["age"].number == 11)
        // Ben stands first now.
        let theirs = try await edit("t")
        #expect(theirs.output.contains(told) && theirs.output.contains("Yours: Ben, 11"))
        #expect(theirs.output.contains("nothing was changed"), "\(theirs)")
        rows = try await daemon.answer("list", "house/person").array ?? []
        #expect(rows.map { $0["name"].string } == ["Ada"])
    }

    @Test func `what is typed where another entry begins is no answer, and does not end it`()
        async throws
    {
        let daemon = try await household()
        let add = try await daemon.onTerminal(
            ["add", "household"],
            [
                .init(line: "DON-601"), .init(line: "37"), .init(line: ""),
                .init(after: "q ends > ", line: "DON-602"),
                .init(after: "q ends > ", line: ""),
                .init(line: "DON-602"), .init(line: "37"), .init(line: ""),
                .init(after: "q ends > ", line: "q"),
            ])
        #expect(add.code == 0, "\(add)")
        #expect(add.output.contains("Enter begins another one, q ends."), "\(add)")
        let ids = try await daemon.answer("list", "household").array?.map { $0["id"].string }
        #expect(ids == ["DON-601", "DON-602"])
    }

    @Test func `a key that is written otherwise is asked about`() async throws {
        let daemon = try await household("KOR-501")
        let no = try await daemon.onTerminal(
            ["delete", "kor-501"], [.init(after: "[y/N] ", line: "n")])
        #expect(no.output.contains(/household KOR-501 \(.*\) is meant\? \[y\/N\]/), "\(no)")
        #expect(try await daemon.answer("show", "KOR-501")["fever"] == .double(36.5))
        let edit = try await daemon.onTerminal(
            ["edit", "kor-501", "fever=37"], [.init(after: "[y/N] ", line: "y")])
        #expect(edit.code == 0 && edit.output.contains("36.5 -> 37"), "\(edit)")
        let asked = try await daemon.onTerminal(
            ["edit", "kor-501"],
            [
                .init(after: "[y/N] ", line: "y"), .init(line: "2"), .init(line: "38"),
                .init(line: ""),
            ])
        #expect(asked.code == 0 && asked.output.contains("37 -> 38"), "\(asked)")
        let delete = try await daemon.onTerminal(
            ["delete", "household", "kor-501"], [.init(after: "[y/N] ", line: "y")])
        #expect(delete.code == 0 && delete.output.contains("deleted household KOR-501"))
    }

    @Test func `a room is left by who says yes`() async throws {
        let daemon = try await household("DON-101")
        let no = try await daemon.onTerminal(
            ["leave", "clinic"], [.init(after: "[y/N] ", line: "")])
        #expect(
            no.code == 1 && no.output.contains("To come back you have to join it again."), "\(no)")
        #expect(no.output.contains("No other device is known to have 1 entry"), "\(no)")
        #expect(try await daemon.answer("rooms").array?.count == 1)
        let yes = try await daemon.onTerminal(["leave", "clinic", "--yes"], [])
        #expect(yes.code == 0, "\(yes)")
    }

    @Test func `no line is wider than the terminal`() async throws {
        let daemon = try await household("DON-101")
        let form = """
            {"form_id": "wide", "version": "1", "fields": [
              {"name": "weight", "type": "decimal", "label": "Weight",
               "constraint": ". > 0 and . < 200 and (. > 10 or ${height} < 100 or ${height} > 150)"},
              {"name": "height", "type": "decimal", "label": "Height"}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        try #require(try await daemon.shared("push").code == 0)
        _ = try await daemon.answer("invite", "--uses", "5", "--name", "the team of the north")
        for words in [
            ["form", "show", "wide"], ["history", "DON-101"], ["invites"], ["members", "--wide"],
        ] {
            let run = try await daemon.onTerminal(words, [])
            let lines = run.output.split(separator: "\n")
            #expect(run.code == 0 && lines.count > 1, "\(run)")
            #expect(lines.allSatisfy { $0.count <= 60 }, "\(run.output)")
        }
    }

    @Test func `who may not save is told before the first question`() async throws {
        let owner = try await household("KOR-200")
        #expect(try await owner.shared("push").code == 0)
        let viewer = try await Daemon.member("ward-2", of: owner, role: "viewer")
        let add = try await viewer.onTerminal(["add", "household"], [])
        #expect(add.code == 1 && add.output.contains("a viewer may look and not write"), "\(add)")
        #expect(add.output.contains("Ask an owner of the room for another role."), "\(add)")
        #expect(!add.output.contains("Number"), "\(add)")
        let collector = try await Daemon.member("ward-3", of: owner)
        try await Daemon.untilIdentical(owner, collector, records: 1)
        let edit = try await collector.onTerminal(["edit", "KOR-200"], [])
        #expect(edit.code == 1, "\(edit)")
        #expect(edit.output.contains("a collector may edit only entries of its own;"), "\(edit)")
        #expect(!edit.output.contains("Number"), "\(edit)")
    }

    @Test func `a form of another room is told with its room`() async throws {
        let daemon = try await household("KOR-1")
        try #require(try await daemon.shared("create", "survey").code == 0)
        let add = try await daemon.shared("add", "household", "id=KOR-2")
        add.expectProblem("the room survey has no form \"household\"")
        add.expectHint("The room clinic has it: `shared use clinic`, or `--room clinic`.")
    }
}
