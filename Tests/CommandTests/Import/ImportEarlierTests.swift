import Foundation
import JSON
import ShareTestKit
import Testing

/// Files with columns of fields that only earlier versions of the form have.
@Suite(.serialized) struct ImportEarlierTests {
    private static let first = """
        {"form_id":"house","version":"1","key":["k"],"fields":[
         {"name":"k","type":"text","required":true},
         {"name":"phone","type":"text","label":"Phone"},
         {"name":"gps","type":"text"}]}
        """
    private static let second = """
        {"form_id":"house","version":"2","key":["k"],"fields":[
         {"name":"k","type":"text","required":true},
         {"name":"phone_no","type":"text","label":"Phone"}]}
        """

    @Test func `a dropped question is told once, however many columns a file has of it`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let first = #"""
            {"form_id":"visit2","version":"1","key":["k"],"fields":[
             {"name":"k","type":"text","required":true},
             {"name":"home","type":"group","fields":[
              {"name":"signs","type":"select_multiple","list":"s"}]},
             {"name":"gps","type":"geopoint"}],
             "lists":{"s":["cough","fever","rash"]}}
            """#
        try #require(try await daemon.shared("form", "add", "-", input: first).code == 0)
        for entry in [["k=a", "signs=cough,fever", "gps=1 2"], ["k=b", "signs=rash"], ["k=c"]] {
            try #require(try await daemon.shared(["add", "visit2"] + entry).code == 0)
        }
        var files: [String] = []
        for other in ["kobo", "central"] {
            files.append(try await daemon.shared("export", "visit2", "--like", other).output)
        }
        #expect(files[0].contains("home/signs/cough"), "\(files[0])")
        #expect(files[1].contains("gps-Latitude"), "\(files[1])")
        let second = #"""
            {"form_id":"visit2","version":"2","key":["k"],"fields":[
             {"name":"k","type":"text","required":true}]}
            """#
        try #require(
            try await daemon.shared("form", "add", "-", "--force", input: second).code == 0)
        for file in files {
            let run = try await daemon.shared("import", "visit2", "-", input: file)
            let notes = run.errors.split(separator: "\n").filter { $0.contains("not read") }
            #expect(notes.count == 2, "\(run)")
            #expect(
                notes.contains { $0.contains("signs: not read") && $0.contains("(2 rows have") },
                "\(run)")
            #expect(notes.contains { $0.contains("(1 row has a value)") }, "\(run)")
        }
    }

    @Test func `an earlier field is meant by its name before any label, and said not to be read`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        try #require(try await daemon.shared("form", "add", "-", input: Self.first).code == 0)
        let old = "k,phone,gps\na,70,1 2\nb,,3 4\n"
        let added = try await daemon.shared("import", "house", "-", input: old)
        #expect(added.output == "added 2 entries\n", "\(added.errors)")
        try #require(
            try await daemon.shared("form", "add", "-", "--force", input: Self.second).code == 0)

        // The file from before the change says nothing new.
        let again = try await daemon.shared("import", "house", "-", input: old)
        #expect(again.output == "2 unchanged\n", "\(again.errors)")
        // What the program writes it reads again, with both columns.
        let export = try await daemon.shared("export", "house")
        #expect(export.output.contains("phone_no,"), "\(export.output)")
        let back = try await daemon.shared("import", "house", "-", input: export.output)
        #expect(back.code == 0 && back.output == "2 unchanged\n", "\(back.errors)")

        // What is not taken is told, and how to move it.
        #expect(
            again.errors.contains(
                "column gps: not read: version 2 does not ask it (2 rows have a value)"),
            "\(again.errors)")
        #expect(
            again.errors.contains(
                "column phone: not read: version 2 does not ask it (1 row has a value)"),
            "\(again.errors)")
        #expect(again.errors.contains("--map phone=phone_no"), "\(again.errors)")
        let moved = try await daemon.shared(
            "import", "house", "-", "--map", "phone=phone_no", input: "k,phone\na,70\n")
        #expect(
            moved.output == "updated 1\n    a (line 2): phone_no (nothing) -> 70\n",
            "\(moved.errors)")
        #expect(!moved.errors.contains("not read"), "\(moved.errors)")
        // The label is still the field that has it now.
        let labelled = try await daemon.shared(
            "import", "house", "-", input: "k,Phone\nb,71\n")
        #expect(
            labelled.output == "updated 1\n    b (line 2): phone_no (nothing) -> 71\n",
            "\(labelled.errors)")
        let list = try await daemon.answer("list", "house", "--sort", "k")
        #expect(list.array?.map { $0["phone_no"] } == [.string("70"), .string("71")])
    }

    @Test func `a choice that is none is told once, by the header of its column`() async throws {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"stay","version":"1","key":["k"],
             "lists":{"places":[{"name":"koro","label":"Koro"},{"name":"bala","label":"Bala"}]},
             "fields":[
             {"name":"k","type":"text","required":true},
             {"name":"age","type":"integer","constraint":". < 18"},
             {"name":"village","type":"select_one","list":"places","label":"Village"}]}
            """
        let made = try await daemon.shared("form", "add", "-", input: form)
        try #require(made.code == 0, "\(made.errors)")
        let run = try await daemon.shared(
            "import", "stay", "-", input: "k,Village,age\na,kroo,20\nb,koro,3\n")
        #expect(run.code == 1)
        #expect(run.errors.contains("line 2, column Village"), "\(run.errors)")
        #expect(run.errors.contains("line 2, column age"), "\(run.errors)")
        #expect(!run.errors.contains("line 2, column village"), "\(run.errors)")
    }
}
