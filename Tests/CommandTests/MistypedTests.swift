import Foundation
import Glibc
import JSON
import ShareControl
import ShareTestKit
import Testing

/// What was nearly right: the hint says what is meant, and what can mean one thing alone is taken.
@Suite(.serialized) struct MistypedTests {
    @Test func `what another command does, and what stands turned round, is told`() async throws {
        let daemon = try await Daemon.clinic()
        try await daemon.shared("list", "visit", "--count").expectHint("`shared count`")
        let file = daemon.folder.path + "/rows.csv"
        try Data(Sample.csv(rows: 2).utf8).write(to: URL(filePath: file))
        let turned = try await daemon.shared("import", file, "visit")
        turned.expectProblem("FORM comes first", code: 2)
        turned.expectHint("`shared import visit \(file)`")
        let bare = try await daemon.shared("add")
        bare.expectProblem("FORM is missing", code: 2)
        bare.expectHint("There is visit: `shared add visit`")
        let invite = try await daemon.shared("invite", "--expires", "8")
        invite.expectProblem("--expires 8 has no unit", code: 2)
        invite.expectHint("8h")
        #expect(try await daemon.answer("invites").array?.isEmpty == true)
    }

    @Test func `a command that a hint names can be copied`() async throws {
        let daemon = try await Daemon("ana")
        try await daemon.shared("join", "koro survey").expectHint("`shared create 'koro survey'`")
    }

    @Test func `columns are asked for by their labels as well`() async throws {
        let form = #"""
            {"form_id": "house", "version": "1", "key": ["code"], "fields": [
              {"name": "code", "type": "text", "label": "Household number"},
              {"name": "people", "type": "integer", "label": "People, all of them"},
              {"name": "village", "type": "text"}]}
            """#
        let daemon = try await Daemon.clinic()
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let entry = ["add", "house", "code=K1", "people=4", "village=Koro"]
        try #require(try await daemon.shared(entry).code == 0)
        let list = try await daemon.shared(
            "list", "house", "--columns", "household number,Village,_state")
        #expect(list.output.hasPrefix("code  village  REVIEW\nK1    Koro"), "\(list)")
        let comma = try await daemon.shared("list", "house", "--columns", "People, all of them")
        #expect(comma.output.hasPrefix("people\n"), "\(comma)")
        for format in ["csv", "ndjson"] {
            let file = try await daemon.shared(
                "export", "house", "--format", format, "--columns", "Household number,village")
            #expect(file.output.contains("code") && file.output.contains("K1"), "\(file)")
            #expect(!file.output.contains("people"), "\(file)")
        }
        let wrong = try await daemon.shared("list", "house", "--columns", "Household numbr")
        #expect(wrong.code != 0 && wrong.errors.contains("no field"), "\(wrong)")
    }

    @Test func `a word that is no condition leads to what it was meant to be`() async throws {
        let daemon = try await Daemon.clinic()
        for (words, hint) in [
            (["count", "visit", "by", "name"], "`--by name`"),
            (["list", "visit", "since", "yesterday"], "`--since yesterday`"),
            (["export", "visit", "x.csv"], "`--output x.csv`"),
            (["list", "visit", "x.csv"], "`shared export visit --output x.csv`"),
            (["chart", "bar", "visit", "age", "x.svg"], "`--svg x.svg`"),
            (["list", "visit", "age", ">", "2"], "'age>2'"),
            (["count", "visit", "age"], "'age>39'"),
        ] {
            let run = try await daemon.shared(words)
            run.expectProblem("is no condition", code: 2)
            run.expectHint(hint)
            #expect(run.errors.contains("39") == (hint == "'age>39'"), "\(words): \(run.errors)")
        }
        let other = try await daemon.shared("count", "visit", "koro")
        #expect(!other.errors.contains("koro>39"), "\(other.errors)")
        other.expectHint("For instance village=koro")
    }

    @Test func `keys without the form that comes before them are told where it belongs`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        for name in ["SAI-950", "SAI-951"] { try await daemon.add(name, age: 8) }
        let run = try await daemon.shared("delete", "SAI-950", "SAI-951")
        run.expectProblem("the room clinic has no form \"SAI-950\"")
        run.expectHint("The form comes first: `shared delete visit SAI-950 SAI-951`.")
        #expect(try await daemon.names() == ["SAI-950", "SAI-951"])
        let other = try await daemon.shared("delete", "SAI-950", "quite another")
        #expect(!other.errors.contains("comes first"), "\(other)")
    }

    @Test func `a key that nobody has leads to the nearest ones`() async throws {
        let daemon = try await Daemon.clinic()
        for name in ["AMI-001", "AMI-002", "BAK-001"] { try await daemon.add(name, age: 8) }
        for (typed, nearest) in [
            ("AMI-0001", "AMI-001"), ("ami-02", "AMI-002"), ("BAK-01", "BAK-001"),
        ] {
            let run = try await daemon.shared("show", "visit", typed)
            run.expectProblem("no entry \"visit \(typed)\"")
            run.expectHint(nearest)
        }
        let far = try await daemon.shared("edit", "visit", "quite another", "age=9")
        far.expectHint("the last 8 characters of its id")
    }

    @Test func `a device's name that is nearly right is told with its id`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("amina", of: a)
        let id = try await b.ownID().dropFirst(4).prefix(8)
        for line in [["role", "amnia", "editor"], ["remove", "aminna"], ["ping", "amnia"]] {
            let run = try await a.shared(line)
            run.expectProblem("no device \"\(line[1])\"")
            run.expectHint("Did you mean amina (\(id))?")
        }
    }

    @Test func `a decimal comma is taken where it can be nothing else`() async throws {
        let daemon = try await Daemon.clinic()
        let added = try await daemon.shared("add", "visit", "name=Sara", "age=8", "weight=38,5")
        #expect(added.code == 0, "\(added.errors)")
        let edited = try await daemon.shared("edit", "visit", "Sara", "weight=30,25")
        #expect(edited.output.contains("38.5 -> 30.25"), "\(edited.output) \(edited.errors)")
        for wrong in ["weight=1,234", "weight=1,2,3", "weight=1.5,2", "weight=,", "age=8,5"] {
            let run = try await daemon.shared("edit", "visit", "Sara", wrong)
            #expect(run.code == 1 && run.errors.contains("wants a"), "\(wrong): \(run.output)")
        }
    }

    @Test func `a field is named in one way by whatever is wrong with it`() async throws {
        let form = #"""
            {"form_id": "house", "version": "1", "key": ["code"], "fields": [
              {"name": "code", "type": "text", "label": "Code of the house", "required": true},
              {"name": "people", "type": "integer", "label": "How many live here",
               "constraint": ". > 0"},
              {"name": "under5", "type": "integer", "label": "Under 5",
               "constraint": ". <= ${people}"},
              {"name": "day", "type": "date"},
              {"name": "person", "type": "repeat", "fields": [
                {"name": "age", "type": "integer", "label": "Age in years"}]}]}
            """#
        let daemon = try await Daemon.clinic()
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        for (line, words) in [
            (["add", "house", "code=1", "people=x"], "field people (How many live here) wants a"),
            (
                ["add", "house", "code=1", "people=0"],
                "field people (How many live here): 0 is not allowed"
            ),
            (
                ["add", "house", "code=1", "people=5", "under5=6"],
                "field under5 (Under 5): 6 is not allowed"
            ),
            (
                ["add", "house", "code=1", "people=5", "under5=6"],
                "The form wants: the answer is at most people (How many live here)."
            ),
            (["add", "house", "people=1"], "field code is required"),
            (
                ["add", "house", "code=1", "person[1]/age=x"],
                "field person[1]/age (Age in years) wants a whole number, not \"x\""
            ),
            (["list", "house", "day=soon"], "field day wants a date, not \"soon\""),
            (["list", "house", "people=x"], "field people (How many live here) wants a"),
        ] {
            let run = try await daemon.shared(line)
            #expect(run.code != 0 && run.errors.contains(words), "\(line): \(run)")
        }
        let file = "code,people,day\n1,x,soon\n"
        let imported = try await daemon.shared("import", "house", "-", input: file)
        for words in ["field people (How many live here) wants a", "field day wants a date, not"] {
            #expect(imported.errors.contains(words), "\(imported)")
        }
    }

    @Test func `a field that only an earlier version has is told as such`() async throws {
        let daemon = try await Daemon.clinic()
        try await daemon.add("Sara", age: 8)
        let next = Sample.form.replacing("\"version\": \"1\"", with: "\"version\": \"2\"")
            .replacing("{\"name\": \"weight\", \"type\": \"decimal\"},", with: "")
        let updated = try await daemon.shared("form", "add", "-", input: next)
        try #require(updated.code == 0, "\(updated.errors)")
        for command in [
            ["edit", "visit", "Sara", "weight=3"],
            ["add", "visit", "name=Zara", "age=3", "weight=3"],
        ] {
            let run = try await daemon.shared(command)
            run.expectProblem("the form visit has no field \"weight\"")
            run.expectHint("Version 1 had it")
        }
    }

    @Test func `a path that names a group, or a repeat without a number, leads to the right one`()
        async throws
    {
        let form = #"""
            {"form_id": "house", "version": "1", "key": ["code"], "fields": [
              {"name": "code", "type": "text"},
              {"name": "home", "type": "group", "fields": [
                {"name": "roof", "type": "text"},
                {"name": "person", "type": "repeat", "fields": [
                  {"name": "age", "type": "integer"},
                  {"name": "contact", "type": "group", "fields": [
                    {"name": "phone", "type": "text"}]}]}]}]}
            """#
        let daemon = try await Daemon.clinic()
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let right = try await daemon.shared(
            "add", "house", "code=H1", "roof=tin", "person[1]/age=4", "person[1]/phone=7")
        try #require(right.code == 0, "\(right)")
        for (typed, meant) in [
            ("home/roof", "home is a group, and groups are left out: roof."),
            ("home/person[1]/age", "home is a group, and groups are left out: person[1]/age."),
            ("home[1]/person[1]/age", "home is a group, and groups are left out"),
            ("home", "home is a group, and groups are left out"),
            ("person[1]/contact/phone", "contact is a group, and groups are left out"),
            ("person/age", "person is a repeat: number it from 1, person[1]/age."),
        ] {
            for command in [["add", "house", "code=H2"], ["edit", "house", "H1"]] {
                let run = try await daemon.shared(command + ["\(typed)=5"])
                #expect(run.code != 0 && run.errors.contains("no field"), "\(run)")
                run.expectHint(meant)
            }
        }
    }

    @Test func `what was deleted comes back as said, and a replaced file is named`() async throws {
        let daemon = try await Daemon.clinic()
        try await daemon.add("Sara", age: 8)
        let deleted = try await daemon.shared("delete", "visit", "Sara")
        let back = try #require(
            deleted.errors.split(separator: "\n").first {
                $0.contains("to have it back: shared undo")
            }
        )
        let id = try #require(back.split(separator: " ").last.map(String.init))
        #expect(try await daemon.shared("undo", id).code == 0)
        #expect(try await daemon.names() == ["Sara"])
        let file = daemon.folder.path + "/out.csv"
        let first = try await daemon.shared("export", "visit", "--output", file)
        #expect(first.output.hasPrefix("wrote 1 entry, ") && !first.output.contains("in place"))
        let again = try await daemon.shared("export", "visit", "--output", file)
        #expect(again.output.contains("in place of the file that was there"), "\(again.output)")
    }
}
