import Foundation
import ShareTestKit
import Testing

/// Entries that were not sent, on a disk that has changed a bit of them.
@Suite(.serialized) struct UnsentLossTests {
    @Test func `what was not sent and is lost is named, and what has changed is not sent`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await a.add("first")
        #expect(try await a.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 1)
        let lost = try await a.add("Sara")
        try await a.add("Tom")
        await a.terminate()
        try await CommandRun.sqlite(
            try a.file(), "UPDATE _pending SET block = CAST(replace(block, 'Sara', 'Sora') AS BLOB)"
        )
        try await a.start()
        let push = try await a.shared("push")
        #expect(push.code == 1)
        #expect(push.errors.contains("the table _pending in clinic-"), "\(push.errors)")
        #expect(push.errors.contains("shared rebuild"), "\(push.errors)")
        #expect(try await b.names() == ["first"])
        let rebuild = try await a.shared("rebuild")
        #expect(rebuild.code == 1)
        #expect(
            rebuild.words.contains(
                "1 entry or change made here and not sent could not be read any more"),
            "\(rebuild.output)")
        #expect(rebuild.output.contains("visit \(lost.suffix(8))"), "\(rebuild.output)")
        #expect(FileManager.default.fileExists(atPath: try a.file() + ".damaged-1"))
        let status = try await a.shared("status")
        #expect(status.words.contains("was lost with the damaged file"), "\(status.output)")
        #expect(try await a.shared("verify").code == 0)
        try await a.add("Sara")
        #expect(try await a.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 3)
        #expect(try await b.names() == ["Sara", "Tom", "first"])
    }

    @Test func `a file that is known to be damaged sends nothing before it is made anew`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        for number in 1...3 {
            try await a.add("n\(number)")
            #expect(try await a.shared("push").code == 0)
        }
        try await Daemon.untilIdentical(a, b, records: 3)
        try await a.add("later")
        await a.terminate()
        // Heads that stand in the index alone: SQLite itself writes no such file.
        try await CommandRun.sqlite(
            try a.file(),
            """
            CREATE TABLE kept(sql TEXT, rootpage INTEGER);
            INSERT INTO kept SELECT sql, rootpage FROM sqlite_schema WHERE name = '_head_log';
            PRAGMA writable_schema = ON;
            DELETE FROM sqlite_schema WHERE name = '_head_log';
            PRAGMA writable_schema = RESET;
            DELETE FROM _head WHERE kind = 1;
            PRAGMA writable_schema = ON;
            INSERT INTO sqlite_schema SELECT 'index', '_head_log', '_head', rootpage, sql FROM kept;
            PRAGMA writable_schema = RESET;
            DROP TABLE kept;
            """)
        try await a.start()
        let push = try await a.shared("push", "--timeout", "0s")
        #expect(push.code == 1)
        #expect(push.errors.contains("nothing is sent from it before"), "\(push.errors)")
        let status = try await a.shared("status")
        #expect(status.words.contains("its file is damaged"), "\(status.output)")
        let doctor = try await a.shared("doctor")
        #expect(doctor.words.contains("its file is damaged"), "\(doctor.output)")
        try await a.add("meanwhile")
        #expect(try await a.shared("verify").code == 1)
        let rebuild = try await a.shared("rebuild")
        #expect(rebuild.code == 0, "\(rebuild.output)")
        let verify = try await a.shared("verify")
        #expect(verify.code == 0, "\(verify.output)")
        #expect(try await a.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 5)
        #expect(try await b.branches() == [])
    }
}
