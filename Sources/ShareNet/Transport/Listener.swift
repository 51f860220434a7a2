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
            guard !state.isOver, state.ready.count < Listener.backlog else { return (nil, true) }
            // What ended meanwhile needs no place.
            state.ready.removeAll { $0.closeReason != nil }
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
