import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Files with the columns that KoboToolbox really gives them, with the real programs.
@Suite(.serialized) struct KoboTests {
    private static let one = "9f3c0a62-8d1c-4a44-8b7b-16a2f2f9aa01"
    private static let two = "9f3c0a62-8d1c-4a44-8b7b-16a2f2f9aa02"

    /// Tables as a download has them: the entries are called by the form's title, a repeat by its
    /// name; `_index` runs through each table.
    private static func tables(_ marks: [String]) -> [String: String] {
        func rows(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }
        return [
            "Walks of 2026.csv": rows([
                #""site";"where/gps";"where/_gps_latitude";"_id";"_uuid";"_submission_time";"_index""#,
                #""mill";"48.2 16.3 0 0";"48.2";"301";"\#(one)";"2026-11-20T08:15:00";"1""#,
                #""pass";"";"";"302";"\#(two)";"2026-11-20T09:15:00";"2""#,
            ]),
            "seen.csv": rows([
                "what;tally;_index;_parent_table_name;_parent_index;_submission__id;"
                    + "_submission__uuid;_submission__submission_time;_submission__tags",
                "fox;1;1;Walks of 2026;1;301;\(one);2026-11-20T08:15:00;",
                "hare;2;2;Walks of 2026;1;301;\(one);2026-11-20T08:15:00;",
                "owl;3;3;Walks of 2026;2;302;\(two);2026-11-20T09:15:00;",
            ]),
            "mark.csv": rows(
                ["tag;_parent_table_name;_parent_index;_submission__id;_submission__uuid"] + marks),
        ]
    }

    private static let marks = [
        "h1;seen;2;301;\(one)", "h2;seen;2;301;\(one)", "o1;seen;3;302;\(two)",
    ]

    private static func pack(
        _ daemon: Daemon, _ files: [String: String]
    ) async throws -> String {
        let path = daemon.folder.path + "/kobo.zip"
        try await TestArchive.zip(path, files)
        return path
    }

    @Test(.timeLimit(.minutes(2)))
    func `rows of repeats come in as they are exported, and once`() async throws {
        let daemon = try await FilesTests.room()
        let path = try await Self.pack(daemon, Self.tables(Self.marks))
        let run = try await daemon.shared("import", "walk", path)
        try #require(run.code == 0, "\(run.errors)")
        let mill = try await daemon.answer("list", "walk", "site=mill")[0]
        #expect(mill["_id"].string == Self.one && mill["gps"].string == "48.2 16.3 0 0")
        #expect(mill["seen"].array?.map { $0["what"].string } == ["fox", "hare"], "\(mill.shown)")
        let tags = mill["seen"][1]["mark"].array?.map { $0["tag"].string }
        #expect(tags == ["h1", "h2"], "\(mill.shown)")
        let pass = try await daemon.answer("list", "walk", "site=pass")[0]
        #expect(pass["seen"][0]["mark"][0]["tag"].string == "o1", "\(pass.shown)")
        let again = try await daemon.shared("import", "walk", path)
        #expect(
            again.output
                == "walk: 2 unchanged\nwalk/seen: 3 unchanged\nwalk/seen/mark: 3 unchanged\n",
            "\(again.output)\(again.errors)")
    }

    @Test(.timeLimit(.minutes(2)))
    func `a later export, in which other entries come first, adds what is new alone`() async throws
    {
        let daemon = try await FilesTests.room()
        let first = try await Self.pack(daemon, Self.tables(Self.marks))
        try #require(try await daemon.shared("import", "walk", first).code == 0)
        var tables = Self.tables([
            "o1;seen;1;302;\(Self.two)", "h1;seen;3;301;\(Self.one)", "h2;seen;3;301;\(Self.one)",
            "h3;seen;3;301;\(Self.one)",
        ])
        tables["seen.csv"] =
            """
            what;tally;_index;_parent_table_name;_parent_index;_submission__uuid
            owl;3;1;Walks of 2026;1;\(Self.two)
            fox;1;2;Walks of 2026;2;\(Self.one)
            hare;2;3;Walks of 2026;2;\(Self.one)
            """
        try FilesTests.remove(first)
        let later = try await Self.pack(daemon, tables)
        let run = try await daemon.shared("import", "walk", later)
        try #require(run.code == 0, "\(run.errors)")
        #expect(!run.output.contains("walk/seen: added"), "\(run.output)")
        #expect(
            run.output.hasSuffix("walk/seen/mark: added 1 row, 3 unchanged\n"), "\(run.output)")
        let mill = try await daemon.answer("list", "walk", "site=mill")[0]
        let tags = mill["seen"][1]["mark"].array?.map { $0["tag"].string }
        #expect(tags == ["h1", "h2", "h3"], "\(mill.shown)")
    }

    @Test(.timeLimit(.minutes(2)))
    func `a row that a later export lacks stays, and is told`() async throws {
        let daemon = try await FilesTests.room()
        let first = try await Self.pack(daemon, Self.tables(Self.marks))
        try #require(try await daemon.shared("import", "walk", first).code == 0)
        var tables = Self.tables(["o1;seen;2;302;\(Self.two)"])
        tables["seen.csv"] =
            """
            what;tally;_index;_parent_table_name;_parent_index;_submission__uuid
            hare;2;1;Walks of 2026;1;\(Self.one)
            owl;3;2;Walks of 2026;2;\(Self.two)
            """
        try FilesTests.remove(first)
        let later = try await Self.pack(daemon, tables)
        let run = try await daemon.shared("import", "walk", later)
        try #require(run.code == 0, "\(run.errors)")
        #expect(
            run.errors.contains(
                "1 row is here and not in the file, which has others of its entry; it stays: row 2"
                    + " of \(Self.one.suffix(8))"), "\(run)")
        let mill = try await daemon.answer("list", "walk", "site=mill")[0]
        #expect(mill["seen"].array?.map { $0["what"].string } == ["hare", "hare"], "\(mill.shown)")
    }

    @Test(.timeLimit(.minutes(2)))
    func `rows of two entries that one import changes are two changes`() async throws {
        let daemon = try await FilesTests.room()
        var tables = Self.tables([])
        tables["mark.csv"] = nil
        let path = try await Self.pack(daemon, tables)
        try #require(try await daemon.shared("import", "walk", path).code == 0)
        _ = try await daemon.shared("push")
        tables["seen.csv"] = tables["seen.csv"]?.replacing(";1;1;", with: ";7;1;")
            .replacing(";2;2;", with: ";8;2;").replacing(";3;3;", with: ";9;3;")
        try FilesTests.remove(path)
        let later = try await Self.pack(daemon, tables)
        let run = try await daemon.shared("import", "walk", later)
        try #require(run.output.contains("walk/seen: updated 3\n"), "\(run)")
        let status = try await daemon.shared("status")
        #expect(status.output.contains("2 changes"), "\(status.output)")
    }

    @Test(.timeLimit(.minutes(2)))
    func `rows of an entry that was deleted are left out with it`() async throws {
        let daemon = try await FilesTests.room()
        let path = try await Self.pack(daemon, Self.tables(Self.marks))
        try #require(try await daemon.shared("import", "walk", path).code == 0)
        try #require(try await daemon.shared("delete", Self.one).code == 0)
        let run = try await daemon.shared("import", "walk", path)
        #expect(
            run.output == """
                walk: 1 unchanged, 1 left out
                walk/seen: 1 unchanged, 2 left out
                walk/seen/mark: 1 unchanged, 2 left out

                """, "\(run)")
        #expect(run.errors.contains("they were deleted, or what they belong to"), "\(run.errors)")
        #expect(try await daemon.shared("undo", Self.one).code == 0)
        let back = try await daemon.shared("import", "walk", path)
        #expect(
            back.output
                == "walk: 2 unchanged\nwalk/seen: 3 unchanged\nwalk/seen/mark: 3 unchanged\n",
            "\(back)")
    }

    @Test(.timeLimit(.minutes(2)))
    func `a row that was deleted here is left out of an import`() async throws {
        let daemon = try await FilesTests.room()
        var tables = Self.tables([])
        tables["mark.csv"] = nil
        let path = try await Self.pack(daemon, tables)
        try #require(try await daemon.shared("import", "walk", path).code == 0)
        try #require(try await daemon.shared("edit", Self.one, "seen[2]=").code == 0)
        let run = try await daemon.shared("import", "walk", path)
        #expect(run.output.hasSuffix("walk/seen: 2 unchanged, 1 left out\n"), "\(run)")
        let mill = try await daemon.answer("list", "walk", "site=mill")[0]
        #expect(mill["seen"].array?.count == 1, "\(mill.shown)")
    }

    @Test(.timeLimit(.minutes(2)))
    func `what lies in a row that was deleted is left out with it`() async throws {
        let daemon = try await FilesTests.room()
        let path = try await Self.pack(daemon, Self.tables(Self.marks))
        try #require(try await daemon.shared("import", "walk", path).code == 0)
        try #require(try await daemon.shared("edit", Self.one, "seen[2]=").code == 0)
        for _ in 0..<2 {
            let run = try await daemon.shared("import", "walk", path)
            #expect(
                run.output == """
                    walk: 2 unchanged
                    walk/seen: 2 unchanged, 1 left out
                    walk/seen/mark: 1 unchanged, 2 left out

                    """, "\(run)")
        }
        let mill = try await daemon.answer("list", "walk", "site=mill")[0]
        #expect(mill["seen"].array?.map { $0["what"].string } == ["fox"], "\(mill.shown)")
        #expect(mill["seen"][0]["mark"].array?.isEmpty != false, "\(mill.shown)")
    }

    @Test(.timeLimit(.minutes(2)))
    func
        `choices with a slash in their names, places in the south, and lines as others write them`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let form =
            #"{"form_id":"m","version":"1","key":["k"],"fields":[{"name":"k","type":"text"},"#
            + #"{"name":"m","type":"select_multiple","list":"c"},{"name":"r","type":"rank","list":"c"},"#
            + #"{"name":"gps","type":"geopoint"},{"name":"track","type":"geotrace"}],"#
            + #""lists":{"c":["a","c/d"]}}"#
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let line =
            #"{"_id":"0190a000-0000-7000-8000-000000000001","k":"1","m":["a","c/d"],"#
            + #""r":["c/d","a"],"gps":"-1.5 2.25 0 0","track":"-1 2; -1.5 2.5"}"#
        let file = daemon.folder.path + "/m.ndjson"
        try Data(line.utf8).write(to: URL(filePath: file))
        let read = try await daemon.shared("import", "m", file)
        try #require(read.code == 0, "\(read.errors)")
        for words in [["--like", "kobo"], ["--like", "central"], []] {
            let out = daemon.folder.path + "/\(words.last ?? "own").csv"
            let run = try await daemon.shared(["export", "m", "--output", out] + words)
            try #require(run.code == 0, "\(run.errors)")
            let text = try FilesTests.text(out)
            #expect(!text.contains("'-1.5"), "\(text)")
            let back = try await daemon.shared("import", "m", out)
            #expect(back.output == "1 unchanged\n", "\(words): \(back)")
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `what a table of rows lacks is named`() async throws {
        let daemon = try await FilesTests.room()
        var tables = Self.tables(["x;seen;9;301;\(Self.one)"])
        let first = try await Self.pack(daemon, tables)
        let wrong = try await daemon.shared("import", "walk", first)
        #expect(wrong.code == 1, "\(wrong.output)")
        #expect(
            wrong.errors.contains("the entry has no row 9 of walk/seen here"), "\(wrong.errors)")
        tables["seen.csv"] = "what;_index;_parent_table_name;_parent_index\nfox;1;Walks;1\n"
        try FilesTests.remove(first)
        let second = try await Self.pack(daemon, tables)
        let none = try await daemon.shared("import", "walk", second)
        #expect(none.errors.contains("there is no column _submission__uuid"), "\(none.errors)")
    }

    @Test(.timeLimit(.minutes(2)))
    func `an export has its places through the whole file, and names of entries`() async throws {
        let daemon = try await FilesTests.room()
        let path = try await Self.pack(daemon, Self.tables(Self.marks))
        try #require(try await daemon.shared("import", "walk", path).code == 0)
        let file = daemon.folder.path + "/out.csv"
        let run = try await daemon.shared(
            "export", "walk", "--like", "kobo", "--sort", "-site", "--output", file)
        try #require(run.code == 0, "\(run.errors)")
        /// The columns of these names, a line for each row.
        func columns(_ part: String, _ names: [String]) throws -> [String] {
            let lines = try FilesTests.text(daemon.folder.path + "/out\(part).csv")
                .split(separator: "\n").map {
                    $0.split(separator: ";", omittingEmptySubsequences: false)
                }
            let places = try names.map { name in
                try #require(lines[0].firstIndex { $0 == name }, "\(lines[0])")
            }
            return lines.dropFirst().map { line in
                places.map { String(line[$0]) }.joined(separator: " ")
            }
        }
        #expect(
            try columns("", ["site", "_index", "_uuid"]) == [
                "pass 1 \(Self.two)", "mill 2 \(Self.one)",
            ])
        let names = ["_index", "_parent_table_name", "_parent_index", "_submission__uuid"]
        let seen = try columns("-seen", ["what"] + names)
        // The order of the rows is that in which they came in.
        #expect(
            Set(seen.map { $0.split(separator: " ").enumerated().filter { $0.0 != 1 }.map(\.1) })
                == Set(
                    [
                        "owl walk 1 \(Self.two)", "fox walk 2 \(Self.one)",
                        "hare walk 2 \(Self.one)",
                    ].map { $0.split(separator: " ") }), "\(seen)")
        #expect(seen.compactMap { $0.split(separator: " ").dropFirst().first } == ["1", "2", "3"])
        let hare = try #require(seen.first { $0.hasPrefix("hare") }?.split(separator: " ")[1])
        let marks = try columns("-seen-mark", ["tag"] + names.dropFirst())
        #expect(marks.contains("h1 seen \(hare) \(Self.one)"), "\(marks)")
        #expect(marks.count == 3)
    }
}
