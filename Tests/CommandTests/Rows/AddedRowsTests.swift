import Foundation
import JSON
import ShareTestKit
import Testing

/// What a form makes of the rows that an edit adds to an entry that there is.
@Suite struct AddedRowsTests {
    private static func daemon(_ fields: String) async throws -> Daemon {
        let daemon = try await Daemon.clinic()
        let form =
            #"{"form_id": "f", "version": "1", "key": ["key"], "fields": [{"name": "key", "type": "text"},"#
            + fields + #"], "lists": {"yn": ["yes", "no"]}}"#
        let run = try await daemon.shared("form", "add", "-", input: form)
        try #require(run.code == 0, "\(run)")
        return daemon
    }

    private static func done(_ daemon: Daemon, _ words: String...) async throws {
        let run = try await daemon.shared(words)
        try #require(run.code == 0, "\(words): \(run)")
    }

    @Test func `a row of which a group is not asked is asked all the same`() async throws {
        let daemon = try await Self.daemon(
            #"""
            {"name": "person", "type": "repeat", "fields": [
              {"name": "age", "type": "integer"},
              {"name": "adult", "type": "group", "relevant": "${age} > 17", "fields": [
                {"name": "job", "type": "text"}]}]}
            """#)
        try await Self.done(daemon, "add", "f", "key=A", "person[1]/age=5")
        try await Self.done(daemon, "edit", "f", "A", "person[2]/age=50", "person[2]/job=smith")
        try await Self.done(daemon, "edit", "f", "A", "person[2]/age=6")
        let shown = try await daemon.shared("show", "f", "A")
        #expect(shown.words.contains("age 6") && !shown.output.contains("unusual"), "\(shown)")
        #expect(!shown.output.contains("smith"))
        let wrong = try await daemon.shared(
            "add", "f", "key=B", "person[1]/age=5", "person[1]/job=x")
        wrong.expectProblem("person[1]/job is not asked with these answers")
    }

    @Test func `a counted repeat that is asked by an edit has its rows`() async throws {
        let daemon = try await Self.daemon(
            #"""
            {"name": "kids", "type": "select_one", "list": "yn"}, {"name": "n", "type": "integer"},
            {"name": "kid", "type": "repeat", "repeat_count": "${n}", "relevant": "${kids} = 'yes'",
             "fields": [{"name": "nm", "type": "text", "default": "X"}]},
            {"name": "made", "type": "integer", "calculation": "count(${kid})"}
            """#)
        try await Self.done(daemon, "add", "f", "key=A", "kids=no", "n=3")
        for (change, count) in [("kids=yes", 3), ("n=4", 4), ("kids=no", 0), ("kids=yes", 4)] {
            try await Self.done(daemon, "edit", "f", "A", change)
            let entry = try await daemon.answer("show", "f", "A")
            #expect((entry["kid"].array?.count ?? 0) == count, "\(change): \(entry.shown)")
            #expect(entry["made"].number == count, "\(change): \(entry.shown)")
            let names = entry["kid"].array ?? []
            #expect(names.allSatisfy { $0["nm"].string == "X" }, "\(change): \(entry.shown)")
        }
    }

    @Test func `rows begin with their defaults, whenever they are added`() async throws {
        let daemon = try await Self.daemon(
            #"""
            {"name": "n", "type": "integer"},
            {"name": "kid", "type": "repeat", "fields": [
              {"name": "nm", "type": "text"}, {"name": "seen", "type": "text", "default": "no"},
              {"name": "d", "type": "date", "default": "today()"},
              {"name": "toy", "type": "repeat", "fields": [
                {"name": "t", "type": "text", "default": "ball"}, {"name": "of", "type": "integer"}]}]},
            {"name": "cr", "type": "repeat", "repeat_count": "${n}", "fields": [
              {"name": "q", "type": "integer", "default": "5"}]},
            {"name": "all", "type": "integer", "calculation": "sum(${q})"}
            """#)
        try await Self.done(daemon, "add", "f", "key=A", "n=1", "kid[1]/nm=Ada", "kid[1]/seen=")
        try await Self.done(daemon, "edit", "f", "A", "kid[2]/nm=Bob", "kid[2]/toy[1]/of=1", "n=2")
        try await Self.done(daemon, "edit", "f", "A", "kid[3]/nm=Cid", "kid[3]/seen=")
        var entry = try await daemon.answer("show", "f", "A")
        #expect(
            entry["kid"].array?.map { $0["seen"].string } == [nil, "no", nil], "\(entry.shown)")
        #expect(entry["kid"].array?.allSatisfy { $0["d"].string != nil } == true, "\(entry.shown)")
        #expect(entry["kid"][1]["toy"][0]["t"].string == "ball", "\(entry.shown)")
        #expect(entry["cr"].array?.map { $0["q"].number } == [5, 5] && entry["all"].number == 10)
        // An answer that is taken away later stays away.
        try await Self.done(daemon, "edit", "f", "A", "kid[2]/seen=", "kid[1]/nm=Adele")
        entry = try await daemon.answer("show", "f", "A")
        #expect(entry["kid"].array?.map { $0["seen"].string } == [nil, nil, nil], "\(entry.shown)")
    }

    @Test func `an edit computes anew what two people have made of a row, and undo is one change`()
        async throws
    {
        let a = try await Self.daemon(
            #"""
            {"name": "a", "type": "integer"}, {"name": "b", "type": "integer"},
            {"name": "s", "type": "integer", "calculation": "${a} + ${b}"},
            {"name": "r", "type": "repeat", "fields": [
              {"name": "x", "type": "integer"}, {"name": "y", "type": "integer"},
              {"name": "t", "type": "integer", "calculation": "${x} * ${y}"}]},
            {"name": "tot", "type": "integer", "calculation": "sum(${t})"}
            """#)
        let b = try await Daemon.member("ward-2", of: a, role: "editor")
        try await Self.done(a, "add", "f", "key=A", "a=1", "b=1", "r[1]/x=2", "r[1]/y=1")
        try await Daemon.share(a, b)
        try await Self.done(a, "edit", "f", "A", "r[1]/y=5", "a=3")
        try await Self.done(b, "edit", "f", "A", "r[1]/x=4", "b=4")
        try await Daemon.share(a, b)
        try await Self.done(a, "edit", "f", "A", "a=10")
        var entry = try await a.answer("show", "f", "A")
        #expect(entry["r"][0]["t"].number == 20 && entry["tot"].number == 20, "\(entry.shown)")
        #expect(entry["s"].number == 14, "\(entry.shown)")
        try await Self.done(a, "undo", "f", "A")
        entry = try await a.answer("show", "f", "A")
        #expect(entry["a"].number == 3 && entry["s"].number == 7, "\(entry.shown)")
        try await Self.done(a, "undo", "f", "A")
        entry = try await a.answer("show", "f", "A")
        #expect(entry["a"].number == 10 && entry["s"].number == 14, "\(entry.shown)")
    }

    @Test func `a default waits for its question beside rows that are counted`() async throws {
        let daemon = try await Self.daemon(
            #"""
            {"name": "n", "type": "integer"},
            {"name": "plain", "type": "text", "default": "p", "relevant": "${n} > 1"},
            {"name": "made", "type": "integer", "default": "${n} + 1", "relevant": "${n} > 1"},
            {"name": "cr", "type": "repeat", "repeat_count": "${n}", "fields": [
              {"name": "q", "type": "integer", "default": "5"}]}
            """#)
        let run = try await daemon.shared("add", "f", "--ask", input: "A\n2\n\n\n\n\n\n\n")
        try #require(run.code == 0, "\(run)")
        try await Self.done(daemon, "add", "f", "key=B", "n=2")
        for key in ["A", "B"] {
            let entry = try await daemon.answer("show", "f", key)
            #expect(entry["plain"].string == "p" && entry["made"].number == 3, "\(entry.shown)")
            #expect(entry["cr"].array?.map { $0["q"].number } == [5, 5], "\(entry.shown)")
        }
    }
}
