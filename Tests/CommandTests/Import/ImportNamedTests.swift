import Foundation
import JSON
import ShareTestKit
import Testing

/// Files whose rows name their entries, where several devices have entries of one id.
@Suite(.serialized) struct ImportNamedTests {
    @Test(.timeLimit(.minutes(2)))
    func `a row whose entry was deleted is left out, counted and named`() async throws {
        let daemon = try await Daemon.clinic()
        let file = daemon.folder.path + "/in.csv"
        try Data("name,age,KEY\nAda,1,foo\n".utf8).write(to: URL(filePath: file))
        let first = try await daemon.shared("import", "visit", file)
        try #require(first.output == "added 1 entry\n", "\(first.errors)")
        let id = try #require(try await daemon.answer("list", "visit")[0]["_id"].string)
        try #require(try await daemon.shared("delete", id).code == 0)
        try Data("name,age,KEY\nAda,2,foo\nBen,3,bar\n".utf8).write(to: URL(filePath: file))
        let told = "1 row is left out: its entry was deleted: Ada (\(id.suffix(8)), line 2)"
        let dry = try await daemon.shared("import", "visit", file, "--dry-run")
        #expect(dry.output == "would add 1 entry, 1 left out\n" && dry.errors.contains(told))
        let run = try await daemon.shared("import", "visit", file)
        #expect(run.output == "added 1 entry, 1 left out\n", "\(run.errors)")
        #expect(run.errors.contains(told) && run.errors.contains("shared restore"), "\(run.errors)")
        #expect(try await daemon.names() == ["Ben"])
        #expect(try await daemon.shared("restore", id).code == 0)
        let back = try await daemon.shared("import", "visit", file)
        #expect(
            back.output == "updated 1, 1 unchanged\n    Ada (line 2): age 1 -> 2\n",
            "\(back.errors)")
        #expect(try await daemon.names() == ["Ada", "Ben"])
    }

    @Test(.timeLimit(.minutes(3)))
    func `what two devices brought in under one key is exported, and imported again`()
        async throws
    {
        let one = try await Daemon.clinic()
        let two = try await Daemon.member("ward-2", of: one, role: "editor")
        for (daemon, name) in [(one, "Ada"), (two, "Ben")] {
            let run = try await daemon.shared(
                "import", "visit", "-", input: "name,age,KEY\n\(name),1,foo\n")
            try #require(run.output == "added 1 entry\n", "\(run.output)\(run.errors)")
        }
        for daemon in [one, two] { _ = try await daemon.shared("push") }
        try await Daemon.untilIdentical(one, two, records: 2)
        let file = one.folder.path + "/out"
        for ending in ["csv", "ndjson"] {
            let path = "\(file).\(ending)"
            #expect(try await one.shared("export", "visit", "--output", path).code == 0)
            for daemon in [one, two] {
                let same = try await daemon.shared("import", "visit", path)
                #expect(same.output == "2 unchanged\n", "\(ending): \(same.errors)")
            }
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let changed = text.replacing("Ben", with: "Ben \(ending)")
            try Data(changed.utf8).write(to: URL(filePath: path))
            let run = try await one.shared("import", "visit", path)
            #expect(run.output.hasPrefix("updated 1, 1 unchanged\n    Ben (line "), "\(run)")
            #expect(run.output.hasSuffix("): name Ben -> Ben \(ending)\n"), "\(run)")
            #expect(try await one.names() == ["Ada", "Ben \(ending)"])
            try Data(text.utf8).write(to: URL(filePath: path))
            let older = try await one.shared("import", "visit", path)
            #expect(older.output == "1 unchanged, 1 left alone\n", "\(older.errors)")
            let back = try await one.shared("import", "visit", path, "--over-newer")
            #expect(
                back.output.hasPrefix("updated 1, 1 unchanged\n    Ben \(ending) (line "), "\(back)"
            )
            #expect(back.output.hasSuffix("): name Ben \(ending) -> Ben\n"), "\(back)")
            _ = try await one.shared("push")
            try await Daemon.untilIdentical(one, two, records: 2)
            // One entry twice is still one too many.
            let rows = text.split(separator: "\n")
            let twice = try #require(rows.last { $0.contains("Ben") })
            try Data((text + twice + "\n").utf8).write(to: URL(filePath: path))
            let refused = try await one.shared("import", "visit", path)
            #expect(refused.errors.contains("the same entry as in line"), "\(refused.errors)")
            try Data(text.utf8).write(to: URL(filePath: path))
        }
        // Elsewhere both would be entries of one device under one id.
        let other = try await Daemon.clinic("ward-3")
        let path = file + ".ndjson"
        let run = try await other.shared("import", "visit", path)
        #expect(run.code == 1 && run.errors.contains("has this id"), "\(run.output)\(run.errors)")
        #expect(try await other.names().isEmpty)
        let rows = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        try Data((rows[0] + "\n").utf8).write(to: URL(filePath: path))
        for wanted in ["added 1 entry\n", "1 unchanged\n"] {
            #expect(try await other.shared("import", "visit", path).output == wanted)
        }
    }
}
