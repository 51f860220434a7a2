import Foundation
import JSON
import ShareTestKit
import Testing

/// Entries that break their form, or are flagged by it: never refused where they come from others.
@Suite(.serialized) struct FlaggedEntryTests {
    private static func form(_ version: Int, constraint: String = "", list: String = "") -> String {
        """
        {"form_id":"house","version":"\(version)","instance_name":"concat(${head}, ' of ', ${village})",
         "fields":[
          {"name":"village","type":"text","required":true},
          {"name":"head","type":"text"},
          {"name":"rooms","type":"integer"\(constraint),
           "x":{"warn":". > 20","warn_message":"a palace","tip":"Count again"}},
          {"name":"person","type":"repeat","label":"Person","fields":[
            {"name":"age","type":"integer"\(list)}]}]}
        """
    }

    private static let stricter = form(
        2, constraint: #","constraint":". < 30","constraint_message":"Not so many""#,
        list: #","constraint":". < 120","constraint_message":"Nobody is so old""#)

    /// What is listed as breaking the form, as soon as that is `count` entries.
    private static func invalid(_ daemon: Daemon, _ count: Int) async throws -> [JSONValue] {
        _ = await eventually {
            let list = try? await daemon.answer("list", "house", "--invalid")
            return list?.array?.count == count
        }
        let found = try await daemon.answer("list", "house", "--invalid").array ?? []
        try #require(found.count == count, "\(found)")
        return found
    }

    @Test func `a photo is the name of a file alone, and another one of a peer is flagged`()
        async throws
    {
        let first = try await Daemon.clinic()
        func form(_ version: Int, _ type: String) -> String {
            """
            {"form_id":"house","version":"\(version)","key":["village"],"fields":[
             {"name":"village","type":"text"},{"name":"photo","type":"\(type)"},
             {"name":"room","type":"repeat","fields":[{"name":"scan","type":"file"}]}]}
            """
        }
        // What was entered while it was a text.
        try #require(try await first.shared("form", "add", "-", input: form(1, "text")).code == 0)
        try #require(
            try await first.shared("add", "house", "village=A", "photo=../a.jpg").code == 0)
        try #require(try await first.shared("form", "add", "-", input: form(2, "image")).code == 0)
        let found = try await Self.invalid(first, 1)
        #expect(
            found[0]["_problems"][0]["message"].string
                == "field photo wants the name of a file, not \"../a.jpg\"", "\(found)")
        for name in ["/etc/passwd", "a/b.jpg", "..", "a\\b.jpg", "a\u{7}.jpg"] {
            let add = try await first.shared("add", "house", "village=B", "photo=\(name)")
            #expect(add.code == 1, "\(name)")
            #expect(add.errors.contains("field photo wants the name of a file, not"), "\(add)")
            #expect(add.errors.contains("A name alone, such as P1020.jpg"), "\(add)")
        }
        let row = try await first.shared("add", "house", "village=B", "room[1]/scan=/x")
        #expect(row.errors.contains("room[1]/scan wants the name of a file"), "\(row)")
        let file = try await first.shared(
            "import", "house", "-", input: "village,photo\nC,c.jpg\nD,../d.jpg\n")
        #expect(file.code == 1, "\(file)")
        #expect(file.errors.contains("line 3, column photo: "), "\(file)")
        let state = try await first.shared(
            "add", "house", "village=B", "photo=P1020 (1).jpg", "room[1]/scan=é.pdf")
        #expect(state.code == 0, "\(state)")
        // Whoever changes another answer is not held up by it.
        let edit = try await first.shared("edit", "house", "A", "room[1]/scan=plan.pdf")
        #expect(edit.code == 0 && edit.errors.contains("it was so before"), "\(edit)")
    }

    @Test func `entries of a peer with an older form are kept, counted, listed and explained`()
        async throws
    {
        let first = try await Daemon.clinic()
        try #require(try await first.shared("form", "add", "-", input: Self.form(1)).code == 0)
        let second = try await Daemon.member("ward-2", of: first)
        await second.terminate()
        try #require(try await first.shared("form", "add", "-", input: Self.stricter).code == 0)
        try #require(try await first.shared("push").code == 0)
        // Alone, with the older form.
        await first.terminate()
        try await second.start(withPeers: false)
        for values in [["head=Amina", "rooms=31"], ["head=Bea", "rooms=25"], ["head=Cy"]] {
            let run = try await second.shared(["add", "house", "village=Koro"] + values)
            try #require(run.code == 0, "\(run.errors)")
        }
        await second.terminate()
        try await first.start()
        try await second.start()
        try #require(try await second.shared("push").code == 0)
        try await Daemon.untilIdentical(first, second, records: 3)

        let found = try await Self.invalid(first, 1)
        #expect(found[0]["_name"].string == "Amina of Koro")
        #expect(found[0]["_valid"] == .bool(false))
        #expect(found[0]["_problems"][0]["message"].string == "Not so many")
        #expect(found[0]["_warnings"][0]["tip"].string == "Count again")
        let table = try await first.shared("list", "house", "--invalid")
        #expect(table.output.contains("rooms: Not so many"), "\(table.output)")
        let status = try await first.shared("status")
        #expect(
            status.words.contains(
                "1 entry of house does not fit the form as it is now: shared list house --invalid"),
            "\(status.output)")
        // The entry that is found is not the last that is looked at.
        let areCounted = await eventually {
            let counts = try? await first.answer("count", "house", "--by", "_valid")
            return counts?["groups"].array?.map { $0["entries"].number } == [2, 1]
        }
        #expect(areCounted)
        for (condition, count) in [
            ("_valid=no", 1), ("_valid=yes", 2), ("_valid!=yes", 1), ("_warnings~palace", 2),
            ("_warnings=", 1), ("_valid = 'no' and rooms > 30", 1),
            ("_valid = 'no' and rooms < 30", 0),
        ] {
            let isFound = await eventually {
                let answer = try? await first.answer("count", "house", "--where", condition)
                return answer?["entries"].number == count
            }
            #expect(isFound, "\(condition)")
        }
        let flagged = try await first.shared("count", "house", "--by", "_warnings")
        let words = "rooms: a palace. Count again 2 not flagged 1"
        #expect(flagged.words.contains(words), "\(flagged)")
        let shown = try await first.shared("show", try #require(found[0]["_id"].string))
        #expect(shown.output.contains("wrong    rooms: Not so many"), "\(shown.output)")
        #expect(shown.output.contains("unusual  rooms: a palace. Count again"), "\(shown.output)")

        // Mended; and what was right before is wrong once its rows are.
        let id = try #require(found[0]["_id"].string)
        try #require(try await first.shared("edit", id, "rooms=3").code == 0)
        _ = try await Self.invalid(first, 0)
        #expect(!(try await first.shared("status").output.contains("break")))
    }

    @Test func `an entry lacks no answer to what its version of the form did not ask`()
        async throws
    {
        func form(_ version: Int, _ more: String = "", row: String = "") -> String {
            """
            {"form_id":"house","version":"\(version)","key":["head"],"fields":[
             {"name":"head","type":"text","required":true}, {"name":"rooms","type":"integer"}\(more),
             {"name":"person","type":"repeat","fields":[{"name":"age","type":"integer"}\(row)]}]}
            """
        }
        let daemon = try await Daemon.clinic()
        try #require(try await daemon.shared("form", "add", "-", input: form(1)).code == 0)
        let person = #"person=[{"age":30}]"#
        for head in ["Amina", "Bea"] {
            let run = try await daemon.shared("add", "house", "head=\(head)", "rooms=3", person)
            try #require(run.code == 0, "\(run.errors)")
        }
        try #require(try await daemon.shared("push").code == 0)
        try #require(
            try await daemon.shared("add", "house", "head=Cy", "rooms=40", person).code == 0)
        // Entries that are sent together count as those of the older version.
        try #require(try await daemon.shared("push").code == 0)
        let asked = #",{"name":"soap","type":"text","required":true}"#
        let shoe = #",{"name":"shoe","type":"integer","required":true}"#
        let second = form(2, asked + #",{"name":"wood","type":"text"}"#, row: shoe)
        let trial = try await daemon.shared("form", "add", "-", "--dry-run", input: second)
        #expect(trial.output.contains("soap") && !trial.output.contains("not fit"), "\(trial)")
        let added = try await daemon.shared("form", "add", "-", input: second)
        #expect(added.code == 0 && !added.output.contains("not fit"), "\(added)")
        try await daemon.shared("add", "house", "head=Dan").expectProblem("field soap is required")
        try #require(try await daemon.shared("add", "house", "head=Dan", "soap=x").code == 0)
        _ = try await Self.invalid(daemon, 0)
        #expect(!(try await daemon.shared("show", "Cy").output.contains("wrong")))
        // Nor when it is changed, which it may be without that answer.
        let edited = try await daemon.shared("edit", "Amina", "rooms=4")
        #expect(
            edited.errors.contains("field soap: no answer, and it is asked now"), "\(edited)")
        #expect(!edited.errors.contains("Give it a value"), "\(edited)")
        _ = try await Self.invalid(daemon, 0)
        // What it did ask, and what it did not answer as it should, is told as ever.
        let third = form(
            3,
            asked.replacing("soap", with: "wood")
                + #",{"name":"soap","type":"text","required":true}"#, row: shoe
        ).replacing(
            #""name":"rooms","type":"integer""#,
            with: #""name":"rooms","type":"integer","constraint":". < 30""#)
        let told = try await daemon.shared("form", "add", "-", input: third)
        #expect(told.output.contains("2 entries do not fit it"), "\(told)")
        let found = try await Self.invalid(daemon, 2)
        #expect(Set(found.compactMap { $0["head"].string }) == ["Cy", "Dan"])
        #expect(found.last?["_problems"].array?.count == 1)
        #expect(found.last?["_problems"][0]["path"].string == "wood")
    }

    @Test func `an entry is looked at with its rows, and again when they or its form change`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        try #require(try await daemon.shared("form", "add", "-", input: Self.form(1)).code == 0)
        try #require(
            try await daemon.shared("add", "house", "village=Koro", "head=Amina").code == 0)
        let id = try #require(try await daemon.answer("list", "house")[0]["_id"].string)
        let rows = daemon.folder.path + "/rows.csv"
        try "PARENT_KEY,KEY,age\n\(id),a,30\n\(id),b,130\n".write(
            toFile: rows, atomically: true, encoding: .utf8)
        try #require(try await daemon.shared("import", "house/person", rows).code == 0)
        _ = try await Self.invalid(daemon, 0)
        try #require(try await daemon.shared("form", "add", "-", input: Self.stricter).code == 0)
        let found = try await Self.invalid(daemon, 1)
        #expect(found[0]["_problems"][0]["path"].string == "person[2]/age")
        // Back to the older form: `--force`, as it is older.
        try #require(
            try await daemon.shared("form", "add", "-", "--force", input: Self.form(3)).code == 0)
        _ = try await Self.invalid(daemon, 0)
        try #require(
            try await daemon.shared(
                "form", "add", "-",
                input: Self.stricter.replacingOccurrences(
                    of: #""version":"2""#, with: #""version":"4""#)
            ).code == 0)
        _ = try await Self.invalid(daemon, 1)
        // Only the row goes.
        let people = try await daemon.answer("list", "house/person")
        let old = try #require(
            people.array?.first { $0["age"].number == 130 }?["_id"].string)
        try #require(try await daemon.shared("delete", old).code == 0)
        _ = try await Self.invalid(daemon, 0)
    }
}
