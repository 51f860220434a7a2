import Foundation
import Glibc
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Room files that a broken disk, a hand or a power cut has damaged, and real daemons on them.
@Suite(.serialized) struct DamageTests {
    /// Changes one byte within a stored batch.
    private static let flip = """
        UPDATE _batch SET bytes = CAST(substr(bytes, 1, 150)
            || CASE substr(bytes, 151, 1) WHEN x'00' THEN x'01' ELSE x'00' END
            || substr(bytes, 152) AS BLOB)
        WHERE batch = (SELECT batch FROM _batch WHERE kind = 1 AND number = 2)
        """

    enum Damage: String, CaseIterable, Sendable {
        case torn, empty, notADatabase, missing, newerSchema, header
    }

    private func damage(_ file: String, _ damage: Damage) async throws {
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: file + suffix)
        }
        let url = URL(filePath: file)
        var bytes = try Data(contentsOf: url)
        switch damage {
        // So little that no start reads nothing but what is left.
        case .torn: bytes = bytes.prefix(bytes.count / 4)
        case .empty: bytes = Data()
        case .notADatabase: bytes = Data("this is a shopping list\n".utf8)
        case .missing: return try FileManager.default.removeItem(at: url)
        case .newerSchema:
            try await CommandRun.sqlite(file, "PRAGMA user_version = 99")
            return
        case .header: bytes.replaceSubrange(0..<64, with: Data(repeating: 7, count: 64))
        }
        try bytes.write(to: url)
    }

    @Test(arguments: Damage.allCases.filter { $0 != .missing && $0 != .empty })
    func `a room that cannot be opened does not stop the others`(_ kind: Damage) async throws {
        let a = try await Daemon("ward-1")
        for room in ["garden", "clinic"] {
            try #require(try await a.shared("create", room).code == 0)
            let run = try await a.shared(
                ["form", "add", "-", "--room", room], input: Sample.form)
            try #require(run.code == 0, "\(run.errors)")
        }
        try await a.add("Sara")
        #expect(try await a.shared("push", "--timeout", "0s").code == 0)
        let file = try a.file("clinic")
        await a.terminate()
        try await damage(file, kind)
        let before = try? Data(contentsOf: URL(filePath: file))
        try await a.start()

        // The damaged one is shown, with what to do.
        let rooms = try await a.answer("rooms").array ?? []
        let clinic = try #require(rooms.first { $0["name"].string == "clinic" })
        #expect(clinic["role"].string == "damaged")
        #expect(clinic["current"].isTrue)
        #expect(clinic["problem"]["hint"].string != nil, "\(clinic.shown)")
        let status = try await a.shared("status")
        #expect(status.words.contains("clinic (damaged, current)"), "\(status.output)")
        let doctor = try await a.shared("doctor")
        #expect(doctor.code == 1)
        #expect(doctor.words.contains("room clinic: "), "\(doctor.output)")
        let verify = try await a.shared("verify", "--room", "clinic", "--json")
        #expect(verify.code == 1)
        #expect(
            try JSONValue(text: Array(verify.output.utf8))["findings"][0]["hint"].string != nil)

        // What was meant for it goes nowhere else, and the others go on.
        let lost = try await a.shared("add", "visit", "name=Ann", "age=3")
        lost.expectProblem("the room clinic cannot be opened")
        #expect(
            try await a.shared("add", "visit", "name=Ann", "age=3", "--room", "garden").code == 0)
        #expect(try await a.shared("verify", "--room", "garden").code == 0)

        // Looking changed nothing; only a rebuild does, and only where it can.
        #expect((try? Data(contentsOf: URL(filePath: file))) == before)
        let rebuild = try await a.shared("rebuild", "--room", "clinic")
        let isMended = try await a.shared("status", "--room", "clinic").code == 0
        #expect((rebuild.code == 0) == isMended, "\(rebuild.errors)")
        if !isMended {
            #expect(rebuild.errors.contains("hint"), "\(rebuild.errors)")
            #expect((try? Data(contentsOf: URL(filePath: file))) == before)
            // Nobody is sent to it again, as it cannot help.
            for command in ["status", "verify", "doctor"] {
                let arguments = command == "verify" ? ["--room", "clinic"] : []
                let told = try await a.shared([command] + arguments)
                #expect(!told.words.contains("shared rebuild"), "\(told.output)")
                let help = kind == .newerSchema ? "Install the newer" : "Put back a backup"
                #expect(told.words.contains(help), "\(told.output)")
            }
        }
        #expect(try await a.shared("leave", "clinic").code == 0)
        #expect(try await a.answer("rooms").array?.count == 1)
        await a.terminate()
    }

    @Test(arguments: [Damage.missing, .empty])
    func `a room whose file was lost is shown so and seals nothing until members fill it`(
        _ kind: Damage
    ) async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await b.add("Sara")
        #expect(try await b.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 1)
        let file = try b.file()
        await b.terminate()
        await a.terminate()
        try await damage(file, kind)
        try await b.start()

        let status = try await b.shared("status")
        #expect(status.words.contains("its file was lost"), "\(status.output)")
        let doctor = try await b.shared("doctor")
        #expect(doctor.code == 1)
        #expect(doctor.words.contains("its file was lost"), "\(doctor.output)")
        #expect(try await b.shared("push", "--timeout", "0s").code == 1)

        try await a.start()
        try await Daemon.untilIdentical(a, b, records: 1)
        try await b.add("Ann")
        #expect(try await b.shared("push", "--timeout", "20s").code == 0)
        try await Daemon.untilIdentical(a, b, records: 2)
        for daemon in [a, b] {
            #expect(try await daemon.branches() == [])
            #expect(try await daemon.shared("verify").code == 0)
            await daemon.terminate()
        }
    }

    @Test func `a room that was lost is read back from another device's file`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a, role: "owner")
        for number in 1...4 { try await b.add("person \(number)") }
        #expect(try await b.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 4)
        let stick = try ScratchFolder()
        #expect(try await a.shared("bundle", "write", stick.path + "/room").code == 0)
        let file = try b.file()
        await b.terminate()
        try await damage(file, .notADatabase)
        try await b.start()
        let read = try await b.answer("bundle", "read", stick.path + "/room", "--join")
        #expect(read["role"].string == "owner")
        try await Daemon.untilIdentical(a, b, records: 4)
        #expect(FileManager.default.fileExists(atPath: file + ".damaged-1"))
        try await b.add("one more")
        #expect(try await b.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 5)
        #expect(try await b.shared("verify").code == 0)
    }

    @Test(arguments: [true, false])
    func `a damaged batch is found, and comes back from a peer`(_ isOwn: Bool) async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        let author = isOwn ? b : a
        for number in 1...5 {
            try await author.add("person \(number)")
            #expect(try await author.shared("push").code == 0)
        }
        try await Daemon.untilIdentical(a, b, records: 5)
        // Entries that nobody else has yet must not go with the damaged batch.
        await a.terminate()
        try await b.add("only here")
        #expect(try await b.shared("push", "--timeout", "0s").code == 0)
        try await CommandRun.sqlite(try b.file(), Self.flip)
        let verify = try await b.shared("verify")
        #expect(verify.code == 1)
        let name = isOwn ? "ward-2" : "ward-1"
        #expect(
            verify.words.hasPrefix("batch 2 of the records log of \(name) ("), "\(verify.output)")
        #expect(
            verify.words.contains(") is damaged: its bytes do not match its signature "),
            "\(verify.output)")
        #expect(verify.words.contains(" that follow from it "), "\(verify.output)")
        #expect(!verify.output.contains("_"), "\(verify.output)")
        #expect(verify.words.components(separatedBy: "Run `shared rebuild`.").count == 2)
        #expect(verify.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
        let rebuild = try await b.shared("rebuild")
        #expect(rebuild.code == 0, "\(rebuild.errors)")
        #expect(rebuild.output.contains("the file had been damaged"), "\(rebuild.output)")
        let waiting = try await b.shared("verify")
        #expect(waiting.words.contains("waits for the one before it"), "\(waiting.output)")
        // Others may hold what came after it: nothing of its own goes beside that.
        try await b.add("meanwhile")
        #expect(try await b.shared("push", "--timeout", "0s").code == (isOwn ? 1 : 0))

        try await a.start()
        let isPushed = await eventually(within: .seconds(60)) {
            (try? await b.shared("push").code) == 0
        }
        #expect(isPushed)
        try await Daemon.untilIdentical(a, b, records: 7)
        #expect(try await b.names().contains("only here"))
        #expect(try await b.branches() == [])
        for daemon in [a, b] {
            let run = try await daemon.shared("verify")
            #expect(run.code == 0, "\(run.output)")
        }
        try await b.add("after")
        #expect(try await b.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 8)
    }

    @Test(arguments: [true, false])
    func `what a rebuild drops is asked for in the sessions that are open`(
        _ isOwn: Bool
    ) async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        let author = isOwn ? b : a
        for number in 1...3 {
            try await author.add("person \(number)")
            #expect(try await author.shared("push").code == 0)
        }
        try await Daemon.untilIdentical(a, b, records: 3)
        try await CommandRun.sqlite(try b.file(), Self.flip)
        #expect(try await b.shared("verify").code == 1)
        #expect(try await b.shared("rebuild").code == 0)
        try await Daemon.untilIdentical(a, b, records: 3)
        let verify = try await b.shared("verify")
        #expect(verify.code == 0, "\(verify.output)")
        try await b.add("after")
        #expect(try await b.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 4)
        #expect(try await b.branches() == [])
    }

    @Test func `a daemon keeps working while it verifies`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let rows = try await a.shared("import", "visit", "-", input: Sample.csv(rows: 20_000))
        #expect(rows.code == 0, "\(rows.errors)")
        #expect(try await a.shared("push", "--timeout", "0s").code == 0)
        async let verify = a.shared("verify")
        for number in 1...5 { try await a.add("during \(number)") }
        let run = try await verify
        #expect(run.code == 0, "\(run.output)\(run.errors)")
        // Ctrl-C ends it, and leaves no copy behind.
        let command = try await RunningCommand(["verify"], socket: a.socket)
        let hasBegun = await eventually {
            (try? FileManager.default.contentsOfDirectory(atPath: a.data + "/rooms"))?
                .contains { $0.contains(".verify-") } == true
        }
        command.signal(SIGINT)
        let ended = try await command.end(within: .seconds(30))
        if ended.code != 0 { ended.expectProblem("interrupted; nothing was changed") }
        if hasBegun {
            let isGone = await eventually {
                (try? FileManager.default.contentsOfDirectory(atPath: a.data + "/rooms"))?
                    .contains { $0.contains(".verify-") } == false
            }
            #expect(isGone)
        }
        #expect(try await a.answer("status")["rooms"][0]["records"].number == 20_005)
    }
}
