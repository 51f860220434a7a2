import Foundation
import JSON
import ShareTestKit
import Testing

/// Choices of one label: the other answers of the entry say which of them is meant, on every way in.
@Suite(.serialized) struct AlikeChoicesTests {
    private static let form = """
        {"form_id":"amb","version":"1","key":["k"],"fields":[
         {"name":"k","type":"text"},{"name":"p","type":"text"},
         {"name":"c","type":"select_one","list":"l","choice_filter":"${p} = g"},
         {"name":"d","type":"select_one","list":"m","choice_filter":"${c} = g"},
         {"name":"many","type":"select_multiple","list":"l","choice_filter":"${p} = g"},
         {"name":"plain","type":"select_one","list":"s"},
         {"name":"row","type":"repeat","fields":[{"name":"q","type":"text"},
          {"name":"e","type":"select_one","list":"l","choice_filter":"${q} = g"}]}],
         "lists":{"l":[{"name":"1","label":"Other","g":"a"},{"name":"2","label":"Yes","g":"a"},
           {"name":"3","label":"Other","g":"b"},{"name":"4","label":"No","g":"b"},
           {"name":"x","label":"Twin","g":"z"},{"name":"y","label":"Twin","g":"z"}],
          "m":[{"name":"m1","label":"Deep","g":"1"},{"name":"m3","label":"Deep","g":"3"}],
          "s":[{"name":"u","label":"Same"},{"name":"w","label":"Same"},{"name":"v","label":"V"}]}}
        """

    private func room() async throws -> Daemon {
        let daemon = try await Daemon.clinic()
        let added = try await daemon.shared("form", "add", "-", input: Self.form)
        try #require(added.code == 0, "\(added)")
        return daemon
    }

    private func entry(_ daemon: Daemon, _ key: String) async throws -> JSONValue {
        try await daemon.answer("show", "amb", key)
    }

    @Test func `a label of several is the one that can be chosen`() async throws {
        let daemon = try await room()
        // Also where what it hangs on is such a label itself.
        let added = try await daemon.shared(
            "add", "amb", "k=1", "d=deep", "c=Other", "p=b", "many=No, Other",
            "row[1]/q=a", "row[1]/e=other")
        #expect(added.code == 0, "\(added)")
        let entry = try await entry(daemon, "1")
        #expect(entry["c"] == "3" && entry["d"] == "m3", "\(entry)")
        #expect(entry["many"] == .array(["4", "3"]) && entry["row"][0]["e"] == "1", "\(entry)")
        let id = try #require(entry["_id"].string)
        let edited = try await daemon.shared("edit", id, "p=a", "c=Other", "d=Deep", "many=Other")
        #expect(edited.code == 0, "\(edited)")
        let now = try await self.entry(daemon, "1")
        #expect(now["c"] == "1" && now["d"] == "m1" && now["many"] == .array(["1"]), "\(now)")
        let row = try await daemon.shared("edit", id, "row[1]/q=b", "row[1]/e=Other")
        #expect(row.code == 0, "\(row)")
        #expect(try await self.entry(daemon, "1")["row"][0]["e"] == "3")
        // All that are called so are found.
        let found = try await daemon.answer("list", "amb", "c=Other")
        #expect(found.array?.count == 1, "\(found)")
    }

    @Test func `what cannot be told apart is told with the names`() async throws {
        let daemon = try await room()
        let same = try await daemon.shared("add", "amb", "plain=Same")
        same.expectProblem("field plain: two are called Same: u, w")
        same.expectHint("Give its name: u, for instance.")
        try await daemon.shared("add", "amb", "p=z", "c=Twin")
            .expectProblem("field c: two are called Twin: x, y")
        let none = try await daemon.shared("add", "amb", "p=c", "c=Other")
        none.expectProblem("field c has no choice \"Other\"")
        none.expectHint("It is there, but cannot be chosen with p c.")
        _ = try await daemon.answer("add", "amb", "k=1", "p=a", "c=Yes")
        try await daemon.shared("edit", "amb", "1", "plain=same")
            .expectProblem("field plain: two are called same: u, w")
    }

    @Test func `a file may have labels of several`() async throws {
        let daemon = try await room()
        let file = "k,p,c,many\n1,b,Other,\"No, Other\"\n2,a,other,2\n"
        let made = try await daemon.shared("import", "amb", "-", input: file)
        #expect(made.code == 0, "\(made)")
        #expect(try await entry(daemon, "1")["c"] == "3")
        #expect(try await entry(daemon, "1")["many"] == .array(["4", "3"]))
        #expect(try await entry(daemon, "2")["c"] == "1")
        // The file says the same again; then what an entry has decides.
        let again = try await daemon.shared("import", "amb", "-", input: file)
        #expect(again.words.contains("2 unchanged"), "\(again)")
        let moved = try await daemon.shared(
            "import", "amb", "-", input: "k,c\n1,Other\n2,Other\n")
        #expect(moved.code == 0 && moved.words.contains("2 unchanged"), "\(moved)")
        let other = try await daemon.shared("import", "amb", "-", input: "k,p,c\n1,a,Other\n")
        #expect(other.code == 0, "\(other)")
        #expect(try await entry(daemon, "1")["c"] == "1")
        let wrong = try await daemon.shared(
            "import", "amb", "-", input: "k,p,c,plain\n8,c,Other,v\n9,z,Twin,Same\n")
        for told in [
            "line 2, column c: field c has no choice \"Other\"",
            "line 3, column c: field c: two are called Twin: x, y",
            "line 3, column plain: field plain: two are called Same: u, w",
        ] {
            #expect(wrong.errors.contains(told), "\(wrong)")
        }
        let path = daemon.folder.path + "/amb.ndjson"
        try (#"{"k":"7","p":"b","c":"Other"}"# + "\n").write(
            toFile: path, atomically: true, encoding: .utf8)
        let lines = try await daemon.shared("import", "amb", path)
        #expect(lines.code == 0, "\(lines)")
        #expect(try await entry(daemon, "7")["c"] == "3")
        // Several may be a list, as an export writes them.
        let several = #"{"k":"10","p":"b","many":["Other"]}"# + "\n"
        try (several + #"{"k":"11","p":"a","many":["other","Yes"]}"# + "\n").write(
            toFile: path, atomically: true, encoding: .utf8)
        let lists = try await daemon.shared("import", "amb", path)
        #expect(lists.code == 0, "\(lists)")
        #expect(try await entry(daemon, "10")["many"] == .array(["3"]))
        #expect(try await entry(daemon, "11")["many"] == .array(["1", "2"]))
        try (#"{"k":"12","p":"z","many":["Twin"]}"# + "\n").write(
            toFile: path, atomically: true, encoding: .utf8)
        let twins = try await daemon.shared("import", "amb", path)
        #expect(twins.errors.contains("field many: two are called Twin: x, y"), "\(twins)")
    }

    @Test func `a list of the room may have a label under several parents`() async throws {
        let daemon = try await Daemon.clinic()
        var rows = "name,label,parent\n"
        for parent in 0..<80 {
            for village in [50, 51, 5] {
                rows += "v\(parent)_\(village),Village \(village),p\(parent)\n"
            }
        }
        let list = try await daemon.shared(
            "lists", "add", "-", "--name", "village", input: rows)
        try #require(list.code == 0, "\(list)")
        let form = """
            {"form_id":"amb","version":"1","key":["k"],"fields":[
             {"name":"k","type":"text"},{"name":"p","type":"text"},
             {"name":"c","type":"select_one","list":"village","choice_filter":"parent = ${p}"}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let added = try await daemon.shared("add", "amb", "k=1", "p=p77", "c=Village 5")
        #expect(added.code == 0, "\(added)")
        #expect(try await entry(daemon, "1")["c"] == "v77_5")
        let file = try await daemon.shared(
            "import", "amb", "-", input: "k,p,c\n2,p3,village 50\n3,p79,Village 51\n")
        #expect(file.code == 0, "\(file)")
        #expect(try await entry(daemon, "3")["c"] == "v79_51")
        let none = try await daemon.shared("add", "amb", "p=q", "c=Village 5")
        none.expectProblem("field c has no choice \"Village 5\"")
        none.expectHint("It is there, but cannot be chosen with p q.")
    }
}
