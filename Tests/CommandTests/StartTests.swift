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
        run.expectProblem("shared is not running on this device", code: 3)
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
            #expect(ContinuousClock.now - began < .seconds(15))
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
            let isUp = await eventually {
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
            try await CommandRun.sqlite(file, sql)
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
        try await refused(data: daemon.data, socket: daemon.socket, "others may read it", code: 4)
        chmod(daemon.data + "/identity", 0o600)
        truncate(daemon.data + "/identity", 31)
        try await refused(data: daemon.data, socket: daemon.socket, "damaged: 31 bytes", code: 4)
    }

    /// A connection to a port of this machine over which nothing is sent.
    private static func connection(to port: UInt16) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Swift's own list of arguments is empty then.
    @Test func `without /proc options are read all the same`() async throws {
        for (program, word, words) in [
            ("sharedd", "--version", "sharedd 0."), ("shared", "--version", "shared"),
        ] {
            let run = try await CommandRun(
                program: "/usr/bin/unshare",
                [
                    "--user", "--map-root-user", "--mount", "sh", "-c",
                    "mount -t tmpfs none /proc && exec \"$@\"", "sh", try Product.path(program),
                    word,
                ], limit: .seconds(30))
            // Some systems let nobody but root have a mount namespace.
            if run.errors.contains("Operation not permitted") { return }
            #expect(run.code == 0 && run.output.hasPrefix(words), "\(run.output)\(run.errors)")
        }
    }

    /// Starts a daemon anew that may have so many files open.
    private func restart(_ daemon: Daemon, withDescriptors count: Int) async throws -> ChildProcess
    {
        await daemon.terminate()
        var launch = ChildProcess.Launch(
            "/usr/bin/prlimit",
            [
                "--nofile=\(count):\(count)", try Product.path("sharedd"), "--data", daemon.data,
                "--socket", daemon.socket, "--listen", daemon.address, "--no-discovery",
            ])
        launch.errors = daemon.folder.path + "/log"
        let child = try await ChildProcess.start(launch)
        let began = await eventually(within: .seconds(30)) {
            (try? await daemon.shared("status").code) == 0
        }
        try #require(began, "\(daemon.log)")
        return child
    }

    @Test func `more watchers than there are descriptors are told so, and commands are answered`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let few = try await restart(daemon, withDescriptors: 40)
        var started: [RunningCommand] = []
        for _ in 0..<40 {
            started.append(try await RunningCommand(["watch"], socket: daemon.socket))
        }
        let watchers = started
        // All but a few that watch have ended, each with the reason.
        let isOver = await eventually(within: .seconds(60)) {
            watchers.count { $0.hasEnded } > 32
        }
        #expect(isOver, "\(watchers.count { $0.hasEnded }) have ended")
        #expect(watchers.contains { !$0.hasEnded })
        for watcher in watchers where watcher.hasEnded {
            try await watcher.end().expectProblem(
                "the daemon has too many files and connections open")
        }
        // Each may open files that no command before has read.
        for command in [
            ["status"], ["add", "visit", "name=Sara", "age=8"], ["status"], ["list", "visit"],
            ["search", "Sara"], ["count", "visit"], ["status"],
        ] {
            // A connection before may still be giving back what it had.
            let isAnswered = await eventually {
                (try? await daemon.shared(command).code) == 0
            }
            #expect(isAnswered, "\(command)")
        }
        #expect(watchers.contains { !$0.hasEnded })
        let lines = daemon.log.split(separator: "\n").filter { $0.contains("too many files") }
        #expect(lines.count == 1, "\(daemon.log)")
        withExtendedLifetime(watchers) { few.signal(SIGTERM) }
        #expect(await few.end(within: .seconds(30)) == 0)
    }

    @Test func `with few descriptors it refuses connections, says so once, and goes on`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let code = try await daemon.answer("invite", "--uses", "20")["code"].string ?? ""
        let few = try await restart(daemon, withDescriptors: 40)
        // Connections that say nothing take what there is.
        let idle = (0..<60).compactMap { _ in Self.connection(to: daemon.port) }
        let newcomer = try await Daemon("ward-9", peers: [daemon])
        let join = try await newcomer.shared("join", "clinic", "--code", code)
        join.expectProblem("takes connections and ends each at once", code: 1)
        for _ in 0..<5 {
            let status = try await daemon.shared("status")
            #expect(status.code == 0, "\(status.errors)")
        }
        try await daemon.add("Sara")
        #expect(few.code == nil)
        let lines = daemon.log.split(separator: "\n").filter { $0.contains("too many files") }
        #expect(lines.count == 1, "\(daemon.log)")
        for descriptor in idle { close(descriptor) }
        few.signal(SIGTERM)
        #expect(await few.end(within: .seconds(30)) == 0)
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
