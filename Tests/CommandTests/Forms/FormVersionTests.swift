import JSON
import ShareTestKit
import Testing

/// What a new version of a form does to the entries that are there.
@Suite(.serialized) struct FormVersionTests {
    @Test func `a new version says what becomes of answers, and asks before they lose their place`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        func form(_ version: Int, _ fields: String) throws -> String {
            try daemon.write(
                #"{"form_id":"f","version":"\#(version)","fields":[\#(fields)]}"#, "f.json")
        }
        let first = try form(
            1, #"{"name":"gps","type":"text"},{"name":"age","type":"integer"}"#)
        #expect(try await daemon.shared("form", "add", first).code == 0)
        for age in 1...3 {
            let run = try await daemon.shared("add", "f", "gps=here", "age=\(age)")
            #expect(run.code == 0, "\(run.errors)")
        }
        let second = try form(2, #"{"name":"age","type":"text"}"#)
        let trial = try await daemon.shared("form", "add", second, "--dry-run")
        #expect(trial.code == 0, "\(trial.errors)")
        #expect(
            trial.words.contains("3 entries have a value in gps, which is not asked any more"),
            "\(trial.output)")
        #expect(trial.words.contains("3 entries have a value in age, which was integer"))
        let refused = try await daemon.shared("form", "add", second)
        refused.expectProblem("age was integer and would be text")
        let same = try form(1, #"{"name":"age","type":"integer"}"#)
        try await daemon.shared("form", "add", same).expectProblem("other content")
        let wider = try form(3, #"{"name":"age","type":"decimal"}"#)
        #expect(try await daemon.shared("form", "add", wider).code == 0)
        let id = try #require(try await daemon.answer("list", "f")[0]["_id"].string)
        #expect(try await daemon.shared("edit", id, "age=7.5").code == 0)
        let back = try form(2, #"{"name":"age","type":"decimal"},{"name":"b","type":"text"}"#)
        try await daemon.shared("form", "add", back).expectProblem("older than")
        #expect(try await daemon.shared("form", "add", back, "--force").code == 0)
        // All the way back: what was asked first is asked again, and of its old type.
        let whole = try form(
            1, #"{"name":"gps","type":"text"},{"name":"age","type":"integer"}"#)
        try await daemon.shared("form", "add", whole).expectProblem(
            "is older than 2, and age was decimal and would be integer: what was entered before")
        for more in [["--dry-run"], ["--force"]] {
            let run = try await daemon.shared(["form", "add", whole] + more)
            #expect(run.code == 0, "\(run.errors)")
            #expect(run.words.contains("3 entries have a value in gps, which is asked again"))
            #expect(
                run.words.contains(
                    "3 entries have a value in age, which was decimal and is integer now:"
                        + " 1 shows an older value again"),
                "\(run.output)")
            #expect(!run.words.contains("new: ") && run.words.contains("no longer asked: b"))
        }
        for (version, type, words) in [
            (8, "text", "3 entries have a value in age, which was integer and is text now"),
            (9, "date", "3 entries have a value in age, of an earlier version"),
        ] {
            let next = try form(version, #"{"name":"age","type":"\#(type)"}"#)
            let run = try await daemon.shared("form", "add", next, "--force")
            #expect(run.words.contains(words), "\(run.output) \(run.errors)")
        }
    }

    @Test func `a new version says how many entries do not fit it, and how to list them`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        func form(_ version: Int, _ choices: String, _ more: String) throws -> String {
            try daemon.write(
                """
                {"form_id":"f","version":"\(version)","fields":[
                {"name":"v","type":"select_one","list":"v"},
                {"name":"n","type":"integer"\(more)}],"lists":{"v":[\(choices)]}}
                """, "f.json")
        }
        let first = try form(1, #""koro","bala""#, "")
        #expect(try await daemon.shared("form", "add", first).code == 0)
        for values in [["v=koro", "n=3"], ["v=bala", "n=30"], ["v=koro"]] {
            #expect(try await daemon.shared(["add", "f"] + values).code == 0)
        }
        let second = try form(2, #""koro""#, #","constraint":". < 10","required":true"#)
        let told = """
            2 entries WOULD not fit it:
              n: 1 with an answer that is not allowed
              n: 1 with no answer, and one is required

            """
        let trial = try await daemon.shared("form", "add", second, "--dry-run")
        #expect(
            trial.output.contains("1 entry has a value in v, which is bala")
                && trial.output.contains(
                    told.replacing("WOULD", with: "would")
                        + "Once it is added, `shared list f --invalid` lists them.\n"),
            "\(trial.output)\(trial.errors)")
        let added = try await daemon.shared("form", "add", second)
        #expect(
            added.output.contains(
                told.replacing("WOULD", with: "do") + "`shared list f --invalid` lists them.\n"),
            "\(added.output)\(added.errors)")
        #expect(
            await eventually(within: .seconds(60)) {
                (try? await daemon.answer("list", "f", "--invalid"))?.array?.count == 2
            })
        let fine = try form(3, #""koro","bala""#, "")
        let none = try await daemon.shared("form", "add", fine, "--dry-run")
        #expect(!none.output.contains("not fit"), "\(none.output)")
    }
}
