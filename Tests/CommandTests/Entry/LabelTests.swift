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

    private static let languages = """
        {"form_id": "person", "version": "1", "key": ["code"], "default_language": "en", "fields": [
          {"name": "code", "type": "text"},
          {"name": "age", "type": "integer", "label": {"fr": "Âge en ans", "en": "Age in years"},
           "constraint": ". < 130", "constraint_message": {"fr": "Moins de 130", "en": "Below 130"},
           "x": {"warn": ". > 100", "warn_message": {"fr": "Très âgé", "en": "Very old"}}},
          {"name": "sex", "type": "select_one", "list": "sex", "required": true,
           "required_message": {"fr": "Il faut le sexe", "en": "The sex is needed"}},
          {"name": "said", "type": "text", "calculation": "jr:choice-name(${sex}, '${sex}')"},
          {"name": "visit", "type": "repeat", "fields": [{"name": "days", "type": "integer",
            "label": {"fr": "Jours", "en": "Days"}}]}],
         "lists": {"sex": [{"name": "f", "label": {"fr": "Femme", "en": "Woman"}},
           {"name": "m", "label": {"fr": "Homme", "en": "Man"}}]}}
        """

    @Test func `what is wrong with answers is told in the language that is asked for`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        try #require(
            try await daemon.shared("form", "add", "-", input: Self.languages).code == 0)
        func add(_ values: String...) async throws -> CommandRun {
            try await daemon.shared(["add", "person", "--language", "fr"] + values)
        }
        let wrong = try await add("code=P-1", "age=x", "sex=q", "visit[1]/days=y")
        #expect(wrong.errors.contains("field age (Âge en ans) wants"), "\(wrong)")
        #expect(wrong.errors.contains("Femme, Homme"), "\(wrong)")
        #expect(wrong.errors.contains("visit[1]/days (Jours) wants"), "\(wrong)")
        let empty = try await add("code=P-1", "age=200")
        #expect(empty.errors.contains("Moins de 130"), "\(empty)")
        #expect(empty.errors.contains("Il faut le sexe"), "\(empty)")
        let old = try await add("code=P-1", "age=110", "sex=Femme")
        #expect(old.code == 0 && old.errors.contains("Très âgé"), "\(old)")
        let asked = try await daemon.shared("form", "show", "person", "--language", "xx")
        #expect(asked.code == 0 && asked.errors.contains("the form has no texts in xx: it has "))
        let there = try await daemon.shared("form", "show", "person", "--language", "fr")
        #expect(there.code == 0 && there.errors.isEmpty, "\(there)")
        // What is kept is in one language on all devices.
        let shown = try await daemon.shared("show", "P-1", "--language", "fr")
        #expect(shown.words.contains("said Woman"), "\(shown)")
        #expect(shown.output.contains("Très âgé"), "\(shown)")
        let edit = try await daemon.shared("edit", "P-1", "age=131", "--language", "fr")
        #expect(edit.code == 1 && edit.errors.contains("Moins de 130"), "\(edit)")
        let other = try await daemon.shared("edit", "P-1", "age=z")
        #expect(other.errors.contains("field age (Age in years) wants"), "\(other)")
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
