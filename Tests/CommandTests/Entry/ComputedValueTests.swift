import JSON
import ShareTestKit
import Testing

/// Values that the form computes, and what becomes of them where the field cannot keep them, or where
/// a list has become another one.
@Suite struct ComputedValueTests {
    private static let odd = """
        {"form_id":"odd","key":["a"],"fields":[{"name":"a","type":"text"},
        {"name":"n","type":"integer"},
        {"name":"c","type":"date","calculation":"date('2026-11-20') + ${n}"},
        {"name":"t","type":"time","calculation":"${a}"},
        {"name":"s","type":"select_one","list":"l","calculation":"${a}"},
        {"name":"g","type":"geopoint","calculation":"${a}"},
        {"name":"k","type":"acknowledge","calculation":"${a}"},
        {"name":"r","type":"range","x":{"start":0,"end":10,"step":1},"calculation":"${n} * 99"}],
        "lists":{"l":["zz","x"]}}
        """

    @Test func `a value that a field cannot keep is none, and is told, on every way in`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        try #require(try await daemon.shared("form", "add", "-", input: Self.odd).code == 0)
        let added = try await daemon.shared("add", "odd", "a=p", "n=3")
        #expect(added.code == 0, "\(added)")
        for name in ["t", "s", "g", "k"] {
            #expect(
                added.errors.contains("\(name) has no value: the form makes \"p\" of it"),
                "\(added.errors)")
        }
        #expect(added.errors.contains("r has no value: the form makes \"297\" of it"))
        let asked = try await daemon.shared("add", "odd", "--ask", input: "zz\n\n\n")
        #expect(asked.code == 0, "\(asked)")
        let file = try await daemon.shared("import", "odd", "-", input: "a,n\nx,1\n")
        #expect(file.code == 0, "\(file)")
        let list = try await daemon.answer("list", "odd", "--sort", "a")
        let rows = try #require(list.array)
        #expect(rows.map { $0["c"] } == ["2026-11-23", "2026-11-21", .null])
        #expect(rows.map { $0["s"] } == [.null, "x", "zz"])
        for name in ["t", "g", "k", "r"] {
            #expect(rows.allSatisfy { $0[name] == .null }, "\(name): \(list)")
        }
    }

    @Test func `what was looked up stays when its list changes, until its answer does`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"homes","key":["k"],"fields":[{"name":"k","type":"text"},
            {"name":"vil","type":"select_one","list":"vil"},{"name":"rem","type":"text"},
            {"name":"pop","type":"integer",
            "calculation":"instance('vil')/root/item[name=${vil}]/pop"},
            {"name":"vn","type":"text","calculation":"jr:choice-name(${vil}, '${vil}')"},
            {"name":"kid","type":"repeat","repeat_count":"${pop} div 250","fields":[
            {"name":"nm","type":"text"},
            {"name":"of","type":"text",
            "calculation":"instance('vil')/root/item[name=${vil}]/label"}]},
            {"name":"kids","type":"integer","calculation":"count(${kid})"}]}
            """
        func list(_ rows: String) async throws {
            let run = try await daemon.shared(
                "lists", "add", "-", "--name", "vil", input: "name,label,pop\n\(rows)")
            try #require(run.code == 0, "\(run)")
        }
        try await list("koro,Koro,500\nbex,Bex,250\n")
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        for key in ["1", "2", "3"] {
            let added = try await daemon.shared(
                "add", "homes", "k=\(key)", "vil=koro", "kid[1]/nm=Ann", "kid[2]/nm=Bob")
            try #require(added.code == 0, "\(added)")
        }
        try await list("bex,Bex,250\n")
        let edits = [
            try await daemon.shared("edit", "homes", "1", "rem=x"),
            try await daemon.shared("import", "homes", "-", input: "k,rem\n2,y\n"),
            try await daemon.shared("edit", "homes", "3", "--ask", input: "3\nz\n\n"),
        ]
        #expect(edits.map(\.code) == [0, 0, 0], "\(edits)")
        let rows = try #require(try await daemon.answer("list", "homes", "--sort", "k").array)
        #expect(rows.map { $0["rem"] } == ["x", "y", "z"])
        #expect(rows.allSatisfy { $0["pop"].number == 500 && $0["vn"] == "Koro" }, "\(rows)")
        #expect(rows.allSatisfy { $0["kids"].number == 2 }, "\(rows)")
        let kids = try #require(try await daemon.answer("list", "homes/kid").array)
        #expect(kids.count == 6 && kids.allSatisfy { $0["of"] == "Koro" }, "\(kids)")
        // Its own answer decides it anew, and so does whoever gives it.
        try #require(try await daemon.shared("edit", "homes", "1", "vil=bex").code == 0)
        _ = try await daemon.shared("edit", "homes", "2", "pop=7")
        let after = try #require(try await daemon.answer("list", "homes", "--sort", "k").array)
        #expect(after.map { $0["pop"].number } == [250, nil, 500], "\(after)")
    }

    @Test func `a computed choice that is not offered any more stays until it is decided anew`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        func form(_ version: Int, _ choices: String) async throws {
            let text = """
                {"form_id":"level","version":"\(version)","key":["k"],"fields":[
                {"name":"k","type":"text"},{"name":"n","type":"integer"},
                {"name":"note","type":"text"},{"name":"lvl","type":"select_one","list":"l",
                "calculation":"if(${n} > 5, 'high', 'low')"},
                {"name":"big","type":"integer","calculation":"${n} * 1000000000000000000"},
                {"name":"word","type":"integer","calculation":"concat('a', ${k})"},
                {"name":"part","type":"decimal","calculation":"1 div ${n}"}],
                "lists":{"l":[\(choices)]}}
                """
            let run = try await daemon.shared("form", "add", "-", "--force", input: text)
            try #require(run.code == 0, "\(run)")
        }
        try await form(1, #""low","high""#)
        let added = try await daemon.shared("add", "level", "k=1", "n=12")
        #expect(added.code == 0, "\(added)")
        for told in ["big has no value", "word has no value: the form makes \"a1\" of it"] {
            #expect(added.errors.contains(told), "\(added.errors)")
        }
        let zero = try await daemon.shared("add", "level", "k=2", "n=0")
        #expect(zero.errors.contains("part has no value"), "\(zero)")
        try await form(2, #""low","middle""#)
        let edit = try await daemon.shared("edit", "level", "1", "note=x")
        #expect(edit.code == 0 && !edit.output.contains("lvl"), "\(edit)")
        let file = try await daemon.shared("import", "level", "-", input: "k,note\n1,y\n")
        #expect(file.code == 0, "\(file)")
        #expect(try await daemon.answer("show", "level", "1")["lvl"] == "high")
        let other = try await daemon.shared("edit", "level", "1", "n=2")
        #expect(other.code == 0, "\(other)")
        #expect(try await daemon.answer("show", "level", "1")["lvl"] == "low")
    }

    @Test func `an end that is given stays, and where all is infinite nothing has a value`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"call","fields":[{"name":"start","type":"start"},
            {"name":"end","type":"end"},{"name":"z","type":"integer"},
            {"name":"inf","type":"calculate","calculation":"1 div ${z}"}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let added = try await daemon.shared(
            "add", "call", "start=2026-11-26T08:00:00Z", "end=2026-11-26T08:45:30Z", "z=0")
        #expect(added.code == 0, "\(added)")
        let entry = try await daemon.answer("list", "call")[0]
        #expect(entry["end"] == "2026-11-26T08:45:30Z", "\(entry)")
        let stats = try await daemon.answer("stats", "call", "inf")
        #expect(stats["fields"][0]["n"].number == 0, "\(stats)")
    }
}
