import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Packages that set rooms up, with the real programs.
@Suite(.serialized) struct PackageTests {
    private static let form = """
        {"form_id":"basket","version":"1","key":["owner"],"fields":[
        {"name":"owner","type":"text"},{"name":"fruit","type":"select_one","list":"fruit"}]}
        """

    /// Writes files, by their paths, and returns their folder.
    private static func folder(_ daemon: Daemon, _ files: [String: String]) throws -> String {
        let folder = daemon.folder.path + "/package"
        for (path, text) in files {
            let url = URL(filePath: "\(folder)/\(path)")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        return folder
    }

    @Test(.timeLimit(.minutes(2)))
    func `the recovery code of a founded room is told to scripts, also where data is wrong`()
        async throws
    {
        let daemon = try await Daemon("ward-1")
        let folder = try Self.folder(
            daemon,
            [
                "package.json": """
                {"room":{"name":"one"},"forms":["forms/basket.json"],
                 "data":{"basket":"data/basket.csv"}}
                """, "forms/basket.json": Self.form, "data/basket.csv": "owner\nAda\n",
                "lists/fruit.csv": "name\nfig\n",
            ])
        let answer = try await daemon.answer("package", "install", folder)
        let code = try #require(answer["recovery"].string)
        #expect(code.split(separator: "-").joined().count == 27, "\(code)")
        #expect(answer["room"]["id"].string?.hasPrefix("room:") == true)
        #expect(
            answer["installed"].array?.compactMap(\.string)
                == ["room one", "form basket", "data basket"])
        let again = try await daemon.answer("--room", "one", "package", "install", folder)
        #expect(again["recovery"].string == nil && again["room"].string == nil, "\(again.shown)")
        try Data("owners\nAda\n".utf8).write(to: URL(filePath: folder + "/data/basket.csv"))
        let other = try await Daemon("ward-2")
        let wrong = try await other.shared("package", "install", folder, "--json")
        #expect(wrong.code == 1, "\(wrong.errors)")
        let said = try JSONValue(text: Array(wrong.output.utf8))
        #expect(said["recovery"].string?.isEmpty == false && said["recovery"].string != code)
        #expect(said["installed"].array?.compactMap(\.string) == ["room one", "form basket"])
    }

    @Test(.timeLimit(.minutes(2)))
    func `a link in a package leads to no file outside of it`() async throws {
        let daemon = try await Daemon("ward-1")
        let secret = daemon.folder.path + "/secret.csv"
        try Data("name,label\nkey,1234\n".utf8).write(to: URL(filePath: secret))
        let folder = try Self.folder(
            daemon,
            [
                "package.json": "", "forms/basket.json": Self.form,
                "tables/settings.csv": "form_id\nx\n", "real/fruit.csv": "name\npear\n",
            ])
        func link(_ path: String, _ target: String) throws {
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/\(path)", withDestinationPath: target)
        }
        try link("out.csv", secret)
        try link("up", "..")
        try link("tables/survey.csv", secret)
        try link("in", "real")
        for (members, path) in [
            (#""data":{"basket":"out.csv"}"#, "out.csv"),
            (#""lists":{"fruit":"up/secret.csv"}"#, "up/secret.csv"),
            (#""views":"up/secret.csv""#, "up/secret.csv"), (#""forms":["tables"]"#, "tables"),
            (#""lists":{"fruit":"../secret.csv"}"#, "../secret.csv"),
        ] {
            try Data(#"{"room":{"name":"one"},\#(members)}"#.utf8)
                .write(to: URL(filePath: folder + "/package.json"))
            try await daemon.shared("package", "install", folder)
                .expectProblem("\(path) is no file within the folder")
        }
        #expect(try await daemon.answer("rooms").array?.isEmpty == true)
        // Links within it are its own affair.
        try Data(#"{"room":{"name":"one"},"lists":{"fruit":"in/fruit.csv"}}"#.utf8)
            .write(to: URL(filePath: folder + "/package.json"))
        let inside = try await daemon.shared("package", "install", folder)
        #expect(inside.code == 0, "\(inside.errors)")
        // A form does not bring along what a link beside it leads to.
        let room = try await daemon.shared("create", "two")
        #expect(room.code == 0)
        try link("lists", "..")
        try FileManager.default.moveItem(
            atPath: secret, toPath: daemon.folder.path + "/fruit.csv")
        try await daemon.shared("form", "add", folder + "/forms/basket.json")
            .expectProblem("there is no list \"fruit\"")
        #expect(try await daemon.answer("lists").array?.isEmpty == true)
        try FileManager.default.removeItem(atPath: folder + "/lists")
        try link("lists", "real")
        let added = try await daemon.shared("form", "add", folder + "/forms/basket.json")
        #expect(added.code == 0, "\(added.errors)")
        #expect(try await daemon.answer("lists").array?.count == 1)
    }

    @Test(.timeLimit(.minutes(2)), arguments: ["package", "package.zip"])
    func `a package has the room's lists, and says that it is hidden`(_ name: String) async throws {
        let one = try await Daemon("ward-1")
        #expect(try await one.shared("create", "market", "--hidden").code == 0)
        let csv = "name,label,price\nfig,\"Fig, dried\",2\npear,Pear,1\n"
        for list in ["fruit", "a/b", "a_b"] {
            let run = try await one.shared("lists", "add", "-", "--name", list, input: csv)
            try #require(run.code == 0, "\(run.errors)")
        }
        try #require(try await one.shared("form", "add", "-", input: Self.form).code == 0)
        try #require(try await one.shared("add", "basket", "owner=Ada", "fruit=fig").code == 0)
        let (path, other) = try await one.packaged(as: name)
        // Into the room that it was made from, whose form was written with other spaces.
        let back = try await one.shared("--room", "market", "package", "install", path)
        #expect(back.code == 0, "\(back.output)\(back.errors)")
        let lists = try await other.answer("lists").array ?? []
        #expect(lists.map { $0["name"].string } == ["a/b", "a_b", "fruit"])
        #expect(try await other.shared("lists", "export", "fruit").output == csv)
        #expect(try await other.answer("status")["rooms"][0]["hidden"].isTrue)
        let wrong = try await other.shared("add", "basket", "owner=Ben", "fruit=plum")
        #expect(wrong.code == 1, "\(wrong.output)")
        let again = try await other.shared("--room", "market", "package", "install", path)
        #expect(again.code == 0 && again.output.contains("is here already"), "\(again.output)")
    }

    @Test(.timeLimit(.minutes(2)))
    func `reviews are left out of a package, and that is said`() async throws {
        let one = try await Daemon("ward-1")
        try #require(try await one.shared("create", "ice").code == 0)
        try #require(try await one.shared("form", "add", "-", input: Self.spaced).code == 0)
        let added = try await one.shared("add", "penguin", "Culmen Length (mm)=39.1")
        try #require(added.code == 0, "\(added.errors)")
        let id = try #require(try await one.answer("list", "penguin").array?.first?["_id"].string)
        let review = try await one.shared("review", id, "approved")
        try #require(review.code == 0, "\(review.output)\(review.errors)")
        let run = try await one.shared("package", "build", one.folder.path + "/package")
        #expect(run.code == 0 && run.errors.contains("1 entry has a review"), "\(run.errors)")
    }

    private static let spaced = """
        {"form_id":"penguin","version":"1","fields":[
        {"name":"Date Egg","type":"date"},{"name":"Culmen Length (mm)","type":"decimal"},
        {"name":"Comments, if any","type":"text"}]}
        """

    @Test(.timeLimit(.minutes(2)), arguments: ["package", "package.zip"])
    func `names of fields may have spaces and commas`(_ name: String) async throws {
        let one = try await Daemon("ward-1")
        try #require(try await one.shared("create", "ice").code == 0)
        try #require(try await one.shared("form", "add", "-", input: Self.spaced).code == 0)
        let added = try await one.shared(
            "add", "penguin", "Date Egg=2026-11-02", "Culmen Length (mm)=39.1",
            "Comments, if any=shy, small")
        try #require(added.code == 0, "\(added.errors)")
        for words in [["list", "penguin"], ["export", "penguin"]] {
            let run = try await one.shared(words + ["--columns", "Date Egg, Culmen Length (mm)"])
            #expect(run.code == 0 && run.output.contains("39.1"), "\(words): \(run.errors)")
        }
        let (_, other) = try await one.packaged(as: name)
        let entry = try await other.answer("list", "penguin")[0]
        #expect(entry["Date Egg"].string == "2026-11-02", "\(entry.shown)")
        #expect(entry["Comments, if any"].string == "shy, small", "\(entry.shown)")
    }

    @Test(.timeLimit(.minutes(2)))
    func `a package has what the form in force has no choice for, and tells what it leaves out`()
        async throws
    {
        let one = try await Daemon("ward-1")
        try #require(try await one.shared("create", "clinic").code == 0)
        func form(_ version: String, _ fields: String, _ choices: String) -> String {
            #"{"form_id":"f","version":"\#(version)","key":["k"],"fields":["#
                + #"{"name":"k","type":"text"},{"name":"s","type":"select_one","list":"c"},"#
                + #"{"name":"m","type":"select_multiple","list":"c"}\#(fields)],"#
                + #""lists":{"c":\#(choices)}}"#
        }
        let old =
            #",{"name":"old","type":"integer"},{"name":"r","type":"repeat","fields":["#
            + #"{"name":"x","type":"text"}]}"#
        let first = form("1", old, #"["a","b"]"#)
        try #require(try await one.shared("form", "add", "-", input: first).code == 0)
        for words in [
            ["k=1", "s=a", "old=4", "r[1]/x=p"], ["k=2", "s=b", "m=a,b", "old=5"], ["k=3"],
        ] {
            let run = try await one.shared(["add", "f"] + words)
            try #require(run.code == 0, "\(run.errors)")
        }
        let second = form("2", #",{"name":"note","type":"text","required":true}"#, #"["a"]"#)
        try #require(
            try await one.shared("form", "add", "-", "--force", input: second).code == 0)
        let path = one.folder.path + "/made"
        let built = try await one.shared("package", "build", path)
        #expect(
            built.errors.contains(
                "f: 2 values of old, which the form does not ask any more, are left out"),
            "\(built.errors)")
        #expect(built.errors.contains("f: 1 row of r, which the form"), "\(built.errors)")
        let other = try await Daemon("ward-2")
        let run = try await other.shared("package", "install", path)
        #expect(run.code == 0 && run.output.contains("f: added 3 entries"), "\(run)")
        #expect(run.errors.contains("3 entries of f do not fit the form"), "\(run.errors)")
        let list = try await other.answer("list", "f", "--sort", "k")
        #expect(list[1]["s"].string == "b" && list[1]["m"][1].string == "b", "\(list.shown)")
        let again = try await other.shared("--room", "clinic", "package", "install", path)
        #expect(again.code == 0 && again.output.contains("3 unchanged"), "\(again)")
        // In another room's form `old` never was.
        let lines = try await one.shared("export", "f", "--format", "ndjson")
        let file = one.folder.path + "/f.ndjson"
        try Data(lines.output.utf8).write(to: URL(filePath: file))
        let third = try await Daemon("ward-3")
        try #require(try await third.shared("create", "clinic").code == 0)
        let loose = second.replacing(#","required":true"#, with: "")
        try #require(try await third.shared("form", "add", "-", input: loose).code == 0)
        let refused = try await third.shared("import", "f", file)
        #expect(
            refused.code == 1 && refused.errors.contains("field s has no choice \"b\""),
            "\(refused)")
        let read = try await third.shared("import", "f", file, "--as-kept")
        #expect(read.code == 0 && read.output.contains("added 3 entries"), "\(read)")
        #expect(read.errors.contains("old: not read"), "\(read.errors)")
        #expect(read.errors.contains("(2 rows have a value)"), "\(read.errors)")
        // A field that the line lacks may be misspelt: nothing is cleared by mistake.
        let typo = lines.output.replacing(#""old""#, with: #""nite""#)
        try Data(typo.utf8).write(to: URL(filePath: file))
        let wrong = try await third.shared("import", "f", file)
        #expect(wrong.code == 1 && wrong.errors.contains("no field \"nite\""), "\(wrong)")
    }

    @Test(.timeLimit(.minutes(2)))
    func `a part of a package that is wrong keeps no other one out`() async throws {
        let daemon = try await Daemon("ward-1")
        let plain =
            #"{"form_id":"plain","version":"1","key":["k"],"fields":["#
            + #"{"name":"k","type":"text"}]}"#
        let folder = try Self.folder(
            daemon,
            [
                "package.json": """
                {"room":{"name":"one"},"forms":["bad.json","basket.json","plain.json"],
                 "data":{"bad":"bad.csv","basket":"basket.csv","plain":"plain.csv"},
                 "views":"views.json"}
                """, "basket.json": Self.form, "plain.json": plain,
                "bad.json": #"{"form_id":"bad","version":"1","fields":[]}"#, "bad.csv": "k\n1\n",
                "lists/fruit.csv": "name\nfig\n", "plain.csv": "k\n1\n2\n",
                "basket.csv": "owner,fruit\nAda,fig\nBen,brick\n",
                "views.json": #"{"views":[{"name":"all","kind":"figure","form":"plain"}]}"#,
            ])
        let run = try await daemon.shared("package", "install", folder)
        #expect(run.code == 1, "\(run)")
        #expect(run.errors.contains("2 parts of the package are not installed"), "\(run.errors)")
        #expect(run.errors.contains("bad: its entries are left out with it"), "\(run.errors)")
        #expect(run.output.contains("plain: added 2 entries"), "\(run)")
        #expect(try await daemon.shared("view").output.contains("all"))
        try Data("owner,fruit\nAda,fig\n".utf8)
            .write(to: URL(filePath: folder + "/basket.csv"))
        try Data(
            #"{"room":{"name":"one"},"forms":["basket.json"],"data":{"basket":"basket.csv"}}"#.utf8
        )
        .write(to: URL(filePath: folder + "/package.json"))
        let again = try await daemon.shared("--room", "one", "package", "install", folder)
        #expect(again.output.contains("basket: added 1 entry"), "\(again)")
    }

    @Test(.timeLimit(.minutes(2)))
    func `half a package does not stay`() async throws {
        let one = try await Daemon("ward-1")
        try #require(try await one.shared("create", "ice").code == 0)
        try #require(try await one.shared("form", "add", "-", input: Self.spaced).code == 0)
        let path = one.folder.path + "/made"
        // No file may have a byte in it.
        let run = try await CommandRun(
            program: "/bin/sh",
            ["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"", try Product.path("shared")]
                + ["--socket", one.socket, "package", "build", path])
        #expect(run.code != 0)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(.timeLimit(.minutes(2)))
    func `what a package lacks is told before there is a room`() async throws {
        let daemon = try await Daemon("ward-1")
        let folder = try Self.folder(
            daemon,
            [
                "package.json": #"{"room":{"name":"one"},"forms":["forms/none.json"]}"#,
                "forms/bad.json": "{", "forms/basket.json": Self.form, "README.md": "",
                "lists/fruit.csv": "name\nfig\n",
            ])
        let package = folder + "/package.json"
        try await daemon.shared("package", "install", folder)
            .expectProblem("names forms/none.json: No such file")
        try Data(#"{"room":{"name":"one"},"forms":["forms/bad.json"]}"#.utf8)
            .write(to: URL(filePath: package))
        try await daemon.shared("package", "install", folder).expectProblem("bad.json is not JSON")
        try await daemon.shared("package", "install", folder + "/README.md")
            .expectProblem("README.md is no package: neither a folder nor a .zip")
        try await daemon.shared("package", "install", folder + "/forms")
            .expectProblem("there is no \(folder)/forms/package.json")
        #expect(try await daemon.answer("rooms").array?.isEmpty == true)
        // As editors of Windows write it.
        try Data("\u{FEFF}{\"room\":{\"name\":\"one\"},\"forms\":[\"forms/basket.json\"]}".utf8)
            .write(to: URL(filePath: package))
        let good = try await daemon.shared("package", "install", folder)
        #expect(good.code == 0, "\(good.errors)")
        let again = try await daemon.shared("package", "install", folder)
        again.expectProblem("in a room \"one\" already")
        again.expectHint("--room one")
    }

    @Test(.timeLimit(.minutes(2)))
    func `an archive may have its folder at the top, and goes by its own name`() async throws {
        let daemon = try await Daemon("ward-1")
        let path = daemon.folder.path + "/p.zip"
        let json = #"{"room":{"name":"one"},"forms":["forms/basket.json"]}"#
        let whole = [
            "market/package.json": json, "market/forms/basket.json": Self.form,
            "market/forms/lists/fruit.csv": "name\nfig\n",
        ]
        for (files, words) in [
            (["a.txt": ""], "\(path) has no package.json"),
            (["a/package.json": json, "b/package.json": json], "\(path) has no package.json"),
            (["package.json": json], "\(path), package.json names forms/basket.json"),
            (
                ["package.json": json, "forms/basket.json": "{"],
                "\(path), forms/basket.json is not JSON"
            ),
            (["package.json": "{"], "\(path), package.json: "),
        ] {
            try? FileManager.default.removeItem(atPath: path)
            try await TestArchive.zip(path, files)
            let run = try await daemon.shared("package", "install", path)
            run.expectProblem(words)
            #expect(!run.errors.contains(".shared-"), "\(run.errors)")
        }
        try? FileManager.default.removeItem(atPath: path)
        try await TestArchive.zip(path, ["package.json": json, "../evil.json": "{}"])
        let evil = try await daemon.shared("package", "install", path)
        evil.expectProblem("../evil.json in the archive leads out of it")
        evil.expectHint("Make the archive again")
        try FileManager.default.removeItem(atPath: path)
        try await TestArchive.zip(path, whole)
        let run = try await daemon.shared("package", "install", path)
        #expect(run.code == 0, "\(run.errors)")
    }
}
