import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Files of entries of every kind, out of one room and into another, with the real programs.
@Suite(.serialized) struct FilesTests {
    /// A form with a group, a repeat in it, a repeat in that, places, and several choices.
    static let form = """
        {"form_id":"walk","version":"1","key":["site"],"fields":[
         {"name":"site","type":"text","required":true},
         {"name":"day","type":"date"},{"name":"at","type":"dateTime"},
         {"name":"length","type":"decimal"},
         {"name":"where","type":"group","fields":[
          {"name":"gps","type":"geopoint"},{"name":"track","type":"geotrace"},
          {"name":"plot","type":"geoshape"}]},
         {"name":"seen","type":"repeat","fields":[
          {"name":"what","type":"text"},{"name":"tally","type":"integer"},
          {"name":"doing","type":"select_multiple","list":"doing"},
          {"name":"mark","type":"repeat","fields":[{"name":"tag","type":"text"}]}]},
         {"name":"remarks","type":"text"}],
         "lists":{"doing":[{"name":"basking"},{"name":"mating"}]}}
        """

    static let lines = [
        #"{"_id":"0190a000-0000-7000-8000-000000000001","site":"mill","day":"2026-06-13","#
            + #""at":"2026-06-13T10:00:00.000+02:00","length":0.1,"gps":"48.20 -16.370 190 4.5","#
            + #""remarks":" a, \"b\"\nc\t","#
            + #""seen":[{"_id":"0190a000-0000-7000-8000-0000000000a1","what":"=1+1","tally":4,"#
            + #""doing":["basking","mating"],"#
            + #""mark":[{"_id":"0190a000-0000-7000-8000-0000000000b1","tag":"007"}]},"#
            + #"{"_id":"0190a000-0000-7000-8000-0000000000a2","_index":5,"what":"","tally":-1}]}"#,
        #"{"_id":"0190a000-0000-7000-8000-000000000002","site":"pass","length":1e-05,"#
            + #""track":"48.2 16.3;48.3 16.4","remarks":""}"#,
        #"{"_id":"0190a000-0000-7000-8000-000000000003","site":"bog","length":12345678.25,"#
            + #""plot":"48.2 16.3;48.2 16.4;48.3 16.4;48.2 16.3"}"#,
    ]

    static func text(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    static func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

    static func room(_ name: String = "ward-1") async throws -> Daemon {
        let daemon = try await Daemon(name)
        try #require(try await daemon.shared("create", "clinic").code == 0)
        let run = try await daemon.shared("form", "add", "-", input: form)
        try #require(run.code == 0, "\(run.errors)")
        return daemon
    }

    static func filled() async throws -> Daemon {
        let daemon = try await room()
        let file = daemon.folder.path + "/in.ndjson"
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let run = try await daemon.shared("import", "walk", file)
        try #require(run.code == 0, "\(run.output)\(run.errors)")
        return daemon
    }

    /// The entries as NDJSON, without who entered them and when.
    static func answers(_ daemon: Daemon) async throws -> [String] {
        let run = try await daemon.shared("export", "walk", "--format", "ndjson")
        try #require(run.code == 0, "\(run.errors)")
        return try run.output.split(separator: "\n").map { line in
            var object = try #require(try JSONValue(text: Array(line.utf8)).object)
            for own in ["_author", "_author_name", "_created", "_updated", "_state"] {
                object[own] = nil
            }
            return JSONValue.object(object).shown
        }
    }

    @Test func `what is said beside a file is in the answer in JSON, or beside the file`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        try await daemon.add("Sara")
        let note = "the form asks for no place: no entry has a geometry"
        let file = daemon.folder.path + "/visits.geojson"
        let json = try await daemon.answer("export", "visit", "--output", file)
        #expect(json["notes"].array?.compactMap(\.string) == [note], "\(json)")
        #expect(json["entries"].number == 1)
        // Where there is nothing to say there are no notes.
        let csv = try await daemon.answer(
            "export", "visit", "--output", daemon.folder.path + "/visits.csv")
        #expect(csv["notes"].array == nil && csv["bytes"].number != nil, "\(csv)")
        // Where the entries are the answer, it stands beside them.
        for more in [[], ["--json"]] {
            let shown = try await daemon.shared(["export", "visit", "--format", "geojson"] + more)
            #expect(shown.code == 0 && shown.errors == "shared: note: \(note)\n", "\(shown)")
            #expect(try JSONValue(text: Array(shown.output.utf8))["type"].string != nil)
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `lines of JSON come back to the bit, and change nothing where they are`() async throws {
        let one = try await Self.filled()
        let wanted = try Self.lines.map { try JSONValue(text: Array($0.utf8)).shown }
        #expect(try await Self.answers(one) == wanted)
        let file = one.folder.path + "/out.ndjson"
        #expect(try await one.shared("export", "walk", "--output", file).code == 0)
        let again = try await one.shared("import", "walk", file)
        #expect(
            again.output
                == "walk: 3 unchanged\nwalk/seen: 2 unchanged\nwalk/seen/mark: 1 unchanged\n")
        let other = try await Self.room()
        #expect(try await other.shared("import", "walk", file).code == 0)
        #expect(try await Self.answers(other) == wanted)
        #expect(try await other.shared("import", "walk", file).output.contains("walk: 3 unchanged"))
        let list = one.folder.path + "/out.json"
        #expect(try await one.shared("export", "walk", "--output", list).code == 0)
        #expect(try await other.shared("import", "walk", list).output.contains("walk: 3 unchanged"))
        // A review is signed by who gave it: it comes with the room's batches, and with no file.
        let id = try #require(try await one.answer("list", "walk").array?.first?["_id"].string)
        #expect(try await one.shared("review", id, "approved").code == 0)
        #expect(try await one.shared("export", "walk", "--output", file).code == 0)
        let reviewed = try await other.shared("import", "walk", file)
        #expect(reviewed.code == 0)
        #expect(
            reviewed.errors.contains(
                "1 entry was reviewed where the file is from: an import brings no reviews"),
            "\(reviewed)")
        for (line, message) in [
            (#"{"site":"x","tall":1}"#, "the form walk has no field \"tall\""),
            (#"{"site":"x","day":"yesterday-ish"}"#, "wants a date"),
            (#"{"day":"2026-01-01"}"#, "field site is required"), ("[1]", "no object"),
            (#"{"site":"#, "JSON"), (#"{"_id":"7","site":"x"}"#, "is not the id"),
        ] {
            try line.write(toFile: file, atomically: true, encoding: .utf8)
            let run = try await other.shared("import", "walk", file)
            #expect(run.code == 1 && run.errors.contains(message), "\(line): \(run.errors)")
        }
    }

    @Test(.timeLimit(.minutes(2)), arguments: ["central", "kobo"])
    func `columns of other programs are written, and understood`(_ program: String) async throws {
        let one = try await Self.filled()
        let zip = one.folder.path + "/\(program).zip"
        let run = try await one.shared(
            "export", "walk", "--like", program, "--output", zip)
        #expect(run.code == 0, "\(run.errors)")
        let list = try await CommandRun(
            program: "/usr/bin/python3",
            [
                "-c",
                "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\n"
                    + "for n in z.namelist(): print(n, z.read(n).decode().split('\\n')[0])", zip,
            ])
        if program == "central" {
            #expect(
                list.output.contains(
                    "walk.csv SubmissionDate,site,day,at,length,where-gps-Latitude,"
                        + "where-gps-Longitude,where-gps-Altitude,where-gps-Accuracy,where-track"))
            #expect(list.output.contains("walk-seen.csv what,tally,doing,PARENT_KEY,KEY"))
            // A repeat in a repeat too, by its own name alone.
            #expect(list.output.contains("walk-mark.csv"))
        } else {
            #expect(list.output.contains("walk-seen-mark.csv"))
            #expect(
                list.output.contains(
                    "walk.csv site;day;at;length;where/gps;where/_gps_latitude;"
                        + "where/_gps_longitude;where/_gps_altitude;where/_gps_precision"))
            #expect(list.output.contains("doing;doing/basking;doing/mating;_index"))
        }
        let other = try await Self.room()
        let read = try await other.shared("import", "walk", zip)
        #expect(read.code == 0, "\(read.output)\(read.errors)")
        // CSV knows no empty text, and takes spaces around a value for none of it.
        let names = ["site", "day", "at", "length", "gps", "track", "plot"]
        let mine = try await one.answer("list", "walk").array ?? []
        let theirs = try await other.answer("list", "walk").array ?? []
        for (a, b) in zip2(mine, theirs) {
            for name in names { #expect(a[name] == b[name], "\(name): \(b.shown)") }
            #expect(a["seen"][0]["doing"] == b["seen"][0]["doing"])
            #expect(a["seen"][0]["what"] == b["seen"][0]["what"])
            #expect(a["seen"][0]["mark"] == b["seen"][0]["mark"], "\(b.shown)")
        }
        #expect(theirs.count == 3)
    }

    @Test(arguments: [("central", ",", "FormVersion"), ("kobo", ";", "__version__")])
    func `files of other programs say by which version each entry was made`(
        program: String, separator: String, column: String
    ) async throws {
        let daemon = try await Daemon.clinic()
        for version in ["1", "2024 a"] {
            let form =
                #"{"form_id":"m","version":"\#(version)","fields":[{"name":"k","type":"text"}]}"#
            try #require(
                try await daemon.shared("form", "add", "-", input: form).code == 0)
            try #require(try await daemon.shared("add", "m", "k=by \(version)").code == 0)
            _ = try await daemon.shared("push", "--timeout", "1s")
        }
        let path = daemon.folder.path + "/m.csv"
        try #require(
            try await daemon.shared("export", "m", "--like", program, "--output", path).code == 0)
        let lines = try FilesTests.text(path).split(whereSeparator: \.isNewline)
            .map { $0.components(separatedBy: separator) }
        let (key, place) = try (
            #require(lines[0].firstIndex(of: "k")), #require(lines[0].firstIndex(of: column))
        )
        #expect(
            lines.dropFirst().map { [$0[key], $0[place]] } == [
                ["by 1", "1"], ["by 2024 a", "2024 a"],
            ])
    }

    @Test func `a workbook has the moments of entries by the clock of who writes it`() async throws
    {
        let daemon = try await Daemon.clinic()
        try await daemon.add("Sara")
        let path = daemon.folder.path + "/book.xlsx"
        let read = """
            import re, sys, zipfile
            sheet = zipfile.ZipFile(sys.argv[1]).read("xl/worksheets/sheet1.xml").decode()
            print(re.findall(r"<v>(\\d+\\.\\d+)</v>", sheet)[0])
            """
        var days: [Double] = []
        for zone in ["UTC0", "IST-5:30"] {
            let run = try await CommandRun(
                program: Product.path("shared"), ["export", "visit", "--output", path],
                environment: ["SHARED_SOCKET": daemon.socket, "TZ": zone])
            try #require(run.code == 0, "\(run)")
            let found = try await CommandRun(program: "/usr/bin/python3", ["-c", read, path])
            days.append(try #require(Double(found.output.dropLast()), "\(found)"))
        }
        #expect(abs(days[1] - days[0] - 5.5 / 24) < 1e-6, "\(days)")
    }

    /// Ids in another order than that of the rows, as those of one moment may have.
    @Test(.timeLimit(.minutes(2)), arguments: ["central", "kobo"])
    func `rows keep their order through files of other programs`(_ program: String) async throws {
        let one = try await Self.room()
        let words = ["first", "second", "third", "fourth"]
        let rows = words.enumerated().map { place, word in
            #"{"_id":"0190a000-0000-7000-8000-0000000000a\#(9 - place)","what":"\#(word)"}"#
        }
        let file = one.folder.path + "/in.ndjson"
        let line =
            #"{"_id":"0190a000-0000-7000-8000-000000000001","site":"mill","seen":[\#(rows.joined(separator: ","))]}"#
        try line.write(toFile: file, atomically: true, encoding: .utf8)
        try #require(try await one.shared("import", "walk", file).code == 0)
        let zip = one.folder.path + "/\(program).zip"
        try #require(
            try await one.shared("export", "walk", "--like", program, "--output", zip).code == 0)
        let other = try await Self.room()
        let read = try await other.shared("import", "walk", zip)
        #expect(read.code == 0, "\(read.output)\(read.errors)")
        for daemon in [one, other] {
            let seen = try await daemon.answer("list", "walk").array?.first?["seen"].array ?? []
            #expect(seen.compactMap { $0["what"].string } == words)
        }
    }

    private func zip2(_ a: [JSONValue], _ b: [JSONValue]) -> [(JSONValue, JSONValue)] {
        Array(zip(a, b))
    }

    @Test(.timeLimit(.minutes(2)))
    func `an export with conditions has the rows of just these entries`() async throws {
        let one = try await Self.filled()
        let folder = one.folder.path
        _ = try await one.shared("export", "walk", "site=mill", "--output", folder + "/mill.csv")
        _ = try await one.shared("export", "walk", "site=pass", "--output", folder + "/pass.csv")
        _ = try await one.shared(
            "export", "walk", "--sort", "-length", "--limit", "2", "--output", folder + "/two.csv")
        func rows(_ name: String) throws -> Int {
            try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
                .split(separator: "\n").filter { $0.contains("0190a000") }.count
        }
        #expect(try rows("mill-seen.csv") == 2 && rows("mill-seen-mark.csv") == 1)
        #expect(try rows("pass-seen.csv") == 0 && rows("pass-seen-mark.csv") == 0)
        #expect(try rows("two.csv") == 2 && rows("two-seen.csv") == 2)
        let some = try await one.shared(
            "export", "walk", "--columns", "site,_state,length", "--sort", "site,-length")
        #expect(some.output.hasPrefix("site,_state,length\nbog,,12345678.25\nmill,,0.1\n"))
        let wrong = try await one.shared("export", "walk", "--columns", "sit")
        #expect(wrong.code != 0 && wrong.errors.contains("site"), "\(wrong.errors)")
        let odd = try await one.shared("export", "walk", "--output", folder + "/x.ods")
        #expect(odd.code == 2 && odd.errors.contains("x.xlsx"), "\(odd.errors)")
    }

    @Test(.timeLimit(.minutes(2)))
    func `a workbook has a sheet for each table, with numbers and dates, and comes back`()
        async throws
    {
        let one = try await Self.filled()
        let book = one.folder.path + "/walks.xlsx"
        let run = try await one.shared("export", "walk", "--output", book)
        #expect(run.code == 0, "\(run.errors)")
        let read = try await CommandRun(
            program: "/usr/bin/python3",
            [
                "-c",
                "import sys, zipfile, re\nz = zipfile.ZipFile(sys.argv[1])\n"
                    + "print(re.findall('sheet name=\"(\\\\w+)', z.read('xl/workbook.xml').decode()))\n"
                    + "x = z.read('xl/worksheets/sheet1.xml').decode()\n"
                    + "print(re.findall('s=\"[23]\"><v>([^<]+)', x))", book,
            ])
        // 46186 is 2026-06-13.
        #expect(
            read.output.hasPrefix("['walk', 'seen', 'mark']\n['46186', '0.1'"), "\(read.output)")
        let other = try await Self.room()
        let imported = try await other.shared("import", "walk", book)
        #expect(imported.code == 1 && imported.errors.contains("no entry"), "\(imported.errors)")
        #expect(imported.errors.contains("with `--as-kept`"), "\(imported.errors)")
        let moved = try await other.shared("import", "walk", book, "--as-kept")
        #expect(moved.code == 0, "\(moved.errors)")
        for table in ["walk", "walk/seen", "walk/seen/mark"] {
            let there = try await one.answer("list", table).array?.map { $0["_id"].string }
            let here = try await other.answer("list", table).array?.map { $0["_id"].string }
            #expect(there == here && here?.isEmpty == false, "\(table)")
        }
        let back = try await one.shared("import", "walk", book)
        #expect(back.output.contains("walk/seen/mark: 1 unchanged"), "\(back.output)\(back.errors)")
        let lengths = try await one.answer("list", "walk").array?.map { $0["length"] }
        #expect(lengths == [.double(0.1), .double(1e-05), .double(12_345_678.25)])
    }

    @Test(.timeLimit(.minutes(2)))
    func `places are points, lines and areas of a map, and come back`() async throws {
        let one = try await Self.filled()
        let file = one.folder.path + "/map.geojson"
        let written = try await one.shared("export", "walk", "--output", file)
        #expect(written.code == 0)
        #expect(
            written.errors.contains("rows of repeats are not in it, 2 of seen in all"),
            "\(written.errors)")
        let map = try JSONValue(text: Array(try Data(contentsOf: URL(filePath: file))))
        let shapes = (map["features"].array ?? []).map { $0["geometry"] }
        #expect(shapes.compactMap { $0["type"].string } == ["Point", "LineString", "Polygon"])
        #expect(shapes[0]["coordinates"].shown == "[-16.37,48.2,190.0]", "\(shapes[0].shown)")
        #expect(shapes[2]["coordinates"][0].array?.count == 4)
        #expect(map["features"][1]["properties"]["site"].string == "pass")
        let shown = try await one.shared("export", "walk", "--format", "geojson", "--geo", "track")
        let tracks = try JSONValue(text: Array(shown.output.utf8))
        let types = (tracks["features"].array ?? []).map { $0["geometry"]["type"].string }
        #expect(types == [nil, "LineString", nil])
        let wrong = try await one.shared("export", "walk", "--format", "geojson", "--geo", "site")
        #expect(wrong.code != 0 && wrong.errors.contains("no place"))
        let other = try await Self.room()
        let foreign =
            #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":"#
            + #"{"site":"hill"},"geometry":{"type":"Point","coordinates":[16.3,48.2]}}]}"#
        try foreign.write(toFile: file, atomically: true, encoding: .utf8)
        let run = try await other.shared("import", "walk", file)
        #expect(run.code == 0, "\(run.errors)")
        let hill = try await other.answer("list", "walk", "site=hill")
        #expect(hill[0]["gps"].string == "48.2 16.3")
    }

    @Test(.timeLimit(.minutes(2)), arguments: ["package", "package.zip"])
    func `a package made of a room sets another one up like it`(_ name: String) async throws {
        let one = try await Self.filled()
        let (path, other) = try await one.packaged(as: name)
        let ids = try await other.answer("list", "walk").array?.map { $0["_id"] }
        let wanted = try await one.answer("list", "walk").array?.map { $0["_id"] }
        #expect(ids == wanted && ids?.count == 3)
        let again = try await other.shared("--room", "clinic", "package", "install", path)
        #expect(again.code == 0 && again.output.contains("3 unchanged"), "\(again.errors)")
        let twice = try await one.shared("package", "build", one.folder.path)
        #expect(twice.code != 0 && twice.errors.contains("not there yet"))
    }
}
