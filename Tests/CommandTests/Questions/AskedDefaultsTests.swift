import JSON
import ShareTestKit
import Testing

/// Questions that begin with an answer: a default, or the last entry's.
@Suite(.serialized) struct AskedDefaultsTests {
    @Test func `a default waits until the question that it names is passed over`() async throws {
        let daemon = try await Daemon.household()
        let form = """
            {"form_id": "def", "version": "1", "fields": [{"name": "a", "type": "integer"},
             {"name": "b", "type": "integer", "default": "if(${a} > 3, 9, 1)", "required": true},
             {"name": "c", "type": "text"}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        for (answer, stored) in [("", 1.0), ("7", 9)] {
            let run = try await daemon.shared("add", "def", "--ask", input: "\(answer)\n\nx\n\n")
            #expect(run.code == 0, "\(run)")
            #expect(run.output.contains("[\(Int(stored))]"), "\(run.output)")
            let entry = try await daemon.answer("list", "def", "b=\(Int(stored))")
            #expect(entry.array?.count == 1, "\(run.output)")
        }
    }

    @Test func `a default that counts rows follows them until its question is passed`()
        async throws
    {
        let daemon = try await Daemon.household()
        let form = """
            {"form_id": "home", "version": "1", "fields": [
             {"name": "team", "type": "text"},
             {"name": "shown", "type": "text", "default": "concat(${team}, '!')",
              "read_only": true},
             {"name": "kid", "type": "repeat", "fields": [{"name": "age", "type": "integer"},
              {"name": "dose", "type": "integer", "default": "${age} * 2"}]},
             {"name": "kids", "type": "integer", "default": "count(${kid})"},
             {"name": "years", "type": "integer", "default": "sum(${age})"}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        // The team is another one after going back, and one child of three is taken away again.
        let run = try await daemon.shared(
            "add", "home", "--ask",
            input: "red\n<\nblue\ny\n3\n\ny\n5\n11\ny\n9\n\n-\nn\n\n\n\n")
        #expect(run.code == 0, "\(run)")
        let entry = try await daemon.answer("list", "home")[0]
        #expect(entry["kids"] == .integer(2), "\(run.output)")
        #expect(entry["years"] == .integer(8), "\(run.output)")
        #expect(entry["shown"].string == "blue!", "\(run.output)")
        #expect(entry["kid"][0]["dose"] == .integer(6), "\(entry)")
        #expect(entry["kid"][1]["dose"] == .integer(11), "\(entry)")
        // What was passed stays as it was seen.
        let kept = try await daemon.shared(
            "add", "home", "--ask", input: "red\nn\n\n<\n<\ny\n4\n\nn\n\n\n\n")
        #expect(kept.code == 0, "\(kept)")
        let other = try await daemon.answer("list", "home", "team=red")[0]
        #expect(other["kids"] == .integer(0), "\(kept.output)")
        #expect(other["years"] == .integer(4), "\(kept.output)")
        // One that is empty at first follows too.
        let late = """
            {"form_id": "late", "version": "1", "fields": [{"name": "n", "type": "integer"},
             {"name": "what", "type": "text", "relevant": "${n} > 0"},
             {"name": "k", "type": "repeat", "repeat_count": "${n}", "fields": [
              {"name": "kn", "type": "text"}]},
             {"name": "said", "type": "text", "default": "concat(${what}, '')"},
             {"name": "all", "type": "text", "default": "join(' ', ${kn})"}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: late).code == 0)
        let asked = try await daemon.shared(
            "add", "late", "--ask", input: "2\nflu\nAnn\nBea\n\n\n\n")
        #expect(asked.code == 0, "\(asked)")
        // As long as nobody has passed it with a value it follows what is corrected at the end, too.
        let first = """
            {"form_id": "first", "version": "1", "fields": [
             {"name": "all", "type": "text", "default": "join(' ', ${kn})"},
             {"name": "n", "type": "integer"},
             {"name": "k", "type": "repeat", "repeat_count": "${n}", "fields": [
              {"name": "kn", "type": "text"}]}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: first).code == 0)
        let mended = try await daemon.shared("add", "first", "--ask", input: "\n1\nAnn\n3\nZed\n\n")
        #expect(mended.code == 0, "\(mended)")
        #expect(
            try await daemon.answer("list", "first")[0]["all"].string == "Zed", "\(mended.output)")
        let found = try await daemon.answer("list", "late")[0]
        #expect(found["said"].string == "flu", "\(asked.output)")
        #expect(found["all"].string == "Ann Bea", "\(asked.output)")
    }

    @Test func `a question begins with the answer of the last entry that was saved here`()
        async throws
    {
        let daemon = try await Daemon.household()
        let form = """
            {"form_id":"walk","version":"1","fields":[
            {"name":"team","type":"text","default":"${last-saved#team}"},
            {"name":"n","type":"integer"}]}
            """
        #expect(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let none = try await daemon.shared("add", "walk", "--ask", input: "\n1\n\n")
        #expect(none.code == 0, "\(none.errors)")
        for (typed, kept) in [("Ana", "Ana"), ("", "Ana"), ("Bo", "Bo"), ("", "Bo")] {
            let run = try await daemon.shared("add", "walk", "--ask", input: "\(typed)\n2\n\n")
            #expect(run.code == 0, "\(run.errors)")
            let all = try await daemon.answer("list", "walk").array ?? []
            #expect(all.last?["team"].string == kept, "\(run.output)")
        }
        _ = try await daemon.shared("add", "walk", "team=Cy")
        let after = try await daemon.shared("add", "walk", "--ask", input: "\n3\n\n")
        #expect(after.output.contains("[Cy] >"), "\(after.output)")
    }

    @Test func `every question that the form says so of begins with the answer of the last entry`()
        async throws
    {
        let daemon = try await Daemon.household()
        let form = """
            {"form_id":"walk","version":"1","fields":[
            {"name":"n","type":"integer","default":"${last-saved#n} + 1"},
            {"name":"a","type":"text","default":"${last-saved#a}"},
            {"name":"b","type":"text","default":"${last-saved#b}"},
            {"name":"i","type":"integer","required":true,"default":"${last-saved#i}"}]}
            """
        let added = try await daemon.shared("form", "add", "-", input: form)
        try #require(added.code == 0, "\(added.errors)")
        let first = try await daemon.shared("add", "walk", "--ask", input: "1\nx\ny\n7\n\n")
        #expect(first.code == 0, "\(first.errors)")
        let next = try await daemon.shared("add", "walk", "--ask", input: "2\n\n\n\n\n")
        #expect(next.code == 0, "\(next.errors)")
        // What is taken out stays out, also for the entry after that.
        let other = try await daemon.shared("add", "walk", "--ask", input: "3\nz\n-\n\n\n")
        #expect(other.code == 0, "\(other.errors)")
        let all = try await daemon.answer("list", "walk").array ?? []
        let kept = all.map { entry in ["a", "b"].map { entry[$0].string } }
        #expect(kept == [["x", "y"], ["x", "y"], ["z", nil]], "\(next)")
        #expect(all.allSatisfy { $0["i"] == .integer(7) }, "\(all)")
    }
}
