import Foundation
import JSON
import ShareTestKit
import Testing

/// The order of dates and the decimal sign are guessed from a whole file.
@Suite(.serialized) struct GuessedHabitsTests {
    @Test func `where dates are guessed on a terminal, good rows come in once`() async throws {
        let daemon = try await Daemon.clinic()
        // Without a key: what comes in twice is there twice.
        let form = """
            {"form_id":"guest","version":"1","fields":[
            {"name":"name","type":"text"},{"name":"seen","type":"date"}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        func names() async throws -> [String] {
            try await daemon.answer("list", "guest").array?.compactMap { $0["name"].string } ?? []
        }
        let (csv, bad) = (daemon.folder.path + "/in.csv", daemon.folder.path + "/bad.csv")
        func run(_ rows: String) async throws -> CommandRun {
            try Data("name,seen\n\(rows)\n".utf8).write(to: URL(filePath: csv))
            return try await CommandRun(
                program: "/usr/bin/python3",
                [
                    "-c",
                    "import os, pty, sys\n"
                        + "sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))",
                    try Product.path("shared"), "--socket", daemon.socket, "import", "guest", csv,
                    "--keep-good", bad,
                ])
        }
        let guessed = try await run("Ada,2026-01-02\nBen,25/12/2025")
        #expect(guessed.code == 0 && guessed.output.contains("--dates dmy"), "\(guessed.output)")
        #expect(try await names().sorted() == ["Ada", "Ben"])
        // Where there is nothing to guess the good rows come in all the same.
        let kept = try await run("Cem,2026-01-02\nDil,2026-13-45")
        #expect(kept.code == 1, "\(kept.output)")
        #expect(try await names().sorted() == ["Ada", "Ben", "Cem"])
        #expect(
            try String(contentsOfFile: bad, encoding: .utf8) == "name,seen\nDil,2026-13-45\n")
        // One that is no day in any order is wrong, and the others are read.
        try FileManager.default.removeItem(atPath: bad)
        let other = try await run("Eva,25/12/2025\nFin,31/11/2025")
        #expect(other.code == 1 && other.output.contains("--dates dmy"), "\(other.output)")
        #expect(try await names().sorted() == ["Ada", "Ben", "Cem", "Eva"])
        #expect(try String(contentsOfFile: bad, encoding: .utf8) == "name,seen\nFin,31/11/2025\n")
    }

    @Test func `what one table of a file shows of its numbers counts for the others`() async throws
    {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"catch","version":"1","key":["boat"],"fields":[
            {"name":"boat","type":"text"},{"name":"total","type":"decimal"},
            {"name":"day","type":"date"},
            {"name":"fish","type":"repeat","fields":[{"name":"weight","type":"decimal"}]}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let path = daemon.folder.path + "/catch.zip"
        func run(_ boats: String, _ fish: String, _ more: [String] = []) async throws -> CommandRun
        {
            try await TestArchive.zip(
                path,
                [
                    "catch.csv": "boat,total,day\n\(boats)\n",
                    "catch-fish.csv": "PARENT_KEY,weight\n\(fish)\n",
                ])
            return try await daemon.onTerminal(["import", "catch", path] + more, [])
        }
        // Nobody can tell 1,234 alone, and the other table says it; so it is with days.
        for more in [["--dry-run"], []] {
            let read = try await run("A,\"1,234\",25/12/2025", "A,\"38,5\"", more)
            #expect(read.code == 0 && read.words.contains("--decimal ,"), "\(read.output)")
        }
        let entry = try await daemon.answer("show", "catch", "A")
        #expect(entry["total"].number == nil && entry["total"].shown == "1.234", "\(entry)")
        #expect(entry["day"].string == "2025-12-25")
        #expect(entry["fish"][0]["weight"].shown == "38.5", "\(entry)")
        // A point in the one is none of thousands because of a comma in the other.
        for (boats, fish) in [
            ("B,\"38,5\",", "B,1.234"), ("B,1.234,", "B,\"38,5\""), ("B,\"1,234\",", "B,\"2,345\""),
        ] {
            let mixed = try await run(boats, fish)
            #expect(mixed.code == 1 && !mixed.words.contains("--decimal , "), "\(mixed.output)")
            #expect(!mixed.words.contains("read as the whole file"), "\(mixed.output)")
        }
    }

    @Test func `the order of dates is guessed from their shape alone`() async throws {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"guest","version":"1","fields":[{"name":"name","type":"text"},
            {"name":"seen","type":"date","constraint":". <= date('2026-11-26')"}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let csv = daemon.folder.path + "/in.csv"
        func run(_ rows: String) async throws -> CommandRun {
            try Data("name,seen\n\(rows)\n".utf8).write(to: URL(filePath: csv))
            return try await CommandRun(
                program: "/usr/bin/python3",
                [
                    "-c",
                    "import os, pty, sys\n"
                        + "sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))",
                    try Product.path("shared"), "--socket", daemon.socket, "import", "guest", csv,
                ])
        }
        // With the day first the form would not allow one of them: that says nothing of the file.
        let open = try await run("Ada,11/11/2026\nBen,11/10/2026\nCem,10/12/2026")
        #expect(open.code == 1, "\(open.output)")
        #expect(
            open.output.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(
                "11/10/2026 (line 3, column seen) is 2026-10-11 with --dates dmy, 2026-11-10 with"
                    + " --dates mdy"), "\(open.output)")
        #expect(try await daemon.answer("list", "guest").array?.isEmpty == true)
        // What the form does not allow is told of the day that was meant.
        let wrong = try await run("Ada,11/10/2026\nBen,25/12/2026")
        #expect(wrong.code == 1 && wrong.output.contains("--dates dmy"), "\(wrong.output)")
        #expect(wrong.output.contains("line 3, column seen"), "\(wrong.output)")
        let good = try await run("Ada,11/10/2026\nBen,25/10/2026")
        #expect(good.code == 0, "\(good.output)")
        // One day in any order.
        let same = try await run("Cem,11/11/2026")
        #expect(same.code == 0 && same.output.contains("--dates dmy"), "\(same.output)")
        let list = try await daemon.answer("list", "guest", "--sort", "name")
        #expect(
            list.array?.compactMap { $0["seen"].string }
                == ["2026-10-11", "2026-10-25", "2026-11-11"])
    }
}
