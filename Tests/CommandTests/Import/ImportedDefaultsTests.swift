import JSON
import ShareTestKit
import Testing

/// What is said of values that no row of a file has, and of rows that are put aside.
@Suite(.serialized) struct ImportedDefaultsTests {
    private static let form = #"""
        {"form_id": "sheet", "version": "1", "key": ["house"], "fields": [
         {"name": "house", "type": "text"},
         {"name": "seen", "type": "date", "default": "today()", "required": true},
         {"name": "team", "type": "text", "default": "north"},
         {"name": "twice", "type": "integer", "default": "${people} * 2"},
         {"name": "people", "type": "integer"},
         {"name": "code", "type": "text", "default": "once(uuid())"},
         {"name": "began", "type": "start"},
         {"name": "fixed", "type": "hidden", "default": "v2"},
         {"name": "more", "type": "integer", "calculation": "${people} + 1"},
         {"name": "fever", "type": "decimal",
          "x": {"warn": ". > 41", "warn_message": "Very high fever"}}]}
        """#

    private func room() async throws -> Daemon {
        let daemon = try await Daemon.clinic()
        try #require(try await daemon.shared("form", "add", "-", input: Self.form).code == 0)
        return daemon
    }

    @Test func `a default that no cell of the file says is told, once for all entries`()
        async throws
    {
        let daemon = try await room()
        let file = "house,people\nA,1\nB,2\n"
        let trial = try await daemon.shared("import", "sheet", "-", "--dry-run", input: file)
        #expect(trial.output == "would add 2 entries\n", "\(trial)")
        let run = try await daemon.shared("import", "sheet", "-", input: file)
        #expect(run.output == "added 2 entries\n", "\(run)")
        let day = try #require(try await daemon.answer("list", "sheet")[0]["seen"].string)
        for told in [trial.errors, run.errors] {
            let lines = told.split(separator: "\n").filter { !$0.contains("not sent yet") }
            #expect(lines.count == 3, "\(told)")
            for note in [
                "seen is not in the file: its default, \(day), is in 2 entries",
                "team is not in the file: its default, north, is in 2 entries",
                "twice is not in the file: its default is in 2 entries",
            ] {
                #expect(lines.contains { $0.hasSuffix(note) }, "\(note): \(told)")
            }
        }
        // An entry that is there keeps what it has.
        let again = try await daemon.shared(
            "import", "sheet", "-", input: "house,people\nA,3\nC,4\n")
        #expect(again.errors.contains("its default, north, is in 1 entry"), "\(again)")
        let whole = try await daemon.shared(
            "import", "sheet", "-", input: "house,people,seen,team,twice\nD,1,2026-11-20,,\n")
        #expect(whole.output == "added 1 entry\n" && !whole.errors.contains("default"), "\(whole)")
        let answer = try await daemon.shared(
            "import", "sheet", "-", "--json", input: "house\nE\n")
        let json = try JSONValue(text: Array(answer.output.utf8))
        #expect(json["warning_count"].number == 2, "\(answer)")
        let reasons = json["warnings"].array?.compactMap { $0["reason"].string } ?? []
        let wanted = "seen is not in the file: its default, \(day), is in 1 entry"
        #expect(reasons.contains(wanted), "\(answer)")
    }

    @Test func `a default that rows of a repeat get is told`() async throws {
        let daemon = try await room()
        let form = """
            {"form_id": "home", "key": ["who"], "fields": [{"name": "who", "type": "text"},
             {"name": "kid", "type": "repeat", "fields": [{"name": "name", "type": "text"},
              {"name": "dose", "type": "integer", "default": 2}]}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        try #require(try await daemon.shared("add", "home", "who=A").code == 0)
        let run = try await daemon.shared(
            "import", "home/kid", "-", input: "PARENT_KEY,name\nA,x\nA,y\n")
        #expect(
            run.errors.contains("dose is not in the file: its default, 2, is in 2 rows"), "\(run)")
        let whole = try await daemon.shared(
            "import", "home/kid", "-", input: "PARENT_KEY,name,dose\nA,z,\n")
        #expect(whole.code == 0 && !whole.errors.contains("default"), "\(whole)")
    }

    @Test func `what is unusual about a row that is put aside is told when it comes in`()
        async throws
    {
        let daemon = try await room()
        let file = "house,seen,team,twice,people,fever\n"
        let rows = "A,2026-11-20,,,1,39\nB,2026-11-20,,,x,380\nC,,,,1,380\n"
        for (number, options) in [["--dry-run"], []].enumerated() {
            let run = try await daemon.shared(
                ["import", "sheet", "-", "--keep-good", "\(daemon.folder.path)/bad\(number).csv"]
                    + options, input: file + rows)
            #expect(run.code == 1 && run.output.hasSuffix("1 entry\n"), "\(run)")
            #expect(!run.errors.contains("Very high fever"), "\(run)")
        }
        let mended = try await daemon.shared(
            "import", "sheet", "-", input: file + "B,2026-11-20,,,2,380\nA,2026-11-20,,,1,381\n")
        #expect(mended.errors.contains("380: Very high fever"), "\(mended)")
        #expect(mended.errors.contains("381: Very high fever"), "\(mended)")
    }
}
