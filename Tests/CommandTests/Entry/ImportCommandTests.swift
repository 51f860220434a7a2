import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Files as offices write them, with the real binaries.
@Suite(.serialized) struct ImportCommandTests {
    @Test func `rows and not problems are counted, each with what to do`() async throws {
        let daemon = try await Daemon.clinic()
        let csv = "name,age,weight,seen\nAda,1,2,22/11/2026\nBen,x,y,2026-11-22\nCem,3,1,\n"
        let run = try await daemon.shared("import", "visit", "-", input: csv)
        #expect(run.code == 1 && run.output == "")
        #expect(
            run.errors.contains("standard input: 2 rows of 3 are wrong; nothing was imported"))
        #expect(run.errors.contains("--dates dmy"), "\(run.errors)")
        #expect(run.errors.contains("For instance 42."), "\(run.errors)")
        #expect(try await daemon.names().isEmpty)
    }

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
        let mended = try await daemon.shared(
            "import", "visit", "-", input: text.replacing("x", with: "2"))
        #expect(mended.output == "added 1 entry\n")
    }

    @Test func `a dry run says what would be done and does not`() async throws {
        let daemon = try await Daemon.clinic()
        try await daemon.add("Ada", age: 1)
        let csv = "Name,Years\nAda,2\nBen,3\nBen,4\n"
        let arguments = ["import", "visit", "-", "--map", "Years=age"]
        let run = try await daemon.shared(arguments + ["--dry-run"], input: csv)
        #expect(run.output == "would add 2 entries, would update 1\n", "\(run.errors)")
        #expect(run.errors.contains("1 in another row of the file"), "\(run.errors)")
        #expect(try await daemon.names() == ["Ada"])
        #expect(
            try await daemon.shared(arguments, input: csv).output == "added 2 entries, updated 1\n")
        let duplicates = try await daemon.shared("list", "visit", "--duplicates")
        #expect(duplicates.output.split(separator: "\n").count == 3, "\(duplicates.output)")
    }

    @Test func `a workbook is not written`() async throws {
        let daemon = try await Daemon.clinic()
        let file = daemon.folder.path + "/out.xlsx"
        let run = try await daemon.shared("export", "visit", "--output", file)
        run.expectProblem("no workbook is written", code: 2)
        #expect(!FileManager.default.fileExists(atPath: file))
    }
}
