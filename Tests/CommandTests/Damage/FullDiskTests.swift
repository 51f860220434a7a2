import Foundation
import Glibc
import JSON
import ShareControl
import ShareTestKit
import Testing

/// A daemon whose data lies on a disk of a few MiB: a tmpfs in a mount namespace of its own.
@Suite(.serialized) struct FullDiskTests {
    private static let unshare = "/usr/bin/unshare"

    /// Whether this machine lets a test mount anything.
    private static let canMount: Bool = {
        let process = Process()
        process.executableURL = URL(filePath: unshare)
        process.arguments = ["-Urm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
        process.standardError = nil
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// A daemon that answers, with its data on a disk of 4 MiB: `data` and the socket `s` in a folder.
    private static func start(
        _ name: String, in folder: ScratchFolder, _ options: String...
    ) async throws -> ChildProcess {
        let (data, socket) = (folder.path + "/data", folder.path + "/s")
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        var launch = ChildProcess.Launch(
            unshare,
            [
                "-Urm", "/bin/sh", "-c",
                "mount -t tmpfs -o size=4m,mode=0700 tmpfs \"$0\" && exec \"$@\"", data,
                try Product.path("sharedd"), "--data", data, "--socket", socket,
                "--name", name, "--listen", "127.0.0.1:0", "--no-discovery",
            ] + options)
        launch.errors = folder.path + "/log"
        let daemon = try await ChildProcess.start(launch)
        let hasBegun = await eventually(within: .seconds(60)) {
            (try? await CommandRun(["status"], socket: socket).code) == 0
        }
        try #require(hasBegun)
        return daemon
    }

    @Test(.enabled(if: canMount))
    func `a full disk is told, loses nothing acknowledged, and passes`() async throws {
        let folder = try ScratchFolder()
        let data = folder.path + "/data"
        let daemon = try await Self.start("ward-1", in: folder)
        let socket = folder.path + "/s"
        @Sendable func shared(_ arguments: String..., input: String? = nil) async throws
            -> CommandRun
        {
            try await CommandRun(arguments, socket: socket, input: input)
        }
        try #require(try await shared("create", "clinic").code == 0)
        try #require(try await shared("form", "add", "-", input: Sample.form).code == 0)

        // Until it is full: 64 KiB each, in the room's file and its log.
        let text = String(repeating: "x", count: 64 << 10)
        var kept = 0
        var failure: CommandRun?
        while failure == nil, kept < 200 {
            let run = try await shared("add", "visit", "name=\(kept) \(text)", "age=1")
            if run.code == 0 { kept += 1 } else { failure = run }
        }
        let full = try #require(failure, "4 MiB were not full after \(kept) entries")
        full.expectProblem("the disk is full")
        #expect(kept > 0)

        // It goes on answering, what was acknowledged is there, and nothing half-written.
        @Sendable func records() async throws -> Int? {
            let run = try await shared("status", "--json")
            return try JSONValue(text: Array(run.output.utf8))["rooms"][0]["records"].number
        }
        #expect(try await records() == kept)
        #expect(try await shared("doctor").output.contains("disk"))
        let push = try await shared("push", "--timeout", "0s")
        #expect(push.code == 0 || push.errors.contains("the disk is full"), "\(push.errors)")

        // With room again, everything goes on by itself.
        let grow = try await CommandRun(
            program: "/usr/bin/nsenter",
            [
                "-t", "\(daemon.pid)", "-U", "-m", "--preserve-credentials", "mount", "-o",
                "remount,size=64m", data,
            ])
        try #require(grow.code == 0, "\(grow.errors)")
        #expect(try await shared("add", "visit", "name=after", "age=1").code == 0)
        #expect(try await shared("push", "--timeout", "0s").code == 0)
        #expect(try await records() == kept + 1)
        let verify = try await shared("verify")
        #expect(verify.code == 0, "\(verify.output)\(verify.errors)")
        daemon.signal(SIGTERM)
        #expect(await daemon.end(within: .seconds(30)) == 0)
    }

    @Test(.enabled(if: canMount))
    func `peers of a device with a full disk are told so, and doctor says what it cannot write`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let folder = try ScratchFolder()
        let data = folder.path + "/data"
        let full = try await Self.start("ward-2", in: folder, "--peer", a.address)
        let socket = folder.path + "/s"
        @Sendable func ward2(_ arguments: String...) async throws -> CommandRun {
            try await CommandRun(arguments, socket: socket)
        }
        @Sendable func inside(_ command: String...) async throws -> CommandRun {
            try await CommandRun(
                program: "/usr/bin/nsenter",
                ["-t", "\(full.pid)", "-U", "-m", "--preserve-credentials"] + command)
        }
        let code = try #require(try await a.answer("invite")["code"].string)
        #expect(try await ward2("join", "clinic", "--code", code).code == 0)

        // More than is left there, in several batches.
        let text = String(repeating: "x", count: 100 << 10)
        for number in 0..<48 { try await a.add("\(number) \(text)") }
        let push = try await a.shared("push", "--timeout", "60s")
        #expect(push.output.contains("ward-2"), "\(push.output)")
        #expect(
            push.output.contains("it cannot store anything: its disk is full"), "\(push.output)")
        #expect(!push.output.contains("nobody else"), "\(push.output)")
        #expect(!push.output.contains("refused 0"), "\(push.output)")

        // With room again what is missing goes there.
        #expect(try await inside("mount", "-o", "remount,size=64m", data).code == 0)
        try await a.add("more")
        let isThere = await eventually(within: .seconds(60)) {
            let push = try? await a.shared("push", "--timeout", "5s")
            return push?.words.contains("ward-2") == true && push?.code == 0
                && push?.words.contains("not yet") == false
        }
        #expect(isThere)

        // What nobody can write doctor says, and exits with an error.
        #expect(try await ward2("doctor").output.contains("data directory:") == false)
        #expect(try await inside("mount", "-t", "tmpfs", "-o", "ro", "tmpfs", data).code == 0)
        let doctor = try await ward2("doctor")
        #expect(doctor.code == 1, "\(doctor.output)")
        #expect(doctor.output.contains("Read-only file system"), "\(doctor.output)")
        // And what says that the log says more is right.
        let failed = try await ward2("create", "other")
        #expect(failed.code != 0)
        let log = try String(contentsOfFile: folder.path + "/log", encoding: .utf8)
        #expect(log.contains("a request failed"), "\(log)")
        full.signal(SIGTERM)
        _ = await full.end(within: .seconds(30))
    }
}
