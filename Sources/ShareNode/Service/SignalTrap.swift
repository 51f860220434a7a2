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
        var sources: [any DispatchSourceSignal] = []
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
        for number in [SIGTERM, SIGINT] {
            // The default action would come before the source is asked.
            signal(number, SIG_IGN)
            state.withLock { $0.sources.append(source(of: number)) }
        }
    }

    private func source(of number: Int32) -> any DispatchSourceSignal {
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler { [weak self] in self?.receive(number) }
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
