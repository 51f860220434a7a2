import JSON
import ShareTestKit
import Testing

/// Answers and choices of earlier versions of a form: found, shown, and asked for again.
@Suite(.serialized) struct EarlierAnswersTests {
    private static let first = """
        {"form_id":"house","version":"1","key":["k"],"fields":[
         {"name":"k","type":"text","required":true},
         {"name":"members","type":"integer","label":"Members"},
         {"name":"phone","type":"text","label":"Phone"},
         {"name":"village","type":"select_one","list":"v","label":"Village"}],
         "lists":{"v":[{"name":"koro","label":"Koro"},{"name":"bala","label":"Bala"}]}}
        """
    private static let second = """
        {"form_id":"house","version":"2","key":["k"],"fields":[
         {"name":"k","type":"text","required":true},
         {"name":"members","type":"text","label":"Members"},
         {"name":"phone_no","type":"text","label":"Phone"},
         {"name":"village","type":"select_one","list":"v","label":"Village"}],
         "lists":{"v":[{"name":"koro","label":"Koro"}]}}
        """

    /// Runs `edit` by questions.
    private func edit(_ daemon: Daemon, input: String) async throws -> CommandRun {
        try await daemon.shared("edit", "house", "b", "--ask", input: input)
    }

    private func room() async throws -> Daemon {
        let daemon = try await Daemon.clinic()
        try #require(try await daemon.shared("form", "add", "-", input: Self.first).code == 0)
        let file = "k,members,phone,village\na,5,70,koro\nb,4,71,bala\nc,5,72,bala\n"
        try #require(try await daemon.shared("import", "house", "-", input: file).code == 0)
        try #require(
            try await daemon.shared("form", "add", "-", "--force", input: Self.second).code == 0)
        return daemon
    }

    @Test func `a question that was of another type before it went is told with those answers`()
        async throws
    {
        let daemon = try await room()
        let third = Self.second.replacing("\"version\":\"2\"", with: "\"version\":\"3\"")
            .replacing(#"{"name":"members","type":"text","label":"Members"},"#, with: "")
        // A key that changes beside it is told as well.
        let forced = third.replacing("\"key\":[\"k\"]", with: "\"key\":[\"k\",\"village\"]")
            .replacing("phone_no\",\"type\":\"text", with: "village2\",\"type\":\"text")
            .replacing("\"version\":\"3\"", with: "\"version\":\"1\"")
        let both = try await daemon.shared("form", "add", "-", "--dry-run", input: forced)
        #expect(
            both.errors.contains("is older than 2; the key of house was k and would be k, village"),
            "\(both)")
        let added = try await daemon.shared("form", "add", "-", input: third)
        #expect(
            added.words.contains(
                "3 entries have a value in members, of an earlier version, and it is not asked any more"
            ), "\(added)")
        let told = "2 entries have members of an earlier version: members__integer=5"
        for look in [["count"], ["list"], ["export"]] {
            let run = try await daemon.shared(look + ["house", "members=5"])
            #expect((run.output + run.errors).contains(told), "\(look): \(run)")
        }
        for look in [["stats", "house", "members"], ["count", "house", "--by", "members"]] {
            let run = try await daemon.shared(look)
            #expect(
                (run.output + run.errors).contains("3 entries have members of an earlier version"),
                "\(look): \(run)")
        }
    }

    @Test func `a list that finds nothing says how many have it from an earlier version`()
        async throws
    {
        let daemon = try await room()
        let none = try await daemon.shared("list", "house", "members=5")
        #expect(
            none.output == "none of 3 entries\n"
                + "2 entries have members of an earlier version: members__integer=5\n", "\(none)")
        // The words that it names find them.
        let old = try await daemon.answer("list", "house", "members__integer=5")
        #expect(old.array?.count == 2)
        let half = try await daemon.answer("list", "house", "members__integer>4.5")
        #expect(half.array?.count == 2)
        let more = try await daemon.shared("list", "house", "members>4", "village=bala")
        #expect(
            more.output.contains(
                "1 entry has members of an earlier version: 'members__integer>4'"), "\(more)")
        let named = try await daemon.shared("list", "house", "phone_no~7")
        #expect(
            named.output.contains("3 entries have phone_no of an earlier version: phone~7"),
            "\(named)")
        let count = try await daemon.shared("count", "house", "members=5")
        #expect(count.output == "0\n")
        #expect(count.errors.contains("2 entries have members of an earlier"), "\(count)")
        // Where some are found, the others are not passed over either.
        try #require(try await daemon.shared("edit", "house", "a", "members=5").code == 0)
        let some = try await daemon.shared("list", "house", "members=5")
        #expect(some.output.contains("a") && !some.output.contains("earlier"), "\(some)")
        #expect(some.errors.contains("2 entries have members of an earlier"), "\(some)")
        // What no earlier version had is not spoken of.
        let plain = try await daemon.shared("list", "house", "k=zzz")
        #expect(plain.output == "none of 3 entries\n" && plain.errors == "", "\(plain)")
    }

    @Test func `what has an earlier answer alone is not passed over where answers are counted`()
        async throws
    {
        let daemon = try await room()
        try #require(try await daemon.shared("edit", "house", "a", "phone_no=80").code == 0)
        let words = "2 entries have phone_no of an earlier version: "
        let empty = try await daemon.shared("list", "house", "phone_no=")
        #expect(empty.errors.contains(words + "'phone!='"), "\(empty)")
        let found = try await daemon.answer("list", "house", "phone!=", "phone_no=")
        #expect(found.array?.count == 2)
        let count = try await daemon.shared("count", "house", "phone_no=", "village=bala")
        #expect(count.output == "2\n" && count.errors.contains(words), "\(count)")
        let filled = try await daemon.shared("count", "house", "phone_no!=")
        #expect(filled.output == "1\n" && filled.errors.contains(words), "\(filled)")
        let path = daemon.folder.path + "/x.csv"
        for more in [
            ["stats", "house", "phone_no"], ["stats", "house"],
            ["stats", "house", "Phone"], ["chart", "bar", "house", "phone_no"],
            ["count", "house", "--by", "phone_no"],
            ["export", "house", "--columns", "k,phone_no", "--output", path],
        ] {
            let run = try await daemon.shared(more)
            #expect(run.code == 0 && run.errors.contains(words + "phone\n"), "\(more): \(run)")
        }
        // The name that it tells is a field.
        let old = try await daemon.shared("stats", "house", "phone")
        #expect(
            old.words.contains("entries with a value 3") && !old.errors.contains("earlier"),
            "\(old)")
        let other = try await daemon.shared("stats", "house", "k")
        #expect(other.errors == "", "\(other)")
    }

    @Test func `columns and conditions of any kind say what they miss of an earlier version`()
        async throws
    {
        let daemon = try await room()
        let either = "3 entries have members of an earlier version:"
        let words = either + " "
        // Shown by themselves.
        for more in [["list", "house"], ["export", "house"]] {
            let run = try await daemon.shared(more + ["--columns", "k,members"])
            #expect(run.errors.contains(words + "members__integer\n"), "\(more): \(run)")
        }
        // As forms write them, or of another type than the earlier answers.
        for condition in [
            "members + 1 > 2", "not(members > 3)", "contains(members, '4')", "${members} >= 3",
        ] {
            for word in ["list", "count", "export"] {
                let run = try await daemon.shared(word, "house", condition)
                #expect((run.output + run.errors).contains(either), "\(word) \(condition): \(run)")
            }
        }
        let views = """
            {"views": [{"name": "many", "kind": "figure", "form": "house", "where": "members + 1 > 2"},
              {"name": "bars", "kind": "chart", "form": "house", "chart": "bar", "field": "members"},
              {"name": "all", "kind": "table", "form": "house", "columns": ["k", "members"]}]}
            """
        let set = try await daemon.shared("set", "views", "-", input: views)
        try #require(set.code == 0, "\(set)")
        for view in [["view"], ["view", "many"], ["view", "all"], ["view", "bars"]] {
            let run = try await daemon.shared(view)
            #expect(run.code == 0 && run.errors.contains(words), "\(view): \(run)")
        }
        // What asks for something else has nothing to say.
        for condition in ["k='a'", "string-length(k) = 1"] {
            let run = try await daemon.shared("list", "house", condition)
            #expect(run.code == 0 && !run.words.contains("earlier"), "\(run)")
        }
    }

    @Test func `questions of an edit show what an earlier version had`() async throws {
        let daemon = try await room()
        let asked = try await edit(daemon, input: "\n")
        #expect(asked.output.contains("Members  (version 1 had 4)"), "\(asked)")
        #expect(asked.output.contains("Phone    (version 1 had 71)"), "\(asked)")
        #expect(asked.output.contains("Village  Bala"), "\(asked)")
        #expect(
            asked.output.contains("Village: Bala is not offered any more. It may stay so."),
            "\(asked)")
        #expect(asked.output.contains("nothing was changed"))
        let changed = try await edit(daemon, input: "2\n4\n\n")
        #expect(changed.output.contains("changed members of house b"), "\(changed)")
        let after = try await edit(daemon, input: "\n")
        #expect(!after.output.contains("had 4"), "\(after)")
        // People read the old questions by their labels too.
        let shown = try await daemon.shared("show", "house", "b")
        #expect(shown.words.contains("Members (version 1) 4"), "\(shown)")
        #expect(shown.words.contains("Phone (version 1) 71"), "\(shown)")
    }

    @Test func `all that is wrong with a row is told at once, and what was wrong before once`()
        async throws
    {
        let daemon = try await room()
        let fields = """
            {"name":"day","type":"date"},
            {"name":"fever","type":"decimal","x":{"unit":"\u{B0}C"},
             "constraint":". > 30 and . < 45"},
            {"name":"consent","type":"text","label":"Consent given","required":true}
            """
        let third = Self.second.replacing("\"version\":\"2\"", with: "\"version\":\"3\"")
            .replacing(#""label":"Village"}"#, with: #""label":"Village"},"# + fields)
        let added = try await daemon.shared("form", "add", "-", input: third)
        try #require(added.code == 0, "\(added)")
        let file = "k,day,fever,village,consent\nx,22/11/2026,380,kroo,\ny,2026-11-22,hot,koro,ok\n"
        for more in [["--dry-run"], []] {
            let run = try await daemon.shared(["import", "house", "-"] + more, input: file)
            #expect(run.code == 1 && run.errors.contains("2 rows of 2 are wrong"), "\(run)")
            for words in [
                "line 2, column day: field day wants a date", "--dates dmy",
                "line 2, column fever: field fever: 380 is not allowed",
                "The form wants: the answer is more than 30 and the answer is less than 45",
                "line 2, column village: field village has no choice \"kroo\"",
                "line 2, column consent: field consent is required. The cell is empty",
                "line 3, column fever: field fever wants a number",
            ] {
                #expect(run.errors.contains(words), "\(words): \(run.errors)")
            }
            // Each cell once, and nothing that only comes of another fault.
            #expect(run.errors.split(separator: "\n").count == 7, "\(run.errors)")
        }
        let changed = try await daemon.shared(
            "import", "house", "-", input: "k,phone_no\na,80\nb,81\nc,82\n")
        #expect(changed.output.hasPrefix("updated 3\n    a (line 2): phone_no "), "\(changed)")
        #expect(
            changed.errors.contains(
                "3 entries: field consent (Consent given): no answer, and it is asked now"),
            "\(changed)"
        )
        #expect(!changed.errors.contains("is required"), "\(changed)")
        let edited = try await daemon.shared("edit", "house", "a", "phone_no=83")
        #expect(
            edited.errors.contains(
                "note: field consent (Consent given): no answer, and it is asked now"),
            "\(edited)")
        #expect(!edited.errors.contains("Give it a value"), "\(edited)")
        // Days and units as people type them.
        let typed = try await daemon.shared(
            "edit", "house", "a", "day=today", "fever=38.5 \u{B0}C", "consent=yes")
        #expect(typed.code == 0 && typed.output.contains("fever: (nothing) -> 38.5"), "\(typed)")
        for (day, code) in [("yesterday", 0), ("22.11.2025", 0), ("22/11/25", 0), ("2/11/2025", 1)]
        {
            let run = try await daemon.shared("edit", "house", "b", "day=\(day)", "consent=x")
            #expect(run.code == Int32(code), "\(day): \(run)")
        }
        let list = try await daemon.answer("list", "hou", "day=2025-11-22")
        #expect(list.array?.count == 1)
    }

    @Test func `a choice that is not offered any more keeps its label`() async throws {
        let daemon = try await room()
        for condition in ["village=Bala", "village=bala", "village~bal"] {
            let list = try await daemon.answer("list", "house", condition)
            #expect(list.array?.count == 2, "\(condition)")
        }
        let chart = try await daemon.shared("chart", "bar", "house", "village")
        #expect(chart.output.contains("Bala") && !chart.output.contains("bala"), "\(chart)")
        let count = try await daemon.shared("count", "house", "--by", "village")
        #expect(count.output.contains("Bala"), "\(count)")
        let shown = try await daemon.shared("show", "house", "b")
        #expect(shown.words.contains("Village Bala"), "\(shown)")
        #expect(
            shown.words.contains("unusual field village: Bala is not offered any more"),
            "\(shown)")
        // The entry was right when it was made.
        #expect(try await daemon.answer("list", "house", "--invalid").array?.isEmpty == true)
        #expect(try await daemon.status()["invalid"].array?.isEmpty == true)
        // Nor does the next version but one find fault with it.
        let next = Self.second.replacing(#""version":"2""#, with: #""version":"3""#)
        try #require(next != Self.second)
        let trial = try await daemon.shared("form", "add", "-", "--dry-run", input: next)
        #expect(trial.code == 0 && !trial.output.contains("not fit"), "\(trial)")
        // Nobody can give it anew, and is told that it is not for a slip of the pen.
        let added = try await daemon.shared("add", "house", "k=d", "village=Bala")
        #expect(added.code == 1)
        #expect(
            added.errors.contains("field village: Bala is not offered any more")
                && added.errors.lowercased().contains("there is only koro."), "\(added)")
        let file = "k,village\na,Bala\n"
        let row = try await daemon.shared("import", "house", "-", input: file)
        #expect(row.code == 1 && row.errors.contains("Bala is not offered any more"), "\(row)")
        // What is said of other fields of such an entry says nothing of it.
        let other = try await daemon.shared("edit", "house", "b", "k=e")
        #expect(other.code == 0 && !other.errors.contains("Bala"), "\(other)")
        try #require(try await daemon.shared("edit", "house", "e", "k=b").code == 0)
        // Who had it keeps it, also where the file has its label.
        let same = try await daemon.shared("import", "house", "-", input: "k,village\nb,Bala\n")
        #expect(same.output == "1 unchanged\n", "\(same)")
    }

    @Test func `a choice keeps its label in rows, and among several`() async throws {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"m","version":"1","key":["k"],"fields":[
             {"name":"k","type":"text"},{"name":"ms","type":"select_multiple","list":"c"},
             {"name":"r","type":"repeat","fields":[{"name":"kind","type":"select_one","list":"c"},
              {"name":"note","type":"integer","label":"Note"}]}],
             "lists":{"c":[{"name":"a","label":"Apple"},{"name":"b","label":"Banana"}]}}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        for entry in [
            ["k=1", "ms=a,b", "r[1]/kind=b", "r[1]/note=3", "r[2]/kind=b"], ["k=2", "ms=b"],
            ["k=3", "ms=a", "r[1]/kind=a"],
        ] {
            try #require(try await daemon.shared(["add", "m"] + entry).code == 0)
        }
        let next = form.replacing(#""version":"1""#, with: #""version":"2""#)
            .replacing(#",{"name":"b","label":"Banana"}"#, with: "")
        let added = try await daemon.shared("form", "add", "-", input: next)
        #expect(added.code == 0)
        for told in [
            "2 entries have a value in ms, which is b, a choice that is not offered any more",
            "1 entry has a value in r/kind, which is b, a choice that is not offered any more",
        ] {
            #expect(added.words.contains(told), "\(added)")
        }
        for words in [["count", "m/r", "--by", "kind"], ["chart", "pie", "m/r", "kind"]] {
            let run = try await daemon.shared(words)
            #expect(run.output.contains("Banana"), "\(run)")
        }
        for condition in ["kind=Banana", "kind=b", "kind~nana"] {
            let run = try await daemon.shared("count", "m/r", condition)
            #expect(run.output == "2\n", "\(condition): \(run)")
        }
        let found = try await daemon.answer("search", "banana")
        #expect(found["found"].number == 4, "\(found.shown)")
        // Of all fields of a repeat: those that it asks.
        let stats = try await daemon.answer("stats", "m/r")
        #expect(
            stats["fields"].array?.map { $0["name"].string } == ["kind", "note"], "\(stats.shown)")
        #expect(stats["entries"].number == 3)
    }
}
