internal import CSystemd
internal import Dispatch
internal import Glibc
import ShareStore
import Synchronization

/// The channel to the service manager, and the sockets that it passed: nothing at all without one.
///
/// The heartbeat of the watchdog asks `isHealthy` each time, so a daemon that hangs is restarted.
package final class Supervision: Sendable {
    private let timer = Mutex<(any DispatchSourceTimer)?>(nil)
    private let starting = Mutex<(any DispatchSourceTimer)?>(nil)
    private let notify: @Sendable (String) -> Void

    /// Talks to the service manager of this process, if there is one.
    package init() {
        notify = { message in sd_notify(0, message) }
    }

    /// Hands each message to `notify`.
    package init(notify: @escaping @Sendable (String) -> Void) {
        self.notify = notify
    }

    /// The daemon opens its rooms: until it is ready the service manager is told again and again
    /// that it works. A file of an earlier release may be made anew, for minutes.
    package func starts(every period: Duration = .seconds(10)) {
        starting.withLock { timer in
            timer?.cancel()
            timer = source(every: Self.microseconds(period), from: period) { [notify] in
                notify("EXTEND_TIMEOUT_USEC=30000000\nWATCHDOG=1")
            }
        }
    }

    /// The daemon answers requests now.
    package func ready(status: String) {
        starting.withLock { timer in
            timer?.cancel()
            timer = nil
        }
        notify("READY=1\nSTATUS=\(Supervision.line(status))")
    }

    /// The text that `systemctl status` shows.
    package func status(_ text: String) {
        notify("STATUS=\(Supervision.line(text))")
    }

    /// The daemon is on its way out; the watchdog's heartbeat goes on until it has ended.
    package func stopping() {
        notify("STOPPING=1")
    }

    /// Sends a heartbeat twice in each period that the service manager allows, for as long as
    /// `isHealthy` says so. Does nothing where no watchdog is set.
    package func startWatchdog(isHealthy: @escaping @Sendable () -> Bool = { true }) {
        var period: UInt64 = 0
        guard sd_watchdog_enabled(0, &period) > 0, period > 1 else { return }
        startWatchdog(period: .microseconds(Int64(clamping: period)), isHealthy: isHealthy)
    }

    /// The same with a period of one's own.
    package func startWatchdog(
        period: Duration, isHealthy: @escaping @Sendable () -> Bool = { true }
    ) {
        timer.withLock { timer in
            timer?.cancel()
            timer = source(every: Self.microseconds(period / 2)) { [notify] in
                if isHealthy() { notify("WATCHDOG=1") }
            }
        }
    }

    private static func microseconds(_ period: Duration) -> Int {
        let parts = period.components
        return max(
            1,
            Int(clamping: parts.seconds) * 1_000_000
                + Int(parts.attoseconds / 1_000_000_000_000))
    }

    private func source(
        every microseconds: Int, from first: Duration = .zero,
        _ beat: @escaping @Sendable () -> Void
    ) -> any DispatchSourceTimer {
        // A queue of its own: it beats even while the shared pool is busy.
        let source = DispatchSource.makeTimerSource(
            queue: DispatchQueue(label: "shared.watchdog"))
        source.schedule(
            deadline: .now() + .microseconds(Self.microseconds(first)),
            repeating: .microseconds(microseconds),
            leeway: .microseconds(microseconds / 10))
        source.setEventHandler(handler: beat)
        source.resume()
        return source
    }

    package func stopWatchdog() {
        timer.withLock { timer in
            timer?.cancel()
            timer = nil
        }
    }

    /// The listening sockets that the service manager passed (`LISTEN_FDS`), for this process only.
    package static func listeningSockets() -> [Int32] {
        let count = sd_listen_fds(1)
        guard count > 0 else { return [] }
        return (0..<count).map { SD_LISTEN_FDS_START + $0 }
    }

    /// A status is one line; a newline would begin another assignment.
    private static func line(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }
}

/// Tells whether the daemon still does its work: each look asks the parts that everything goes
/// through, and the next look tells whether they have answered.
///
/// It has no clock of its own, so that an idle daemon wakes for nothing but the watchdog.
final class Watchdog: Sendable {
    private let sync: SyncService
    private let rooms: RoomBook
    private let unanswered = Mutex(0)

    /// Looks in a row that may find the last question unanswered. A large merge or import keeps a
    /// room's store busy for seconds, but sessions and the list of rooms answer meanwhile.
    private static let patience = 3

    init(sync: SyncService, rooms: RoomBook) {
        self.sync = sync
        self.rooms = rooms
    }

    func isBeating() -> Bool {
        let count = unanswered.withLock { count in
            count += 1
            return count
        }
        if count == 1 {
            Task {
                _ = await sync.connectedKeys()
                _ = await rooms.currentRoom
                unanswered.withLock { $0 = 0 }
            }
        }
        return count <= Self.patience
    }
}
