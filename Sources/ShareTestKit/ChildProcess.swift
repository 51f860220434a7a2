import Foundation
import Glibc
import Synchronization

/// Another program, started by a test and ended with this object.
///
/// A thread of its own starts it and waits for it: tests never hold one of the few threads of
/// Swift's pool, and a program cannot outlive a test run that dies (`PR_SET_PDEATHSIG` is about
/// the thread that started it).
package final class ChildProcess: Sendable {
    /// What to start, and the files that it reads and writes.
    package struct Launch: Sendable {
        package var executable: String
        package var arguments: [String] = []
        package var environment: [String: String] = [:]
        package var input = "/dev/null"
        package var output = "/dev/null"
        package var errors = "/dev/null"

        package init(_ executable: String, _ arguments: [String] = []) {
            self.executable = executable
            self.arguments = arguments
        }
    }

    package struct Failure: Error {
        let executable: String
        let code: Int32
    }

    private struct State {
        var pid: pid_t = 0
        var code: Int32?
        var waiting: [CheckedContinuation<Int32, Never>] = []
        var cleanups: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    private init() {}

    /// Starts it.
    package static func start(_ launch: Launch) async throws -> ChildProcess {
        let child = ChildProcess()
        try await withCheckedThrowingContinuation {
            (started: CheckedContinuation<Void, any Error>) in
            Thread {
                let code = child.spawn(launch)
                guard code == 0 else {
                    started.resume(throwing: Failure(executable: launch.executable, code: code))
                    return
                }
                started.resume()
                child.reap()
            }.start()
        }
        return child
    }

    package var pid: Int32 { state.withLock { $0.pid } }

    /// What it ended with, where it has: its exit code, or 128 and the signal's number.
    package var code: Int32? { state.withLock { $0.code } }

    /// Sends it a signal, unless it has ended: its number may be another's by then.
    package func signal(_ number: Int32) {
        state.withLock { state in
            if state.code == nil { _ = Glibc.kill(state.pid, number) }
        }
    }

    /// Whether it has a handler for that signal by now: a program that was just started has none.
    package func catches(_ number: Int32) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
        let mask = line.flatMap { UInt64($0.dropFirst("SigCgt:\t".count), radix: 16) }
        return (mask ?? 0) & 1 << UInt64(number - 1) != 0
    }

    /// Waits for its end, and kills it where that does not come within `limit`.
    @discardableResult
    package func end(within limit: Duration = .seconds(60)) async -> Int32 {
        let deadline = DispatchTime.now() + .milliseconds(Int(limit.components.seconds) * 1000)
        DispatchQueue.global().asyncAfter(deadline: deadline) { [weak self] in
            self?.signal(SIGKILL)
        }
        return await withCheckedContinuation { continuation in
            let code = state.withLock { state in
                if state.code == nil { state.waiting.append(continuation) }
                return state.code
            }
            if let code { continuation.resume(returning: code) }
        }
    }

    /// Does something once it has ended.
    package func afterwards(_ cleanup: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if state.code == nil { state.cleanups.append(cleanup) }
            return state.code != nil
        }
        if hasEnded { cleanup() }
    }

    private func spawn(_ launch: Launch) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let create = O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_addopen(&actions, 0, launch.input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, launch.output, create, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, launch.errors, create, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A shell of `make` may ignore SIGINT, and this thread block it; both are inherited.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        var blocked = sigset_t()
        sigemptyset(&blocked)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        var words = [launch.executable] + launch.arguments
        if access(Self.tether, X_OK) == 0 { words = [Self.tether, "--pdeathsig", "KILL"] + words }
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] =
            launch.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (arguments + variables).forEach { free($0) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, words[0], &actions, &attributes, arguments, variables)
        if code == 0 { state.withLock { [pid] in $0.pid = pid } }
        return code
    }

    /// Of util-linux; it becomes the program that it starts.
    private static let tether = "/usr/bin/setpriv"

    private func reap() {
        var info = siginfo_t()
        let pid = pid
        // Looked at, not taken, so that the number stays its own until the lock is held.
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let (code, waiting, cleanups) = state.withLock { state in
            var status: Int32 = 0
            waitpid(pid, &status, 0)
            let signal = status & 0x7F
            let code = signal == 0 ? status >> 8 & 0xFF : 128 + signal
            state.code = code
            defer { (state.waiting, state.cleanups) = ([], []) }
            return (code, state.waiting, state.cleanups)
        }
        cleanups.forEach { $0() }
        waiting.forEach { $0.resume(returning: code) }
    }
}
