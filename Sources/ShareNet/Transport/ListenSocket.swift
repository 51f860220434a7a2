internal import CEpoll
internal import Glibc

/// A listening socket on the loop.
// Touched on the loop's thread only.
final class ListenSocket: EventHandler, @unchecked Sendable {
    private let fd: Int32
    private let listener: Listener
    private unowned let table: LinkTable
    private var tag: UInt64?
    private var isStopped = false

    /// How many connections one readiness may bring in before other sockets have their turn.
    private static let turn = 16
    /// How long to wait when the process has no descriptor left: the one that waits to be
    /// accepted would otherwise be announced again and again.
    private static let pause = Duration.milliseconds(200)

    /// Takes over `fd`.
    init(fd: Int32, listener: Listener, table: LinkTable) {
        self.fd = fd
        self.listener = listener
        self.table = table
    }

    /// Watches the socket; false if that failed.
    func start() -> Bool {
        guard !isStopped else { return false }
        tag = try? table.loop.add(fd, EPOLLIN.rawValue, self)
        return tag != nil
    }

    func ready(_ events: UInt32) {
        for _ in 0..<ListenSocket.turn where !isStopped {
            var outcome = SystemCall.Outcome.done(0)
            let address = SocketAddress { address, length in
                outcome = SystemCall.run { Int(shim_accept(fd, address, length)) }
                if case .done = outcome { return 0 }
                return -1
            }
            switch outcome {
            case .done(let accepted):
                guard let address else { return }
                table.accept(Int32(truncatingIfNeeded: accepted), from: address, for: listener)
            case .failed(EMFILE), .failed(ENFILE), .failed(ENOBUFS), .failed(ENOMEM):
                pause()
                return
            case .failed:
                // Nobody there any more, or that one connection is gone already.
                return
            }
        }
    }

    private func pause() {
        guard let tag else { return }
        table.loop.remove(fd, tag: tag)
        self.tag = nil
        _ = table.loop.schedule(after: ListenSocket.pause) { [self] in
            if !isStopped, !start() { stop() }
        }
    }

    func stop() {
        guard !isStopped else { return }
        isStopped = true
        if let tag { table.loop.remove(fd, tag: tag) }
        close(fd)
        listener.end()
    }
}
