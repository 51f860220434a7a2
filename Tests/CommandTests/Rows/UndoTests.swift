import JSON
import ShareTestKit
import Testing

/// Taking back a change that others have gone on from.
@Suite struct UndoTests {
    private static let form = #"""
        {"form_id": "house", "version": "1", "key": ["code"], "fields": [
          {"name": "code", "type": "text"},
          {"name": "nets", "type": "integer"}, {"name": "beds", "type": "integer"},
          {"name": "both", "type": "integer", "calculation": "${nets} + ${beds}"},
          {"name": "ages", "type": "integer", "calculation": "sum(${age})"},
          {"name": "person", "type": "repeat", "label": "Person", "fields": [
            {"name": "age", "type": "integer"}]}]}
        """#

    @Test func `what the form works out follows from what is left`() async throws {
        let a = try await Daemon.clinic("ward-1")
        try #require(try await a.shared("form", "add", "-", input: Self.form).code == 0)
        let b = try await Daemon.member("ward-2", of: a, role: "editor")
        let added = try await a.shared(
            "add", "house", "code=H1", "nets=1", "beds=2", "person[1]/age=10")
        try #require(added.code == 0, "\(added)")
        try #require(try await a.shared("push").code == 0)
        let isKnown = await eventually {
            (try? await b.shared("show", "house", "H1").code) == 0
        }
        try #require(isKnown)
        func change(_ daemon: Daemon, _ value: String, _ wanted: String) async throws {
            let run = try await daemon.shared("edit", "house", "H1", value)
            try #require(run.code == 0, "\(run)")
            try #require(try await daemon.shared("push").code == 0)
            for device in [a, b] {
                let isThere = await eventually {
                    (try? await device.shared("show", "house", "H1").words.contains(wanted)) == true
                }
                try #require(isThere, "\(wanted)")
            }
        }
        try await change(b, "beds=3", "both 4")
        let untouched = try await a.shared("undo", "house", "H1")
        untouched.expectProblem("was made here, and changed by others alone")
        untouched.expectHint("shared history")
        try await change(a, "nets=11", "both 14")
        try await change(b, "beds=5", "both 16")
        let undone = try await a.shared("undo", "house", "H1")
        #expect(undone.words.contains("nets: 11 -> 1"), "\(undone)")
        #expect(undone.words.contains("both: 16 -> 6"), "\(undone)")
        #expect(!undone.errors.contains("left as it is"), "\(undone)")
        var shown = try await a.shared("show", "house", "H1")
        #expect(shown.words.contains("both 6") && !shown.output.contains("unusual"), "\(shown)")

        try await change(a, "person[2]/age=20", "ages 30")
        try await change(b, "person[3]/age=31", "ages 61")
        let back = try await a.shared("undo", "house", "H1")
        #expect(back.words.contains("ages: 61 -> 41"), "\(back)")
        shown = try await a.shared("show", "house", "H1")
        #expect(shown.words.contains("ages 41") && !shown.output.contains("unusual"), "\(shown)")
    }

    @Test func `an entry that others have changed since it was brought back is not deleted again`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a, role: "editor")
        let id = try await a.add("Ada", age: 3)
        try #require(try await a.shared("delete", id).code == 0)
        try #require(try await a.shared("restore", id).code == 0)
        try #require(try await a.shared("push").code == 0)
        let isThere = await eventually { (try? await b.names()) == ["Ada"] }
        try #require(isThere)
        try #require(try await b.shared("edit", id, "age=4").code == 0)
        try #require(try await b.shared("push").code == 0)
        let isChanged = await eventually {
            (try? await a.shared("show", id).words.contains("age 4")) == true
        }
        try #require(isChanged)
        let undone = try await a.shared("undo", id)
        undone.expectProblem("was changed since it was brought back")
        #expect(try await a.names() == ["Ada"])
    }

    @Test func `of a row that comes back nothing is told of those that move`() async throws {
        let daemon = try await Daemon.clinic()
        try #require(try await daemon.shared("form", "add", "-", input: Self.form).code == 0)
        let added = try await daemon.shared(
            "add", "house", "code=H1", "person[1]/age=10", "person[2]/age=20")
        try #require(added.code == 0, "\(added)")
        let gone = try await daemon.shared("edit", "house", "H1", "person[1]=")
        try #require(gone.code == 0, "\(gone)")
        let undone = try await daemon.shared("undo", "house", "H1")
        #expect(undone.words.contains("person[1]/age: (nothing) -> 10"), "\(undone)")
        #expect(undone.words.contains("ages: 20 -> 30"), "\(undone)")
        #expect(!undone.output.contains("person[2]"), "\(undone)")
        let shown = try await daemon.shared("show", "house", "H1")
        #expect(shown.words.contains("Person 1 age 10 Person 2 age 20"), "\(shown)")
    }

    @Test func `undo brings back the whole number that a decimal was`() async throws {
        let daemon = try await Daemon.clinic()
        func form(_ version: Int, _ type: String) -> String {
            """
            {"form_id": "h", "version": "\(version)", "key": ["id"], "fields": [
              {"name": "id", "type": "text"}, {"name": "nets", "type": "\(type)"}]}
            """
        }
        func add(_ text: String) async throws {
            let run = try await daemon.shared("form", "add", "-", input: text)
            try #require(run.code == 0, "\(run.errors)")
        }
        try await add(form(1, "integer"))
        _ = try await daemon.answer("add", "h", "id=a", "nets=4")
        try await add(form(2, "decimal"))
        let edited = try await daemon.shared("edit", "h", "a", "nets=2.5")
        #expect(edited.output.contains("4 -> 2.5"), "\(edited.output)\(edited.errors)")
        let history = try await daemon.shared("history", "h", "a")
        #expect(history.output.contains("nets: 4 -> 2.5"), "\(history.output)")
        let undone = try await daemon.shared("undo", "h", "a")
        #expect(undone.output.contains("nets: 2.5 -> 4"), "\(undone.output)\(undone.errors)")
        #expect(try await daemon.answer("list", "h", "nets=4").array?.count == 1)
    }
}
