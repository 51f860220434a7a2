import Foundation
import JSON
import ShareTestKit
import Testing

/// Choices that a later version of a form does not offer any more: what an entry has of them stays
/// until somebody takes it away, also where their names are what others are called by now.
@Suite(.serialized) struct RenamedChoiceTests {
    private static let first = """
        {"form_id":"house","version":"1","key":["k"],"fields":[
         {"name":"k","type":"text"},{"name":"note","type":"text"},
         {"name":"village","type":"select_one","list":"v"},
         {"name":"seen","type":"select_multiple","list":"v"},
         {"name":"child","type":"repeat","fields":[{"name":"name","type":"text"},
          {"name":"born","type":"select_one","list":"v"}]}],
         "lists":{"v":[{"name":"koro"},{"name":"bala"},{"name":"dia","label":"Dia"}]}}
        """
    private static let lists = #""lists":{"v":[{"name":"koro"},{"name":"bala"}"#

    private func room() async throws -> Daemon {
        let daemon = try await Daemon.clinic()
        try #require(try await daemon.shared("form", "add", "-", input: Self.first).code == 0)
        for entry in [
            ["k=1", "village=koro", "seen=koro,bala", "child[1]/name=a", "child[1]/born=koro"],
            ["k=2", "village=dia", "seen=dia", "child[1]/name=b", "child[1]/born=dia"],
        ] {
            try #require(try await daemon.shared(["add", "house"] + entry).code == 0)
        }
        let second = Self.first.replacing(#""version":"1""#, with: #""version":"2""#)
            .replacing(
                Self.lists,
                with: #""lists":{"v":[{"name":"kor","label":"Koro"},{"name":"bal","label":"Bala"}"#)
        try #require(second.contains("Koro"))
        try #require(
            try await daemon.shared("form", "add", "-", "--force", input: second).code == 0)
        return daemon
    }

    private func entry(_ daemon: Daemon, _ key: String) async throws -> JSONValue {
        try await daemon.answer("show", "house", key)
    }

    @Test func `what was exported changes nothing`() async throws {
        let daemon = try await room()
        let before = try await entry(daemon, "1")
        let folder = daemon.folder.path + "/out"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        for (form, rows) in [("house", "2 unchanged\n"), ("house/child", "2 unchanged\n")] {
            for manner in [[], ["--like", "kobo"], ["--like", "central"]]
            where form == "house" || manner == [] {
                let file = try await daemon.shared(["export", form] + manner)
                try #require(file.code == 0, "\(file)")
                let again = try await daemon.shared("import", form, "-", input: file.output)
                #expect(again.output == rows, "\(form) \(manner): \(file.output) \(again)")
            }
        }
        let book = folder + "/a.xlsx"
        try #require(try await daemon.shared("export", "house", "--output", book).code == 0)
        let again = try await daemon.shared("import", "house", book)
        #expect(again.output == "house: 2 unchanged\nhouse/child: 2 unchanged\n", "\(again)")
        // Found by the key alone as well, and called as people read it.
        for cells in ["koro,koro bala", "Koro,\"Koro, Bala\""] {
            let file = "k,village,seen\n1,\(cells)\n"
            let again = try await daemon.shared("import", "house", "-", input: file)
            #expect(again.output == "1 unchanged\n", "\(cells): \(again)")
        }
        #expect(try await entry(daemon, "1") == before)
        // Another cell of the row leaves them alone too.
        let other = "k,village,seen,note\n1,koro,koro bala,x\n"
        let changed = try await daemon.shared("import", "house", "-", input: other)
        #expect(changed.code == 0, "\(changed)")
        let values = try await entry(daemon, "1")
        #expect(values["village"].string == "koro", "\(values.shown)")
        #expect(values["note"].string == "x")
        // The new name is another answer, and new entries have it by the label.
        let moved = try await daemon.shared(
            "import", "house", "-", input: "k,village\n1,kor\n3,koro\n")
        #expect(moved.code == 0, "\(moved)")
        #expect(try await entry(daemon, "1")["village"].string == "kor")
        #expect(try await entry(daemon, "3")["village"].string == "kor")
    }

    @Test func `an edit that says what is there changes nothing`() async throws {
        let daemon = try await room()
        let before = try await entry(daemon, "1")
        for words in [
            ["village=koro"], ["seen=koro,bala"], ["child[1]/name=a", "village=koro"],
        ] {
            let run = try await daemon.shared(["edit", "house", "1"] + words)
            #expect(run.code == 0, "\(words): \(run)")
        }
        let kept = try await daemon.shared("edit", "house", "2", "village=dia", "note=x")
        #expect(kept.code == 0, "\(kept)")
        let row = try await daemon.shared("edit", "house", "1", "child[1]/born=koro")
        #expect(row.code == 0, "\(row)")
        #expect(try await entry(daemon, "1") == before)
        let other = try await daemon.shared("edit", "house", "2", "village=koro")
        #expect(other.code == 0, "\(other)")
        #expect(try await entry(daemon, "2")["village"].string == "kor")
    }

    @Test func `beside a choice that stays another is added`() async throws {
        let daemon = try await room()
        let edited = try await daemon.shared("edit", "house", "1", "seen=koro,bala,dia")
        #expect(edited.code == 0, "\(edited)")
        func seen() async throws -> [String]? {
            try await entry(daemon, "1")["seen"].array?.compactMap(\.string)
        }
        #expect(try await seen() == ["koro", "bala", "dia"])
        let third = Self.first.replacing(#""version":"1""#, with: #""version":"3""#)
            .replacing(Self.lists, with: #""lists":{"v":[{"name":"x","label":"Ex"}"#)
        try #require(
            try await daemon.shared("form", "add", "-", "--force", input: third).code == 0)
        let more = try await daemon.shared("edit", "house", "1", "seen=koro,dia,x")
        #expect(more.code == 0, "\(more)")
        #expect(try await seen() == ["koro", "dia", "x"])
        // Not in an entry that has it not.
        let none = try await daemon.shared("edit", "house", "2", "seen=dia,bala")
        #expect(none.code == 1 && none.errors.contains("not offered any more"), "\(none)")
        let back = try await daemon.shared("edit", "house", "1", "seen=koro,bala,x")
        #expect(back.code == 1 && back.errors.contains("not offered any more"), "\(back)")
        // From files and in rows of tables too.
        let file = "k,seen\n1,koro x\n2,dia x\n"
        let run = try await daemon.shared("import", "house", "-", input: file)
        #expect(run.code == 0, "\(run)")
        #expect(try await seen() == ["koro", "x"])
        let wrong = try await daemon.shared("import", "house", "-", input: "k,seen\n2,dia koro\n")
        #expect(wrong.code == 1 && wrong.errors.contains("not offered any more"), "\(wrong)")
    }

    @Test func `questions add beside a choice that stays`() async throws {
        let daemon = try await room()
        let third = Self.first.replacing(#""version":"1""#, with: #""version":"3""#)
            .replacing(Self.lists, with: #""lists":{"v":[{"name":"x","label":"Ex"}"#)
        try #require(
            try await daemon.shared("form", "add", "-", "--force", input: third).code == 0)
        let run = try await CommandRun(
            program: Product.path("shared"), ["edit", "house", "1", "--ask"],
            environment: [
                "SHARED_SOCKET": daemon.socket, "XDG_STATE_HOME": daemon.folder.path + "/state",
            ], input: "4\nkoro,bala,x\n\n", limit: .seconds(60))
        #expect(run.code == 0, "\(run)")
        let seen = try await entry(daemon, "1")["seen"].array?.compactMap(\.string)
        #expect(seen == ["koro", "bala", "x"], "\(run)")
    }
}
