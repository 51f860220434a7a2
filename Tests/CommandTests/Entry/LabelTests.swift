import ShareTestKit
import Testing

/// What people read in place of the names of fields: the labels of the form that was answered.
@Suite(.serialized) struct LabelTests {
    private static func form(_ version: String, _ fields: String) -> String {
        """
        {"form_id": "house", "version": "\(version)", "key": ["code"], "fields": [
          {"name": "code", "type": "text", "label": "House"}, \(fields)]}
        """
    }

    @Test func `a history has the labels of its day, and what is asked since is named by label`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let first = Self.form("1", #"{"name": "nets", "type": "integer", "label": "Nets"}"#)
        try #require(try await daemon.shared("form", "add", "-", input: first).code == 0)
        try #require(try await daemon.shared("add", "house", "code=K-1", "nets=3").code == 0)
        try #require(try await daemon.shared("edit", "K-1", "nets=4").code == 0)
        try #require(try await daemon.shared("push").code == 0)
        let second = Self.form(
            "2",
            #"{"name": "nets", "type": "integer", "label": "Bed nets"},"#
                + #" {"name": "water", "type": "text", "label": "Safe water", "required": true}"#)
        try #require(try await daemon.shared("form", "add", "-", input: second).code == 0)
        let edited = try await daemon.shared("edit", "K-1", "nets=6")
        #expect(
            edited.errors.contains("field water (Safe water): no answer, and it is asked now"),
            "\(edited)")
        #expect(try await daemon.shared("edit", "K-1", "nets=5", "water=well").code == 0)
        try #require(try await daemon.shared("push").code == 0)
        let history = try await daemon.shared("history", "K-1")
        #expect(history.words.contains(" Nets: 3 -> 4"), "\(history)")
        #expect(history.words.contains(" Bed nets: 6 -> 5"), "\(history)")
    }

    @Test func `what tells two entries of one key apart is shown`() async throws {
        let daemon = try await Daemon.clinic()
        try await daemon.add("Sara", age: 8)
        try await daemon.add("Sara", age: 9)
        let show = try await daemon.shared("show", "visit", "Sara")
        show.expectProblem("2 entries are called visit Sara: ")
        #expect(show.errors.contains(", age 8; ") && show.errors.contains(", age 9\n"), "\(show)")
    }

    @Test func `a key in the place of a condition leads to show`() async throws {
        let daemon = try await Daemon.clinic()
        let list = try await daemon.shared("list", "visit", "KOR-1")
        list.expectProblem("'KOR-1' is no condition", code: 2)
        list.expectHint("To see the entry called so: `shared show visit KOR-1`.")
    }
}
