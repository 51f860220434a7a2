import Foundation
import JSON
import ShareTestKit
import Testing

/// Choices of earlier versions in conditions and keys, and in files that go out and come back.
@Suite(.serialized) struct EarlierChoiceTests {
    @Test func `a condition that misspells what is not offered any more is led to it`() async throws
    {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"house","version":"1","key":["k"],"fields":[
             {"name":"k","type":"text"},{"name":"village","type":"select_one","list":"v"}],
             "lists":{"v":[{"name":"koro","label":"Koro"},{"name":"bala","label":"Bala"}]}}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        try #require(try await daemon.shared("add", "house", "k=1", "village=bala").code == 0)
        let second = form.replacing(#""version":"1""#, with: #""version":"2""#)
            .replacing(#","label":"Koro"},{"name":"bala","label":"Bala"}"#, with: #"}"#)
        let added = try await daemon.shared("form", "add", "-", "--force", input: second)
        try #require(added.code == 0, "\(added)")
        let list = try await daemon.shared("list", "house", "village=balla")
        list.expectProblem("field village has no choice \"balla\"")
        list.expectHint("Did you mean Bala?")
        // Nobody can enter it.
        let entered = try await daemon.shared("add", "house", "k=2", "village=balla")
        #expect(entered.code != 0 && !entered.errors.contains("Bala"), "\(entered)")
    }

    @Test func `an entry is named by the choices that its key has`() async throws {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"day","version":"1","key":["v","n"],"fields":[
             {"name":"v","type":"select_one","list":"v"},{"name":"n","type":"integer"},
             {"name":"x","type":"integer"}],"lists":{"v":[{"name":"koro"},{"name":"bex"}]}}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        try #require(try await daemon.shared("add", "day", "v=koro", "n=1", "x=5").code == 0)
        try #require(try await daemon.shared("add", "day", "v=bex", "n=1", "x=6").code == 0)
        let file = try await daemon.shared("export", "day", "--columns", "v,n,x")
        let second = form.replacing(#""version":"1""#, with: #""version":"2""#)
            .replacing(#"{"name":"koro"}"#, with: #"{"name":"kor","label":"Koro"}"#)
        try #require(
            try await daemon.shared("form", "add", "-", "--force", input: second).code == 0)
        let again = try await daemon.shared("import", "day", "-", input: file.output)
        #expect(again.output == "2 unchanged\n", "\(again)")
        let alone = try await daemon.shared("show", "day", "koro", "1")
        #expect(alone.code == 0, "\(alone)")
        try #require(try await daemon.shared("add", "day", "v=kor", "n=1", "x=7").code == 0)
        #expect(try await daemon.answer("show", "day", "koro", "1")["x"].number == 5)
        #expect(try await daemon.answer("show", "day", "kor", "1")["x"].number == 7)
        let edited = try await daemon.shared("edit", "day", "koro", "1", "x=50")
        #expect(edited.code == 0, "\(edited)")
        let changed = try await daemon.shared(
            "import", "day", "-", input: file.output.replacing("koro,1,5", with: "koro,1,51"))
        #expect(changed.output.hasPrefix("updated 1, 1 unchanged"), "\(changed)")
        #expect(try await daemon.answer("show", "day", "koro", "1")["x"].number == 51)
        #expect(try await daemon.answer("show", "day", "kor", "1")["x"].number == 7)
    }

    @Test func `a choice that begins like a formula comes back`() async throws {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"neg","version":"1","key":["k"],"fields":[{"name":"k","type":"text"},
             {"name":"sym","type":"select_multiple","list":"s"},
             {"name":"one","type":"select_one","list":"s"}],
             "lists":{"s":[{"name":"cough"},{"name":"fever"},{"name":"-99"}]}}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let entry = ["k=A", "sym=-99,fever", "one=-99"]
        try #require(try await daemon.shared(["add", "neg"] + entry).code == 0)
        for (version, dropped) in [
            ("2", #",{"name":"fever"}"#), ("3", #",{"name":"fever"},{"name":"-99"}"#),
        ] {
            let next = form.replacing(dropped, with: "")
                .replacing(#""version":"1""#, with: #""version":"\#(version)""#)
            let run = try await daemon.shared("form", "add", "-", "--force", input: next)
            try #require(run.code == 0, "\(run)")
            let file = try await daemon.shared("export", "neg")
            let again = try await daemon.shared("import", "neg", "-", input: file.output)
            #expect(again.output == "1 unchanged\n", "\(file.output) \(again)")
        }
    }

    /// Entries of two versions, between which a choice has got another name.
    @Test(arguments: [false, true])
    func `conditions find what is called so in any version`(isListOfRoom: Bool) async throws {
        let daemon = try await Daemon.clinic()
        func form(_ version: String, _ choices: String) -> String {
            """
            {"form_id":"f","version":"\(version)","key":["n"],"fields":[{"name":"n","type":"text"},
             {"name":"v","type":"select_one","list":"fur"},
             {"name":"m","type":"select_multiple","list":"fur"},
             {"name":"k","type":"rank","list":"fur"}]
             \(isListOfRoom ? "" : #","lists":{"fur":[\#(choices)]}"#)}
            """
        }
        func list(_ rows: String) async throws {
            let file = daemon.folder.path + "/fur.csv"
            try ("name,label\n" + rows).write(toFile: file, atomically: true, encoding: .utf8)
            let run = try await daemon.shared("lists", "add", file)
            try #require(run.code == 0, "\(run)")
        }
        func add(_ form: String) async throws {
            let run = try await daemon.shared("form", "add", "-", "--force", input: form)
            try #require(run.code == 0, "\(run)")
        }
        if isListOfRoom { try await list("koro,Koro\nbex,Bex\n") }
        try await add(form("1", #"{"name":"koro"},{"name":"bex"}"#))
        for n in ["1", "2", "3"] {
            let entry = ["n=\(n)", "v=koro", "m=koro,bex", "k=bex,koro"]
            try #require(try await daemon.shared(["add", "f"] + entry).code == 0)
        }
        if isListOfRoom { try await list("kor,Koro\nbex,Bex\n") }
        try await add(form("2", #"{"name":"kor","label":"Koro"},{"name":"bex"}"#))
        try #require(
            try await daemon.shared("add", "f", "n=4", "v=kor", "m=kor", "k=kor").code == 0)
        for (condition, count) in [
            ("v=koro", 4), ("v~koro", 4), ("v!=koro", 0), ("v=kor", 1), ("m=koro", 4),
            ("m~koro", 4), ("m=koro,bex", 3), ("m~koro,bex", 3), ("m!=koro", 0),
            ("m!=koro,bex", 1), ("m=kor", 1), ("k=bex,koro", 3), ("k=koro", 1), ("k~koro", 4),
            ("k!=koro", 3),
        ] {
            let run = try await daemon.shared("count", "f", condition)
            #expect(run.output == "\(count)\n", "\(condition): \(run)")
        }
        // Where no other is called so any more; of earlier lists of a room no labels are known.
        let all = isListOfRoom ? 3 : 4
        if isListOfRoom { try await list("ex,Ex\nbex,Bex\n") }
        try await add(form("3", #"{"name":"ex","label":"Ex"},{"name":"bex"}"#))
        for (condition, count) in [
            ("v=koro", all), ("m=koro", all), ("m=koro,bex", 3), ("k=bex,koro", 3),
            ("m!=koro", 4 - all),
        ] {
            let run = try await daemon.shared("count", "f", condition)
            #expect(run.output == "\(count)\n", "\(condition): \(run)")
        }
        let none = try await daemon.shared("count", "f", "m=zzz")
        #expect(none.code == 1 && none.errors.contains("no choice \"zzz\""), "\(none)")
    }

    @Test func `files of Central and KoboToolbox have fields of earlier versions`() async throws {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"kd","version":"1","key":["k"],"fields":[{"name":"k","type":"text"},
             {"name":"m","type":"select_multiple","list":"c"},{"name":"g","type":"geopoint"},
             {"name":"home","type":"group","fields":[{"name":"n","type":"integer"}]}],
             "lists":{"c":[{"name":"a"},{"name":"b"}]}}
            """
        let added = try await daemon.shared("form", "add", "-", input: form)
        try #require(added.code == 0, "\(added)")
        let entry = ["k=1", "m=a,b", "g=1 2", "n=3"]
        try #require(try await daemon.shared(["add", "kd"] + entry).code == 0)
        var files: [String] = []
        for manner in ["central", "kobo"] {
            files.append(try await daemon.shared("export", "kd", "--like", manner).output)
        }
        let next =
            #"{"form_id":"kd","version":"2","key":["k"],"fields":[{"name":"k","type":"text"}]}"#
        try #require(
            try await daemon.shared("form", "add", "-", "--force", input: next).code == 0)
        for file in files {
            let again = try await daemon.shared("import", "kd", "-", input: file)
            #expect(again.output == "1 unchanged\n", "\(file) \(again)")
            #expect(again.errors.contains("version 2 does not ask it"), "\(again)")
        }
    }

    @Test func `a choice that is called as another one is named stays by the side of it`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"x","version":"1","key":["k"],"fields":[{"name":"k","type":"text"},
             {"name":"m","type":"select_multiple","list":"c"},
             {"name":"r","type":"repeat","fields":[{"name":"rm","type":"select_multiple","list":"c"}]}],
             "lists":{"c":[{"name":"a","label":"b"},{"name":"b","label":"Be"},{"name":"c"}]}}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let entry = ["k=1", "m=a,Be", "r[1]/rm=a,c"]
        try #require(try await daemon.shared(["add", "x"] + entry).code == 0)
        let next = form.replacing(#"{"name":"a","label":"b"},"#, with: "")
            .replacing(#""version":"1""#, with: #""version":"2""#)
        try #require(
            try await daemon.shared("form", "add", "-", "--force", input: next).code == 0)
        let before = try await daemon.answer("show", "x", "1")
        #expect(before["m"].array?.compactMap(\.string) == ["a", "b"], "\(before.shown)")
        for form in ["x", "x/r"] {
            let file = try await daemon.shared("export", form)
            let again = try await daemon.shared("import", form, "-", input: file.output)
            #expect(again.output == "1 unchanged\n", "\(form): \(again)")
            // One of several is taken away, in rows too.
            let column = form == "x" ? "a b" : "a c"
            let changed = try await daemon.shared(
                "import", form, "-", input: file.output.replacing(column, with: "a"))
            #expect(changed.output.hasPrefix("updated 1"), "\(form): \(changed)")
        }
        let after = try await daemon.answer("show", "x", "1")
        #expect(after["m"].array?.compactMap(\.string) == ["a"], "\(after.shown)")
        #expect(after["r"][0]["rm"].array?.compactMap(\.string) == ["a"], "\(after.shown)")
    }

    @Test func `what another room kept of earlier versions stays so too`() async throws {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"y","version":"2","key":["k"],"fields":[{"name":"k","type":"text"},
             {"name":"v","type":"select_one","list":"c"}],
             "lists":{"c":[{"name":"kor","label":"Koro"}]}}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let line = #"{"_id":"01a21000-0000-7000-8000-000000000001","k":"1","v":"koro"}"#
        let path = daemon.folder.path + "/y.ndjson"
        try line.write(toFile: path, atomically: true, encoding: .utf8)
        try #require(try await daemon.shared("import", "y", path, "--as-kept").code == 0)
        let file = try await daemon.shared("export", "y")
        let again = try await daemon.shared("import", "y", "-", input: file.output)
        #expect(again.output == "1 unchanged\n", "\(again)")
    }
}
