import Glibc
import ShareControl
import ShareTestKit
import Testing

/// Which mistakes are the command's own (2), whatever is in the room, and which are about what is
/// there (1).
@Suite(.serialized) struct UsageTests {
    /// A value for each option that takes one, and for each operand with a form of its own, that
    /// no room could make right.
    static let malformed: [(arguments: [String], words: String)] = [
        (["bundle", "read", "FILE", "--admit", "k7qx93mp"], "first 16 characters"),
        (["bundle", "read", "FILE", "--admit", "k7qx93mpab2c4d5e", "--role", "king"], "\"king\""),
        (["bundle", "read", "FILE", "--role", "viewer"], "--admit DEVICE"),
        (["bundle", "write", "OUT", "--for", "k7q"], "\"k7q\" is too short"),
        (["bundle", "write", "OUT", "--for", "k7qx93mp", "--join"], "do not go together"),
        (["conflicts", "--limit", "0"], "--limit needs a number"),
        (["conflicts", "--limit", "10001"], "limit is a number from 1 to 10000"),
        (["conflicts", "--after", "there"], "no position in this list"),
        (["create", "a/b"], "slash"),
        (["create", "x", "--open", "--hidden"], "both open and hidden"),
        (["export", "visit", "--format", "xls"], "--format is csv, json, ndjson"),
        (["export", "visit", "--like", "excel"], "no program \"excel\""),
        (["export", "visit", "--like", "kobo", "--columns", "k"], "--like takes no --columns"),
        (["export", "visit", "--like", "kobo", "--format", "ndjson"], "NDJSON takes no --like"),
        (["export", "visit", "--format", "json", "--crlf", "--raw"], "no --crlf or --raw"),
        (["export", "visit", "--geo", "gps"], "CSV takes no --geo"),
        (["export", "visit", "--format", "geojson", "--bom"], "GeoJSON takes no --bom"),
        (["export", "visit", "--darwin-core", "M", "--limit", "3"], "takes no --limit"),
        (["export", "visit", "--limit", "0"], "--limit needs a number"),
        (["export", "visit", "--output", ""], "--output is empty"),
        (["export", "visit", "--audit", "OUT"], "no FORM"),
        (["history", "ID", "--limit", "all"], "--limit needs a number"),
        (["history", "ID", "--limit", "10001"], "limit is a number from 1 to 10000"),
        (["form", "infer", "FILE", "--dates", "dym"], "no order of dates \"dym\""),
        (["form", "infer", "FILE", "--decimal", "x"], "no decimal sign \"x\""),
        (["import", "visit", "FILE", "--dates", "dym"], "no order of dates \"dym\""),
        (["import", "visit", "FILE", "--decimal", "x"], "no decimal sign \"x\""),
        (["import", "visit", "FILE", "--map", "x"], "map is not COLUMN=FIELD"),
        (["invite", "--role", "king"], "no role \"king\""),
        (["invite", "--role", "colector"], "no role \"colector\""),
        (["invite", "--expires", "soon"], "from 1s to 30d, not 'soon'"),
        (["invite", "--expires", "400d"], "from 1s to 30d, not '400d'"),
        (["invite", "--expires", "31d"], "from 1s to 30d, not '31d'"),
        (["invite", "--expires", "0s"], "from 1s to 30d, not '0s'"),
        (["invite", "--expires", "99999999999999999999d"], "from 1s to 30d"),
        (["invite", "--uses", "0"], "--uses needs a number"),
        (["invite", "--uses", "1001"], "between 1 and 1000 devices"),
        (["join", "elsewhere", "--code", "short"], "it has 5 characters, not 8"),
        (["join", "elsewhere", "--code", "K7QX-93MU"], "no code has the character \"U\""),
        (["join", "shared:join?room=elsewhere"], "that link is not whole"),
        (["join", "a/b"], "slash"),
        (["list", "visit", "--where", "name"], "'name' is no condition: FIELD=VALUE"),
        (["list", "visit", "--where", "_state=aproved"], "no review state \"aproved\""),
        (["list", "visit", "--where", "_created=soon"], "_created wants a day or a time"),
        (["list", "visit", "--where", "_id=12345678"], "_id wants the full id"),
        (["list", "visit", "--sort", ""], "--sort is empty"),
        (["list", "visit", "--limit", "-1"], "--limit needs a number"),
        (["lists", "show", "x", "--limit", "many"], "--limit needs a number"),
        (["list", "visit", "--since", "soon"], "since wants a day or a time"),
        (["list", "visit", "--duplicates", "--limit", "5"], "--duplicates and --limit exclude"),
        (["list", "visit", "--state", "fine"], "no review state \"fine\""),
        (["export", "visit", "--where", "name"], "'name' is no condition"),
        (["export", "visit", "--since", "soon"], "since wants a day or a time"),
        (["export", "visit", "--state", "fine"], "no review state \"fine\""),
        (["count", "visit", "--where", "name"], "'name' is no condition"),
        (["count", "visit", "--since", "soon"], "since wants a day or a time"),
        (["count", "visit", "--state", "fine"], "no review state \"fine\""),
        (["stats", "visit", "--where", "name"], "'name' is no condition"),
        (["stats", "visit", "--since", "soon"], "since wants a day or a time"),
        (["stats", "visit", "--state", "fine"], "no review state \"fine\""),
        (["chart", "bar", "visit", "name", "--where", "name"], "'name' is no condition"),
        (["chart", "bar", "visit", "name", "--since", "soon"], "since wants a day or a time"),
        (["chart", "bar", "visit", "name", "--state", "fine"], "no review state \"fine\""),
        (["list", "visit", "--after", "ab"], "\"ab\" is too short"),
        (["count", "visit", "--by", "_id"], "an _id of its own"),
        (["count", "visit", "--period", "year"], "no period \"year\""),
        (["chart", "cake", "visit", "name"], "no kind of chart \"cake\""),
        (["chart", "bar", "visit", "age", "--agg", "avg"], "no --agg \"avg\""),
        (["chart", "bar", "visit", "name", "--period", "year"], "no period \"year\""),
        (["search", "x", "--limit", "1001"], "limit is a number from 1 to 1000"),
        (["search", "x", "--clear"], "--clear takes no TEXT"),
        (["push", "--timeout", "soon"], "at most 1h, not 'soon'"),
        (["push", "--timeout", "61m"], "at most 1h, not '61m'"),
        (["sync", "--wait", "2h"], "at most 1h, not '2h'"),
        (["remove", "abc"], "\"abc\" is too short"),
        (["remove", "ID", "--since", "yesterday"], "--since needs a time"),
        (["remove", "ID", "--since", "20261121"], "--since needs a time"),
        (["remove", "abcdefgh", "--reason", "LONG"], "a reason has at most"),
        (["remove", "ID", "--repeat-grants", "--drop-grants"], "exclude each other"),
        (["resolve", "ID", "--keep", "both"], "--keep is shown or other"),
        (["review", "ID", "fine"], "no review state \"fine\""),
        (["review", "ID", "approved", "--comment", " "], "the comment is empty"),
        (["comment", "ID", " "], "the comment is empty"),
        (["comment", "ID", "LONG"], "longer than 16 KiB"),
        (["role", "abcdefgh", "king"], "no role \"king\""),
        (["set", "open", "yes"], "'on' or 'off' was expected"),
        (["set", "hidden", "1"], "'on' or 'off' was expected"),
        (["set", "autopush", "ON"], "'on', 'off' or 'follow' was expected"),
        (["show", "12"], "\"12\" is too short"),
        (["edit", "f", "name=x"], "\"f\" is too short"),
        (["delete", "abc"], "\"abc\" is too short"),
        (["restore", "abc"], "\"abc\" is too short"),
        (["history", "abc"], "\"abc\" is too short"),
        (["review", "abc", "approved"], "\"abc\" is too short"),
        (["comment", "abc", "seen"], "\"abc\" is too short"),
        (["resolve", "abc", "--keep", "shown"], "\"abc\" is too short"),
        (["withdraw", "Z"], "names no invite"),
        (["withdraw", "K7QX-93MPX"], "names no invite"),
        (["members", "--room", ""], "--room is empty"),
        (["status", "--socket", "LONG"], "a socket's may have"),
    ]

    @Test func `what no room could make right is a mistake of the command, whoever finds it`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let id = try await daemon.add("Sara")
        let file = daemon.data + "/some.bundle"
        #expect(try await daemon.shared("bundle", "write", file, "--join").code == 0)
        let fill = [
            "ID": id, "FILE": file, "OUT": daemon.data + "/out",
            "LONG": String(repeating: "x", count: 20_000),
        ]
        for (arguments, words) in Self.malformed {
            try await daemon.shared(arguments.map { fill[$0] ?? $0 })
                .expectProblem(words, code: 2)
        }
        #expect(access(daemon.data + "/out", F_OK) != 0)
        #expect(try await daemon.names() == ["Sara"])
        #expect(try await daemon.status()["pending"].number == 1)
    }

    @Test func `every option that takes a value has one that is refused, and none may be empty`()
        async throws
    {
        let overview = try await CommandRun(["help", "--all"])
        let commands = overview.output.split(separator: "\n").filter { $0.hasPrefix("  ") }.map {
            // A name ends where two blanks follow, or in its column.
            var name = ""
            for letter in $0.dropFirst(2) {
                if letter == " ", name.hasSuffix(" ") { break }
                name.append(letter)
            }
            return name.split(separator: " ").map(String.init)
        }
        try #require(commands.count > 30)
        // Names of what may be there or not: a form's field, and a file.
        let free: Set<String> = [
            "--author", "--by", "--along", "--svg", "--form", "--sort", "--columns", "--language",
            "--draft", "--remove", "--keep-good", "--geo", "--darwin-core", "--weight", "--output",
            "--audit",
            "--reason", "--forms", "--name", "--search", "--where", "--xform", "--xlsform",
            "--recovery-file",
            "--room", "--socket",
        ]
        for command in commands {
            let help = try await CommandRun(["help"] + command)
            let usage = try #require(
                help.output.split(separator: "\n").first { $0.hasPrefix("usage") })
            let operands = usage.split(separator: " ").dropFirst(2 + command.count)
                .prefix { !$0.hasPrefix("[--") }.map { _ in "on" }
            for line in help.output.split(separator: "\n") where line.hasPrefix("  --") {
                let words = line.dropFirst(2).prefix(22).split(separator: " ").map(String.init)
                guard let option = words.first, words.count > 1 else { continue }
                if !free.contains(option) {
                    #expect(
                        Self.malformed.contains {
                            $0.arguments.starts(with: command) && $0.arguments.contains(option)
                        }, "no malformed value of \(command) \(option)")
                }
                guard option != "--reason" else { continue }
                let run = try await CommandRun(command + operands + [option, ""])
                run.expectProblem("\(option) is empty", code: 2)
            }
        }
    }

    @Test func `what a name does not lead to is a failure`() async throws {
        let daemon = try await Daemon.clinic()
        let id = try await daemon.add("Sara")
        let nobody = id.hasSuffix("0000") ? "1111" : "0000"
        for (arguments, words) in [
            (["use", "elsewhere"], "no room"), (["members", "--room", "elsewhere"], "no room"),
            (["list", "vist"], "no form"), (["list", "visit", "--sort", "nam"], "nam"),
            (["list", "visit", "--where", "nam=x"], "nam"),
            (["list", "visit", "--where", "age=old"], "age"),
            (["list", "visit", "--where", "_author=zzzzzzzz"], "no device"),
            (["show", "00000000"], "00000000"), (["show", nobody], nobody),
            (["add", "visit", "name=x", "age=old"], "age"),
            (["role", "zzzzzzzz", "editor"], "no device"), (["remove", "zzzzzzzz"], "no device"),
            (["role", "ward-1", "editor"], "is a name"), (["withdraw", "ZZ"], "no invite"),
            (["resolve", id, "age=3"], "no conflict"),
            (["bundle", "write", daemon.data + "/out", "--for", "zzzzzzzz"], "no device"),
            (["bundle", "read", "/nowhere/at.all"], "cannot read"),
        ] {
            try await daemon.shared(arguments).expectProblem(words)
        }
        // As much of an id as is enough.
        #expect(try await daemon.shared("show", String(id.suffix(4))).code == 0)
        #expect(try await daemon.shared("list", "visit", "--where", "_state=Has-Issues").code == 0)
    }
}
