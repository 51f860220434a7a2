import Glibc
import JSON
import ShareControl
import ShareTestKit
import Testing

/// What people and scripts get wrong: one clear line, a hint, the right exit code.
@Suite(.serialized) struct ErrorTests {
    @Test func `without a room the commands about rooms say how to get one`() async throws {
        let daemon = try await Daemon()
        for command in [
            ["push"], ["sync"], ["forms"], ["members"], ["invite"], ["list", "visit"],
            ["add", "visit", "name=x"], ["import", "visit", "-"], ["export", "visit"],
            ["conflicts"], ["refused"], ["verify"], ["set", "autopush", "on"],
        ] {
            let run = try await daemon.shared(command, input: "name\nx\n")
            run.expectProblem("this device is in no room")
            #expect(run.errors.contains("shared create ROOM"))
        }
        // The empty list is an answer.
        for command in ["status", "peers", "rooms"] {
            #expect(try await daemon.shared(command).code == 0)
        }
    }

    @Test func `a room's name is checked`() async throws {
        let daemon = try await Daemon()
        for (name, words) in [
            ("", "needs a name"), ("  ", "needs a name"), ("a/b", "slash"),
            (String(repeating: "\u{1F600}", count: 64), "256 bytes, and 63 is the most"),
            ("a\nb", "control characters"), ("a\u{202E}b", "control characters"),
            (" a", "not a space"),
        ] {
            try await daemon.shared(["create", name]).expectProblem(words, code: 2)
            try await daemon.shared(["join", name]).expectProblem(words, code: 2)
        }
        #expect(try await daemon.answer("rooms") == .array([]))
        // What looks like a path makes no path.
        for name in ["..", "15 \u{1F600} - \u{1F600}\u{200D}\u{1F600}", "Krankenhaus S\u{FC}d"] {
            #expect(try await daemon.answer("create", name)["room"]["name"].string == name)
        }
        try await daemon.shared("create", "..").expectProblem("in a room \"..\" already")
        await daemon.kill()
        try await daemon.start()
        #expect(try await daemon.answer("rooms").array?.count == 3)
    }

    @Test func `what does not exist is named, and the nearest suggested`() async throws {
        let daemon = try await Daemon.clinic()
        let id = try await daemon.add("Sara")
        for (arguments, words) in [
            (["use", "clinc"], "no room \"clinc\""),
            (["leave", "clinc"], "clinc"),
            (["members", "--room", "clinc"], "no room \"clinc\""),
            (["status", "--room", "clinc"], "clinc"),
            (["list", "vist"], "no form \"vist\""),
            (["form", "show", "vist"], "no form \"vist\""),
            (["export", "vist"], "no form \"vist\""),
            (["import", "vist", "-"], "no form \"vist\""),
            (["add", "vist", "name=x"], "no form \"vist\""),
            (["list", "visit", "--where", "nam=x"], "\"nam\""),
            (["list", "visit", "--sort", "nam"], "nam"),
            (["add", "visit", "name=y", "nam=x", "age=1"], "\"nam\""),
            (["edit", id, "nam=x"], "\"nam\""),
            (["show", "00000000"], "00000000"),
            (["edit", "00000000", "name=x"], "00000000"),
            (["delete", "00000000"], "00000000"),
            (["history", "00000000"], "00000000"),
            (["show", "no id at all"], "no id at all"),
            (["form", "add", "/nowhere/form.json"], "/nowhere/form.json"),
            (["import", "visit", "/nowhere/rows.csv"], "/nowhere/rows.csv"),
            (["import", "visit", "/tmp"], "/tmp"),
        ] {
            let run = try await daemon.shared(arguments, input: "name,age\nx,1\n")
            run.expectProblem(words)
        }
        try await daemon.shared("add", "visit", "name=y", "nam=x", "age=1").expectHint("name")
        try await daemon.shared("list", "vist").expectHint("visit")
        // Nothing of it left a trace.
        #expect(try await daemon.names() == ["Sara"])
        #expect(try await daemon.status()["pending"].number == 1)
    }

    @Test func `values that do not fit and fields left out are refused`() async throws {
        let daemon = try await Daemon.clinic()
        let id = try await daemon.add("Sara")
        for (values, words) in [
            (["name=x", "age=old"], "age"), (["name=x", "age=1.5"], "age"),
            (["name=x", "age=9223372036854775808"], "age"), (["name=x"], "age"),
            (["age=4"], "name"), (["name=", "age=4"], "name"),
            (["name=x", "age=4", "weight=heavy"], "weight"),
            (["name=x", "age=4", "seen=2026-02-30"], "seen"),
            (["name=x", "age=4", "symptoms=cough,hiccups"], "hiccups"),
            (["name=x", "age=4", "_id=1"], "_id"),
        ] {
            try await daemon.shared(["add", "visit"] + values).expectProblem(words)
        }
        try await daemon.shared("edit", id, "age=old").expectProblem("age")
        try await daemon.shared("edit", id, "name=").expectProblem("name")
        let json = try await daemon.shared("add", "visit", "name=x", "--json")
        #expect(json.code == 1)
        #expect(json.output == "")
        #expect(json.problem?.code == .requiredMissing)
        #expect(json.problem?.hint != nil)
        let wrong = try await daemon.shared("add", "visit", "name=x", "age=old", "--json")
        #expect(wrong.problem?.code == .wrongType)
        #expect(try await daemon.names() == ["Sara"])
    }

    @Test func `with --json each problem is one object on standard error`() async throws {
        let daemon = try await Daemon.clinic()
        for (arguments, code, exit) in [
            (["nonsense"], "usage", 2), (["list"], "usage", 2),
            (["list", "vist"], "not_found_form", 1), (["use", "x"], "not_found_room", 1),
            (["show", "00000000"], "not_found_record", 1),
            (["add", "visit", "x=1"], "unknown_field", 1),
            (["create", ""], "bad_name", 2), (["create", "clinic"], "room_exists", 1),
            (["join", "x", "--code", "y"], "bad_code", 2),
            (["join", "x", "--code", "K7QX-93MP"], "nobody_in_reach", 1),
            (["sync", "--wait", "100ms"], "nobody_in_reach", 1),
        ] {
            let run = try await daemon.shared(arguments + ["--json"])
            #expect(run.code == Int32(exit), "\(arguments)")
            #expect(run.output == "", "\(arguments)")
            let object = try JSONValue(text: Array(run.errors.utf8))
            #expect(object["code"].string == code, "\(arguments): \(run.errors)")
            for key in ["title", "detail", "hint"] {
                #expect(object[key].string?.isEmpty == false, "\(arguments): \(key)")
            }
        }
    }

    @Test func `a form that cannot be used is refused with its place`() async throws {
        let daemon = try await Daemon.clinic()
        for (form, words) in [
            ("{", "line 1"), ("[]", "an object"), ("{\"form_id\": \"x\", \"fields\": []}", "field"),
            ("{\"form_id\": \"a b\", \"fields\": [{\"name\": \"x\", \"type\": \"text\"}]}", "a b"),
            ("", ""),
        ] {
            let run = try await daemon.shared(["form", "add", "-"], input: form)
            run.expectProblem(words)
        }
        #expect(try await daemon.answer("forms").array?.count == 1)
    }

    @Test func `a reader that has had enough ends the command quietly`() async throws {
        let daemon = try await Daemon.clinic()
        let csv = Sample.csv(rows: 5_000)
        try #require(try await daemon.shared("import", "visit", "-", input: csv).code == 0)
        let shared = try Product.path("shared")
        for command in ["list visit", "export visit", "list visit --json"] {
            let run = try await CommandRun(
                program: "/bin/bash",
                ["-c", "'\(shared)' \(command) | head -c 20 >/dev/null; echo ${PIPESTATUS[0]}"],
                environment: ["SHARED_SOCKET": daemon.socket, "PATH": "/usr/bin:/bin"])
            #expect(run.output == "0\n", "\(command)")
            #expect(run.errors == "", "\(command)")
        }
        #expect(try await daemon.shared("status").code == 0)
    }
}
