import Foundation
import JSON
import ShareTestKit
import Testing

/// What docs/forms.md shows is so.
@Suite(.serialized) struct FormGuideTests {
    private static let guide = Repository.url("docs/forms.md")

    /// The fenced blocks of a page in one language.
    private static func blocks(_ language: String) throws -> [String] {
        let text = try String(contentsOf: guide, encoding: .utf8)
        return text.components(separatedBy: "```\(language)\n").dropFirst().compactMap {
            $0.components(separatedBy: "\n```").first.map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }
        }
    }

    @Test func `every form of the guide can be added as it stands there`() async throws {
        let daemon = try await Daemon.clinic()
        let forms =
            try Self.blocks("json").map { ($0, "json") }
            + Self.blocks("markdown").map { ($0, "md") }
        #expect(forms.count >= 4)
        for (number, (text, ending)) in forms.enumerated() {
            let path = try daemon.write(text, "form\(number).\(ending)")
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
        let path = try daemon.write(next, "household.json")
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
        let list = try daemon.write(try #require(try Self.blocks("csv").first), "village.csv")
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
        let entries = try daemon.write(entry, "entries.ndjson")
        let imported = try await daemon.shared("import", "survey", entries)
        #expect(imported.code == 0, "\(imported.errors)")
        let mapping = try daemon.write(
            try #require(try Self.blocks("jsonc").first), "mapping.json")
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
}
