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

    @Test(.enabled(if: canMount))
    func `a full disk is told, loses nothing acknowledged, and passes`() async throws {
        let folder = try ScratchFolder()
        let data = folder.path + "/data"
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        var launch = ChildProcess.Launch(
            Self.unshare,
            [
                "-Urm", "/bin/sh", "-c",
                "mount -t tmpfs -o size=4m,mode=0700 tmpfs \"$0\" && exec \"$@\"", data,
                try Product.path("sharedd"), "--data", data, "--socket", folder.path + "/s",
                "--name", "ward-1", "--listen", "127.0.0.1:0", "--no-discovery",
            ])
        launch.errors = folder.path + "/log"
        let daemon = try await ChildProcess.start(launch)
        let socket = folder.path + "/s"
        @Sendable func shared(_ arguments: String..., input: String? = nil) async throws
            -> CommandRun
        {
            try await CommandRun(arguments, socket: socket, input: input)
        }
        let hasBegun = await eventually(within: .seconds(60)) {
            (try? await shared("status").code) == 0
        }
        try #require(hasBegun)
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
}
