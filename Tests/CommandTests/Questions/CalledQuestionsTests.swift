import Glibc
import JSON
import ShareControl
import ShareTestKit
import Testing

/// What answers call for and rule out in entering by questions, with the real binaries.
@Suite(.serialized) struct CalledQuestionsTests {
    private func daemon(_ forms: String...) async throws -> Daemon {
        let daemon = try await Daemon("ward-1")
        try #require(try await daemon.shared("create", "clinic").code == 0)
        for form in forms {
            let run = try await daemon.shared("form", "add", "-", input: form)
            try #require(run.code == 0, "\(run.errors)")
        }
        return daemon
    }

    private func ask(
        _ daemon: Daemon, _ arguments: String..., input: String
    ) async throws -> CommandRun {
        try await daemon.shared(arguments + ["--ask"], input: input)
    }

    private static let visit = """
        {"form_id": "visit", "version": "1", "fields": [
         {"name": "ill", "type": "select_one", "list": "yes_no", "label": "Ill?"},
         {"name": "days", "type": "integer", "label": "Days", "relevant": "${ill} = 'yes'"},
         {"name": "read", "type": "note", "label": "Ask the mother.",
          "relevant": "${ill} = 'yes'"},
         {"name": "drug", "type": "text", "label": "Drug", "relevant": "${ill} = 'yes'"},
         {"name": "kids", "type": "integer", "label": "Kids"},
         {"name": "kid", "type": "repeat", "label": "Kid", "repeat_count": "${kids}", "fields": [
          {"name": "name", "type": "text", "label": "Name"},
          {"name": "dose", "type": "repeat", "label": "Dose", "fields": [
           {"name": "mg", "type": "integer", "label": "mg"}]}]},
         {"name": "end", "type": "text", "label": "End"}],
         "lists": {"yes_no": [{"name": "yes", "label": "Yes"}, {"name": "no", "label": "No"}]}}
        """

    @Test func `what becomes relevant from the summary is asked before it comes again`()
        async throws
    {
        let daemon = try await daemon(Self.visit)
        // no, no kids, done; then from the summary: ill, and two kids.
        let added = try await ask(
            daemon, "add", "visit",
            input: "no\n0\ndone\n1\nyes\n3\nzinc\n4\n2\nAda\ny\n20\nn\nBen\nn\n\n")
        #expect(added.code == 0, "\(added)")
        #expect(added.output.contains("Ask the mother."), "\(added.output)")
        let entry = try await daemon.answer("list", "visit")[0]
        #expect(entry["days"] == .integer(3) && entry["drug"].string == "zinc", "\(entry)")
        #expect(entry["kid"][0]["name"].string == "Ada", "\(entry)")
        #expect(entry["kid"][0]["dose"][0]["mg"] == .integer(20), "\(entry)")
        #expect(entry["kid"][1]["name"].string == "Ben", "\(entry)")
        #expect(entry["end"].string == "done", "what was asked before is not asked again")
    }

    @Test func `an edit asks what a change calls for, and not what has an answer`() async throws {
        let daemon = try await daemon(Self.visit)
        try #require(try await daemon.shared("add", "visit", "ill=no", "end=x").code == 0)
        let id = try #require(try await daemon.answer("list", "visit")[0]["_id"].string)
        let edited = try await ask(daemon, "edit", id, input: "1\nyes\n<\n<\nyes\n4\n\n\n")
        #expect(edited.code == 0, "\(edited)")
        let entry = try await daemon.answer("list", "visit")[0]
        #expect(entry["days"] == .integer(4) && entry["end"].string == "x", "\(entry)")
        // It comes back with its question, and is not asked again.
        let back = try await ask(daemon, "edit", id, input: "1\nno\n1\nyes\n5\nx2\n\n")
        #expect(back.code == 0, "\(back)")
        let now = try await daemon.answer("list", "visit")[0]
        #expect(now["days"] == .integer(4), "\(now)")
    }

    private static let cascade = """
        {"form_id": "place", "version": "1", "fields": [
         {"name": "region", "type": "select_one", "list": "region", "label": "Region"},
         {"name": "ward", "type": "select_one", "list": "ward", "label": "Ward",
          "choice_filter": "region = ${region}", "required": REQUIRED},
         {"name": "end", "type": "text", "label": "End"}],
         "lists": {"region": [{"name": "n", "label": "North"}, {"name": "s", "label": "South"},
          {"name": "w", "label": "West"}],
         "ward": [{"name": "n1", "label": "N one", "region": "n"},
          {"name": "s1", "label": "S one", "region": "s"}]}}
        """

    @Test func `an answer that goes is asked again, and one that cannot be given is told`()
        async throws
    {
        let daemon = try await daemon(Self.cascade.replacing("REQUIRED", with: "false"))
        let again = try await ask(
            daemon, "add", "place", input: "n\nN one\nx\n1\nSouth\nS one\n\n")
        #expect(again.code == 0, "\(again)")
        let entry = try await daemon.answer("list", "place")[0]
        #expect(entry["ward"].string == "s1" && entry["end"].string == "x", "\(entry)")

        let none = try await ask(daemon, "add", "place", input: "West\n1\n\ny\n\n")
        #expect(none.code == 0, "\(none)")
        let told =
            "Nothing can be chosen here with the other answers: Region West. Enter goes"
        #expect(none.words.contains(told), "\(none.output)")
        let open = try await ask(daemon, "add", "place", input: "\n\nz\n\n")
        #expect(open.words.contains("with the other answers: Region (no answer)."), "\(open)")
        #expect(open.code == 0, "\(open)")
    }

    @Test func `where an answer is needed and none can be chosen, an earlier one is to change`()
        async throws
    {
        let daemon = try await daemon(Self.cascade.replacing("REQUIRED", with: "true"))
        let run = try await ask(
            daemon, "add", "place", input: "West\n\n<\nNorth\n1\nx\n\n")
        #expect(run.code == 0, "\(run)")
        #expect(
            run.words.contains(
                "An answer is needed here, and there is none: < goes back to an earlier one."),
            "\(run.output)")
        #expect(try await daemon.answer("list", "place")[0]["ward"].string == "n1")
    }

    @Test func `what lay in a row that was taken away is not gone back to`() async throws {
        let daemon = try await daemon(
            """
            {"form_id": "bk", "version": "1", "fields": [
             {"name": "a", "type": "text"}, {"name": "b", "type": "text"},
             {"name": "r", "type": "repeat", "fields": [{"name": "n", "type": "text"},
              {"name": "s", "type": "repeat", "fields": [{"name": "w", "type": "text"}]}]}]}
            """)
        let run = try await ask(
            daemon, "add", "bk",
            input: "a\nb\ny\nn1\ny\nw1\nn\ny\n<\n<\n-\nn\n<\n<\nother\nn\nn\n\n\n\n")
        #expect(run.code == 0, "\(run)")
        let entry = try await daemon.answer("list", "bk")[0]
        #expect(entry["a"].string == "a", "\(run.output)")
        #expect(entry["r"][0]["n"].string == "other", "\(run.output)")
    }

    @Test func `nobody is asked for a calculation without a label, and none for what is read only`()
        async throws
    {
        let daemon = try await daemon(
            """
            {"form_id": "calc", "version": "1", "fields": [
             {"name": "a", "type": "text", "label": "A"},
             {"name": "visit", "type": "text", "calculation": "once(uuid())"},
             {"name": "seen", "type": "text", "calculation": "concat(${a}, '!')",
              "trigger": "${a}"},
             {"name": "typed", "type": "text", "label": "Typed",
              "calculation": "once(uuid())"},
             {"name": "fixed", "type": "text", "label": "Fixed", "required": true,
              "read_only": true},
             {"name": "held", "type": "text", "label": "Held", "required": true,
              "read_only": "${a} = 'x'"}]}
            """)
        let run = try await ask(daemon, "add", "calc", input: "x\n\n\n")
        #expect(run.code == 0, "\(run)")
        let entry = try await daemon.answer("list", "calc")[0]
        #expect(run.output.contains("2/2 Typed") && !run.output.contains("visit"), "\(run)")
        #expect(entry["visit"].string != nil && entry["typed"].string != nil, "\(entry)")
        #expect(entry["seen"].string == "x!" && entry["fixed"] == .null, "\(entry)")
        // The same for whoever gives it otherwise.
        #expect(try await daemon.shared("add", "calc", "a=x").code == 0)
        let refused = try await daemon.shared("add", "calc", "a=y")
        #expect(refused.code != 0 && refused.errors.contains("held"), "\(refused)")
        let file = try await daemon.shared("import", "calc", "-", input: "a\nx\n")
        #expect(file.code == 0, "\(file)")
        let held = try await daemon.shared("import", "calc", "-", input: "a\ny\n")
        #expect(held.code != 0 && (held.errors + held.output).contains("held"), "\(held)")
        #expect(try await daemon.answer("list", "calc").array?.count == 3)
        let shown = try await daemon.shared("form", "show", "calc")
        #expect(!shown.output.contains("Fixed *"), "\(shown.output)")
    }

    @Test func `repeats are shown in the order of the form, with answers in their labels`()
        async throws
    {
        let daemon = try await daemon(
            """
            {"form_id": "home", "version": "1", "fields": [
             {"name": "who", "type": "text", "label": "Who"},
             {"name": "zebra", "type": "repeat", "label": "Person of ${who}", "fields": [
              {"name": "pname", "type": "text", "label": "Name"},
              {"name": "ill", "type": "repeat", "label": "Illness of ${pname}", "fields": [
               {"name": "what", "type": "text", "label": "What"}]},
              {"name": "car", "type": "repeat", "label": "Car ${plate}", "fields": [
               {"name": "plate", "type": "text", "label": "Plate"}]}]},
             {"name": "ant", "type": "repeat", "label": "Ant", "fields": [
              {"name": "leg", "type": "text", "label": "Leg"}]}]}
            """)
        let added = try await daemon.shared(
            "add", "home", "who=Awa",
            #"zebra=[{"pname":"Bo","ill":[{"what":"flu"}],"car":[{"plate":"K1"},{"plate":"K2"}]}]"#,
            #"ant=[{"leg":"six"}]"#)
        try #require(added.code == 0, "\(added)")
        let id = try #require(try await daemon.answer("list", "home")[0]["_id"].string)
        let shown = try await daemon.shared("show", id).output
        let heads = ["Person of Awa 1", "Illness of Bo 1", "Car K1 1", "Car K2 2", "Ant 1"]
        let places = heads.map { shown.firstRange(of: $0)?.lowerBound }
        #expect(!places.contains(nil), "\(shown)")
        #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted(), "\(shown)")
    }
}
