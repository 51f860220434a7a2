import Foundation
import JSON
import ShareTestKit
import Testing

/// Batches of a device's own that are gone from its file: no number is used for another one.
@Suite(.serialized) struct LostBatchesTests {
    @Test func `who does not know any more whom it let in decides nothing before it has met one`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await a.add("Sara")
        #expect(try await a.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 1)
        await b.terminate()
        await a.terminate()
        let file = try a.file()
        try await CommandRun.sqlite(
            file, "UPDATE _batch SET bytes = zeroblob(200) WHERE kind = 0 AND number > 1")
        try await a.start()
        let rebuild = try await a.shared("rebuild")
        #expect(rebuild.code == 0, "\(rebuild.errors)")
        #expect(rebuild.words.contains("Nothing is sent before a member"), "\(rebuild.output)")
        for _ in 0..<2 {
            let form = try await a.shared("form", "add", "-", input: Sample.form)
            #expect(form.code == 1, "\(form.output)")
            #expect(form.errors.contains("man shared"), "\(form.errors)")
            // Nor after another damage, of which the file that was made anew shows nothing.
            await a.terminate()
            try await CommandRun.sqlite(file, "DELETE FROM _meta")
            try await a.start()
            #expect(try await a.shared("rebuild").code == 0)
        }
        try await b.start()
        try await Daemon.untilIdentical(a, b, records: 1)
        try await a.add("Tom")
        #expect(try await a.shared("push", "--timeout", "20s").code == 0)
        try await Daemon.untilIdentical(a, b, records: 2)
        for daemon in [a, b] { #expect(try await daemon.branches() == []) }
    }

    @Test func `nor does who has lost with the end of its log that it let anybody in`() async throws
    {
        let a = try await Daemon.clinic("ward-1")
        // At the start the log is emptied: it has what comes from here on alone.
        await a.terminate()
        try await a.start()
        let b = try await Daemon.member("ward-2", of: a)
        for name in ["Sara", "Tom", "Ann"] {
            try await a.add(name)
            #expect(try await a.shared("push", "--timeout", "20s").code == 0)
        }
        try await Daemon.untilIdentical(a, b, records: 3)
        await b.terminate()
        await a.kill()
        let log = URL(filePath: try a.file() + "-wal")
        var bytes = try Data(contentsOf: log)
        bytes[32 + 24 + 100] ^= 1
        try bytes.write(to: log)
        try await a.start()
        #expect(try await a.answer("members").array?.count == 1)
        let form = try await a.shared("set", "open", "on")
        #expect(form.code == 1, "\(form.output)")
        #expect(form.errors.contains("man shared"), "\(form.errors)")
        let status = try await a.shared("status")
        #expect(status.words.contains("man shared, at rebuild"), "\(status.output)")
        try await b.start()
        try await Daemon.untilIdentical(a, b, records: 3)
        try await a.add("Eve")
        #expect(try await a.shared("push", "--timeout", "20s").code == 0)
        try await Daemon.untilIdentical(a, b, records: 4)
        for daemon in [a, b] { #expect(try await daemon.branches() == []) }
    }

    @Test(.timeLimit(.minutes(3)))
    func `a file of one's own, or for a contributor, does not tell how far one's log went`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await b.add("Sara")
        #expect(try await b.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 1)
        let folder = b.folder.path
        #expect(try await b.shared("bundle", "write", folder + "/own.bundle").code == 0)
        try await b.add("Tom")
        #expect(try await b.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 2)
        #expect(try await a.shared("bundle", "write", folder + "/other.bundle").code == 0)
        await a.terminate()
        await b.terminate()
        let file = try b.file()
        for suffix in ["", "-wal", "-shm"] { try? FilesTests.remove(file + suffix) }
        try await b.start()
        let own = try await b.shared("bundle", "read", folder + "/own.bundle")
        #expect(own.code == 0, "\(own)")
        try await b.add("Ann")
        let early = try await b.shared("push", "--timeout", "0s")
        #expect(early.code == 1, "\(early)")
        #expect(early.errors.contains("lost"), "\(early)")
        let other = try await b.shared("bundle", "read", folder + "/other.bundle")
        #expect(other.code == 0, "\(other)")
        _ = try await b.shared("push", "--timeout", "0s")
        try await a.start()
        try await Daemon.untilIdentical(a, b, records: 3)
        for daemon in [a, b] { #expect(try await daemon.branches() == []) }
    }

    /// The way that `man shared` shows at `rebuild`.
    @Test func `who alone has a room without its batches begins a new one with its entries`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        try await daemon.add("Sara")
        #expect(try await daemon.shared("push").code == 0)
        try await daemon.add("not sent")
        await daemon.terminate()
        let file = try daemon.file()
        try await CommandRun.sqlite(file, "DROP TABLE _batch")
        try await daemon.start()
        let rebuild = try await daemon.shared("rebuild")
        #expect(rebuild.code == 0, "\(rebuild.errors)")
        let kept = file + ".damaged-1"
        #expect(rebuild.words.contains("is kept as"), "\(rebuild.output)")
        #expect(
            rebuild.words.contains("begin a new one: man shared, at rebuild"),
            "\(rebuild.output)")
        let status = try await daemon.shared("status")
        #expect(status.words.contains("man shared, at rebuild"), "\(status.output)")
        let push = try await daemon.shared("push", "--timeout", "0s")
        #expect(push.code == 1)
        #expect(push.errors.contains("`man shared`, at rebuild"), "\(push.errors)")

        let form = try await CommandRun.sqlite(
            kept, "SELECT json FROM _definition WHERE in_force AND form_id = 'visit'")
        let entries = try await CommandRun.sqlite(
            kept, "SELECT * FROM visit_view", "-header", "-csv")
        #expect(try await daemon.shared("leave", "clinic").code == 0)
        #expect(try await daemon.shared("create", "clinic").code == 0)
        let added = try await daemon.shared("form", "add", "-", input: form)
        #expect(added.code == 0, "\(added.errors)")
        let imported = try await daemon.shared(
            "import", "visit", "-", "--map", "_id=", input: entries)
        #expect(imported.code == 0, "\(imported.errors)")
        #expect(try await daemon.names() == ["Sara", "not sent"])
        #expect(try await daemon.shared("push", "--timeout", "0s").code == 0)
    }
}
