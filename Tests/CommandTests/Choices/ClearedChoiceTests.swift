import JSON
import ShareControl
import ShareTestKit
import Testing

/// Choices that hang on another answer, in an entry with rows.
@Suite(.serialized) struct ClearedChoiceTests {
    private static let form = """
        {"form_id": "tour", "version": "1", "fields": [
          {"name": "region", "type": "select_one", "list": "region"},
          {"name": "site", "type": "select_one", "list": "site", "choice_filter": "p = ${region}"},
          {"name": "stop", "type": "repeat", "fields": [
            {"name": "area", "type": "select_one", "list": "region"},
            {"name": "post", "type": "select_one", "list": "site", "choice_filter": "p = ${area}"},
            {"name": "note", "type": "text"}]}],
         "lists": {"region": ["north", "south"], "site": [{"name": "a", "p": "north"},
          {"name": "b", "p": "north"}, {"name": "c", "p": "south"}]}}
        """

    @Test func `a changed parent clears its child, in the entry and in the row alone`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        try #require(
            try await daemon.shared("form", "add", "-", input: Self.form).code == 0)
        let add = try await daemon.shared(
            "add", "tour", "region=north", "site=a", "stop[1]/area=north", "stop[1]/post=a",
            "stop[2]/area=north", "stop[2]/post=b")
        try #require(add.code == 0, "\(add)")
        let id = try #require(try await daemon.answer("list", "tour")[0]["_id"].string)
        func entry() async throws -> JSONValue { try await daemon.answer("list", "tour")[0] }
        let region = try await daemon.shared("edit", id, "region=south")
        #expect(region.code == 0 && region.output.contains("site: a -> (nothing)"), "\(region)")
        let row = try await daemon.shared("edit", id, "stop[2]/area=south", "stop[2]/note=x")
        #expect(row.code == 0, "\(row)")
        var now = try await entry()
        #expect(now["site"].string == nil, "\(now.shown)")
        #expect(now["stop"].array?.map { $0["post"].string } == ["a", nil], "\(now.shown)")
        // What is given itself is refused instead.
        let wrong = try await daemon.shared("edit", id, "stop[1]/area=south", "stop[1]/post=b")
        wrong.expectProblem("stop[1]/post has no choice \"b\"")
        let both = try await daemon.shared(
            "edit", id, "stop[1]/area=south", "stop[1]/post=c", "region=north", "site=b")
        #expect(both.code == 0, "\(both)")
        now = try await entry()
        #expect(now["site"].string == "b" && now["stop"][0]["post"].string == "c", "\(now.shown)")
    }
}
