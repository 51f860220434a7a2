internal import CEpoll
internal import Glibc
internal import Synchronization

/// An address on which devices can dial this one.
package final class Listener: Sendable {
    private struct State {
        var ready: [Connection] = []
        var waiting: OneShot<Connection?>?
        var isOver = false
    }

    /// The address, with the port that was given where 0 was asked for.
    package let endpoint: Endpoint
    private let table: LinkTable
    private let state = Mutex(State())

    /// How many connections wait to be taken; one more is closed.
    private static let backlog = 128

    init(endpoint: Endpoint, table: LinkTable) {
        self.endpoint = endpoint
        self.table = table
    }

    /// The next connection whose handshake is complete; nil once the listener is closed or the
    /// calling task is cancelled. One task at a time may ask.
    package func next() async -> Connection? {
        let answer = OneShot<Connection?>()
        let now: Connection?? = state.withLock { state in
            if !state.ready.isEmpty { return .some(state.ready.removeFirst()) }
            if state.isOver { return .some(nil) }
            precondition(state.waiting == nil, "one task at a time asks for connections")
            state.waiting = answer
            return nil
        }
        if let now { return now }
        return await withTaskCancellationHandler {
            await answer.value()
        } onCancel: {
            state.withLock { if $0.waiting === answer { $0.waiting = nil } }
            answer.give(nil)
        }
    }

    /// Stops listening; connections that were taken stay.
    package func close() {
        let table = table
        table.loop.execute { table.stopListening(self) }
    }

    func offer(_ connection: Connection) {
        let (waiting, isRefused): (OneShot<Connection?>?, Bool) = state.withLock { state in
            if let waiting = state.waiting {
                state.waiting = nil
                return (waiting, false)
            }
            // What ended meanwhile needs no place.
            state.ready.removeAll { $0.closeReason != nil }
            guard !state.isOver, state.ready.count < Listener.backlog else { return (nil, true) }
            state.ready.append(connection)
            return (nil, false)
        }
        if isRefused || waiting?.give(connection) == false {
            connection.close("nobody takes connections here")
        }
    }

    func end() {
        let (waiting, left) = state.withLock { state in
            defer {
                state.waiting = nil
                state.ready = []
                state.isOver = true
            }
            return (state.waiting, state.ready)
        }
        waiting?.give(nil)
        for connection in left { connection.close("the listener was closed") }
    }
}

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
                table.alarm.sound()
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
        goOnLater()
    }

    /// Watches the socket again, and tries that until it succeeds: a device that gave up here could
    /// not be dialled any more.
    private func goOnLater() {
        _ = table.loop.schedule(after: ListenSocket.pause) { [self] in
            if !isStopped, !start() { goOnLater() }
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
