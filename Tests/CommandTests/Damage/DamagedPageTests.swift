import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Real daemons on data of which one page of one file is damaged, each page in turn.
@Suite(.serialized) struct DamagedPageTests {
    private static let pageSize = 4_096
    private static let entries = 120

    /// A daemon that has ended, with a room of some pages.
    private func prepared() async throws -> Daemon {
        let daemon = try await Daemon.clinic()
        let run = try await daemon.shared(
            "import", "visit", "-", input: Sample.csv(rows: Self.entries))
        try #require(run.code == 0, "\(run.errors)")
        try #require(try await daemon.shared("push", "--timeout", "0s").code == 0)
        try await daemon.add("not sent")
        await daemon.terminate()
        return daemon
    }

    /// Writes over a page, so that nothing of it is what it was.
    private func damage(_ file: String, page: Int) throws {
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: file + suffix)
        }
        let url = URL(filePath: file)
        var bytes = try Data(contentsOf: url)
        let start = page * Self.pageSize
        bytes.replaceSubrange(
            start..<start + Self.pageSize, with: Data(repeating: 0xa5, count: Self.pageSize))
        try bytes.write(to: url)
    }

    private func pages(_ file: String) throws -> Int {
        try Data(contentsOf: URL(filePath: file)).count / Self.pageSize
    }

    @Test func `no page of node.sqlite stops the daemon, or makes a room damaged`() async throws {
        let daemon = try await prepared()
        let copy = try await daemon.copyData()
        for page in 0..<(try pages(daemon.data + "/node.sqlite")) {
            try daemon.restore(copy)
            try damage(daemon.data + "/node.sqlite", page: page)
            try await daemon.start()
            let status = try await daemon.answer("status")
            let room = status["rooms"][0]
            #expect(room["name"].string == "clinic", "page \(page): \(status.shown)")
            #expect(room["role"].string == "owner", "page \(page): \(status.shown)")
            #expect(room["records"].number == Self.entries + 1, "page \(page)")
            #expect(daemon.log.contains("node.sqlite was damaged"), "page \(page)")
            let doctor = try await daemon.shared("doctor")
            #expect(
                doctor.words.contains("node.sqlite: it was damaged and has been made anew"),
                "page \(page): \(doctor.output)")
            let files = try FileManager.default.contentsOfDirectory(atPath: daemon.data)
            #expect(files.contains("node.sqlite.damaged-1"))
            try await daemon.add("after")
            await daemon.terminate()
        }
    }

    @Test func `whatever page of a room is damaged, commands name file, table and remedy`()
        async throws
    {
        let daemon = try await prepared()
        let copy = try await daemon.copyData()
        let path = try daemon.file()
        let name = URL(filePath: path).lastPathComponent
        let count = try pages(path)
        #expect(count > 20)
        var named = 0
        for page in 0..<count {
            try daemon.restore(copy)
            try damage(path, page: page)
            try await daemon.start()
            let status = try await daemon.shared("status")
            #expect(status.code == 0, "page \(page): \(status.errors)")
            for command in [["list", "visit"], ["export", "visit"], ["list", "visit", "--json"]] {
                let run = try await daemon.shared(command)
                guard run.code != 0 else { continue }
                #expect(!run.errors.contains("connection"), "page \(page): \(run.errors)")
                #expect(
                    run.errors.contains("is damaged") || run.errors.contains("cannot be opened"))
                #expect(
                    run.errors.contains("shared rebuild") || run.errors.contains("bundle read"),
                    "page \(page): \(run.errors)")
                guard run.errors.contains("the table") else { continue }
                named += 1
                #expect(run.errors.contains(name), "page \(page): \(run.errors)")
                #expect(daemon.log.contains("a request failed"), "page \(page)")
            }
            // The remedy helps, or says what does; nobody is sent to it twice.
            let rebuild = try await daemon.shared("rebuild", "--room", "clinic")
            let again = try await daemon.shared("list", "visit")
            if rebuild.code == 0 {
                // Its form may be lost with a page: there is no other device that has it.
                #expect(
                    again.code == 0 || again.errors.contains("no form"),
                    "page \(page): \(again.errors)")
            } else {
                #expect(
                    !again.errors.contains("shared rebuild"),
                    "page \(page): \(rebuild.errors)\(again.errors)")
            }
            await daemon.terminate()
        }
        #expect(named > 0)
    }

    @Test func `a room without its batches keeps what was not sent, and gets them from a file`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await b.add("Sara")
        #expect(try await b.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 1)
        let stick = try ScratchFolder()
        #expect(try await a.shared("bundle", "write", stick.path + "/room").code == 0)
        let file = try b.file()
        try await b.add("Tom")
        await b.terminate()
        try await CommandRun.sqlite(file, "DROP TABLE _batch")
        try await b.start(withPeers: false)
        try await b.shared("list", "visit").expectHint("shared rebuild")
        #expect(try await b.shared("rebuild", "--room", "clinic").code == 0)
        let read = try await b.shared("bundle", "read", stick.path + "/room")
        #expect(read.code == 0, "\(read.errors)")
        #expect(try await b.names() == ["Sara", "Tom"])
        #expect(try await b.shared("push", "--timeout", "0s").code == 0)
        await a.terminate()
        try await a.start(with: ["--peer", b.address])
        try await Daemon.untilIdentical(a, b, records: 2)
        #expect(FileManager.default.fileExists(atPath: file + ".damaged-1"))
    }

    @Test(arguments: [true, false])
    func `who joins over a damaged file of the room keeps what was not sent`(
        byBundle: Bool
    ) async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await b.add("Sara")
        #expect(try await b.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 1)
        let stick = try ScratchFolder()
        #expect(try await a.shared("bundle", "write", stick.path + "/room").code == 0)
        let file = try b.file()
        try await b.add("Tom")
        await b.terminate()
        try await CommandRun.sqlite(file, "DROP TABLE _batch")
        try await b.start(withPeers: !byBundle)
        if byBundle {
            let refused = try await b.shared("bundle", "read", stick.path + "/room")
            refused.expectProblem("the room clinic cannot be opened")
            let read = try await b.shared("bundle", "read", stick.path + "/room", "--join")
            #expect(read.code == 0, "\(read.errors)")
        } else {
            let code = try #require(try await a.answer("invite")["code"].string)
            let joined = try await b.shared("join", code)
            #expect(joined.code == 0, "\(joined.errors)")
        }
        #expect(try await b.names() == ["Sara", "Tom"])
        #expect(FileManager.default.fileExists(atPath: file + ".damaged-1"))
        if byBundle {
            await a.terminate()
            try await a.start(with: ["--peer", b.address])
        }
        #expect(try await b.shared("push", "--timeout", "20s").code == 0)
        try await Daemon.untilIdentical(a, b, records: 2)
    }

    @Test
    func `a rebuild over an emptied table of the room's name reads the batches that are there`()
        async throws
    {
        let daemon = try await prepared()
        let file = try daemon.file()
        try await CommandRun.sqlite(file, "DELETE FROM _meta")
        try await daemon.start()
        let list = try await daemon.shared("list", "visit")
        list.expectProblem("the room clinic cannot be opened")
        list.expectHint("shared rebuild")
        #expect(try await daemon.shared("rebuild", "--room", "clinic").code == 0)
        #expect(try await daemon.names().count == Self.entries + 1)
        #expect(try await daemon.shared("verify").code == 0)
    }

    @Test func `a damaged room is the current one also where node.sqlite has lost that`()
        async throws
    {
        let daemon = try await prepared()
        let file = try daemon.file()
        for (path, sql) in [
            (file, "DELETE FROM _meta"), (daemon.data + "/node.sqlite", "DELETE FROM setting"),
        ] {
            try await CommandRun.sqlite(path, sql)
        }
        try await daemon.start()
        try await daemon.shared("list", "visit").expectProblem("the room clinic cannot be opened")
        #expect(try await daemon.shared("rebuild").code == 0)
        #expect(try await daemon.shared("list", "visit").code == 0)
    }

    @Test func `two rooms whose files were swapped go on`() async throws {
        let daemon = try await Daemon.clinic()
        try await daemon.add("Sara")
        try #require(try await daemon.shared("create", "garden").code == 0)
        let (clinic, garden) = (try daemon.file("clinic"), try daemon.file("garden"))
        await daemon.terminate()
        let files = FileManager.default
        try files.moveItem(atPath: clinic, toPath: clinic + ".aside")
        try files.moveItem(atPath: garden, toPath: clinic)
        try files.moveItem(atPath: clinic + ".aside", toPath: garden)
        try await daemon.start()
        let rooms = try await daemon.answer("rooms").array ?? []
        #expect(rooms.map { $0["role"].string } == ["owner", "owner"])
        let list = try await daemon.shared("list", "visit", "--room", "clinic")
        #expect(list.output.contains("Sara"), "\(list.errors)")
        let doctor = try await daemon.shared("doctor")
        #expect(!doctor.output.contains("new identity"))
    }
}
