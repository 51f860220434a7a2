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
        b.signal(SIGSTOP)
        try await a.add("Sara")
        let push = try await RunningCommand(["push", "--timeout", "5m"], socket: a.socket)
        let isSealed = await eventually(within: .seconds(30)) {
            (try? await a.status())?["pending"].number == 0
        }
        #expect(isSealed)
        push.signal(SIGINT)
        let run = try await push.end(within: .seconds(20))
        run.expectProblem("interrupted; nothing is lost")
        run.expectHint("shared push")
        b.signal(SIGCONT)
        try await Daemon.untilIdentical(a, b, records: 1)
    }
}
