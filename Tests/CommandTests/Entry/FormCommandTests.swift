import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

@testable import shared

/// Forms as files: checked, guessed, added, shown and written, by the real binaries.
@Suite(.serialized) struct FormCommandTests {
    private static let guide = Repository.url("docs/forms.md")

    /// The fenced blocks of a page in one language.
    private static func blocks(_ language: String) throws -> [String] {
        let text = try String(contentsOf: guide, encoding: .utf8)
        return text.components(separatedBy: "```\(language)\n").dropFirst().compactMap {
            $0.components(separatedBy: "\n```").first.map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }
        }
    }

    private func write(_ text: String, _ name: String, in daemon: Daemon) throws -> String {
        let path = daemon.folder.path + "/" + name
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test func `every form of the guide can be added as it stands there`() async throws {
        let daemon = try await Daemon.clinic()
        let forms =
            try Self.blocks("json").map { ($0, "json") }
            + Self.blocks("markdown").map { ($0, "md") }
        #expect(forms.count >= 4)
        for (number, (text, ending)) in forms.enumerated() {
            let path = try write(text, "form\(number).\(ending)", in: daemon)
            let check = try await daemon.shared("form", "check", path)
            #expect(check.code == 0, "\(check.errors)\n\(text)")
            let added = try await daemon.shared("form", "add", path, "--force")
            #expect(added.code == 0, "\(added.errors)\n\(text)")
        }
        let tables = try await daemon.shared("form", "check", "/nowhere.xlsx")
        #expect(tables.code == 1)
    }

    @Test func `what the guide shows of new versions and of tables is so`() async throws {
        let daemon = try await Daemon.clinic()
        let first = try #require(try Self.blocks("json").first)
        _ = try await daemon.shared("form", "add", "-", input: first)
        let rows = (1...40).map { "2026-11-\(10 + $0 % 20),place \($0),\($0 > 2 ? "\($0)" : "")\n" }
        let run = try await daemon.shared(
            "import", "household", "-", input: "day,place,people\n" + rows.joined())
        try #require(run.code == 0, "\(run.errors)")
        let next = first.replacing(#""version": "1""#, with: #""version": "2""#)
            .replacing(
                /\{"name": "people"[^}]*\}/,
                with: #"{"name": "water", "type": "text", "required": true}"#
            )
            .replacing(
                #""label": "Day of the visit""#,
                with: #""label": "Day of the visit", "constraint": ". > date('2026-11-11')""#)
        let path = try write(next, "household.json", in: daemon)
        let shown = try #require(try Self.blocks("").first { $0.hasPrefix("$ ") })
        let dry = try await daemon.shared("form", "add", path, "--dry-run")
        #expect("$ shared form add household.json --dry-run\n" + dry.output == shown)

        let survey = try #require(try Self.blocks("json").first { $0.contains("\"survey\"") })
        _ = try await daemon.shared("form", "add", "-", input: survey)
        let csv = daemon.folder.path + "/survey.csv"
        _ = try await daemon.shared("import", "survey", "-", input: "site,KEY\nmeadow,a\n")
        try Data("PARENT_KEY,species,tally\na,Vanessa,3\na,Pieris,1\n".utf8)
            .write(to: URL(filePath: csv))
        _ = try await daemon.shared("import", "survey/sighting", csv)
        let sql = try #require(try Self.blocks("sql").first)
        #expect(try await daemon.sqlite(sql) == "meadow|Vanessa|3\nmeadow|Pieris|1\n")
    }

    @Test func `the list and the mapping that the guide shows are such`() async throws {
        let daemon = try await Daemon.clinic()
        let list = try write(try #require(try Self.blocks("csv").first), "village.csv", in: daemon)
        let added = try await daemon.shared("lists", "add", list)
        #expect(added.code == 0, "\(added.errors)")
        for condition in [["parent=north"], ["--search", "SEGOU"]] {
            let shown = try await daemon.shared(["lists", "show", "village"] + condition)
            #expect(shown.output.contains("segou") && !shown.output.contains("North"), "\(shown)")
        }
        let form = """
            {"form_id":"survey","version":"1","fields":[{"name":"started","type":"dateTime"},
            {"name":"position","type":"geopoint"},{"name":"sighting","type":"repeat","fields":[
            {"name":"species","type":"select_one","list":"species"}]}],
            "lists":{"species":[{"name":"va","label":"Admiral","scientific":"Vanessa atalanta"}]}}
            """
        let entry = """
            {"_id":"0190a000-0000-7000-8000-000000000001","started":"2026-11-21T10:00",
            "position":"48.5 16.25","sighting":[{"species":"va"}]}
            """.replacing("\n", with: "") + "\n"
        _ = try await daemon.shared("form", "add", "-", input: form)
        let entries = try write(entry, "entries.ndjson", in: daemon)
        let imported = try await daemon.shared("import", "survey", entries)
        #expect(imported.code == 0, "\(imported.errors)")
        let mapping = try write(
            try #require(try Self.blocks("jsonc").first), "mapping.json", in: daemon)
        let archive = daemon.folder.path + "/survey.zip"
        let run = try await daemon.shared(
            "export", "survey", "--darwin-core", mapping, "--output", archive)
        #expect(run.code == 0, "\(run.errors)")
        let script = """
            import sys, zipfile
            z = zipfile.ZipFile(sys.argv[1])
            print(z.read('event.csv').decode(), z.read('occurrence.csv').decode())
            """
        let read = try await CommandRun(program: "/usr/bin/python3", ["-c", script, archive])
        for part in ["48.5", "HumanObservation", "Vanessa atalanta"] {
            #expect(read.output.contains(part), "\(part)\n\(read.output)\(read.errors)")
        }
    }

    @Test func `a form is shown with how often and why`() throws {
        let form = try JSONValue(
            text: Array(
                """
                {"form_id":"f","fields":[
                  {"name":"p","type":"repeat","label":"Person","x":{"min":1,"max":4},"fields":[
                    {"name":"t","type":"decimal","x":{"warn":". > 39","warn_message":"High",
                     "tip":"Measure again","persist":false}}]},
                  {"name":"q","type":"repeat","repeat_count":"2","fields":[
                    {"name":"u","type":"text"}]}]}
                """.utf8))
        let french: JSONObject = [
            "form_id": "f", "version": "1",
            "title": ["English (en)": "Visit", "French (fr)": "Visite"],
        ]
        for language in ["fr", "French", "French (fr)"] {
            var sheet = QuestionSheet(french, language: language)
            #expect(sheet.lines().first == "Visite (f), version 1", "\(language)")
        }
        var sheet = QuestionSheet(try #require(form.object), language: nil)
        let lines = sheet.lines().map { $0.drop { $0 == " " } }
        for part in [
            "Person, 1 to 4 times:", "with: High", "tip: Measure again", "only asked, not stored",
            "q, as often as the form says:",
        ] { #expect(lines.contains { $0 == part }, "\(lines)") }
    }

    @Test func `a new form is checked, added, shown, exported and read again`() async throws {
        let daemon = try await Daemon.clinic()
        let path = daemon.folder.path + "/household.md"
        #expect(try await daemon.shared("form", "new", "household", "--output", path).code == 0)
        #expect(try await daemon.shared("form", "new", "household", "--output", path).code == 1)
        #expect(try await daemon.shared("form", "check", path).code == 0)
        let added = try await daemon.shared("form", "add", path)
        #expect(added.output.hasPrefix("added form household, version 1\n"), "\(added.errors)")
        let shown = try await daemon.shared("form", "show", "household").output
        for part in [
            "key: day, place", "Day of the visit *", "asked only if visited is yes",
            "must be: the answer is at most today", "Person, any number of times:", "- Yes (yes)",
        ] { #expect(shown.contains(part), "\(part)\n\(shown)") }
        // As editors of Windows save it.
        let text = try Data(contentsOf: URL(fileURLWithPath: path))
        let marked = daemon.folder.path + "/marked.md"
        try (Data([0xEF, 0xBB, 0xBF]) + text).write(to: URL(fileURLWithPath: marked))
        let read = try await daemon.shared("form", "check", marked)
        #expect(read.code == 0, "\(read.output)\(read.errors)")
        let wide = daemon.folder.path + "/wide.json"
        try Data([0xFF, 0xFE, 0x7B, 0, 0x7D, 0]).write(to: URL(fileURLWithPath: wide))
        let refused = try await daemon.shared("form", "check", wide)
        #expect(
            refused.code != 0 && (refused.output + refused.errors).contains("is UTF-16, not UTF-8"),
            "\(refused.output)\(refused.errors)")
        for ending in ["xlsx", "md"] {
            let file = daemon.folder.path + "/again.\(ending)"
            #expect(
                try await daemon.shared("form", "export", "household", "--xlsform", file).code == 0)
            let check = try await daemon.shared("form", "check", file)
            #expect(check.output.contains("household, version 1: 7 fields, 1 repeat, 1 list"))
        }
        let xform = try await daemon.shared("form", "export", "household", "--xform", "-")
        #expect(xform.output.contains("<h:html"), "\(xform.errors)")
    }

    @Test func `an entry with repeats is shown and exported as one`() async throws {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"survey","version":"1","key":["site"],"fields":[{"name":"site","type":"text"},
            {"name":"sighting","type":"repeat","label":"Sighting","fields":[
            {"name":"species","type":"text","label":"Species"}]}]}
            """
        let file = try write(form, "survey.json", in: daemon)
        #expect(try await daemon.shared("form", "add", file).code == 0)
        let entries = try write("KEY,site\na,meadow\n", "in.csv", in: daemon)
        let rows = try write("PARENT_KEY,species\na,Vanessa\na,Pieris\n", "rows.csv", in: daemon)
        #expect(try await daemon.shared("import", "survey", entries).code == 0)
        #expect(try await daemon.shared("import", "survey/sighting", rows).code == 0)
        let shown = try await daemon.shared("show", "survey", "meadow")
        #expect(shown.output.contains("Sighting"), "\(shown.output)\(shown.errors)")
        #expect(shown.output.contains("Pieris"))
        for words in [
            ["count", "survey", "sighting=Pieris"], ["count", "survey", "--by", "sighting"],
        ] {
            let run = try await daemon.shared(words)
            #expect(
                run.errors.contains("sighting is a repeat: its rows are the form survey/sighting"),
                "\(words): \(run.errors)")
        }
        let out = daemon.folder.path + "/out.csv"
        #expect(try await daemon.shared("export", "survey", "--output", out).code == 0)
        let beside = try String(
            contentsOfFile: daemon.folder.path + "/out-sighting.csv", encoding: .utf8)
        #expect(beside.contains(",2,Pieris\n"), "\(beside)")
        let same = try await daemon.shared(
            "import", "survey/sighting", daemon.folder.path + "/out-sighting.csv")
        #expect(same.output.contains("2 unchanged"), "\(same.output)\(same.errors)")
    }

    @Test func `rows find their entry by its key, and go by their place`() async throws {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"survey","version":"1","key":["site"],"fields":[{"name":"site","type":"text"},
            {"name":"sighting","type":"repeat","label":"Sighting","fields":[
            {"name":"species","type":"text","label":"Species"}]}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        for site in ["meadow", "wood"] {
            try #require(try await daemon.shared("add", "survey", "site=\(site)").code == 0)
        }
        let rows = "where,species\nmeadow,Vanessa\nwood,Aglais\nmeadow,Pieris\nMEADOW,Lycaena\n"
        let unnamed = try await daemon.shared("import", "survey/sighting", "-", input: rows)
        #expect(unnamed.code == 1 && unnamed.errors.contains("--map"), "\(unnamed)")
        let mapped = try await daemon.shared(
            "import", "survey/sighting", "-", "--map", "where=PARENT_KEY", input: rows)
        #expect(mapped.code == 1 && mapped.errors.contains("line 5"), "\(mapped)")
        let right = try await daemon.shared(
            "import", "survey/sighting", "-", "--map", "where=PARENT_KEY",
            input: rows.replacing("MEADOW,Lycaena\n", with: ""))
        #expect(right.code == 0, "\(right)")
        func species() async throws -> [String?] {
            try await daemon.answer("show", "survey", "meadow")["sighting"].array?
                .map { $0["species"].string } ?? []
        }
        #expect(try await species() == ["Vanessa", "Pieris"])
        let wrong = try await daemon.shared("edit", "survey", "meadow", "sighting[1]=x")
        #expect(wrong.code == 2, "\(wrong)")
        wrong.expectHint("sighting[1]=")
        try await daemon.shared("edit", "survey", "meadow", "sighting[3]=")
            .expectProblem("sighting[3]: there are 2 of it", code: 2)
        let edit = try await daemon.shared(
            "edit", "survey", "meadow", "sighting[1]=", "sighting[2]/species=Pieris rapae",
            "sighting[3]/species=Aglais")
        #expect(edit.code == 0, "\(edit)")
        #expect(try await species() == ["Pieris rapae", "Aglais"])
    }

    @Test func `what is wrong with a workbook or a table is told by its place`() async throws {
        let daemon = try await Daemon.clinic()
        let path = try write(
            """
            | survey | | | |
            | | type | name | relevant |
            | | integer | age | |
            | | text | why | ${agee} > 3 |
            """, "bad.md", in: daemon)
        let run = try await daemon.shared("form", "add", path)
        run.expectProblem("there is no question agee")
        #expect(run.errors.contains("Did you mean age?"), "\(run.errors)")
        // What is wrong with the logic is told in the same go, and no slip twice.
        let both = try write(
            """
            | survey | | | | |
            | | type | name | constraint | relevant |
            | | integer | age | . > ( | |
            | | select_one villag | where | | |
            | | text | why | colour(.) | ${agee} > 3 |
            """, "both.md", in: daemon)
        let all = try await daemon.shared("form", "check", both)
        #expect(all.code == 1)
        for part in ["villag", "agee", "age: constraint: not checked", "colour"] {
            #expect(all.errors.contains(part), "\(part): \(all.errors)")
        }
        #expect(all.errors.components(separatedBy: "no question agee").count == 2)
        #expect(!all.errors.contains("no field agee"), "\(all.errors)")
        // What only the form as a whole shows is told by its cell too.
        let slips = try write(
            """
            | survey | | | | |
            | | type | name | label | shared::min |
            | | text | hh_id | Household | |
            | | intger | nets | Nets | |
            | | begin repeat | person | Person | many |
            | | intger | nets | Nets | |
            | | end repeat | | | |
            """, "slips.md", in: daemon)
        let key = try write(
            """
            | survey | | |
            | | type | name |
            | | text | hh_id |
            | settings | | |
            | | form_id | shared::key |
            | | household | hh_di |
            """, "key.md", in: daemon)
        for command in ["add", "check"] {
            let told = try await daemon.shared("form", command, slips)
            #expect(told.code == 1 && told.errors.contains("2 things are wrong"), "\(told)")
            #expect(
                told.errors.contains("survey A4 (type): there is no type \"intger\""), "\(told)")
            #expect(told.errors.contains("survey D5 (shared::min): x.min should be"), "\(told)")
            #expect(!told.errors.contains("line "), "\(told)")
            let wrong = try await daemon.shared("form", command, key)
            wrong.expectProblem(
                "settings B6 (shared::key): \"hh_di\" is no field that keeps a value")
            wrong.expectHint("hh_id")
        }
        let broken = try write("PK\u{3}\u{4} no archive", "broken.xlsx", in: daemon)
        let unread = try await daemon.shared("form", "check", broken)
        #expect(unread.code == 1 && unread.errors.contains("\(broken): "), "\(unread)")
        #expect(unread.errors.split(separator: "broken.xlsx").count == 2, "\(unread)")
        let json = try write(
            #"{"form_id":"x","fields":[{"name":"a","type":"intger"}]}"#, "x.json", in: daemon)
        let slip = try await daemon.shared("form", "add", json)
        slip.expectProblem("there is no type \"intger\"")
        #expect(slip.errors.contains("integer"))
        let faulty = try write(
            #"{"form_id":"x","fields":[{"name":"a","type":"intger"},"# + "\n"
                + #"{"name":"_b","type":"text"}]}"#, "faulty.json", in: daemon)
        for command in ["add", "check"] {
            let told = try await daemon.shared("form", command, faulty)
            #expect(told.code == 1 && told.errors.contains("2 things are wrong with the form"))
            #expect(told.errors.contains("line 1, column "), "\(told)")
            #expect(told.errors.contains("line 2, column "), "\(told)")
        }
    }

    @Test func `what is only not checked here is counted among nothing that is wrong`() async throws
    {
        let daemon = try await Daemon("ward-1")
        let file = try write(
            """
            | survey | | | |
            | | type | name | relevant |
            | | text | a | cht:foo(1) = 2 |
            | | text | b c | |
            | | text | d e | |
            """, "odd.md", in: daemon)
        let told = try await daemon.shared("form", "check", file)
        #expect(told.code == 1, "\(told)")
        #expect(told.errors.contains("2 things are wrong, and 1 more is told"), "\(told)")
        #expect(told.errors.contains("not checked here"), "\(told)")
    }

    @Test func `a key is looked at beside other faults, and a language without texts is told`()
        async throws
    {
        let daemon = try await Daemon("ward-1")
        let form = """
            {"form_id":"g","default_language":"de","key":["nme","tag"],"title":[1],"fields":[
             {"name":"name","type":"text","label":{"en":"One","fr":"Un"}},
             {"name":"tag","type":"textt"}]}
            """
        let wrong = try await daemon.shared("form", "check", "-", input: form)
        #expect(wrong.code != 0)
        for part in ["3 things are wrong", "key: \"nme\"", "\"title\"", "no type \"textt\""] {
            #expect(wrong.errors.contains(part), "\(part): \(wrong)")
        }
        let mended = form.replacing("nme", with: "name").replacing("textt", with: "text")
            .replacing("\"title\":[1],", with: "")
        let right = try await daemon.shared("form", "check", "-", input: mended)
        #expect(right.code == 0, "\(right)")
        #expect(
            right.errors.contains(
                "default_language: no text is in \"de\"; there is en, fr"), "\(right)")
    }

    @Test func `a default that no entry can keep is an error, and in an XLSForm left out`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let json = try write(
            #"{"form_id":"x","fields":[{"name":"a","type":"integer","default":"abc"},"# + "\n"
                + #"{"name":"b","type":"select_one","list":"l","default":"yess"}],"#
                + #""lists":{"l":["yes","no"]}}"#, "x.json", in: daemon)
        for command in ["add", "check"] {
            let told = try await daemon.shared("form", command, json)
            #expect(told.code == 1 && told.errors.contains("2 things are wrong"), "\(told)")
            #expect(
                told.errors.contains(
                    "line 1, column 65: a: default: \"abc\" is no value of this field"), "\(told)")
            #expect(
                told.errors.contains("line 2, column 54: b: default: \"yess\" is no choice of l"),
                "\(told)")
            #expect(told.errors.contains("Did you mean yes?"), "\(told)")
        }
        // On a phone nothing is chosen then.
        let tables = try write(
            """
            | survey | | | |
            | | type | name | default |
            | | integer | a | abc |
            | | select_one l | b | yess |
            | | select_one l | c | no |
            | choices | | |
            | | list_name | name | label |
            | | l | yes | Yes |
            | | l | no | No |
            """, "x.md", in: daemon)
        for command in ["check", "add"] {
            let told = try await daemon.shared("form", command, tables)
            #expect(told.code == 0, "\(told)")
            #expect(
                told.errors.contains(
                    "survey C4 (default): \"yess\" is no choice of l, and is left out; Did you mean yes?"
                ), "\(told)")
            #expect(told.errors.contains("survey C3 (default): \"abc\""), "\(told)")
        }
        try #require(try await daemon.shared("add", "x", "a=1").code == 0)
        let entry = try await daemon.answer("list", "x")[0]
        #expect(entry["b"].string == nil && entry["c"].string == "no", "\(entry.shown)")
    }

    @Test func `a condition on no choice of a field is a warning`() async throws {
        let daemon = try await Daemon.clinic()
        let json = try write(
            #"{"form_id":"x","fields":[{"name":"b","type":"select_one","list":"l"},"# + "\n"
                + #"{"name":"c","type":"text","relevant":"${b} = 'yess'"}],"#
                + #""lists":{"l":["yes","no"]}}"#, "x.json", in: daemon)
        for command in ["check", "add"] {
            let told = try await daemon.shared("form", command, json)
            #expect(told.code == 0, "\(told)")
            #expect(
                told.errors.contains(
                    "line 2, column 46: c: relevant: no choice of b is called yess. Did you mean yes?"
                ), "\(told)")
        }
    }

    @Test func `a form is proposed for a table, and takes it`() async throws {
        let daemon = try await Daemon.clinic()
        var csv = "id,village,seen,weight (kg),recovered,note\n"
        for row in 1...30 {
            csv += "\(row),\(["Ar", "Bel", "Cor"][row % 3]),2026-11-\(10 + row % 9),\(row).5,"
            csv += "\(row)%,\(row == 7 ? "" : "note \(row)")\n"
        }
        let table = try write(csv, "visits.csv", in: daemon)
        let form = daemon.folder.path + "/visits.json"
        let run = try await daemon.shared("form", "infer", table, "--output", form)
        #expect(run.code == 0, "\(run.errors)")
        let json = try JSONValue(text: Array(Data(contentsOf: URL(filePath: form))))
        #expect(json["form_id"].string == "visits")
        #expect(json["key"][0].string == "id")
        #expect(
            json["fields"].array?.map { $0["type"].string } == [
                "integer", "select_one", "date", "decimal", "integer", "text",
            ])
        #expect(json["fields"][5]["required"] == .null)
        #expect(try await daemon.shared("form", "add", form).code == 0)
        let taken = try await daemon.shared("import", "visits", table)
        #expect(taken.code == 0, "\(taken.errors)")
    }

    @Test func `a new version says what becomes of answers, and asks before they lose their place`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        func form(_ version: Int, _ fields: String) throws -> String {
            try write(
                #"{"form_id":"f","version":"\#(version)","fields":[\#(fields)]}"#, "f.json",
                in: daemon)
        }
        let first = try form(
            1, #"{"name":"gps","type":"text"},{"name":"age","type":"integer"}"#)
        #expect(try await daemon.shared("form", "add", first).code == 0)
        for age in 1...3 {
            let run = try await daemon.shared("add", "f", "gps=here", "age=\(age)")
            #expect(run.code == 0, "\(run.errors)")
        }
        let second = try form(2, #"{"name":"age","type":"text"}"#)
        let trial = try await daemon.shared("form", "add", second, "--dry-run")
        #expect(trial.code == 0, "\(trial.errors)")
        #expect(
            trial.words.contains("3 entries have a value in gps, which is not asked any more"),
            "\(trial.output)")
        #expect(trial.words.contains("3 entries have a value in age, which was integer"))
        let refused = try await daemon.shared("form", "add", second)
        refused.expectProblem("age was integer and would be text")
        let same = try form(1, #"{"name":"age","type":"integer"}"#)
        try await daemon.shared("form", "add", same).expectProblem("other content")
        let wider = try form(3, #"{"name":"age","type":"decimal"}"#)
        #expect(try await daemon.shared("form", "add", wider).code == 0)
        let id = try #require(try await daemon.answer("list", "f")[0]["_id"].string)
        #expect(try await daemon.shared("edit", id, "age=7.5").code == 0)
        let back = try form(2, #"{"name":"age","type":"decimal"},{"name":"b","type":"text"}"#)
        try await daemon.shared("form", "add", back).expectProblem("older than")
        #expect(try await daemon.shared("form", "add", back, "--force").code == 0)
        // All the way back: what was asked first is asked again, and of its old type.
        let whole = try form(
            1, #"{"name":"gps","type":"text"},{"name":"age","type":"integer"}"#)
        try await daemon.shared("form", "add", whole).expectProblem(
            "is older than 2, and age was decimal and would be integer: what was entered before")
        for more in [["--dry-run"], ["--force"]] {
            let run = try await daemon.shared(["form", "add", whole] + more)
            #expect(run.code == 0, "\(run.errors)")
            #expect(run.words.contains("3 entries have a value in gps, which is asked again"))
            #expect(
                run.words.contains(
                    "3 entries have a value in age, which was decimal and is integer now:"
                        + " 1 shows an older value again"),
                "\(run.output)")
            #expect(!run.words.contains("new: ") && run.words.contains("no longer asked: b"))
        }
        for (version, type, words) in [
            (8, "text", "3 entries have a value in age, which was integer and is text now"),
            (9, "date", "3 entries have a value in age, of an earlier version"),
        ] {
            let next = try form(version, #"{"name":"age","type":"\#(type)"}"#)
            let run = try await daemon.shared("form", "add", next, "--force")
            #expect(run.words.contains(words), "\(run.output) \(run.errors)")
        }
    }

    @Test func `a new version says how many entries do not fit it, and how to list them`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        func form(_ version: Int, _ choices: String, _ more: String) throws -> String {
            try write(
                """
                {"form_id":"f","version":"\(version)","fields":[
                {"name":"v","type":"select_one","list":"v"},
                {"name":"n","type":"integer"\(more)}],"lists":{"v":[\(choices)]}}
                """, "f.json", in: daemon)
        }
        let first = try form(1, #""koro","bala""#, "")
        #expect(try await daemon.shared("form", "add", first).code == 0)
        for values in [["v=koro", "n=3"], ["v=bala", "n=30"], ["v=koro"]] {
            #expect(try await daemon.shared(["add", "f"] + values).code == 0)
        }
        let second = try form(2, #""koro""#, #","constraint":". < 10","required":true"#)
        let told = """
            2 entries WOULD not fit it:
              n: 1 with an answer that is not allowed
              n: 1 with no answer, and one is required

            """
        let trial = try await daemon.shared("form", "add", second, "--dry-run")
        #expect(
            trial.output.contains("1 entry has a value in v, which is bala")
                && trial.output.contains(
                    told.replacing("WOULD", with: "would")
                        + "Once it is added, `shared list f --invalid` lists them.\n"),
            "\(trial.output)\(trial.errors)")
        let added = try await daemon.shared("form", "add", second)
        #expect(
            added.output.contains(
                told.replacing("WOULD", with: "do") + "`shared list f --invalid` lists them.\n"),
            "\(added.output)\(added.errors)")
        #expect(
            await eventually(within: .seconds(60)) {
                (try? await daemon.answer("list", "f", "--invalid"))?.array?.count == 2
            })
        let fine = try form(3, #""koro","bala""#, "")
        let none = try await daemon.shared("form", "add", fine, "--dry-run")
        #expect(!none.output.contains("not fit"), "\(none.output)")
    }
}
