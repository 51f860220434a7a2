import ShareTestKit
import Testing

/// What was changed after it was reviewed, in rows too.
@Suite struct ReviewedTests {
    private static let form = """
        {"form_id":"house","version":"1","key":["k"],"fields":[{"name":"k","type":"text"},
         {"name":"child","type":"repeat","fields":[{"name":"n","type":"text"},
          {"name":"shot","type":"repeat","fields":[{"name":"d","type":"text"}]}]}]}
        """

    @Test(arguments: [
        "child[1]/n=Bo", "child[2]/n=Bo", "child[1]/shot[1]/d=y", "child[1]/shot[2]/d=y", "k=1 ",
    ])
    func `a change after a review is found, wherever it is`(change: String) async throws {
        let daemon = try await Daemon.clinic()
        try #require(try await daemon.shared("form", "add", "-", input: Self.form).code == 0)
        let entry = ["k=1", "child[1]/n=Al", "child[1]/shot[1]/d=x"]
        try #require(try await daemon.shared(["add", "house"] + entry).code == 0)
        #expect(try await daemon.shared("count", "house", "_reviewed=no").output == "1\n")
        try #require(try await daemon.shared("review", "house", "1", "approved").code == 0)
        #expect(try await daemon.shared("count", "house", "_reviewed=yes").output == "1\n")
        let isChange = change != "k=1 "
        let edited = try await daemon.shared("edit", "house", "1", change)
        try #require(edited.code == 0, "\(edited)")
        let count = try await daemon.shared("count", "house", "_reviewed=no")
        #expect(count.output == (isChange ? "1\n" : "0\n"), "\(change)")
        let shown = try await daemon.shared("show", "house", "1")
        #expect(shown.output.contains("changed since that review") == isChange, "\(shown)")
        let file = try await daemon.shared("export", "house")
        #expect(file.errors.contains("changed after the review") == isChange, "\(file)")
        // The list that it names has these alone, and a file without reviews says nothing.
        #expect(file.errors.contains("_reviewed=no '_state!='") == isChange, "\(file)")
        try #require(try await daemon.shared("add", "house", "k=2").code == 0)
        let changed = try await daemon.shared("count", "house", "_reviewed=no", "_state!=")
        #expect(changed.output == (isChange ? "1\n" : "0\n"), "\(changed)")
        let bare = try await daemon.shared("export", "house", "--columns", "k")
        #expect(!bare.errors.contains("review"), "\(bare)")
        try #require(try await daemon.shared("review", "house", "1", "approved").code == 0)
        #expect(try await daemon.shared("count", "house", "_reviewed=yes").output == "1\n")
    }
}
