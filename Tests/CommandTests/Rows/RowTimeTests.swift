import Foundation
import JSON
import ShareTestKit
import Testing

/// Who changes rows of an entry changes the entry: for lists, times, reviews and watchers.
@Suite struct RowTimeTests {
    private static let form = """
        {"form_id":"house","version":"1","key":["k"],"fields":[{"name":"k","type":"text"},
         {"name":"child","type":"repeat","fields":[{"name":"n","type":"text"},
          {"name":"shot","type":"repeat","fields":[{"name":"d","type":"text"}]}]}]}
        """

    private func house(on daemon: Daemon) async throws {
        try #require(try await daemon.shared("form", "add", "-", input: Self.form).code == 0)
        let added = try await daemon.shared(
            "add", "house", "k=1", "child[1]/n=Al", "child[1]/shot[1]/d=x", "child[2]/n=Bo")
        try #require(added.code == 0, "\(added)")
    }

    @Test(arguments: ["child[1]/n=Cy", "child[3]/n=Cy", "child[1]/shot[1]/d=y", "child[2]="])
    func `a change of rows is the last change of their entry`(change: String) async throws {
        let coord = try await Daemon.clinic("coord")
        let amina = try await Daemon.member("amina", of: coord, role: "editor")
        try await house(on: coord)
        try #require(try await coord.shared("review", "house", "1", "approved").code == 0)
        try await Daemon.share(coord, amina)
        let before = try await coord.answer("list", "house")[0]["_updated"].string
        let moment = try #require(before)
        // No operation of an entry with rows is more than these are.
        let edited = try await amina.shared("edit", "house", "1", change)
        try #require(edited.code == 0, "\(edited)")
        #expect(edited.errors.contains("1 change not sent yet"), "\(edited)")
        let pushed = try await amina.shared("push")
        #expect(pushed.output.contains("1 change sent"), "\(pushed)")
        try await Daemon.untilIdentical(coord, amina)
        for daemon in [coord, amina] {
            let after = try await daemon.answer("list", "house", "_updated>\(moment)")
            #expect(after.array?.count == 1, "\(after.shown)")
            let shown = try await daemon.shared("show", "house", "1")
            #expect(shown.words.contains("by amina") && shown.words.contains("changed since"))
            #expect(try await daemon.shared("count", "house", "_reviewed=no").output == "1\n")
            let history = try await daemon.answer("history", "house", "1")
            #expect(history.array?.count == 3, "\(history.shown)")
            let parallel = try await daemon.shared("conflicts", "--parallel")
            #expect(parallel.output.contains("no parallel updates"), "\(parallel)")
        }
        // Taking it back is a change too, and of the rows alone.
        let undone = try await amina.shared("undo", "house", "1")
        #expect(undone.code == 0 && undone.output.contains("child["), "\(undone)")
        #expect(try await amina.shared("count", "house/child").output == "2\n")
        #expect(try await amina.answer("list", "house").array?.count == 1)
    }

    @Test func `two who change other rows at once are in no conflict`() async throws {
        let coord = try await Daemon.clinic("coord")
        let amina = try await Daemon.member("amina", of: coord, role: "editor")
        try await house(on: coord)
        try await Daemon.share(coord, amina)
        try #require(try await coord.shared("edit", "house", "1", "child[1]/n=Cy").code == 0)
        try #require(try await amina.shared("edit", "house", "1", "child[2]/n=Di").code == 0)
        try await Daemon.share(coord, amina)
        for daemon in [coord, amina] {
            #expect(try await daemon.status()["conflicts"].number == 0)
            let parallel = try await daemon.shared("conflicts", "--parallel")
            #expect(parallel.output.contains("no parallel updates"), "\(parallel)")
            let entry = try await daemon.answer("show", "house", "1")
            #expect(entry["child"].array?.map { $0["n"].string } == ["Cy", "Di"])
        }
    }

    @Test func `new entries with rows, and rows that a file brings, are as many operations`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        try #require(try await daemon.shared("form", "add", "-", input: Self.form).code == 0)
        let lines = (1...50).map { (number: Int) -> String in
            let id = "01938f4e-0000-7000-8000-0000000000\(number + 10)"
            return
                #"{"_id":"\#(id)","k":"\#(number)","child":[{"n":"a"},{"n":"b"},{"n":"d"}]}"#
        }
        let file = daemon.folder.path + "/houses.ndjson"
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let imported = try await daemon.shared("import", "house", file)
        try #require(imported.code == 0, "\(imported)")
        // An entry and its three rows each.
        let count = "SELECT sum(count) FROM _pending"
        #expect(try await daemon.sqlite(count) == "200\n")
        // A row that is changed before it is sent is a change of its own.
        try #require(try await daemon.shared("edit", "house", "7", "child[1]/n=c").code == 0)
        #expect(try await daemon.sqlite(count) == "202\n")
    }
}
