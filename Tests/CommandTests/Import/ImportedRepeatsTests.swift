import Foundation
import JSON
import ShareTestKit
import Testing

/// Entries that come in with the rows of their repeats, from one file.
@Suite(.serialized) struct ImportedRepeatsTests {
    @Test func `rows that belong to what has no id are refused before anything is written`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"survey","version":"1","key":["site"],"fields":[
            {"name":"site","type":"text"},{"name":"seen","type":"repeat","fields":[
            {"name":"n","type":"integer"},{"name":"mark","type":"repeat","fields":[
            {"name":"m","type":"integer"}]}]}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let file = daemon.folder.path + "/survey.ndjson"
        let id = #""_id":"01a20738-1fa0-7610-951e-2c2dea649f18""#
        let rowID = #""_id":"01a20738-1fa0-7610-951e-2c2dea649f19""#
        let good = #"{\#(id),"site":"a","seen":[{\#(rowID),"n":1,"mark":[{"m":2}]}]}"#
        for (line, reason) in [
            (#"{"site":"b","seen":[{"n":1}]}"#, "rows of seen belong to an entry without an _id"),
            (
                #"{\#(id),"site":"b","seen":[{"n":1,"mark":[{"m":2}]}]}"#,
                "rows of mark belong to a row of seen without an _id"
            ),
            (#"{\#(id),"site":"b","seen":[{"_id":"x","n":1}]}"#, "is not the id of an entry"),
        ] {
            try Data((good + "\n" + line + "\n").utf8).write(to: URL(filePath: file))
            for option in [["--dry-run"], []] {
                let run = try await daemon.shared(["import", "survey", file] + option)
                run.expectProblem("line 2, column _id: ")
                #expect(run.errors.contains(reason), "\(run.errors)")
                #expect(run.errors.contains("nothing was imported"), "\(run.errors)")
                // It takes one table.
                #expect(!run.errors.contains("--keep-good"), "\(run.errors)")
                #expect(run.output.isEmpty, "\(run.output)")
            }
            #expect(try await daemon.answer("list", "survey").array?.isEmpty == true)
        }
        try Data((good + "\n" + #"{"site":"c","seen":[]}"# + "\n").utf8).write(
            to: URL(filePath: file))
        let taken = try await daemon.shared("import", "survey", file)
        #expect(taken.code == 0, "\(taken.errors)")
        #expect(taken.output.contains("survey/seen/mark: added 1 row"), "\(taken.output)")
    }

    @Test func `an archive's tables are told apart where one's name ends as another's`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"family-members","version":"1","key":["house"],"fields":[
            {"name":"house","type":"text"},{"name":"members","type":"repeat","fields":[
            {"name":"who","type":"text"}]}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let line =
            #"{"_id":"01a20738-1fa0-7610-951e-2c2dea649f18","house":"A","members":[{"who":"Ada"}]}"#
        let lines = daemon.folder.path + "/in.ndjson"
        try Data((line + "\n").utf8).write(to: URL(filePath: lines))
        let added = try await daemon.shared("import", "family-members", lines)
        try #require(added.code == 0, "\(added)")
        let zip = daemon.folder.path + "/all.zip"
        let exported = try await daemon.shared("export", "family-members", "--output", zip)
        try #require(exported.code == 0, "\(exported)")
        let other = try await Daemon.clinic()
        try #require(try await other.shared("form", "add", "-", input: form).code == 0)
        let taken = try await other.shared("import", "family-members", zip, "--as-kept")
        #expect(taken.code == 0 && !taken.errors.contains("not read"), "\(taken)")
        #expect(taken.output.contains("family-members/members: added 1 row"), "\(taken)")
    }

    @Test func `rows of a repeat that are wrong do not hide that their entries came in`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"survey","version":"1","key":["site"],"fields":[
            {"name":"site","type":"text"},{"name":"seen","type":"repeat","fields":[
            {"name":"n","type":"integer","constraint":". < 10"}]}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let file = daemon.folder.path + "/survey.ndjson"
        func write(_ n: Int) throws {
            let line = #"{"_id":"01a20738-1fa0-7610-951e-2c2dea649f18","site":"hill","#
            try Data((line + #""seen":[{"n":\#(n)}]}"# + "\n").utf8).write(
                to: URL(filePath: file))
        }
        try write(30)
        let wrong = try await daemon.shared("import", "survey", file)
        #expect(wrong.code == 1 && wrong.output == "survey: added 1 entry\n", "\(wrong.output)")
        #expect(
            wrong.errors.contains("what comes before them was imported, these rows not"),
            "\(wrong.errors)")
        #expect(wrong.errors.contains("what is here already is left alone"), "\(wrong.errors)")
        try write(3)
        let mended = try await daemon.shared("import", "survey", file)
        #expect(mended.code == 0, "\(mended.errors)")
        #expect(mended.output.contains("survey: 1 unchanged"), "\(mended.output)")
        #expect(try await daemon.answer("list", "survey")[0]["seen"][0]["n"].number == 3)
    }
}
