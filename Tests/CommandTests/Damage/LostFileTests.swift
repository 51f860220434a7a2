import Foundation
import JSON
import ShareTestKit
import Testing

/// Files of the data directory that are gone, emptied or no files of ours.
@Suite(.serialized) struct LostFileTests {
    private func twoRooms() async throws -> Daemon {
        let daemon = try await Daemon.clinic()
        try await daemon.add("Sara")
        try #require(try await daemon.shared("create", "garden").code == 0)
        try #require(try await daemon.shared("use", "clinic").code == 0)
        return daemon
    }

    @Test(arguments: [true, false])
    func `rooms without node.sqlite are found, and none of them is taken for the current one`(
        _ isGone: Bool
    ) async throws {
        let daemon = try await twoRooms()
        await daemon.terminate()
        let file = daemon.data + "/node.sqlite"
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: file + suffix)
        }
        if !isGone { try Data().write(to: URL(filePath: file)) }
        try Data(count: 8_192).write(to: URL(filePath: daemon.data + "/rooms/ward-2stkjj5m.sqlite"))
        try await daemon.start()
        #expect(daemon.log.contains("rooms that node.sqlite does not list were found"))
        #expect(daemon.log.contains("files=ward-2stkjj5m.sqlite"))
        let add = try await daemon.shared("add", "visit", "name=Tom", "age=3")
        add.expectProblem("no room is the current one")
        add.expectHint("shared use ROOM")
        let status = try await daemon.shared("status")
        #expect(status.words.contains("which one is the current one is not known"))
        let doctor = try await daemon.shared("doctor")
        #expect(doctor.words.contains("it did not list clinic, garden"), "\(doctor.output)")
        #expect(doctor.words.contains("ward-2stkjj5m.sqlite in the folder rooms"))
        try #require(try await daemon.shared("use", "clinic").code == 0)
        #expect(try await daemon.names() == ["Sara"])
    }

    @Test func `a damaged node.sqlite that does not tell the current room makes none of them that`()
        async throws
    {
        let daemon = try await twoRooms()
        await daemon.terminate()
        try await CommandRun.sqlite(daemon.data + "/node.sqlite", "DROP TABLE setting")
        try await daemon.start()
        try await daemon.shared("list", "visit").expectProblem("no room is the current one")
        #expect(try await daemon.shared("list", "visit", "--room", "clinic").code == 0)
    }

    @Test func `no room is the current one where a file may be that of the lost one`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let file = try daemon.file()
        #expect(try await daemon.shared("create", "other").code == 0)
        #expect(try await daemon.shared("use", "clinic").code == 0)
        await daemon.terminate()
        try await CommandRun.sqlite(file, "DROP TABLE _batch")
        let folder = daemon.data
        for name in try FileManager.default.contentsOfDirectory(atPath: folder)
        where name.hasPrefix("node.sqlite") {
            try FileManager.default.removeItem(atPath: folder + "/" + name)
        }
        try await daemon.start()
        try await daemon.shared("list", "visit").expectProblem("no room is the current one")
        #expect(try await daemon.shared("status", "--room", "other").code == 0)
    }

    @Test func `a room whose batches are gone is called that, and no other device's`() async throws
    {
        let daemon = try await Daemon.clinic()
        try await daemon.add("Sara")
        let file = try daemon.file()
        await daemon.terminate()
        try await CommandRun.sqlite(file, "DELETE FROM _batch")
        try await daemon.start()
        let status = try await daemon.shared("status")
        #expect(status.words.contains("the signed batches in its file are missing or damaged"))
        #expect(!status.words.contains("another device's:"), "\(status.output)")
        #expect(status.words.contains("shared rebuild"), "\(status.output)")
        let rebuild = try await daemon.answer("rebuild", "--room", "clinic")
        #expect(rebuild["kept"].string == file + ".damaged-1", "\(rebuild)")
        // Members may hold what it lost: nothing is sent before they have given it back.
        #expect(try await daemon.shared("push").code != 0)
        #expect(try await daemon.status()["pending"].number == 1)
        #expect(!daemon.log.contains("DamagedRoom("))
    }

    @Test func `a room's file of another device is noticed, and only what it has signed is taken`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await b.add("Sara")
        #expect(try await b.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 1)
        try await b.add("Tom")
        let (own, other) = (try a.file(), try b.file())
        await a.terminate()
        await b.terminate()
        try FileManager.default.removeItem(atPath: own)
        try FileManager.default.copyItem(atPath: other, toPath: own)
        try await a.start()
        for command in ["status", "rooms", "doctor"] {
            let run = try await a.shared(command)
            let words = "its file was made by another device"
            #expect((run.words + run.errors).contains(words), "\(command): \(run.output)")
        }
        let rebuild = try await a.answer("rebuild", "--room", "clinic")
        #expect(rebuild["kept"].string == own + ".damaged-1")
        #expect(try await a.names() == ["Sara"])
        // It is hers still.
        try await b.start()
        #expect(try await b.names() == ["Sara", "Tom"])
        #expect(try await b.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 2)
    }

    @Test func `a file that is deleted under the daemon takes nothing more in`() async throws {
        let daemon = try await twoRooms()
        try FileManager.default.removeItem(atPath: try daemon.file())
        let add = try await daemon.shared("add", "visit", "name=Tom", "age=3")
        add.expectProblem("the room's file was deleted or replaced while sharedd runs")
        for command in ["status", "doctor"] {
            let run = try await daemon.shared(command)
            #expect(run.words.contains("deleted or replaced"), "\(command): \(run.output)")
        }
        #expect(try await daemon.shared("verify").code == 1)
        #expect(try await daemon.shared("list", "visit", "--room", "garden").code == 1)
        #expect(try await daemon.shared("forms", "--room", "garden").code == 0)
    }
}
