import Glibc

/// The program that shows what is longer than the screen: `$PAGER`, else `less -FRX`.
final class Pager {
    /// Where its input goes.
    let descriptor: Int32
    private let process: pid_t

    /// Starts it; nil where it cannot be started, or nobody wants one (`PAGER=cat` or empty).
    init?() {
        let wanted = getenv("PAGER").map { String(cString: $0) }
        guard wanted != "", wanted != "cat", Self.isThere(wanted ?? "less") else { return nil }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // What this process ignores its child would ignore too.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        setenv("LESS", "FRX", 0)
        let words = ["sh", "-c", wanted ?? "exec less -FRX"]
        var arguments = words.map { strdup($0) } + [nil]
        defer { for case let argument? in arguments { free(argument) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, "/bin/sh", &actions, &attributes, &arguments, environ)
        close(ends[0])
        guard code == 0 else {
            close(ends[1])
            return nil
        }
        descriptor = ends[1]
        self.process = process
    }

    /// Whether a shell finds the program that a command begins with: what is written to one that is not
    /// there is gone. What is no plain word is for the shell to judge.
    private static func isThere(_ command: String) -> Bool {
        let word = command.split(separator: " ").first.map(String.init) ?? ""
        guard Shell.isPlain(word), !word.contains("=") else { return true }
        if word.contains("/") { return access(word, X_OK) == 0 }
        let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        return folders.split(separator: ":").contains { access("\($0)/\(word)", X_OK) == 0 }
    }

    /// Ends its input, and waits until people have read enough.
    func wait() {
        close(descriptor)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
}
