import Glibc
import ShareControl
import ShareTestKit
import Testing

/// Ctrl-C, and what a command says of what it leaves behind.
@Suite(.serialized) struct InterruptionTests {
    @Test func `a push that is interrupted says that nothing is lost, and nothing is`() async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await Daemon.untilIdentical(a, b)
        // A peer that is stopped keeps its connection, and the push waiting.
        try await b.freeze()
        try await a.add("Sara")
        let push = try await RunningCommand(["push", "--timeout", "5m"], socket: a.socket)
        let isSealed = await eventually {
            (try? await a.status())?["pending"].number == 0
        }
        #expect(isSealed)
        push.signal(SIGINT)
        let run = try await push.end(within: .seconds(20))
        run.expectProblem("stopped waiting; nothing is lost")
        run.expectHint("shared push")
        b.signal(SIGCONT)
        try await Daemon.untilIdentical(a, b, records: 1)
    }

    /// Runs `shared` on a terminal, and ends it with Ctrl-C.
    @Test func `a daemon that does not answer is named, and how to look whether it is in`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let id = try await daemon.add("Sara", age: 8)
        try await daemon.freeze()
        let shared = try Product.path("shared")
        let run = try await RunningCommand(
            program: "/usr/bin/script",
            ["-qec", "\(shared) add visit name=Zara age=3", "/dev/null"],
            environment: [
                "SHARED_SOCKET": daemon.socket, "LC_ALL": "C.UTF-8", "TERM": "dumb",
                "PATH": "/usr/bin:/bin", "SHELL": "/bin/sh",
            ])
        let isTold = await eventually {
            run.output.contains("waiting for sharedd, which does not answer")
        }
        #expect(isTold, "\(run.output)")
        run.signal(SIGKILL)
        for (line, look) in [
            (["add", "visit", "name=Zara", "age=3"], "shared list visit name=Zara"),
            (["edit", id, "age=9"], "shared history \(id)"),
            (["delete", id], "shared history \(id)"),
            (["comment", id, "seen"], "shared history \(id)"),
            (["remove", "k7qx93mp"], "shared members --all"),
            (["role", "k7qx93mp", "editor"], "shared members"),
        ] {
            let command = try await RunningCommand(line, socket: daemon.socket)
            try #require(await command.untilItCatches(SIGINT))
            command.signal(SIGINT)
            let ended = try await command.end(within: .seconds(20))
            ended.expectProblem("interrupted; whether it was done is not known")
            ended.expectHint("`\(look)`")
        }
        daemon.signal(SIGCONT)
    }
}
