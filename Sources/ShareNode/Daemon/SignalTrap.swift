internal import Dispatch
internal import Glibc
internal import Synchronization

/// Turns SIGTERM and SIGINT into an orderly end.
///
/// The first signal lets `wait` return. A second one, or ten seconds, end the process with a
/// failure: whatever hangs then must not keep the device from being switched off.
package final class SignalTrap: Sendable {
    /// How long an orderly end may take.
    package static let patience = Duration.seconds(10)
    /// The exit code of an end that was forced.
    package static let forcedExit: Int32 = 70

    private struct State {
        var received: Int32?
        var waiting: [CheckedContinuation<Int32, Never>] = []
        var source: (any DispatchSourceRead)?
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "shared.signals")
    private let patience: Duration
    private let force: @Sendable () -> Void

    /// Takes over SIGTERM and SIGINT of this process, and ignores SIGPIPE, until the process ends.
    package convenience init(patience: Duration = SignalTrap.patience) {
        self.init(patience: patience) { _exit(SignalTrap.forcedExit) }
    }

    /// The same with another way to end by force.
    package init(patience: Duration, force: @escaping @Sendable () -> Void) {
        self.patience = patience
        self.force = force
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        // Without a descriptor left there is no way to start anyway: signals then keep their
        // default action.
        guard pipe(&ends) == 0 else { return }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        let (output, input) = (ends[0], ends[1])
        state.withLock { $0.source = source(on: output) }
        // A Dispatch signal source would not do: once the main thread has become Dispatch's own it
        // takes signals itself, and an ignored one is gone before the source is asked.
        signalInput.store(input, ordering: .sequentiallyConsistent)
        for number in [SIGTERM, SIGINT] { signal(number, passOn) }
    }

    private func source(on output: Int32) -> any DispatchSourceRead {
        let source = DispatchSource.makeReadSource(fileDescriptor: output, queue: queue)
        source.setEventHandler { [weak self] in
            var number: UInt8 = 0
            while read(output, &number, 1) == 1 { self?.receive(Int32(number)) }
        }
        source.resume()
        return source
    }

    /// Waits for the first signal and returns its number.
    package func wait() async -> Int32 {
        await withCheckedContinuation { continuation in
            let received = state.withLock { state in
                if state.received == nil { state.waiting.append(continuation) }
                return state.received
            }
            if let received { continuation.resume(returning: received) }
        }
    }

    private func receive(_ number: Int32) {
        let (isFirst, waiting) = state.withLock { state in
            defer { state.waiting = [] }
            guard state.received == nil else { return (false, state.waiting) }
            state.received = number
            return (true, state.waiting)
        }
        guard isFirst else { return force() }
        let limit =
            Int(clamping: patience.components.seconds) * 1000
            + Int(patience.components.attoseconds / 1_000_000_000_000_000)
        queue.asyncAfter(deadline: .now() + .milliseconds(limit)) { [force] in force() }
        for continuation in waiting { continuation.resume(returning: number) }
    }
}

/// The end of the pipe that the handler of signals writes to.
private let signalInput = Atomic<Int32>(-1)

/// Runs between any two instructions of any thread: nothing but `write` is allowed in it.
private let passOn: @convention(c) (Int32) -> Void = { number in
    let saved = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(signalInput.load(ordering: .sequentiallyConsistent), &byte, 1)
    errno = saved
}
