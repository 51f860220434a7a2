import Foundation
import Glibc
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Records by command and by file, on one device.
@Suite(.serialized) struct EntryTests {
    @Test func `a bad row in line 7,301 is told by its line, and nothing is written`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let before = try await daemon.status()
        let csv = Sample.csv(rows: 10_000, changes: [7_300: "person 7300,old,1.5,2026-11-21,cough"])
        let file = daemon.folder.path + "/rows.csv"
        try Data(csv.utf8).write(to: URL(filePath: file))
        let run = try await daemon.shared("import", "visit", file)
        run.expectProblem("line 7301, column age")
        #expect(run.errors.contains("nothing was imported"))
        let json = try await daemon.shared("import", "visit", file, "--json")
        #expect(json.code == 1)
        let answer = try JSONValue(text: Array(json.output.utf8))
        #expect(answer["added"].number == 0)
        #expect(answer["rejected"].array?.count == 1)
        #expect(answer["rejected"][0]["line"].number == 7301)
        #expect(answer["rejected"][0]["column"].string == "age")
        #expect(json.problem?.code == .rowsRejected)
        #expect(try await daemon.status() == before)
        #expect(try await daemon.names().isEmpty)
    }

    @Test(arguments: [
        ("", "the file is empty"), ("nam,age\nx,1\n", "nam"), ("name,age\nx\n", "line 2"),
        ("name,age\n\"x,1\n", "line"), ("name,age\n,1\n", "line 2"),
    ])
    func `a file that is no such CSV is refused whole`(csv: String, words: String) async throws {
        let daemon = try await Daemon.clinic()
        let run = try await daemon.shared("import", "visit", "-", input: csv)
        #expect(run.code == 1)
        #expect(run.output == "")
        #expect(run.errors.hasPrefix("shared: error: "))
        #expect(run.errors.contains("\nshared: hint: "))
        #expect(run.errors.contains(words), "\(run.errors)")
        #expect(try await daemon.names().isEmpty)
    }

    @Test func `a file imported twice changes nothing the second time`() async throws {
        let daemon = try await Daemon.clinic()
        let csv = Sample.csv(rows: 100)
        let first = try await daemon.answer("import", "visit", "-", input: csv)
        #expect(first["added"].number == 100)
        let digest = try await daemon.status()["digest"]
        let second = try await daemon.answer("import", "visit", "-", input: csv)
        #expect(second["added"].number == 0)
        #expect(second["updated"].number == 0)
        #expect(second["unchanged"].number == 100)
        #expect(try await daemon.status()["digest"] == digest)
        let change = Sample.csv(rows: 100, changes: [7: "person 7,99,7.5,2026-11-21,cough"])
        let third = try await daemon.answer("import", "visit", "-", input: change)
        #expect(third["updated"].number == 1)
        #expect(third["unchanged"].number == 99)
        #expect(try await daemon.names().count == 100)
    }

    @Test func `what is exported is imported again as it was`() async throws {
        let values = [
            "name=plain", "name=a \"quoted\", and\nbroken", "name==1+1", "name=-5", "name='=x",
            "name=caf\u{E9} e\u{301} \u{1F600}", "name= spaces ", "name=@x",
        ]
        let daemon = try await Daemon.clinic()
        for (index, value) in values.enumerated() {
            let run = try await daemon.shared(
                "add", "visit", value, "age=\(index)", "weight=\(index).25", "symptoms=rash,cough")
            try #require(run.code == 0, "\(run.errors)")
        }
        _ = try await daemon.shared("add", "visit", "name=bare", "age=-9223372036854775808")
        let records = try await daemon.answer("list", "visit")
        let csv = try await daemon.shared("export", "visit")
        #expect(csv.code == 0)

        // Into the same room: every row is known. Into another: every row is new.
        let again = try await daemon.answer("import", "visit", "-", input: csv.output)
        #expect(again["unchanged"].number == values.count + 1, "\(again.shown)")
        let other = try await Daemon.clinic("ward-2")
        let file = other.folder.path + "/out.csv"
        let written = try await daemon.shared("export", "visit", "--output", file)
        #expect(written.code == 0)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == csv.output)
        func bare(_ list: JSONValue) -> Set<JSONValue> {
            Set(
                (list.array ?? []).map { record in
                    .object(
                        JSONObject(
                            (record.object?.members ?? []).filter { !$0.key.hasPrefix("_") }
                                .sorted { $0.key < $1.key }))
                })
        }
        let foreign = csv.output.split(separator: "\n", maxSplits: 1)
        let names = foreign[0].split(separator: ",").map { $0.hasPrefix("_") ? "_x\($0)" : $0 }
        let stripped = names.joined(separator: ",") + "\n" + foreign[1]
        let moved = try await other.answer("import", "visit", "-", input: stripped)
        #expect(moved["added"].number == values.count + 1)
        #expect(bare(try await other.answer("list", "visit")) == bare(records))
        let ndjson = try await daemon.shared("export", "visit", "--format", "ndjson")
        #expect(ndjson.output.split(separator: "\n").count == values.count + 1)
        let json = try await daemon.shared("export", "visit", "--format", "json")
        #expect(try JSONValue(text: Array(json.output.utf8)).array?.count == values.count + 1)
    }

    @Test func `fields whose names differ in normalisation alone are two fields everywhere`()
        async throws
    {
        let (one, two) = ("caf\u{E9}", "cafe\u{301}")
        let daemon = try await Daemon.clinic()
        let form =
            #"{"form_id":"twins","fields":[{"name":"\#(one)","type":"text"},"#
            + #"{"name":"\#(two)","type":"integer"},{"name":"note","type":"text"}]}"#
        let added = try await daemon.shared("form", "add", "-", input: form)
        try #require(added.code == 0, "\(added.errors)")
        let answer = try await daemon.answer("add", "twins", "\(one)=x", "\(two)=2")
        let id = try #require(answer["id"].string)
        let edited = try await daemon.shared("edit", id, "\(two)=3")
        try #require(edited.code == 0, "\(edited.errors)")

        let list = try await daemon.answer("list", "twins")
        #expect(list[0][one] == .string("x") && list[0][two] == .integer(3), "\(list.shown)")
        let shown = try await daemon.answer("show", id)
        #expect(shown[one] == .string("x") && shown[two] == .integer(3), "\(shown.shown)")
        let table = try await daemon.shared("list", "twins")
        #expect(table.code == 0, "\(table.errors)")
        #expect(table.output.utf8.contains(Array(one.utf8)))
        #expect(table.output.utf8.contains(Array(two.utf8)))
        let history = try await daemon.answer("history", id)
        #expect(
            history[1]["changed"][two] == .array([.integer(2), .integer(3)]), "\(history.shown)")
        #expect(history[1]["changed"][one] == .null, "\(history.shown)")

        let csv = try await daemon.shared("export", "twins")
        #expect(csv.output.utf8.contains(Array(",\(one),\(two),note".utf8)), "\(csv.output)")
        let again = try await daemon.answer("import", "twins", "-", input: csv.output)
        #expect(again["unchanged"].number == 1, "\(again.shown)")
        let lines = try await daemon.shared("list", "twins", "--where", "\(two)=3", "--json")
        #expect(try JSONValue(text: Array(lines.output.utf8)).array?.count == 1, "\(lines)")
    }

    @Test func `Ctrl-C in a long import leaves nothing behind`() async throws {
        let daemon = try await Daemon.clinic()
        let before = try await daemon.status()
        // The rows come through a pipe that stays open: the import is long for certain.
        let pipe = daemon.folder.path + "/pipe"
        mkfifo(pipe, 0o600)
        let rows = open(pipe, O_RDWR | O_CLOEXEC)
        defer { close(rows) }
        let command = try await RunningCommand(
            ["import", "visit", pipe], socket: daemon.socket)
        // Less than a pipe holds, so this does not wait.
        let bytes = Array(Sample.csv(rows: 1_000).utf8)
        try #require(write(rows, bytes, bytes.count) == bytes.count)
        let isTaken = await eventually {
            var left: Int32 = 0
            return ioctl(rows, UInt(FIONREAD), &left) == 0 && left == 0
        }
        #expect(isTaken, "the command does not read")
        command.signal(SIGINT)
        let run = try await command.end(within: .seconds(20))
        run.expectProblem("interrupted; nothing was imported")
        #expect(try await daemon.status() == before)
        // The daemon is free for the next one.
        let next = try await daemon.answer("import", "visit", "-", input: Sample.csv(rows: 3))
        #expect(next["added"].number == 3)
    }

    @Test func `Ctrl-C while the daemon works on the rows leaves all of them or none`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let file = daemon.folder.path + "/rows.csv"
        let rows = 60_000
        try Data(Sample.csv(rows: rows).utf8).write(to: URL(filePath: file))
        let command = try await RunningCommand(
            ["import", "visit", file], socket: daemon.socket)
        // Before that Ctrl-C ends it without a word, as any program.
        try #require(await command.untilItCatches(SIGINT))
        var random = SeededRandom(seed: TestSeed.printed())
        let moment = Int.random(in: 0...600, using: &random)
        try await Task.sleep(for: .milliseconds(moment))
        command.signal(SIGINT)
        let run = try await command.end(within: .seconds(60))
        let isSettled = await eventually(within: .seconds(60)) {
            let count = try? await daemon.status()["records"].number
            return run.code == 0 ? count == rows : count == 0
        }
        #expect(isSettled, "\(run.code) \(run.errors)")
        print("Ctrl-C after \(moment) ms: \(run.code)")
        if run.code != 0 { run.expectProblem("interrupted; nothing was imported") }
        let csv = Sample.csv(rows: 3)
        #expect(try await daemon.shared("import", "visit", "-", input: csv).code == 0)
    }

    @Test func `records are edited, cleared, deleted and keep their history`() async throws {
        let daemon = try await Daemon.clinic()
        let id = try await daemon.add("Sara", age: 8)
        let short = String(id.suffix(8))
        #expect(try await daemon.shared("edit", short, "age=9", "weight=30.5").code == 0)
        #expect(try await daemon.shared("edit", short, "weight=").code == 0)
        let record = try await daemon.answer("show", short)
        #expect(record["age"].number == 9)
        #expect(record["weight"] == .null)
        #expect(record["name"].string == "Sara")
        let history = try await daemon.answer("history", short)
        #expect(history.array?.count == 3)
        let versions = history.array ?? []
        for version in versions {
            #expect(Set(version.keys).isSuperset(of: ["at", "author", "changed", "verified"]))
        }
        #expect(versions.contains { $0["changed"]["age"] == .array([.integer(8), .integer(9)]) })
        #expect(try await daemon.shared("delete", short).code == 0)
        #expect(try await daemon.answer("list", "visit") == .array([]))
        #expect(try await daemon.status()["records"].number == 0)
    }
}
