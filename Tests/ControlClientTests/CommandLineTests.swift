import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// The command line as scripts and people see it: its output, its errors and its exit code.
@Suite struct CommandLineTests {
    private func answering(_ body: String, status: String = "200 OK") throws -> TinyServer {
        try TinyServer { _, connection in
            let isProblem = !status.hasPrefix("2")
            connection.answer(status, isProblem ? Problem.mediaType : "application/json", body)
            return true
        }
    }

    @Test(arguments: [
        ([], "no command was given"),
        (["statsu"], "unknown command 'statsu'\nshared: hint: Did you mean `shared status`?"),
        (["form"], "'form' needs another word\nshared: hint: One of: shared form new"),
        (["form", "remove"], "unknown command 'form remove'"),
        (["list"], "list: FORM is missing\nshared: hint: Usage: shared list FORM"),
        (["list", "f", "--lmit", "3"], "unknown option '--lmit'; did you mean --limit?"),
        (["list", "f", "--limit", "many"], "--limit needs a number"),
        (["list", "f", "--limit"], "--limit needs a value (N)"),
        (["list", "f", "--limit", "0"], "--limit needs a number"),
        (["list", "f", "--where", "=x"], "'=x' is no condition: FIELD=VALUE"),
        (["use", "a", "b"], "'b' is one argument too many"),
        (["add", "f", "Age"], "FIELD=VALUE was expected, not 'Age'"),
        (["add", "f", "Age=1", "Age=2"], "Age is given twice"),
        (["edit", "id"], "FIELD=VALUE is missing"),
        (["edit", "", "Age=1"], "edit: ENTRY is empty"),
        (["withdraw", ""], "INVITE is empty"),
        (["use", "--room", "x", "y"], "it takes no --room"),
        (["set", "autopush", "maybe"], "'on', 'off' or 'follow' was expected"),
        (["push", "--timeout", "soon"], "--timeout needs a length of time such as 5s"),
        (
            ["export", "f", "--format", "xls"],
            "--format is csv, json, ndjson, geojson, zip or xlsx"
        ),
        (["status", "--json=yes"], "--json takes no value"),
        (["st\u{1B}[31m"], "unknown command 'st\\u{1b}[31m'"),
    ])
    func `what is not understood is one line, a hint and 2`(
        arguments: [String], message: String
    ) async throws {
        let words = message.split(separator: "\n", omittingEmptySubsequences: false)
        // `--json=yes` is no `--json`: the error is for people.
        let run = try await CommandRun(arguments)
        #expect(run.code == 2)
        #expect(run.output.isEmpty)
        let lines = run.errors.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("shared: error: ") == true)
        #expect(lines.last?.hasPrefix("shared: hint: ") == true)
        for word in words { #expect(run.errors.contains(word)) }
    }

    @Test func `with --json a problem is one object on standard error`() async throws {
        let run = try await CommandRun(["--json", "nonsense"])
        #expect(run.code == 2)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasSuffix("}\n"))
        let problem = try Problem(jsonText: run.errors.utf8)
        #expect(problem.code == .usage)
    }

    @Test func `no daemon is 3, a path that is too long is 2`() async throws {
        let absent = try await CommandRun(["status"])
        #expect(absent.code == 3)
        #expect(absent.errors.hasPrefix("shared: error: shared is not running on this device"))
        let long = try await CommandRun(["status", "--socket", String(repeating: "x", count: 108)])
        #expect(long.code == 2)
        #expect(long.errors.contains("108 bytes"))
        let version = try await CommandRun(["version", "--json"])
        #expect(version.code == 0)
        #expect(version.output == #"{"version":"\#(Release.version)","daemon":null}"# + "\n")
    }

    @Test func `help fits a screen, begins with five commands, and names all`() async throws {
        let help = try await CommandRun(["help"])
        let lines = help.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 25 && lines.allSatisfy { $0.utf8.count <= 80 }, "\(help.output)")
        #expect(lines.count { $0.hasPrefix("  shared ") } == 5)
        #expect(try await CommandRun(["help", "start"]).output == help.output)
        let all = try await CommandRun(["help", "--all"]).output.split(separator: "\n")
        for line in all.filter({ $0.hasPrefix("  ") }) {
            let name = line.dropFirst(2).prefix(17).split(separator: " ").joined(separator: " ")
            #expect(help.output.contains(name), "\(name)")
            let own = try await CommandRun(["help"] + name.split(separator: " ").map(String.init))
            for line in own.output.split(separator: "\n") {
                #expect(line.count <= 80, "\(name): \(line)")
            }
        }
    }

    @Test func `words are completed from the syntax where no daemon runs`() async throws {
        func complete(_ words: String...) async throws -> [String] {
            let run = try await CommandRun(["__complete"] + words)
            #expect(run.code == 0 && run.errors == "")
            return run.output.split(separator: "\n").map(String.init)
        }
        #expect(try await complete("joi") == ["join"])
        #expect(try await complete("set", "au") == ["autopush"])
        #expect(try await complete("join", "--c") == ["--code", "--create"])
        #expect(try await complete("set", "open", "") == ["on", "off"])
        #expect(try await complete("invite", "--role", "v") == ["viewer"])
        #expect(try await complete("export", "--format", "nd") == ["ndjson"])
        #expect(try await complete("chart", "--agg", "m") == ["mean", "min", "max", "median"])
        #expect(try await complete("list", "").isEmpty)
        #expect(try await complete("help", "joi") == ["join"])
    }

    @Test func `every command has help with an example`() async throws {
        let overview = try await CommandRun(["help", "--all"])
        #expect(overview.code == 0)
        let commands = overview.output.split(separator: "\n").filter { $0.hasPrefix("  ") }
        #expect(commands.count >= 28)
        for line in commands {
            let name = String(line.dropFirst(2).prefix(17)).trimmingCharacters(in: .whitespaces)
            let words = name.split(separator: " ").map(String.init)
            let help = try await CommandRun(words + ["--help"])
            #expect(help.code == 0)
            #expect(help.output.contains("usage: shared \(name)"))
            #expect(help.output.contains("\n  shared \(name)"))
            #expect(help.errors.isEmpty)
        }
    }

    @Test func `the daemon's problem is shown with its hint, and is 1`() async throws {
        let server = try answering(
            #"{"code":"not_found_room","detail":"no room x","hint":"shared rooms"}"#,
            status: "404 Not Found")
        defer { server.stop() }
        let run = try await CommandRun(["members", "--room", "x"], socket: server.path)
        #expect(run.code == 1)
        #expect(run.errors == "shared: error: no room x\nshared: hint: shared rooms\n")
        #expect(server.requests.first?.line == "GET /v1/members?room=x HTTP/1.1")
    }

    @Test func `values travel as they were typed, and an empty one clears`() async throws {
        let server = try answering(#"{"id":"0190"}"#, status: "201 Created")
        defer { server.stop() }
        let run = try await CommandRun(
            ["add", "cv", "--json", "a=1", "b=x=y", "c=", "--", "d=-5"], socket: server.path)
        #expect(run.code == 0)
        #expect(run.output == #"{"id":"0190"}"# + "\n")
        let request = try #require(server.requests.first)
        #expect(request.line == "POST /v1/records/cv HTTP/1.1")
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == #"{"values":{"a":"1","b":"x=y","c":null,"d":"-5"},"seen":null}"#)
    }

    /// This device among the members.
    private static let own =
        #"{"id":"dev:qrstuvwxyz","name":"b","role":"viewer","self":true,"#
        + #""former_self":false,"faults":[],"scopes":[]}"#

    @Test func `a table that a program reads is cut nowhere`() async throws {
        let name = String(repeating: "long-", count: 12)
        let reason = String(repeating: "because ", count: 20) + "end"
        let server = try answering(
            #"[\#(Self.own),{"id":"dev:abcdefghij","name":"\#(name)","role":"removed","self":false,"#
                + #""former_self":false,"faults":[],"scopes":[],"removed":{"by":{"id":"dev:klmnopqrst","name":"ward-1"},"#
                + #""at":"2026-11-21T09:30:00.000Z","reason":"\#(reason)"}}]"#)
        defer { server.stop() }
        let run = try await CommandRun(["members", "--all"], socket: server.path)
        #expect(run.code == 0, "\(run.errors)")
        let local = DateFormatter()
        local.dateFormat = "yyyy-MM-dd HH:mm"
        let time = local.string(from: Date(timeIntervalSince1970: 1_795_253_400))
        #expect(
            run.output.contains(
                "\(name)  abcdefgh  removed  -     -         \(time) by ward-1 (klmnopqr)"),
            "\(run.output)")
        #expect(run.output.hasSuffix("\(reason)\n"), "\(run.output)")
    }

    @Test(arguments: [
        ["form", "--help"], ["help", "form"], ["set", "-h"], ["bundle", "--json", "--help"],
        ["help", "bundle"],
    ])
    func `a word that begins several commands has help`(_ words: [String]) async throws {
        let run = try await CommandRun(words)
        #expect(run.code == 0 && run.errors == "", "\(run.errors)")
        let name = try #require(words.first { $0 != "help" })
        #expect(run.output.contains("\n  \(name) "), "\(run.output)")
    }

    @Test func `an invite's time is rounded, and what is left of an ended one is not told`()
        async throws
    {
        func invite(_ state: String, _ seconds: Int) -> String {
            #"{"selector":"K7","code":null,"room":{"id":"room:a","name":"clinic"},"#
                + #""role":"viewer","state":"\#(state)","expires":"t","expires_in":\#(seconds),"#
                + #""uses":1000,"uses_left":1000,"attempts":0,"attempts_left":5,"used_by":[]}"#
        }
        let server = try answering("[\(invite("live", 599)),\(invite("withdrawn", 2_592_000))]")
        defer { server.stop() }
        let lines = try await CommandRun(["invites"], socket: server.path).output
            .split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[1].contains("1,000 of 1,000  in 10 min"), "\(lines)")
        #expect(!lines[2].contains("1,000 of"), "\(lines)")
    }

    @Test func `control characters of others do not reach the terminal`() async throws {
        let server = try answering(
            #"[\#(Self.own),{"id":"dev:abcdefghij","name":"\u001b[2Jevil\u202e","role":"viewer","#
                + #""self":false,"#
                + #""former_self":false,"faults":[],"scopes":[]}]"#)
        defer { server.stop() }
        let run = try await CommandRun(["members"], socket: server.path)
        #expect(run.code == 0)
        #expect(run.output.contains(#"\u{1b}[2Jevil\u{202e}  abcdefgh  viewer"#))
        #expect(
            run.output.unicodeScalars.allSatisfy { $0 == "\n" || (0x20..<0x7F).contains($0.value) })
    }

    @Test func `status says first who is up to date, and why others are not`() async throws {
        func other(_ name: String, _ state: String, _ more: String) -> String {
            #"{"id":"dev:\#(name)","name":"\#(name)","role":"collector","state":"\#(state)""#
                + (more.contains("seen") ? "" : #","seen":false"#) + more + "}"
        }
        let others = [
            other("amina", "up_to_date", #","unsent":0,"seen":true"#),
            other("bakary", "up_to_date", ""),
            other("chloe", "up_to_date", #","unsent":20"#),
            other("daouda", "away", #","last_met":"2020-01-05T12:00:00.000Z""#),
            other("ward-2", "differs", #","behind":12,"ahead":0"#),
            other("ward-3", "silent", #","silent_seconds":12"#),
        ].joined(separator: ",")
        let room =
            #"{"name":"clinic","id":"room:a","role":"owner","members":7,"records":3,"#
            + #""pending":0,"pending_entries":0,"#
            + #""withheld":0,"waiting":0,"blocked":0,"refused":0,"conflicts":0,"digest":"","#
            + #""current":true,"autopush":false,"open":false,"hidden":false,"only_here":0,"only_here_entries":0,"#
            + #""readers":6,"stale":false,"invalid":[],"repeated_keys":[],"parallel_forms":[],"parallel_lists":[],"scopes":[],"others":[\#(others)]}"#
        let server = try answering(
            #"{"device":{"id":"dev:abcdefghij","name":"ward-1"},"version":"0.1.0","rooms":[\#(room)],"#
                + #""peers":{"nearby":5,"connected":4,"identical":3,"differing":[{"id":"dev:x","#
                + #""name":"ward-2","behind":12,"ahead":0,"digest_differs":false,"unheard":false}]},"#
                + #""discovery":{"state":"running","hint":null},"faults":[],"later":1}"#)
        defer { server.stop() }
        let run = try await CommandRun(["status"], socket: server.path)
        #expect(run.code == 0)
        let words = run.output.replacing(" \u{B7} ", with: "; ")
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(
            words.hasPrefix(
                "members 3 of 7 up to date; chloe has 20 entries or changes that it has not sent; daouda not met since 2020-01-"
            ), "\(words)")
        #expect(
            words.contains(
                "; ward-2 lacks 12 entries or other changes; ward-3 last answered 12 s ago device"),
            "\(words)")
        let kept = try answering(
            #"{"device":{"id":"dev:abcdefghij","name":"ward-1"},"version":"0.1.0","rooms":["#
                + room.replacing(#""withheld":0"#, with: #""withheld":1"#)
                + #"],"peers":{"nearby":0,"connected":0,"identical":0,"differing":[]},"#
                + #""discovery":{"state":"running","hint":null},"faults":[]}"#)
        defer { kept.stop() }
        let alone = try await CommandRun(["status"], socket: kept.path)
        #expect(
            alone.output.replacing(" \u{B7} ", with: "; ").hasPrefix(
                "members    2 of 7 up to date; 1 entry or change here is not sent"),
            "\(alone.output)\(alone.errors)")
        // What a newer daemon says is passed on.
        let json = try await CommandRun(["status", "--json"], socket: server.path)
        #expect(json.output.hasSuffix(#""later":1}"# + "\n"))
    }

    @Test func `a bad row is its line, an answer with --json, and 1`() async throws {
        let result =
            #"{"added":0,"updated":0,"changes":[],"unchanged":0,"older":0,"deleted":0,"rejected":[{"line":7301,"column":"Age","#
            + #""reason":"'x' is not a number","hint":null}],"rejected_count":1,"rows":9000,"#
            + #""rejected_rows":1,"rejected_csv":null,"warnings":[],"warning_count":0,"#
            + #""duplicates":{"in_file":0,"own":0,"others":0,"alike":0,"keys":[]},"guess":null,"dry_run":false}"#
        let server = try answering(#"{"event":"result","result":\#(result)}"# + "\n")
        defer { server.stop() }
        let run = try await CommandRun(
            ["import", "cv", "-"], socket: server.path, input: "Age\nx\n")
        #expect(run.code == 1)
        #expect(
            run.errors.hasPrefix(
                "shared: error: standard input: line 7301, column Age: 'x' is not a number; "
                    + "nothing was imported\nshared: hint: "))
        #expect(server.requests.first?.body == Array("Age\nx\n".utf8))
        let json = try await CommandRun(
            ["import", "cv", "-", "--json"], socket: server.path, input: "Age\nx\n")
        #expect(json.code == 1)
        #expect(json.output == result + "\n")
        #expect(try Problem(jsonText: json.errors.utf8).code == .rowsRejected)
    }

    @Test func `an export that breaks off leaves the old file alone`() async throws {
        let server = try TinyServer { _, connection in
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\na,b\n\r\n")
            return false
        }
        defer { server.stop() }
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "shared-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "old.csv")
        try Data("old".utf8).write(to: file)
        let run = try await CommandRun(
            ["export", "cv", "--output", file.path], socket: server.path)
        #expect(run.code == 1)
        #expect(try Data(contentsOf: file) == Data("old".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["old.csv"])
        let directory = try await CommandRun(
            ["export", "cv", "--output", folder.path], socket: server.path)
        #expect(directory.code == 1)
        #expect(directory.errors.contains("it is a directory"))
    }
}
