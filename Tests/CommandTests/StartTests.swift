import Foundation
import Glibc
import JSON
import ShareControl
import ShareTestKit
import Testing

/// How the daemon starts and ends, and what keeps it from starting.
@Suite(.serialized) struct StartTests {
    /// Runs `sharedd` in the daemon's place to its end, which must come by itself.
    private func start(_ arguments: [String]) async throws -> CommandRun {
        try await CommandRun(
            program: try Product.path("sharedd"), arguments, limit: .seconds(30))
    }

    private func refused(
        data: String, socket: String, listen: String = "127.0.0.1:0", _ words: String,
        code: Int32 = 1, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let run = try await start([
            "--data", data, "--socket", socket, "--listen", listen, "--no-discovery",
        ])
        run.expectProblem(words, code: code, by: "sharedd", sourceLocation: sourceLocation)
    }

    @Test func `a daemon that is not running is 3, with a hint how to start it`() async throws {
        let folder = try ScratchFolder()
        let run = try await CommandRun(["status"], socket: folder.path + "/s")
        run.expectProblem("the daemon is not running", code: 3)
        #expect(run.errors.contains("Start it: sharedd"))
        let json = try await CommandRun(["push", "--json"], socket: folder.path + "/s")
        #expect(json.code == 3)
        #expect(json.problem?.code == .daemonNotReachable)
    }

    @Test func `a socket left by a crash is told as such, and the next start takes it over`()
        async throws
    {
        let daemon = try await Daemon()
        try #require(try await daemon.shared("create", "clinic").code == 0)
        await daemon.kill()
        #expect(FileManager.default.fileExists(atPath: daemon.socket))
        let run = try await daemon.shared("status")
        run.expectProblem("left its socket", code: 3)
        try await daemon.start()
        #expect(try await daemon.status()["name"].string == "clinic")
    }

    @Test func `SIGTERM and SIGINT end it with 0, quickly, and take the socket away`() async throws
    {
        let daemon = try await Daemon()
        for signal in [SIGTERM, SIGINT] {
            if !daemon.isRunning { try await daemon.start() }
            let began = ContinuousClock.now
            #expect(await daemon.end(with: signal) == 0)
            #expect(ContinuousClock.now - began < .seconds(5))
            #expect(!FileManager.default.fileExists(atPath: daemon.socket))
        }
        // Nothing but the start and the stop is worth a line.
        #expect(!daemon.log.contains("error"))
    }

    @Test func `a second daemon on the same folder or socket is refused, and the first goes on`()
        async throws
    {
        let daemon = try await Daemon()
        let other = try ScratchFolder()
        try await refused(
            data: daemon.data, socket: other.path + "/s", "is locked by another sharedd (pid ")
        try await refused(
            data: other.path + "/data", socket: daemon.socket,
            "another sharedd is running and answers on \(daemon.socket)")
        #expect(try await daemon.shared("status").code == 0)
    }

    @Test func `a port in use is an error with --listen`() async throws {
        let daemon = try await Daemon()
        let other = try ScratchFolder()
        try await refused(
            data: other.path + "/data", socket: other.path + "/s", listen: daemon.address,
            "\(daemon.address) is in use by another program")
        #expect(try await daemon.shared("status").code == 0)
    }

    @Test func `a port in use without --listen is replaced by another, which is kept`()
        async throws
    {
        let daemon = try await Daemon()
        await daemon.terminate()
        func started() async throws -> (ChildProcess, String) {
            let child = try await daemon.launch(["--no-discovery"])
            let isUp = await eventually(within: .seconds(30)) {
                (try? await daemon.shared("status").code) == 0 || child.code != nil
            }
            try #require(isUp && child.code == nil, "\(daemon.log)")
            let line = try #require(
                daemon.log.split(separator: "\n").last { $0.contains(" started ") })
            let words = line.split(separator: " ")
            let listen = try #require(words.first { $0.hasPrefix("listen=") })
            return (child, String(try #require(listen.split(separator: ":").last)))
        }
        // The standard port is taken: by this test, or by whoever has it already.
        let taken = try? TakenPort(47117)
        defer { withExtendedLifetime(taken) {} }
        let (first, port) = try await started()
        #expect(port != "47117")
        first.signal(SIGTERM)
        await first.end()
        let (second, again) = try await started()
        #expect(again == port)
        second.signal(SIGTERM)
        await second.end()
    }

    @Test func `what is no folder, no socket or not to be written is told`() async throws {
        let folder = try ScratchFolder()
        let file = folder.path + "/file"
        try Data("x".utf8).write(to: URL(filePath: file))
        try await refused(data: file, socket: folder.path + "/s", "is not a folder")
        try await refused(data: file + "/data", socket: folder.path + "/s", "is not a folder")
        try await refused(
            data: folder.path + "/data", socket: file, "exists and is not a socket")
        try await refused(
            data: folder.path + "/data", socket: file + "/s", file)
        #expect(FileManager.default.contents(atPath: file) == Data("x".utf8))
    }

    /// A mode keeps nobody out who is root: a folder of the kernel's refuses root too.
    @Test func `a data directory that cannot be written is told`() async throws {
        let folder = try ScratchFolder()
        if getuid() == 0 {
            try await refused(
                data: "/proc/sys/net", socket: folder.path + "/s",
                "cannot write to the data directory")
        } else {
            let closed = folder.path + "/closed"
            mkdir(closed, 0o500)
            try await refused(
                data: closed, socket: folder.path + "/s", "cannot write to the data directory")
        }
    }

    @Test func `a newer schema is refused, and nothing is changed`() async throws {
        let daemon = try await Daemon()
        try #require(try await daemon.shared("create", "clinic").code == 0)
        await daemon.terminate()
        let file = daemon.data + "/node.sqlite"
        func sqlite(_ sql: String) async throws -> String {
            try await CommandRun(program: "/usr/bin/sqlite3", [file, sql]).output
        }
        let known = try await sqlite("PRAGMA user_version")
        _ = try await sqlite("PRAGMA user_version=99")
        try await refused(
            data: daemon.data, socket: daemon.socket, "written by a newer release", code: 4)
        #expect(try await sqlite("PRAGMA user_version") == "99\n")
        _ = try await sqlite("PRAGMA user_version=\(known)")
        try await daemon.start()
        #expect(try await daemon.status()["name"].string == "clinic")
    }

    @Test func `the identity is for the owner alone, and stays the same`() async throws {
        let daemon = try await Daemon()
        var status = stat()
        try #require(stat(daemon.data + "/identity", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        try #require(stat(daemon.socket, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        let id = try await daemon.answer("status")["device"]["id"]
        await daemon.terminate()
        try await daemon.start()
        #expect(try await daemon.answer("status")["device"]["id"] == id)
        await daemon.terminate()
        chmod(daemon.data + "/identity", 0o644)
        try await refused(data: daemon.data, socket: daemon.socket, "others may read it")
        chmod(daemon.data + "/identity", 0o600)
        truncate(daemon.data + "/identity", 31)
        try await refused(data: daemon.data, socket: daemon.socket, "damaged: 31 bytes")
    }

    @Test func `options that are not understood are 2`() async throws {
        let long = "/tmp/" + String(repeating: "x", count: 103)
        for (arguments, words) in [
            (["--nonsense"], "unknown option"),
            (["--listen", "here"], "--listen here is not an address"),
            (["--peer", "ward 2"], "is not an address"),
            (["--data"], "--data"),
            (["--socket", long], "108 bytes"),
            (["--name", String(repeating: "x", count: 64)], "64 bytes"),
            (["--log-level", "loud"], "loud"),
        ] {
            try await start(arguments).expectProblem(words, code: 2, by: "sharedd")
        }
    }
}
