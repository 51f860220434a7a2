import Foundation
import JSON
import ShareTestKit
import Testing

/// Good rows come in, and the others are put aside in a file, to be mended and imported.
@Suite(.serialized) struct KeptGoodRowsTests {
    @Test func `good rows are kept, and the others can be mended and imported`() async throws {
        let daemon = try await Daemon.clinic()
        let bad = daemon.folder.path + "/bad.csv"
        let run = try await daemon.shared(
            "import", "visit", "-", "--keep-good", bad,
            input: "name,age\nAda,1\n\"Ben, B\",x\nCem,3\n")
        #expect(run.code == 1)
        #expect(run.errors.contains("the others were imported"), "\(run.errors)")
        #expect(run.output == "added 2 entries\n")
        #expect(try await daemon.names() == ["Ada", "Cem"])
        let text = try String(contentsOfFile: bad, encoding: .utf8)
        #expect(text == "name,age\n\"Ben, B\",x\n")
        // Neither an earlier file goes, nor the very one that is imported.
        try await daemon.shared("import", "visit", bad, "--keep-good", bad)
            .expectProblem("bad.csv is there already; nothing was imported")
        #expect(try String(contentsOfFile: bad, encoding: .utf8) == text)
        let mended = try await daemon.shared(
            "import", "visit", "-", input: text.replacing("x", with: "2"))
        #expect(mended.output == "added 1 entry\n")
    }

    @Test func `nothing is imported where what is wrong has no place to go`() async throws {
        let daemon = try await Daemon.clinic()
        let bad = daemon.folder.path + "/missing/bad.csv"
        let run = try await daemon.shared(
            "import", "visit", "-", "--keep-good", bad, input: "name,age\nAda,1\nBen,x\n")
        run.expectProblem("cannot write \(bad)", code: run.code)
        #expect(run.code != 0 && run.output.isEmpty, "\(run)")
        #expect(try await daemon.names().isEmpty)
        // Where all are good nothing is left behind.
        let kept = daemon.folder.path + "/bad.csv"
        let good = try await daemon.shared(
            "import", "visit", "-", "--keep-good", kept, input: "name,age\nAda,1\n")
        #expect(good.code == 0 && good.output == "added 1 entry\n", "\(good)")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: daemon.folder.path)
                .filter { $0.hasPrefix("bad.csv") }.isEmpty)
    }

    @Test func `what is put aside is written as its file, and read again as that was`() async throws
    {
        let daemon = try await Daemon.clinic()
        let bad = daemon.folder.path + "/bad.csv"
        let run = try await daemon.shared(
            "import", "visit", "-", "--keep-good", bad, "--decimal", ",", "--map", "kg=weight",
            "--map", "desk=",
            input: "\u{feff}name;age;kg;desk\r\nAda;4;30,5;1\r\nBen;5;x;2\r\n")
        #expect(run.code == 1 && run.output == "added 1 entry\n", "\(run)")
        run.expectHint("bad.csv --decimal , --map kg=weight --map desk=")
        let text = try Data(contentsOf: URL(filePath: bad))
        #expect(Array(text) == Array("\u{feff}name;age;kg;desk\r\nBen;5;x;2\r\n".utf8))
        // A column that the form does not have is left out by saying so.
        let unknown = try await daemon.shared(
            "import", "visit", "-", input: "name,age,desk\nCem,1,2\n")
        #expect(unknown.code == 1 && unknown.errors.contains("--map desk="), "\(unknown)")
        let left = try await daemon.shared(
            "import", "visit", "-", "--map", "desk=", input: "name,age,desk\nCem,1,2\n")
        #expect(left.output == "added 1 entry\n", "\(left)")
    }

    @Test func `where all rows are put aside none of the others is said to be imported`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let (csv, bad) = (daemon.folder.path + "/in.csv", daemon.folder.path + "/bad.csv")
        func run(_ rows: String) async throws -> CommandRun {
            try Data("name,age\n\(rows)\n".utf8).write(to: URL(filePath: csv))
            try? FileManager.default.removeItem(atPath: bad)
            return try await daemon.shared("import", "visit", csv, "--keep-good", bad)
        }
        let none = try await run("Ada,x\nBen,y")
        #expect(none.code == 1 && none.output.isEmpty, "\(none)")
        #expect(none.errors.contains("2 rows of 2 are wrong; nothing was imported"), "\(none)")
        let first = try await run("Ada,1\nBen,y")
        #expect(first.errors.contains("; the others were imported"), "\(first)")
        let same = try await run("Ada,1\nBen,y")
        #expect(same.errors.contains("; the others change nothing"), "\(same)")
        #expect(same.output == "1 unchanged\n")
    }

    @Test func `what is wrong in a workbook or in JSON is put aside as well`() async throws {
        let daemon = try await Daemon.clinic()
        let folder = daemon.folder.path
        let lines = folder + "/in.ndjson"
        try Data("{\"name\": \"Ada\", \"age\": \"x\"}\n{\"name\": \"Ben\", \"age\": 4}\n".utf8)
            .write(to: URL(filePath: lines))
        let csv = folder + "/bad.csv"
        let other = try await daemon.shared("import", "visit", lines, "--keep-good", csv)
        other.expectProblem("in.ndjson is JSON", code: 2)
        other.expectHint("--keep-good \(folder)/bad.ndjson")
        let bad = folder + "/bad.ndjson"
        let run = try await daemon.shared("import", "visit", lines, "--keep-good", bad)
        #expect(run.code == 1 && run.output == "added 1 entry\n", "\(run.output)\(run.errors)")
        #expect(
            try String(contentsOfFile: bad, encoding: .utf8)
                == "{\"name\": \"Ada\", \"age\": \"x\"}\n")
        let book = folder + "/visits.xlsx"
        #expect(try await daemon.shared("export", "visit", "--output", book).code == 0)
        let changed = try await daemon.shared("import", "visit", book, "--keep-good", csv)
        #expect(changed.output == "1 unchanged\n", "\(changed.errors)")
    }

    @Test func `percentages of a workbook are those that people see, and what is wrong comes back`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"soap","version":"1","key":["nr"],"fields":[{"name":"nr","type":"text"},
            {"name":"share","type":"integer","x":{"unit":"%"}},
            {"name":"left","type":"decimal","x":{"unit":"%"}},{"name":"bars","type":"integer"}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let book = daemon.folder.path + "/soap.xlsx"
        try await TestArchive.workbook(
            book,
            [
                ["nr", "share", "left", "bars"], ["S1", "[1]", "[0.07]", "3"],
                ["S2", "[0.75]", "[0.125]", "[0.5]"],
            ])
        let rest = daemon.folder.path + "/rest"
        let refused = try await daemon.shared("import", "soap", book, "--keep-good", rest + ".xlsx")
        refused.expectProblem("nothing was imported", code: 2)
        refused.expectHint("--keep-good \(rest).csv")
        #expect(try await daemon.answer("list", "soap").array?.isEmpty == true)
        let run = try await daemon.shared("import", "soap", book, "--keep-good", rest + ".csv")
        #expect(run.code == 1 && run.output == "added 1 entry\n", "\(run)")
        #expect(run.errors.contains("50%"), "\(run.errors)")
        run.expectHint("shared import soap \(rest).csv")
        let text = try String(contentsOfFile: rest + ".csv", encoding: .utf8)
        #expect(text == "nr,share,left,bars\nS2,75%,12.5%,50%\n")
        let mended = try await daemon.shared(
            "import", "soap", "-", input: text.replacing("50%", with: "5"))
        #expect(mended.output == "added 1 entry\n", "\(mended.errors)")
        let entries = try await daemon.answer("list", "soap").array ?? []
        #expect(entries.map { $0["share"] } == [.integer(100), .integer(75)])
        #expect(entries.map { $0["left"] } == [.double(7), .double(12.5)])
        // What this program writes comes back as it was.
        let own = daemon.folder.path + "/own.xlsx"
        #expect(try await daemon.shared("export", "soap", "--output", own).code == 0)
        let again = try await daemon.shared("import", "soap", own)
        #expect(again.output == "2 unchanged\n", "\(again)")
    }
}
