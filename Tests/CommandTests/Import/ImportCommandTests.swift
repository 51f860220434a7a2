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

    @Test func `what a spreadsheet could run comes in with its sign, or without, as is said`()
        async throws
    {
        let daemon = try await FindScene.daemon()
        let rows = "hh_id,remarks\nRAW-1,'=1+1\nRAW-2,-5\n"
        for (options, text) in [([], "=1+1"), (["--raw"], "'=1+1")] {
            let words = ["import", "household", "-"] + options
            let run = try await daemon.shared(words, input: rows)
            try #require(run.code == 0, "\(run.errors)")
            let list = try await daemon.answer("list", "household", "hh_id~RAW", "--sort", "hh_id")
            #expect(list[0]["remarks"].string == text && list[1]["remarks"].string == "-5")
        }
        let csv = try await daemon.shared(
            "export", "household", "hh_id~RAW", "--columns", "remarks", "--sort", "hh_id")
        #expect(csv.output == "remarks\n''=1+1\n-5\n")
        let broken = daemon.folder.path + "/z.zip"
        try Data("no archive".utf8).write(to: URL(filePath: broken))
        let zip = try await daemon.shared("import", "household", broken)
        zip.expectProblem("the archive is damaged", code: zip.code)
        zip.expectHint("Make the archive again")
    }

    @Test func `an export leaves alone what was changed after it was written`() async throws {
        let daemon = try await Daemon.clinic()
        for name in ["Ada", "Ben", "Cem"] {
            try #require(
                try await daemon.shared("import", "visit", "-", input: "name,age\n\(name),1\n").code
                    == 0)
        }
        for ending in ["csv", "xlsx"] {
            let path = "\(daemon.folder.path)/morning.\(ending)"
            #expect(try await daemon.shared("export", "visit", "--output", path).code == 0)
            let unchanged = try await daemon.shared("import", "visit", path)
            #expect(unchanged.output == "3 unchanged\n", "\(ending): \(unchanged.errors)")
        }
        let path = "\(daemon.folder.path)/morning.csv"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let lines = text.split(separator: "\n")
        let cells = lines[0].split(separator: ",").map(String.init)
        let id = try #require(cells.firstIndex(of: "_id"))
        let ben = try #require(lines.first { $0.contains("Ben") })
        let benID = String(ben.split(separator: ",", omittingEmptySubsequences: false)[id])
        try #require(try await daemon.shared("edit", benID, "age=7").code == 0)
        // One cell of another entry is mended, and one of Ben's is no value.
        let mended = text.replacing("Cem,1", with: "Cem,3").replacing("Ben,1", with: "Ben,x")
        try #require(mended != text)
        try Data(mended.utf8).write(to: URL(filePath: path))
        let run = try await daemon.shared("import", "visit", path)
        #expect(
            run.output == "updated 1, 1 unchanged, 1 left alone\n    Cem (line 4): age 1 -> 3\n",
            "\(run.errors)")
        #expect(run.errors.contains("Ben (line"), "\(run.errors)")
        #expect(run.errors.contains("--over-newer"), "\(run.errors)")
        func age(_ name: String) async throws -> Double? {
            try await daemon.answer("list", "visit").array?
                .first { $0["name"].string == name }?["age"].number.map { Double($0) }
        }
        #expect(try await age("Ben") == 7)
        #expect(try await age("Cem") == 3)
        let over = text.replacing("Ben,1", with: "Ben,8")
        try Data(over.utf8).write(to: URL(filePath: path))
        #expect(try await daemon.shared("import", "visit", path, "--over-newer").code == 0)
        #expect(try await age("Ben") == 8)
    }

    @Test func `a dry run says what would be done and does not`() async throws {
        let daemon = try await Daemon.clinic()
        try await daemon.add("Ada", age: 1)
        let csv = "Name,Years\nAda,2\nBen,3\nBen,4\n"
        let arguments = ["import", "visit", "-", "--map", "Years=age"]
        let run = try await daemon.shared(arguments + ["--dry-run"], input: csv)
        let told = "    Ada (line 2): age 1 -> 2\n"
        #expect(run.output == "would add 2 entries, would update 1\n" + told, "\(run.errors)")
        #expect(run.errors.contains("1 in another row of the file"), "\(run.errors)")
        #expect(try await daemon.names() == ["Ada"])
        #expect(
            try await daemon.shared(arguments, input: csv).output
                == "added 2 entries, updated 1\n" + told)
        let duplicates = try await daemon.shared("list", "visit", "--duplicates")
        #expect(duplicates.output.split(separator: "\n").count == 3, "\(duplicates.output)")
    }
}
