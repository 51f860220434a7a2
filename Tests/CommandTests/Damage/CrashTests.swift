import Foundation
import Glibc
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Power cuts: what was acknowledged is there, and a transfer goes on where it was.
@Suite(.serialized) struct CrashTests {
    @Test func `an entry is there after a power cut right behind its answer`() async throws {
        let daemon = try await Daemon.clinic()
        for round in 1...5 {
            let id = try await daemon.add("entry \(round)")
            await daemon.kill()
            try await daemon.start()
            #expect(try await daemon.answer("show", id)["name"].string == "entry \(round)")
        }
        #expect(try await daemon.status()["pending"].number == 5)
        #expect(try await daemon.shared("push").code == 0)
        await daemon.kill()
        try await daemon.start()
        #expect(try await daemon.status()["pending"].number == 0)
        #expect(try await daemon.names().count == 5)
        #expect(try await daemon.shared("verify").code == 0)
    }

    @Test func `entries that go out as they are made outlive a power cut at any moment`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        #expect(try await a.shared("set", "autopush", "on").code == 0)
        var random = SeededRandom(seed: TestSeed.printed())
        var acknowledged: Set<String> = []
        for round in 1...6 {
            // However slow the machine is, one is acknowledged before the cut.
            try await a.add("entry \(round).0")
            acknowledged.insert("entry \(round).0")
            let pause = Int.random(in: 0...120, using: &random)
            let cut = Task {
                try await Task.sleep(for: .milliseconds(pause))
                await a.kill()
            }
            var number = 0
            while a.isRunning {
                number += 1
                let name = "entry \(round).\(number)"
                let run = try await a.shared("add", "visit", "name=\(name)", "age=8")
                if run.code == 0 { acknowledged.insert(name) }
            }
            try await cut.value
            try await a.start()
            let known = try await a.names()
            #expect(acknowledged.isSubset(of: known) && Set(known).count == known.count)
        }
        // What was entered while earlier entries were on their way may have been pending.
        let isSent = await eventually(within: .seconds(60)) {
            (try? await a.status()["pending"].number) == 0
        }
        #expect(isSent)
        try await Daemon.untilIdentical(a, b)
        let there = try await b.names()
        #expect(!acknowledged.isEmpty && acknowledged.isSubset(of: there))
        for daemon in [a, b] { #expect(try await daemon.shared("verify").code == 0) }
    }

    @Test(.timeLimit(.minutes(5)))
    func `either side may lose power in the middle of 40,000 records`() async throws {
        let rows = 40_000
        let a = try await Daemon.clinic("ward-1")
        let imported = try await a.answer("import", "visit", "-", input: Sample.csv(rows: rows))
        #expect(imported["added"].number == rows)
        #expect(try await a.answer("push")["entries"].number == rows)

        let b = try await Daemon("ward-2", peers: [a])
        try await cut(b, while: b, joins: a, rows: rows)
        try await b.start()
        try await Daemon.untilIdentical(a, b, records: rows, within: .seconds(120))
        await b.terminate()

        let c = try await Daemon("ward-3", peers: [a])
        try await cut(a, while: c, joins: a, rows: rows)
        try await a.start()
        try await Daemon.untilIdentical(a, c, records: rows, within: .seconds(120))

        let dump = try await a.dump()
        #expect(dump.count == rows)
        #expect(try await b.dump() == dump)
        #expect(try await c.dump() == dump)
        for daemon in [a, c] { #expect(try await daemon.shared("verify").code == 0) }
    }

    /// Cuts the power of `victim` at some moment while `receiver` takes the records in, which it
    /// does as soon as it has joined.
    private func cut(
        _ victim: Daemon, while receiver: Daemon, joins other: Daemon, rows: Int
    ) async throws {
        var random = SeededRandom(seed: TestSeed.printed())
        // The files come to some 8 MB, and those of a room without entries to less than half of
        // one: at 1 MB it has joined, as only members are sent entries. Cut before that, the join
        // would have ended. What is on its way goes on being taken in.
        let mark = Int.random(in: 1 << 20...3 << 20, using: &random)
        let code = try #require(try await other.answer("invite")["code"].string)
        let join = try await RunningCommand(
            ["join", "clinic", "--code", code], socket: receiver.socket)
        let hasReached = await eventually(within: .seconds(120)) { receiver.roomBytes >= mark }
        await victim.kill()
        #expect(hasReached)
        join.signal(SIGKILL)
        let arrived =
            victim === receiver
            ? try await receiver.recordsAfterCut()
            : try #require(try await receiver.status()["records"].number)
        print("cut at \(mark) bytes: \(arrived) of \(rows) records had arrived")
        #expect(arrived < rows, "the transfer was over before it could be cut")
    }
}

extension Daemon {
    /// What the files of its rooms come to.
    fileprivate var roomBytes: Int {
        let folder = data + "/rooms"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.reduce(0) { sum, name in
            var status = stat()
            return stat("\(folder)/\(name)", &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }

    /// The rows that a daemon without power has; seen in a copy, as looking would recover the
    /// file in the daemon's stead.
    fileprivate func recordsAfterCut() async throws -> Int {
        let copy = try ScratchFolder()
        try FileManager.default.copyItem(atPath: data + "/rooms", toPath: copy.path + "/rooms")
        let name = URL(filePath: try file()).lastPathComponent
        let run = try await CommandRun(
            program: "/usr/bin/sqlite3",
            ["\(copy.path)/rooms/\(name)", "SELECT count(*) FROM visit"])
        // Cut before the form came, there is no such table.
        return Int(run.output.dropLast()) ?? 0
    }
}
