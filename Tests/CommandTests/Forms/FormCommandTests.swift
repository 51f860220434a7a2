import Foundation
import JSON
import ShareTestKit
import Testing

@testable import shared

/// Forms as files: guessed, added, shown and written, by the real binaries; and entries of forms
/// with repeats.
@Suite(.serialized) struct FormCommandTests {
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

    @Test func `a form is proposed for a table, and takes it`() async throws {
        let daemon = try await Daemon.clinic()
        var csv = "id,village,seen,weight (kg),recovered,note\n"
        for row in 1...30 {
            csv += "\(row),\(["Ar", "Bel", "Cor"][row % 3]),2026-11-\(10 + row % 9),\(row).5,"
            csv += "\(row)%,\(row == 7 ? "" : "note \(row)")\n"
        }
        let table = try daemon.write(csv, "visits.csv")
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

    @Test func `an entry with repeats is shown and exported as one`() async throws {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"survey","version":"1","key":["site"],"fields":[{"name":"site","type":"text"},
            {"name":"sighting","type":"repeat","label":"Sighting","fields":[
            {"name":"species","type":"text","label":"Species"}]}]}
            """
        let file = try daemon.write(form, "survey.json")
        #expect(try await daemon.shared("form", "add", file).code == 0)
        let entries = try daemon.write("KEY,site\na,meadow\n", "in.csv")
        let rows = try daemon.write("PARENT_KEY,species\na,Vanessa\na,Pieris\n", "rows.csv")
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
}
