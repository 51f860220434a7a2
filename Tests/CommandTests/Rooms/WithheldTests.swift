import Foundation
import JSON
import ShareTestKit
import Testing

/// What a device that was lowered meanwhile entered and changed, and has not sent: no command knows
/// nothing of it.
@Suite struct WithheldTests {
    /// `ward-2` has sent Ann, has changed her age and commented, and entered Sara; then it becomes
    /// a viewer.
    private static func lowered() async throws -> (a: Daemon, b: Daemon, ann: String, sara: String)
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        let ann = try await b.add("Ann", age: 5)
        try #require(try await b.shared("push").code == 0)
        #expect(await eventually { (try? await a.names()) == ["Ann"] })
        try #require(try await b.shared("edit", ann, "age=6").code == 0)
        try #require(try await b.shared("comment", ann, "by her card").code == 0)
        let sara = try await b.add("Sara", age: 8)
        try #require(try await a.shared("role", try await b.ownID(), "viewer").code == 0)
        let isLowered = await eventually { (try? await b.status()["withheld"].number) == 3 }
        try #require(isLowered)
        return (a, b, ann, sara)
    }

    @Test func `changes that are not sent any more stand with their entry`() async throws {
        let (_, b, ann, _) = try await Self.lowered()
        let shown = try await b.shared("show", ann)
        #expect(
            shown.words.contains("only on this device, not sent: it is a viewer now"), "\(shown)")
        #expect(shown.words.contains("changed: age: 5 -> 6"), "\(shown)")
        #expect(shown.words.contains("commented: \"by her card\""), "\(shown)")
        // What others have is what it says.
        #expect(shown.words.contains("age 5"), "\(shown)")
        let history = try await b.shared("history", ann)
        #expect(history.words.contains("changed, kept on this device age: 5 -> 6"), "\(history)")
        let list = try await b.shared("list", "visit", "--columns", "name,_notes")
        #expect(list.words.contains("Ann a change only here"), "\(list)")
        #expect(list.words.contains("Sara only here"), "\(list)")
    }

    @Test func `figures and files say what they have of entries that are not sent any more`()
        async throws
    {
        let (_, b, _, _) = try await Self.lowered()
        let note = "1 entry is on this device alone, as its role does not allow it, and not counted"
        for command in [
            ["count", "visit"], ["count", "visit", "--by", "name"], ["stats", "visit", "age"],
            ["chart", "bar", "visit", "name"],
        ] {
            let run = try await b.shared(command)
            #expect(run.code == 0 && run.errors.contains(note), "\(command): \(run)")
        }
        let none = try await b.shared("count", "visit", "age<8")
        #expect(none.words == "1" && !none.errors.contains("alone"), "\(none)")
        let file = b.folder.path + "/visits.csv"
        let export = try await b.shared("export", "visit", "--output", file)
        #expect(export.words.contains("wrote 2 entries"), "\(export)")
        #expect(export.errors.contains("1 of them only here"), "\(export)")
        let json = try await b.answer("export", "visit", "--output", file)
        #expect(json["notes"][0].string?.hasPrefix("1 of them only here") == true, "\(json)")
        let rows = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        #expect(rows.count == 3)
        let one = try await b.shared("export", "visit", "--limit", "1", "--output", file)
        #expect(one.words.contains("wrote 1 entry") && !one.errors.contains("only here"), "\(one)")
    }

    @Test(.timeLimit(.minutes(3)))
    func `members hear what stays on a device whose entries go out by themselves`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try #require(try await a.shared("set", "autopush", "on", "--all").code == 0)
        try await b.add("Ann", age: 5)
        try await Daemon.untilIdentical(a, b, records: 1)
        let id = try await b.ownID()
        await a.terminate()
        try await b.add("Sara", age: 8)
        // It hears of its new role when it meets the other again.
        try await b.freeze()
        try await a.start()
        try #require(try await a.shared("role", id, "viewer").code == 0)
        b.signal(SIGCONT)
        let words = "has 1 entry or change that it has not sent"
        let isTold = await eventually(within: .seconds(60)) {
            (try? await a.shared("members").words.contains(words)) == true
        }
        #expect(isTold)
        #expect(try await b.status()["withheld"].number == 1)
    }

    @Test func `a stick does not say that it has what is not sent any more`() async throws {
        let (a, b, _, _) = try await Self.lowered()
        let stick = b.folder.path + "/b.bundle"
        let written = try await b.shared("bundle", "write", stick)
        #expect(
            written.errors.contains(
                "3 entries or changes of this device are not in it: what this device may write does"
                    + " not allow them: shared status"), "\(written)")
        let json = try await b.answer("bundle", "write", stick)
        #expect(
            json["notes"].array?.compactMap(\.string).contains {
                $0.hasPrefix("3 entries or changes of this device are not in it")
            } == true, "\(json)")
        let read = try await a.shared("bundle", "read", stick)
        #expect(read.output.contains("everything that ward-2 ("), "\(read)")
        #expect(read.output.contains(") had sent is here now"), "\(read)")
        let sync = try await a.shared("sync")
        #expect(
            sync.output.contains("not sent: 3 entries or changes of ward-2: viewers may not"),
            "\(sync)")
    }

    @Test func `who wants to change what is not sent any more hears why that cannot be`()
        async throws
    {
        let (_, b, _, sara) = try await Self.lowered()
        for command in [
            ["edit", sara, "age=9"], ["delete", sara], ["comment", sara, "hm"], ["undo", sara],
        ] {
            let run = try await b.shared(command)
            #expect(run.code != 0, "\(command)")
            #expect(
                run.errors.contains(
                    "visit Sara (\(sara.suffix(8))) is on this device alone, and cannot be changed: it is"
                        + " a viewer now; ask ward-1"), "\(command): \(run)")
        }
    }

    @Test func `a change of what is assigned is told before and after`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        let id = try await b.ownID()
        func role(_ words: String..., typed: String = "y") async throws -> String {
            try await a.onTerminal(
                ["role", "ward-2", "collector"] + words, [.init(after: "[y/N]", line: typed)]
            ).words
        }
        let first = try await role("--forms", "visit", "--where", "name=Ann")
        #expect(first.contains("collector for visit where name is Ann?"), "\(first)")
        #expect(first.contains("is collector for visit where name is Ann; it was "), "\(first)")
        let other = try await role("--forms", "visit", "--where", "name=Sara")
        #expect(
            other.contains(
                "collector for visit where name is Ann) collector for visit where name is Sara?"),
            "\(other)")
        let free = try await role()
        #expect(free.contains(") collector, everywhere? [y/N]"), "\(free)")
        #expect(
            free.contains(
                "is collector, everywhere; it was collector for visit where name is Sara"),
            "\(free)")
        let json = try await a.answer(
            "role", id, "collector", "--forms", "visit", "--where", "name=Ann")
        #expect(json["scopes"][0][0]["conditions"][0]["values"][0].string == "Ann")
        #expect(json["scopes_before"].array?.isEmpty == true)
    }

    @Test func `a file that would change what is not sent any more says so of that row alone`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        let ann = try await b.add("Ann", age: 5)
        let sara = try await b.add("Sara", age: 8)
        let assigned = try await a.shared(
            "role", try await b.ownID(), "collector", "--forms", "visit", "--where", "name=Ann")
        try #require(assigned.code == 0, "\(assigned)")
        let isBound = await eventually { (try? await b.status()["withheld"].number) == 1 }
        try #require(isBound)
        let file = b.folder.path + "/visits.csv"
        func write(_ rows: String) throws {
            try Data("_id,name,age\n\(rows)".utf8).write(to: URL(filePath: file))
        }
        try write("\(ann),Ann,6\n\(sara),Sara,9\n")
        let refused = try await b.shared("import", "visit", file)
        #expect(refused.code != 0, "\(refused)")
        #expect((refused.words + refused.errors).contains("is on this device alone"), "\(refused)")
        // As it stands it is no change.
        try write("\(ann),Ann,6\n\(sara),Sara,8\n")
        let taken = try await b.shared("import", "visit", file)
        #expect(taken.code == 0 && taken.words.contains("updated 1"), "\(taken)")
        try write("\(ann),Ann,7\n\(sara),Sara,9\n")
        let kept = b.folder.path + "/wrong.csv"
        let good = try await b.shared("import", "visit", file, "--keep-good", kept)
        #expect(good.words.contains("updated 1"), "\(good)")
        #expect(try String(contentsOfFile: kept, encoding: .utf8).contains("Sara"))
    }

    @Test func `an entry that is not sent any more keeps its rows`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let form = #"""
            {"form_id": "house", "version": "1", "key": ["code"], "fields": [
              {"name": "code", "type": "text"},
              {"name": "person", "type": "repeat", "label": "Person", "fields": [
                {"name": "pname", "type": "text"}]}]}
            """#
        try #require(try await a.shared("form", "add", "-", input: form).code == 0)
        let b = try await Daemon.member("ward-2", of: a)
        #expect(
            await eventually { (try? await b.shared("forms").output.contains("house")) == true })
        let added = try await b.shared(
            "add", "house", "code=H1", "person[1]/pname=Awa", "person[2]/pname=Bintou")
        try #require(added.code == 0, "\(added)")
        try #require(try await a.shared("role", try await b.ownID(), "viewer").code == 0)
        let isLowered = await eventually { (try? await b.status()["withheld"].number) == 1 }
        try #require(isLowered)
        let shown = try await b.shared("show", "house", "H1")
        #expect(shown.words.contains("Person 1 pname Awa Person 2 pname Bintou"), "\(shown)")
        let export = try await b.shared("export", "house", "--format", "ndjson")
        #expect(export.output.contains("Awa") && export.output.contains("Bintou"), "\(export)")
    }
}
